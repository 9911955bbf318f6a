/** A handler of web requests behind a server of Node. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { aFunction, aHost, aPort, check, checkOptions, type Kind, milliseconds } from "./guard/policy.js"

/**
 * The server cannot listen: the port is taken, or the address is not this
 * machine's.
 *
 * @category errors
 */
export class ListenFailed extends Schema.TaggedError<ListenFailed>("@wield/http/ListenFailed")("ListenFailed", {
  message: Schema.String
}) {}

/**
 * Answers a request at a port of this machine.
 *
 * @category models
 */
export type Handle = (request: Request, port: number) => Promise<Response>

/**
 * Where a server listens.
 *
 * @category models
 */
export interface Address {
  readonly host: string
  /** Any free one where it is 0. */
  readonly port: number
  /**
   * A client that takes nothing of what waits for it is cut off after this many milliseconds, 60,000 unless given. One
   * that goes on sending after its answer is too, after 10,000 at most, or 8 MiB.
   */
  readonly patience?: number | undefined
}

/**
 * Serves requests, and gives the port. Connections end with the scope; the signal of a request ends with its
 * connection.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { WebServer } from "@wield/http"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const port = yield* WebServer.listen(async () => new Response("here"), { host: "127.0.0.1", port: 0 })
 *   return yield* Effect.promise(async () => (await fetch(`http://127.0.0.1:${port}`)).text())
 * })
 * Effect.runPromise(Effect.scoped(program)).then((text) => assert.strictEqual(text, "here"))
 * ```
 *
 * @category running
 */
export const listen = (handle: Handle, address: Address): Effect.Effect<number, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Server, ListenFailed>((resume) => {
      check("What WebServer answers with", aFunction, handle)
      checkOptions("The address of WebServer", kinds, address, ["host", "port"])
      const { host, patience = 60_000, port } = address
      const answering = new Set<ServerResponse>()
      const server = createServer((request, response) => {
        answering.add(response)
        response.on("close", () => answering.delete(response))
        passOverOnceAnswered(request, response, Math.min(patience, 10_000))
        answer(handle, request, response).catch(() => {
          // It could not be answered, or its reader has gone.
          if (!response.headersSent) response.writeHead(500)
          response.end()
        })
      })
      // A call may take its time; a client that does not read, or that asks for nothing more, may not.
      server.setTimeout(patience, (socket) => {
        const isAnswered = [...answering].every(({ req }) => req.socket !== socket)
        if (isAnswered || socket.writableLength > 0) socket.destroy()
      })
      server.on("error", (error) => resume(new ListenFailed({ message: adviceOn(error, host, port) })))
      server.listen(port, host, () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** What Node says of it names neither what is expected nor what to do. */
const adviceOn = (error: NodeJS.ErrnoException, host: string, port: number): string => {
  switch (error.code) {
    case "EADDRINUSE":
      return `The port ${port} of ${host} is taken by another program: choose another one, or 0 for any that is free`
    case "EACCES":
      return `The port ${port} of ${host} is not open to this process: choose one from 1024 on, or 0 for any that is free`
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EADDRNOTAVAIL":
    case "EINVAL":
      return `${JSON.stringify(host)} is no address of this machine: give one, such as 127.0.0.1, without http:// and port`
    default:
      return error.message
  }
}

const kinds: { readonly [Name in keyof Required<Address>]: Kind } = {
  host: aHost,
  port: aPort,
  patience: milliseconds
}

const answer = async (handle: Handle, incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { headers, method = "GET", url = "/" } = incoming
  const gone = new AbortController()
  response.on("close", () => gone.abort())
  const hasBody = method !== "GET" && method !== "HEAD"
  // A path, not an address: `//other/path` names no other host.
  const address = `http://server${url}`
  // And a request of the web cannot be a TRACE.
  if (!url.startsWith("/") || !URL.canParse(address) || method === "TRACE") return void response.writeHead(400).end()
  const request = new Request(address, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one])
    ),
    signal: gone.signal,
    // Its type leaves out `duplex`, without which Node takes no stream.
    ...(hasBody ? { body: bodyOf(incoming, response), duplex: "half" } : {})
  } as RequestInit)
  const { body, headers: answered, status } = await handle(request, incoming.socket.localPort ?? 0)
  // A list, since several `set-cookie` are as many headers.
  response.writeHead(status, [...answered].flat())
  if (body === null) return void response.end()
  response.flushHeaders()
  // Node has a type of its own for the streams of the web.
  await pipeline(Readable.fromWeb(body as never), response)
}

/** A body is read before the answer: what comes of it later is not kept. */
const bodyOf = (incoming: IncomingMessage, response: ServerResponse): ReadableStream<Uint8Array> => {
  let isWanted = true
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = () => {
          if (isWanted) controller.close()
          isWanted = false
        }
        const fail = (error: Error) => {
          isWanted = false
          controller.error(error)
        }
        incoming.on("data", (piece: Uint8Array) => {
          if (!isWanted) return
          incoming.pause()
          controller.enqueue(piece)
        })
        incoming.on("end", end)
        incoming.on("error", fail)
        response.once("finish", () => {
          if (incoming.complete && incoming.readableLength === 0) end()
          else fail(new Error("The request was answered before its body was read"))
        })
      },
      pull() {
        incoming.resume()
      },
      cancel() {
        isWanted = false
      }
    },
    { highWaterMark: 0 }
  )
}

/**
 * Who sends a body reads the answer behind it only, and can then ask again: what is left of it is passed over, but not
 * one that has no end.
 */
const passOverOnceAnswered = (incoming: IncomingMessage, response: ServerResponse, longest: number): void => {
  incoming.pause()
  // Node itself passes over, without a bound, what no one has asked for.
  incoming.read(0)
  response.once("finish", () => {
    incoming.resume()
    if (incoming.complete) return
    const { socket } = incoming
    const timer = setTimeout(() => socket.destroy(), longest).unref()
    let left = mostPassedOver
    incoming.on("data", (piece: Uint8Array) => {
      left -= piece.byteLength
      if (left < 0) socket.destroy()
    })
    incoming.once("end", () => clearTimeout(timer))
  })
}

/** In bytes. */
const mostPassedOver = 8 * 1024 * 1024
