/** The exchanges of a file, and bytes as its text. */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"

const Text = Schema.Struct({ text: Schema.String })
const Base64 = Schema.Struct({ base64: Schema.String })

const Headers = Schema.Record({ key: Schema.String, value: Schema.String })

const RequestBody = Schema.Union(
  Schema.Struct({ form: Schema.Array(Schema.Tuple(Schema.String, Schema.Union(Text, Base64))) }),
  Text,
  Base64,
  // Last, since an unknown value may be absent: this matches every object.
  Schema.Struct({ json: Schema.Unknown })
)
export type RequestBody = typeof RequestBody.Type

const Request = Schema.Struct({
  method: Schema.String,
  url: Schema.String.pipe(Schema.filter((url) => URL.canParse(url) || "expected an address with scheme and host")),
  headers: Headers,
  body: Schema.optional(RequestBody)
})
export type Request = typeof Request.Type

const Piece = Schema.Union(Text, Base64)
type Piece = typeof Piece.Type

export const Exchange = Schema.Struct({
  request: Request,
  response: Schema.Struct({
    status: Schema.Int.pipe(Schema.between(200, 599)),
    headers: Headers,
    /** Absent if empty; `chunks` for a streamed body. */
    body: Schema.optional(Schema.Union(Schema.Struct({ chunks: Schema.Array(Piece) }), Piece))
  })
})
export type Exchange = typeof Exchange.Type

export const File = Schema.Array(Exchange)

export const requestLine = (request: Pick<Request, "method" | "url">): string => `${request.method} ${request.url}`

/** One character for each byte, to search any bytes for secrets. */
export const toBinary = (bytes: Uint8Array): string => {
  let text = ""
  for (let start = 0; start < bytes.length; start += 8192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8192))
  }
  return text
}

export const fromBinary = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Readable text for UTF-8, otherwise Base64, as for half a character. */
export const toPiece = (bytes: Uint8Array): Piece =>
  Either.match(textOf(bytes), {
    onLeft: () => ({ base64: Encoding.encodeBase64(bytes) }),
    onRight: (text) => ({ text })
  })

export const textOf = (bytes: Uint8Array): Either.Either<string, unknown> =>
  Either.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))

/** Left if the file's Base64 is invalid. */
export const fromPiece = (piece: Piece): Either.Either<Uint8Array, Encoding.DecodeException> =>
  "text" in piece ? Either.right(utf8(piece.text)) : Encoding.decodeBase64(piece.base64)

export const jsonOf = (text: string): Either.Either<unknown, unknown> => Either.try(() => JSON.parse(text) as unknown)
