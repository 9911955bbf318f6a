/** Exchanges as the file has them. */
import * as Schema from "effect/Schema"

const Text = Schema.Struct({ text: Schema.String })
const Base64 = Schema.Struct({ base64: Schema.String })

const Headers = Schema.Record({ key: Schema.String, value: Schema.String })

const RequestBody = Schema.Union(
  Schema.Struct({ form: Schema.Array(Schema.Tuple(Schema.String, Schema.Union(Text, Base64))) }),
  Text,
  Base64,
  // Last: a key of unknown value may be absent, so this takes every object.
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
export type Piece = typeof Piece.Type

export const Exchange = Schema.Struct({
  request: Request,
  response: Schema.Struct({
    status: Schema.Int.pipe(Schema.between(200, 599)),
    headers: Headers,
    /** Absent for an empty one; `chunks` for one that streams, as its pieces came. */
    body: Schema.optional(Schema.Union(Schema.Struct({ chunks: Schema.Array(Piece) }), Piece))
  })
})
export type Exchange = typeof Exchange.Type

export const File = Schema.Array(Exchange)

export const shownRequest = (request: Pick<Request, "method" | "url">): string => `${request.method} ${request.url}`
