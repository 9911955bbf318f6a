/** `wield serve http`: each tool as a POST, and an OpenAPI document that imports back as the same tools. */
import { randomBytes } from "node:crypto"
import type { CallContext } from "@wield/core"
import * as Outcome from "@wield/core/Outcome"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as RequestGuard from "@wield/http/RequestGuard"
import * as WebServer from "@wield/http/WebServer"
import * as OpenApi from "@wield/manifest/OpenApi"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { codes, type ExitCode, ofOutcome } from "../ExitCode.js"
import { printProblems } from "../output/print.js"
import { messageOf, Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"
import { type Command, type Common, openProject, readPairs, resultOf } from "./common.js"

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
    const own = environment["WIELD_TOKEN"] ?? ""
    const token = given.withoutToken ? undefined : own || randomBytes(24).toString("base64url")
    const runtime = yield* Effect.runtime<never>()
    const call = (name: string, args: string, signal: AbortSignal) =>
      Runtime.runPromise(runtime)(
        runner
          .forRun({ context })
          .settle([ToolCall.make(`call_${randomBytes(9).toString("base64url")}`, name, args)])
          .pipe(Effect.provide(services)),
        { signal }
      )
    const answer = async (request: Request, port: number): Promise<Response> => {
      const refusal = refusalOf(request, { token, host: given.host, port })
      if (refusal !== undefined) return respond(refusal.status, { error: refusal.reason })
      const path = new URL(request.url).pathname
      if (request.method === "GET" && path === "/openapi.json") {
        return respond(200, OpenApi.ofTools({ definitions, failure, url: `http://${hostOf(given.host)}:${port}` }))
      }
      const name = toolIn(path)
      if (name === undefined) return respond(404, { error: "There are /openapi.json and POST /tools/{name}" })
      if (request.method !== "POST") return respond(405, { error: "A tool is called with POST" })
      const body = await RequestGuard.readText(request, largestBody)
      if (body === undefined) return respond(413, { error: "The body has more than 16 MiB" })
      // Who hangs up does not want the result: the handler is interrupted.
      const [outcome] = await call(name, body, request.signal)
      return outcome === undefined ? respond(500, { error: "The call came to no outcome" }) : responseOf(outcome)
    }
    const handle: WebServer.Handle = (request, port) =>
      answer(request, port).catch((error: unknown) => {
        // Who called reads no more of it.
        Runtime.runFork(runtime)(Console.error(`A request failed: ${messageOf(error)}`))
        return respond(500, { error: "The server failed; its standard error says why" })
      })
    const port = yield* Effect.mapError(
      WebServer.listen(handle, { host: given.host, port: given.port }),
      ({ message }) => Refused.usage(message)
    )
    // What is printed may be kept in a log: a token of the caller's own is known to them.
    const shown = own === "" ? token : "<the token of WIELD_TOKEN>"
    const secret = token === undefined ? "" : `\nAuthorization: Bearer ${shown}`
    yield* Console.error(`${definitions.length} tools at http://${hostOf(given.host)}:${port}/openapi.json${secret}`)
    return yield* Effect.as(Effect.never, codes.done)
  }).pipe(Effect.scoped)

const hostOf = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** A page of the web must not reach a local server: neither by its own requests nor by a name that leads here. */
const refusalOf = (
  { headers }: Request,
  { host, port, token }: { readonly token: string | undefined; readonly host: string; readonly port: number }
): { readonly status: number; readonly reason: string } | undefined => {
  const names = new Set(RequestGuard.loopback.map((name) => `${name}:${port}`))
  if (RequestGuard.loopback.includes(hostOf(host)) && !RequestGuard.isHostAllowed(names, headers.get("host") ?? "")) {
    return { status: 403, reason: "The Host is not this server" }
  }
  if (headers.has("origin")) return { status: 403, reason: "Web pages may not call this server" }
  if (token === undefined) return undefined
  return RequestGuard.isSecret(headers.get("authorization") ?? "", `Bearer ${token}`)
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

const respond = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store" }
  })

const responseOf = (outcome: Outcome.Outcome): Response =>
  outcome._tag === "Success"
    ? respond(200, resultOf(outcome) ?? null)
    : respond(statusOf(outcome), {
        outcome: outcome._tag,
        error: Outcome.text(outcome) ?? "The call waits for a person",
        ...(outcome._tag === "Failure" ? { failure: resultOf(outcome) } : {})
      })

/** By the exit code of the command, but for what was not found. */
const statusOf = (outcome: Outcome.Outcome): number =>
  outcome._tag === "UnknownTool" || outcome._tag === "Unavailable"
    ? 404
    : outcome._tag === "Limited"
      ? 429
      : statuses[ofOutcome(outcome)]

const statuses: { readonly [Code in ExitCode]: number } = {
  [codes.done]: 200,
  [codes.failed]: 422,
  [codes.rejected]: 400,
  [codes.denied]: 403,
  [codes.waiting]: 409,
  [codes.limited]: 504,
  [codes.uncertain]: 409,
  [codes.usage]: 500,
  [codes.unusable]: 500,
  [codes.defect]: 500,
  [codes.interrupted]: 500
}

/** The body of every answer that is no result. */
const failure = {
  type: "object",
  properties: {
    outcome: { enum: Outcome.tags.filter((tag) => tag !== "Success"), description: "How the call ended" },
    error: { type: "string" },
    failure: { description: "The tool's own failure" }
  },
  required: ["error"]
}
