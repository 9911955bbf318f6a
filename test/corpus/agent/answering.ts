/** A server on loopback that gives the recorded responses of a conversation in their order, byte by byte as they were. */
import { HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Json } from "@wield/core"
import { Effect, type Scope, Stream } from "effect"
import { createServer } from "node:http"
import type { Exchange } from "../exchanges.js"
import { seeded } from "../wire/random.js"

export interface Received {
  /** Path and query. */
  readonly path: string
  readonly body: Json.JsonObject
}

export interface Answering {
  readonly url: string
  /** What was asked, in order. */
  readonly received: ReadonlyArray<Received>
}

/** `isCut`: streams come in pieces of a few bytes, the same in every run. */
export const answering = (
  exchanges: ReadonlyArray<Exchange>,
  isCut: boolean
): Effect.Effect<Answering, never, Scope.Scope> =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = yield* NodeHttpServer.make(() => createServer(), { port: 0, host: "127.0.0.1" })
    yield* server.serve(
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const exchange = exchanges[received.length]
        const body = yield* request.json
        // What is sent by a client of a wire format is an object, or the comparison says so.
        received.push({ path: request.url, body: (Json.isObject(body) ? body : {}) as Json.JsonObject })
        return exchange === undefined
          ? HttpServerResponse.unsafeJson(
              { error: { message: "the recording has no further response" } },
              { status: 400 }
            )
          : responseOf(exchange, isCut)
      }).pipe(Effect.orDie)
    )
    return { url: HttpServer.formatAddress(server.address), received }
  }).pipe(Effect.orDie)

const responseOf = ({ body, file, headers, status = 200, stream, wire }: Exchange, isCut: boolean) => {
  if (stream === undefined) return HttpServerResponse.unsafeJson(body, { status })
  const recorded = headers["content-type"]
  const contentType = recorded === undefined || recorded.includes("REDACTED") ? streamType(wire) : recorded
  return HttpServerResponse.stream(Stream.fromIterable(isCut ? pieces(stream, file) : [stream]), {
    status,
    contentType
  })
}

const streamType = (wire: string): string =>
  wire === "bedrock-converse"
    ? "application/vnd.amazon.eventstream"
    : wire === "ollama-chat"
      ? "application/x-ndjson"
      : "text/event-stream"

const pieces = (bytes: Uint8Array, seed: string): ReadonlyArray<Uint8Array> => {
  const next = seeded(seed)
  const out: Array<Uint8Array> = []
  for (let from = 0; from < bytes.length;) {
    const to = from + 1 + next(longestPiece)
    out.push(bytes.subarray(from, to))
    from = to
  }
  return out
}

/** Bytes: shorter than most events. */
const longestPiece = 61
