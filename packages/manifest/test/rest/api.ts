/** An API on loopback that shows what it was asked, and calls of it. */
import { HttpClient } from "@effect/platform"
import { HttpGuard } from "@wield/http"
import type * as Executor from "@wield/manifest/Executor"
import type * as ManifestEntry from "@wield/manifest/ManifestEntry"
import * as RestExecutor from "@wield/manifest/RestExecutor"
import { Effect, type Scope } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

export interface Asked {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface Api {
  readonly url: string
  readonly host: string
  readonly asked: ReadonlyArray<Asked>
}

export type Answer = (asked: Asked, response: ServerResponse, index: number) => unknown

export const api = (answer: Answer): Effect.Effect<Api, never, Scope.Scope> =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const http = createServer((request, response) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => {
        const one = {
          method: request.method ?? "",
          url: request.url ?? "",
          headers: request.headers,
          body: Buffer.concat(pieces).toString()
        }
        asked.push(one)
        answer(one, response, asked.length - 1)
      })
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        http.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.async<void>((resume) => {
          http.close(() => resume(Effect.void))
          http.closeAllConnections()
        })
    )
    const address = http.address()
    const host = `127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`
    return { url: `http://${host}`, host, asked }
  })

export const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
}

/** An executor over a guarded client that may go to this host alone. */
export const executor = (
  host: string,
  options: RestExecutor.Options
): Effect.Effect<Executor.Executor, never, Scope.Scope> =>
  Effect.flatMap(Effect.orDie(HttpGuard.make({ allowedHosts: [host] })), (client) => made(client, options))

const made = (client: Effect.Effect.Success<ReturnType<typeof HttpGuard.make>>, options: RestExecutor.Options) =>
  RestExecutor.make(options).pipe(Effect.provideService(HttpClient.HttpClient, client), Effect.orDie)

/** What a call of an entry sends, and what comes of it. */
export const call = (
  entry: ManifestEntry.ApiEntry,
  parameters: Executor.Arguments,
  options: Omit<RestExecutor.Options, "url"> & { readonly base?: string } = {},
  answer: Answer = (_, response) => json(response, { ok: true })
) =>
  Effect.gen(function* () {
    const server = yield* api(answer)
    const { base = "", ...rest } = options
    const rested = yield* executor(server.host, { url: server.url + base, ...rest })
    const result = yield* Effect.either(rested.prepare(entry)(parameters))
    return { result, asked: server.asked, last: server.asked.at(-1) }
  })
