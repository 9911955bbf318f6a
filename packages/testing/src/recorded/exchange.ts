/** The exchanges of a file, and bytes as its text. */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Json from "@wield/core/Json"
import * as SchemaTree from "@wield/core/SchemaTree"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { RecordingFailed, RecordingInvalid } from "../RecordingError.js"

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

export const jsonOf = (text: string): Either.Either<unknown, unknown> => Either.try((): unknown => JSON.parse(text))

export const read = (
  file: string
): Effect.Effect<ReadonlyArray<Exchange> | undefined, RecordingInvalid | RecordingFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const text = yield* files.readFileString(file).pipe(
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "NotFound",
        () => Effect.succeed(undefined)
      ),
      Effect.mapError(failureOf(file))
    )
    if (text === undefined) return undefined
    return yield* Schema.decodeUnknown(Schema.parseJson(File))(text).pipe(
      Effect.mapError(
        (error) =>
          new RecordingInvalid({
            file,
            detail: SchemaTree.textOf(error.issue).replaceAll(/\s+/g, " ")
          })
      )
    )
  })

export const write = (
  file: string,
  exchanges: ReadonlyArray<Exchange>,
  literals: ReadonlyArray<string>
): Effect.Effect<void, RecordingFailed, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const text = `${JSON.stringify(sortKeys(exchanges), undefined, 2)}\n`
    // The last defence, for an unexpected place.
    if (literals.some((literal) => text.includes(literal))) {
      return yield* new RecordingFailed({
        file,
        detail: "it would contain a secret, so nothing was written. Name the place of the secret in `secrets`"
      })
    }
    const temporary = `${file}.${(yield* Random.nextIntBetween(0, 2 ** 31)).toString(36)}.tmp`
    yield* files.makeDirectory(folderOf(file), { recursive: true }).pipe(
      Effect.zipRight(files.writeFileString(temporary, text)),
      Effect.zipRight(files.rename(temporary, file)),
      Effect.onError(() => Effect.ignore(files.remove(temporary))),
      Effect.mapError(failureOf(file))
    )
  })

const failureOf = (file: string) => (error: PlatformError) => new RecordingFailed({ file, detail: error.message })

const folderOf = (file: string): string => {
  const end = Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\"))
  return end < 0 ? "." : file.slice(0, Math.max(1, end))
}

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!Json.isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])])
  )
}
