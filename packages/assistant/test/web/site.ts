/** A site on loopback that answers as a test says, and knows what it was asked. */
import { Effect, type Scope } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

export interface Asked {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface Site {
  readonly port: number
  /** `127.0.0.1` with the port. */
  readonly host: string
  readonly url: string
  readonly asked: ReadonlyArray<Asked>
}

export type Answering = (asked: Asked, response: ServerResponse) => void

export const site = (answer: Answering): Effect.Effect<Site, never, Scope.Scope> =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const server = createServer((request, response) => {
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
    return { port, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}`, asked }
  })

/** Answers with a body of a content type. */
export const sends =
  (contentType: string, body: string | Uint8Array): Answering =>
  (_, response) => {
    response.setHeader("content-type", contentType)
    response.end(body)
  }

/** An article that is long enough to be taken for one. */
export const article = (title: string, paragraphs: ReadonlyArray<string>): string =>
  `<!doctype html><html><head><title>${title}</title></head><body>
  <nav><a href="/">Home</a> <a href="/about">About us</a></nav>
  <article><h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join("\n")}</article>
  <footer>All rights reserved</footer></body></html>`

export const paragraph =
  "Tea is made of the leaves of one plant, which are withered, rolled, oxidised or not, and dried; what is called herbal tea has no leaf of it at all."
