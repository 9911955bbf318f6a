/** A body of several parts (RFC 7578). Only files have a `filename`, which `FormData` gives to JSON as well. */
import * as HttpBody from "@effect/platform/HttpBody"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { invalidRequest, type Made } from "./made.js"
import type { Plan } from "./plan.js"
import { contentOf, isAbsent, textOf } from "./style.js"
import { ownPairs, type Taken, type Valued } from "./values.js"

export const multipartOf = (plan: Plan, taken: Taken, values: ReadonlyArray<Valued>): Made<HttpBody.HttpBody> =>
  Either.gen(function* () {
    const boundary = `wield-${globalThis.crypto.randomUUID()}`
    const pieces: Array<Uint8Array> = []
    for (const value of values) {
      for (const { bytes, contentType, filename, name } of yield* partsOf(plan, taken, value)) {
        if (contentType !== undefined && /[^\t\x20-\x7e]/.test(contentType)) {
          return yield* invalidRequest(
            `the content type of ${value.parameter} has a character that a header cannot carry`
          )
        }
        const disposition = `form-data; name="${quoted(name)}"${filename === undefined ? "" : `; filename="${quoted(filename)}"`}`
        const type = contentType === undefined ? "" : `Content-Type: ${contentType}\r\n`
        pieces.push(utf8(`--${boundary}\r\nContent-Disposition: ${disposition}\r\n${type}\r\n`), bytes, utf8("\r\n"))
      }
    }
    pieces.push(utf8(`--${boundary}--\r\n`))
    return HttpBody.uint8Array(concatenated(pieces), `multipart/form-data; boundary=${boundary}`)
  })

interface Part {
  readonly name: string
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly filename: string | undefined
}

/** A value whose style is said has the parts that are pairs of a form; any other a part for each item of a list. */
const partsOf = (plan: Plan, taken: Taken, valued: Valued): Made<ReadonlyArray<Part>> => {
  const { name, parameter, place, value } = valued
  if (place?.isFile === true) {
    const files = (Array.isArray(value) ? value : [value]).filter((item) => !isAbsent(item))
    return Either.all(files.map((file) => fileOf(file, parameter, name, place.contentType)))
  }
  const text = (of: string, bytes: string, contentType?: string): Part => ({
    name: of,
    bytes: utf8(bytes),
    contentType,
    filename: undefined
  })
  if (place?.contentType !== undefined) {
    return Either.right(isAbsent(value) ? [] : [text(name, contentOf(value, place.contentType), place.contentType)])
  }
  if (place?.style !== undefined || place?.explode !== undefined) {
    return Either.map(ownPairs(plan, taken, valued), (pairs) =>
      pairs.map((pair) => text(pair.name, pair.values.join(decodeURIComponent(pair.separator))))
    )
  }
  const items = (Array.isArray(value) ? value : [value]).filter((item) => !isAbsent(item))
  return Either.right(
    items.map((item) => text(name, textOf(item), typeof item === "object" ? "application/json" : undefined))
  )
}

/** `{ content, encoding, filename, contentType }`, or the content alone. */
const fileOf = (value: unknown, parameter: string, name: string, contentType: string | undefined): Made<Part> => {
  const { contentType: given, filename } = fileParts(value)
  const type = typeof given === "string" ? given : (contentType ?? "application/octet-stream")
  return Either.map(bytesOf(value, parameter), (bytes) => ({
    name,
    bytes,
    contentType: type,
    filename: typeof filename === "string" ? filename : parameter
  }))
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
