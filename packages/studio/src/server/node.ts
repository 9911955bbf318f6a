/** A handler of web requests behind a server of Node. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Handle } from "./guard.js"

/**
 * The server cannot listen: the port is taken, or the address is not this
 * machine's.
 *
 * @category errors
 */
export class ListenFailed extends Schema.TaggedError<ListenFailed>("@wield/studio/ListenFailed")("ListenFailed", {
  message: Schema.String
}) {}

/** Gives the port. Connections end with the scope. */
export const listen = (
  handle: Handle,
  { host, port }: { readonly host: string; readonly port: number }
): Effect.Effect<number, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Server, ListenFailed>((resume) => {
      const server = createServer((request, response) => {
        answer(handle, request, response).catch(() => {
          // It could not be answered, or its reader has gone.
          if (!response.headersSent) response.writeHead(500)
          response.end()
        })
      })
      server.on("error", (error) => resume(new ListenFailed({ message: error.message })))
      server.listen(port, host, () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

const answer = async (handle: Handle, incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { headers, method = "GET", url = "/" } = incoming
  const gone = new AbortController()
  response.on("close", () => gone.abort())
  const hasBody = method !== "GET" && method !== "HEAD"
  // A path, not an address: `//other/path` names no other host.
  const address = `http://studio${url}`
  if (!url.startsWith("/") || !URL.canParse(address)) return void response.writeHead(400).end()
  const request = new Request(address, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one])
    ),
    signal: gone.signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: "half" } : {})
  } as RequestInit)
  const { body, headers: answered, status } = await handle(request)
  response.writeHead(status, Object.fromEntries(answered))
  if (body === null) return void response.end()
  response.flushHeaders()
  await pipeline(Readable.fromWeb(body as never), response)
}
