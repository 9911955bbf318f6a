/** A server on loopback that answers as a test says, and shows what it was asked. */
import { Effect, type Scope } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface Server {
  readonly port: number
  /** With `127.0.0.1` as the host. */
  readonly url: string
  readonly asked: ReadonlyArray<Asked>
}

export const server = (
  answer: (asked: Asked, response: ServerResponse) => void
): Effect.Effect<Server, never, Scope.Scope> =>
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
        answer(one, response)
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
    const port = address !== null && typeof address === "object" ? address.port : 0
    return { port, url: `http://127.0.0.1:${port}`, asked }
  })
