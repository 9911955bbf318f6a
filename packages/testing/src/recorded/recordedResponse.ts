/** Encodes a response for the file, without its secrets, and decodes it. */
import * as Either from "effect/Either"
import type * as Encoding from "effect/Encoding"
import { type Exchange, fromPiece, jsonOf, textOf, toPiece } from "./exchange.js"
import { encodeHeaders, secretsOfHeaders } from "./recordedRequest.js"
import { redactJsonText, redactPieces } from "./redact.js"
import { inJson, type Redaction, type Rules } from "./secrets.js"
import { concatBytes } from "./sent.js"

export interface Received {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly pieces: ReadonlyArray<Uint8Array>
}

type Recorded = Exchange["response"]

/** The headers that programs read. Others belong to the connection or the account, or differ each time. */
const kept = new Set(
  "content-type retry-after retry-after-ms x-should-retry location link x-request-id request-id".split(" ")
)

const isKept = (name: string): boolean => kept.has(name) || /^(x|anthropic)-ratelimit-/.test(name)

export const secretsOfResponse = (received: Received, rules: Rules): ReadonlyArray<string> => [
  ...secretsOfHeaders(received.headers, rules),
  ...Either.match(jsonOf(Either.getOrElse(textOf(concatBytes(received.pieces)), () => "")), {
    onLeft: () => [],
    onRight: (value) => inJson(value, rules)
  })
]

const streaming =
  /^(text\/event-stream|application\/(x-)?ndjson|application\/jsonl|application\/vnd\.amazon\.eventstream)/

export const encodeResponse = (
  received: Received,
  redaction: Redaction,
  keepHeaders: ReadonlySet<string>
): Recorded => {
  const head = {
    status: received.status,
    headers: encodeHeaders(received.headers, redaction, (name) => isKept(name) || keepHeaders.has(name))
  }
  const pieces = received.pieces.filter((piece) => piece.length > 0)
  if (pieces.length === 0) return head
  if (streaming.test(received.headers["content-type"] ?? "")) {
    return { ...head, body: { chunks: redactPieces(pieces, redaction).map(toPiece) } }
  }
  const bytes = concatBytes(pieces)
  const text = Either.getOrElse(textOf(bytes), () => "")
  return Either.match(jsonOf(text), {
    onLeft: () => ({ ...head, body: toPiece(concatBytes(redactPieces([bytes], redaction))) }),
    onRight: (value) => ({ ...head, body: { text: redactJsonText(text, value, redaction) } })
  })
}

/** The pieces of a recorded body. */
export const piecesOf = (
  body: Recorded["body"]
): Either.Either<ReadonlyArray<Uint8Array>, Encoding.DecodeException> => {
  if (body === undefined) return Either.right([])
  return Either.all(("chunks" in body ? body.chunks : [body]).map(fromPiece))
}

export const webResponse = (received: Received): Response => {
  // The constructor refuses a body for these.
  const hasBody = ![204, 205, 304].includes(received.status) && received.pieces.length > 0
  const pieces = received.pieces.values()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = pieces.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    }
  })
  return new Response(hasBody ? body : null, { status: received.status, headers: received.headers })
}
