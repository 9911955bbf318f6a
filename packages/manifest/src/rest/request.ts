/** The request of a call: each argument in its place, and nowhere else. */
import { Json } from "@wield/core"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import type { Arguments } from "../Executor.js"
import { type Placed, type Plan, takesBody } from "./plan.js"
import { contentOf, isAbsent, isScattered, pairsOf, pairText, pathText, simple, textOf } from "./style.js"
import { placeholdersOf, type Template } from "./template.js"
import { argument, ownPairs, pairTexts, type Taken, type Valued, valuesOf } from "./values.js"
import * as HttpBody from "@effect/platform/HttpBody"
import type { ParameterPlace } from "../ManifestEntry.js"
import { kindOf } from "./mediaType.js"
import * as Encoding from "effect/Encoding"
import { isHeaderValue } from "./names.js"
import { invalidRequest, type Made, percent, percentEncode } from "./percent.js"

export interface Target {
  /** Without query, and without a slash at its end. */
  readonly url: string
  readonly query: ReadonlyArray<string>
  /** Names of the query that belong to the API's own configuration. */
  readonly taken: Taken
}

export const requestOf = (
  plan: Plan,
  target: Target,
  parameters: Arguments
): Made<HttpClientRequest.HttpClientRequest> =>
  Either.gen(function* () {
    const path = yield* pathOf(plan, parameters)
    const query = yield* queryOf(plan, target, parameters)
    const headers = yield* headersOf(plan, parameters)
    const url = `${target.url}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`
    const request = HttpClientRequest.make(plan.method)(url, { headers })
    const body = yield* bodyOf(plan, target.taken, parameters)
    return body === undefined ? request : HttpClientRequest.setBody(request, body)
  })

const pathOf = (plan: Plan, parameters: Arguments): Made<string> =>
  Either.gen(function* () {
    let path = ""
    for (const segment of plan.path.segments) {
      let text = ""
      for (const piece of segment) {
        text += piece._tag === "Literal" ? piece.text : yield* pathArgument(plan.parameterOf(piece.name), parameters)
      }
      // However they are written, URL parsers take these away, and what stands before them.
      if (/^(\.|%2e){1,2}$/i.test(text)) {
        return yield* invalidRequest(`"${decodeURIComponent(text)}" cannot be a part of a path`)
      }
      path += `/${text}`
    }
    return path
  })

const pathArgument = ({ name, parameter, place }: Placed, parameters: Arguments): Made<string> => {
  const value = argument(parameters, parameter)
  if (isAbsent(value)) return invalidRequest(`the argument ${parameter} is missing, which the path needs`)
  return Either.flatMap(pathText(value, parameter, name, place), (text) =>
    // Without it, the path is that of something else: of all orders instead of one.
    text === "" ? invalidRequest(`the argument ${parameter} is empty, which a path cannot say`) : Either.right(text)
  )
}

const queryOf = (plan: Plan, target: Target, parameters: Arguments): Made<ReadonlyArray<string>> =>
  Either.gen(function* () {
    const texts: Array<string> = [...target.query, ...plan.path.fixed]
    for (const { name, value } of plan.path.pairs) texts.push(...(yield* templatePair(plan, name, value, parameters)))
    const values = yield* valuesOf(plan, "query", target.taken, parameters)
    texts.push(...(yield* pairTexts(plan, target.taken, values)))
    return texts
  })

/** The pair of a template: absent without its arguments, repeated for an array. The name is the author's. */
const templatePair = (
  plan: Plan,
  name: string,
  pieces: Template,
  parameters: Arguments
): Made<ReadonlyArray<string>> => {
  const [only] = pieces
  if (pieces.length === 1 && only?._tag === "Placeholder") {
    const { parameter, place } = plan.parameterOf(only.name)
    const value = argument(parameters, parameter)
    // The pair has a name; the keys of an object are no names beside it.
    const pairs = pairsOf(value, "", isScattered(value, place) ? { ...place, in: "query", explode: false } : place)
    return Either.all(pairs.map((pair) => Either.map(pairText(pair, parameter), (text) => writtenName(name) + text)))
  }
  return Either.map(filled(plan, pieces, parameters, percent), (text) =>
    text === undefined ? [] : [`${writtenName(name)}=${text}`]
  )
}

