/** `wield serve http`: each tool as a POST, and an OpenAPI document that imports back as the same tools. */
import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { CallContext } from "@wield/core"
import * as Outcome from "@wield/core/Outcome"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as RequestGuard from "@wield/http/RequestGuard"
import * as OpenApi from "@wield/manifest/OpenApi"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { codes } from "../ExitCode.js"
import { printProblems } from "../output/print.js"
import { messageOf, Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"
import { type Command, type Common, openProject, readPairs } from "./common.js"

export interface Options extends Common {
  readonly context: ReadonlyArray<string>
  readonly port: number
  readonly host: string
  readonly withoutToken: boolean
}

export const serveHttp = (given: Options): Command =>
  Effect.gen(function* () {
    const { definitions, policy, problems, project, services, toolset } = yield* openProject(given, "run")
    yield* printProblems(problems)
    const context: CallContext.Values = { ...project.config.context, ...(yield* readPairs(given.context)) }
    const runner = yield* Effect.mapError(ToolRunner.make(toolset, policy), (error) =>
      Refused.unusable(messageOf(error))
    )
    const { environment } = yield* Shell
    const token = given.withoutToken ? undefined : (environment["WIELD_TOKEN"] ?? randomBytes(24).toString("base64url"))
    const runtime = yield* Effect.runtime<never>()
    const call = (name: string, args: string, signal: AbortSignal) =>
      Runtime.runPromise(runtime)(
        runner
          .forRun({ context })
          .settle([ToolCall.make(`call_${randomBytes(9).toString("base64url")}`, name, args)])
          .pipe(Effect.provide(services)),
        { signal }
      )
    yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>, Refused>((resume) => {
        const server = createServer((request, response) => {
          answer(request, response).catch((error: unknown) => {
            // Who called reads no more of it.
            Runtime.runFork(runtime)(Console.error(`A request failed: ${messageOf(error)}`))
            if (!response.headersSent) send(response, 500, { error: "The server failed; its standard error says why" })
          })
        })
        const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
          const { port } = server.address() as AddressInfo
          const refusal = refusalOf(request, { token, host: given.host, port })
          if (refusal !== undefined) return send(response, refusal.status, { error: refusal.reason })
          const [path = "/"] = (request.url ?? "/").split("?")
          if (request.method === "GET" && path === "/openapi.json") {
            return send(
              response,
              200,
              OpenApi.ofTools({ definitions, failure, url: `http://${hostOf(given.host)}:${port}` })
            )
          }
          const name = toolIn(path)
          if (name === undefined)
            return send(response, 404, { error: "There are /openapi.json and POST /tools/{name}" })
          if (request.method !== "POST") return send(response, 405, { error: "A tool is called with POST" })
          const body = await readBody(request)
          if (body === undefined) return send(response, 413, { error: "The body has more than 16 MiB" })
          const gone = new AbortController()
          // Who hangs up does not want the result: the handler is interrupted.
          response.on("close", () => gone.abort())
          const [outcome] = await call(name, body, gone.signal)
          if (outcome !== undefined) sendOutcome(response, outcome)
        }
        server.on("error", (error) => resume(Effect.fail(Refused.failed(error.message))))
        server.listen(given.port, given.host, () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.async<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ).pipe(
      Effect.flatMap((server) => {
        const { port } = server.address() as AddressInfo
        const secret = token === undefined ? "" : `\nAuthorization: Bearer ${token}`
        return Console.error(
          `${definitions.length} tools at http://${hostOf(given.host)}:${port}/openapi.json${secret}`
        )
      })
    )
    return yield* Effect.as(Effect.never, codes.done)
  }).pipe(Effect.scoped)

const hostOf = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** A page of the web must not reach a local server: neither by its own requests nor by a name that leads here. */
const refusalOf = (
  { headers }: IncomingMessage,
  { host, port, token }: { readonly token: string | undefined; readonly host: string; readonly port: number }
): { readonly status: number; readonly reason: string } | undefined => {
  const names = new Set(RequestGuard.loopback.map((name) => `${name}:${port}`))
  if (RequestGuard.loopback.includes(hostOf(host)) && !RequestGuard.isHostAllowed(names, headers.host ?? "")) {
    return { status: 403, reason: "The Host is not this server" }
  }
  if (headers.origin !== undefined) return { status: 403, reason: "Web pages may not call this server" }
  if (token === undefined) return undefined
  return RequestGuard.isSecret(headers.authorization ?? "", `Bearer ${token}`)
    ? undefined
    : { status: 401, reason: "The token is missing or wrong" }
}

/** The tool that a path names; `undefined` for another path, and for one that is written wrongly. */
const toolIn = (path: string): string | undefined => {
  const [, name] = /^\/tools\/([^/]+)$/.exec(path) ?? []
  try {
    return name === undefined ? undefined : decodeURIComponent(name)
  } catch {
    return undefined
  }
}

const largestBody = 16 * 1024 * 1024

const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  const pieces: Array<Buffer> = []
  let size = 0
  for await (const piece of request) {
    size += (piece as Buffer).length
    if (size > largestBody) return undefined
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces).toString("utf8")
}

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
  response.end(JSON.stringify(body))
}

const sendOutcome = (response: ServerResponse, outcome: Outcome.Outcome): void =>
  outcome._tag === "Success"
    ? send(response, 200, outcome.encoded ?? null)
    : send(response, statuses[outcome._tag], {
        outcome: outcome._tag,
        error: Outcome.text(outcome) ?? "The call waits for a person",
        ...(outcome._tag === "Failure" ? { failure: outcome.encoded } : {})
      })

const statuses: { readonly [Tag in Exclude<Outcome.Outcome["_tag"], "Success">]: number } = {
  Failure: 422,
  InvalidArguments: 400,
  UnknownTool: 404,
  Unavailable: 404,
  Denied: 403,
  Deferred: 409,
  TimedOut: 504,
  Limited: 429,
  Interrupted: 500,
  Uncertain: 409,
  InvalidResult: 500,
  Defect: 500,
  MissingContext: 500
}

/** The body of every answer that is no result. */
const failure = {
  type: "object",
  properties: {
    outcome: { enum: Object.keys(statuses), description: "How the call ended" },
    error: { type: "string" },
    failure: { description: "The tool's own failure" }
  },
  required: ["error"]
}
