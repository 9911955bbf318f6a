/** A server on loopback that answers as a test says, and shows what it was asked. */
import { HttpServer, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"

export interface Received {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: { readonly [key: string]: unknown }
}

export interface Loopback {
  readonly url: string
  /** What was asked, in order. */
  readonly requests: ReadonlyArray<Received>
  /** The client's port of each request: that of its connection. */
  readonly ports: ReadonlyArray<number>
}

/** `index`: how many requests came before this one. */
export type Answer = (request: Received, index: number) => Effect.Effect<HttpServerResponse.HttpServerResponse>

export const loopback = (answer: Answer): Effect.Effect<Loopback, never, Scope.Scope> =>
  Effect.gen(function* () {
    const requests: Array<Received> = []
    const ports: Array<number> = []
    const server = yield* NodeHttpServer.make(
      () => createServer((request) => ports.push(request.socket.remotePort ?? 0)),
      { port: 0, host: "127.0.0.1" }
    )
    yield* server.serve(
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const text = yield* request.text
        const body = (text === "" ? {} : JSON.parse(text)) as Received["body"]
        const received = { method: request.method, path: request.url, headers: request.headers, body }
        requests.push(received)
        // The platform's server runs its handlers uninterruptibly; here they see the connection close.
        return yield* Effect.interruptible(answer(received, requests.length - 1))
      })
    )
    return {
      url: yield* HttpServer.addressFormattedWith((url) => Effect.succeed(url)).pipe(
        Effect.provideService(HttpServer.HttpServer, server)
      ),
      requests,
      ports
    }
  }).pipe(Effect.orDie)

/** A server that writes this to every request, as soon as it is asked, and then breaks the connection. */
export const breaking = (
  body: Uint8Array,
  contentType: string
): Effect.Effect<{ readonly url: string; readonly count: () => number }, never, Scope.Scope> =>
  Effect.gen(function* () {
    let count = 0
    const server = createServer((request, response) => {
      count++
      request.resume()
      if (body.length === 0) {
        request.socket.destroy()
        return
      }
      response.writeHead(200, { "content-type": contentType })
      // What is written is sent before the connection is reset.
      response.write(body, () => setTimeout(() => request.socket.destroy(), 20))
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.async<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const address = server.address()
    const port = address !== null && typeof address === "object" ? address.port : 0
    return { url: `http://127.0.0.1:${port}`, count: () => count }
  })