const writtenName = (name: string): string => name.replace(/[^!$%'()*+,\-./0-9:;?@A-Z[\]_a-z~]+/g, percentEncode)

/** A template with its arguments, `undefined` where one is absent. */
const filled = (
  plan: Plan,
  pieces: Template,
  parameters: Arguments,
  escape: (text: string, of: string) => Made<string>
): Made<string | undefined> =>
  Either.gen(function* () {
    const names = placeholdersOf(pieces).map(({ name }) => plan.parameterOf(name))
    if (names.some(({ parameter }) => isAbsent(argument(parameters, parameter)))) return undefined
    let text = ""
    for (const piece of pieces) {
      if (piece._tag === "Literal") text += piece.text
      else {
        const { parameter } = plan.parameterOf(piece.name)
        text += yield* simple(argument(parameters, parameter), parameter, false, escape)
      }
    }
    return text
  })

const headersOf = (plan: Plan, parameters: Arguments): Made<Record<string, string>> =>
  Either.gen(function* () {
    const headers: Record<string, string> = {}
    for (const { name, value } of plan.headers) {
      const text = yield* filled(plan, value, parameters, headerText)
      if (text !== undefined) headers[name.toLowerCase()] = text
    }
    for (const { name, parameter, place } of plan.placed.header) {
      const value = argument(parameters, parameter)
      if (isAbsent(value)) continue
      headers[name.toLowerCase()] =
        place?.contentType === undefined
          ? yield* simple(value, parameter, place?.explode ?? false, headerText)
          : yield* headerText(contentOf(value, place.contentType), parameter)
    }
    const cookies: Array<string> = headers["cookie"] === undefined ? [] : [headers["cookie"]]
    for (const { name, parameter, place } of plan.placed.cookie) {
      const value = argument(parameters, parameter)
      if (isAbsent(value)) continue
      if (Json.isObject(value) && place?.contentType === undefined && place?.explode !== false) {
        return yield* invalidRequest(
          `${parameter} is an object, which a cookie cannot say unless it is joined by commas ("explode": false)`
        )
      }
      const text = yield* place?.contentType === undefined
        ? simple(value, parameter, false, percent)
        : percent(contentOf(value, place.contentType), parameter)
      cookies.push(`${name}=${text}`)
    }
    if (cookies.length > 0) headers["cookie"] = cookies.join("; ")
    return headers
  })

/** RFC 9110, 5.5: a line break would begin another header. */
const headerText = (text: string, of: string): Made<string> =>
  isHeaderValue(text) ? Either.right(text) : invalidRequest(`${of} has a character that a header cannot carry`)

/** `undefined` for a request without a body. */
const bodyOf = (plan: Plan, taken: Taken, parameters: Arguments): Made<HttpBody.HttpBody | undefined> => {
  const type = plan.contentType ?? "application/json"
  const kind = kindOf(type)
  if (plan.body !== undefined) return wholeBody(plan, taken, plan.body, parameters)
  return Either.flatMap(valuesOf(plan, "body", taken, parameters), (values): Made<HttpBody.HttpBody | undefined> => {
    // DELETE seldom has a body, and servers may refuse an empty one.
    const isEmpty = values.length === 0 && (plan.placed.body.length === 0 || plan.method === "DELETE")
    if (isEmpty || !takesBody(plan.method)) return Either.right(undefined)
    switch (kind) {
      case "json":
        return Either.right(HttpBody.text(JSON.stringify(objectOf(values)), type))
      case "form":
        return Either.map(pairTexts(plan, taken, values), (texts) => HttpBody.text(texts.join("&"), type))
      case "multipart":
        return multipartOf(plan, taken, values)
      case "text":
        return invalidRequest(`a body of type ${type} needs the parameter that is its text`)
    }
  })
}

const wholeBody = (
  plan: Plan,
  taken: Taken,
  parameter: string,
  parameters: Arguments
): Made<HttpBody.HttpBody | undefined> => {
  const value = argument(parameters, parameter)
  const type = plan.contentType ?? "application/json"
  if (value === undefined) return Either.right(undefined)
  if (plan.bodyPlace?.isFile === true) {
    return Either.map(bytesOf(value, parameter), (bytes) => HttpBody.uint8Array(bytes, type))
  }
  switch (kindOf(type)) {
    case "json":
      return Either.right(HttpBody.text(JSON.stringify(value), type))
    case "text":
      return Either.right(HttpBody.text(textOf(value), type))
    case "form":
      return Either.map(pairTexts(plan, taken, fieldsOf(value, plan.bodyPlace)), (texts) =>
        HttpBody.text(texts.join("&"), type)
      )
    case "multipart":
      return multipartOf(plan, taken, fieldsOf(value, plan.bodyPlace))
  }
}

/** The properties of a value that is the whole of a form: each in the style of the whole. */
const fieldsOf = (value: unknown, place: ParameterPlace | undefined): ReadonlyArray<Valued> =>
  Json.isObject(value)
    ? Object.entries(value).map(([name, held]) => ({ parameter: name, name, place, value: held }))
    : []

/** `__proto__` is a name like any other. */
const objectOf = (values: ReadonlyArray<Valued>): object =>
  Object.fromEntries(values.map(({ name, value }) => [name, value]))

const multipartOf = (plan: Plan, taken: Taken, values: ReadonlyArray<Valued>): Made<HttpBody.HttpBody> =>
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
const bytesOf = (value: unknown, parameter: string): Made<Uint8Array> => {
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
