/** A body of several parts (RFC 7578). Only files have a `filename`, which `FormData` gives to JSON as well. */
import * as HttpBody from "@effect/platform/HttpBody"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { invalidRequest, type Made } from "./made.js"
import { isJson } from "./mediaType.js"
import { isAbsent, textOf } from "./style.js"
import type { Valued } from "./values.js"

export const multipartOf = (values: ReadonlyArray<Valued>): Made<HttpBody.HttpBody> =>
  Either.gen(function* () {
    const boundary = `wield-${globalThis.crypto.randomUUID()}`
    const pieces: Array<Uint8Array> = []
    for (const { name, parameter, place, value } of values) {
      for (const item of itemsOf(value, place)) {
        const { bytes, contentType, filename } = yield* partOf(item, parameter, place)
        if (contentType !== undefined && /[^\t\x20-\x7e]/.test(contentType)) {
          return yield* invalidRequest(`the content type of ${parameter} has a character that a header cannot carry`)
        }
        const disposition = `form-data; name="${quoted(name)}"${filename === undefined ? "" : `; filename="${quoted(filename)}"`}`
        const type = contentType === undefined ? "" : `Content-Type: ${contentType}\r\n`
        pieces.push(utf8(`--${boundary}\r\nContent-Disposition: ${disposition}\r\n${type}\r\n`), bytes, utf8("\r\n"))
      }
    }
    pieces.push(utf8(`--${boundary}--\r\n`))
    return HttpBody.uint8Array(concatenated(pieces), `multipart/form-data; boundary=${boundary}`)
  })

type Place = Valued["place"]

/** A list has a part for each item, unless a content type says that it is one JSON text. */
const itemsOf = (value: unknown, place: Place): ReadonlyArray<unknown> =>
  (Array.isArray(value) && (place?.isFile === true || place?.contentType === undefined) ? value : [value]).filter(
    (item) => !isAbsent(item)
  )

interface Part {
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly filename: string | undefined
}

const partOf = (value: unknown, parameter: string, place: Place): Made<Part> => {
  if (place?.isFile === true) return fileOf(value, parameter, place.contentType)
  const contentType = place?.contentType ?? (typeof value === "object" ? "application/json" : undefined)
  const isText = contentType === undefined || !isJson(contentType)
  return Either.right({ bytes: utf8(isText ? textOf(value) : JSON.stringify(value)), contentType, filename: undefined })
}

/** `{ content, encoding, filename, contentType }`, or the content alone. */
const fileOf = (value: unknown, parameter: string, contentType: string | undefined): Made<Part> => {
  const { contentType: given, filename } = fileParts(value)
  const type = typeof given === "string" ? given : (contentType ?? "application/octet-stream")
  const name = typeof filename === "string" ? filename : parameter
  return Either.map(bytesOf(value, parameter), (bytes) => ({ bytes, contentType: type, filename: name }))
}

const fileParts = (value: unknown): Json.JsonSchema => (Json.isObject(value) ? value : { content: value })

/** The bytes of a file. */
export const bytesOf = (value: unknown, parameter: string): Made<Uint8Array> => {
  const { content = "", encoding } = fileParts(value)
  const bytes = encoding === "base64" ? Encoding.decodeBase64(textOf(content)) : Either.right(utf8(textOf(content)))
  return Either.isLeft(bytes) ? invalidRequest(`the content of ${parameter} is not base64`) : Either.right(bytes.right)
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** As browsers write a name: what would end it, or begin another header, is percent-encoded. */
const quoted = (name: string): string => name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22")

const concatenated = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((size, { byteLength }) => size + byteLength, 0))
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.byteLength
  }
  return whole
}
