/** The request of a call: each argument in its place, and nowhere else. */
import * as Json from "@wield/core/Json"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import type { Arguments } from "../Executor.js"
import { type Placed, type Plan, takesBody } from "./plan.js"
import {
  contentOf,
  type Escape,
  isAbsent,
  isScattered,
  type Pair,
  pairsOf,
  pairText,
  pathText,
  simple,
  textOf
} from "./style.js"
import { placeholdersOf, type Template } from "./template.js"
import * as HttpBody from "@effect/platform/HttpBody"
import type { ParameterPlace } from "../ManifestEntry.js"
import { kindOf } from "./mediaType.js"
import * as Encoding from "effect/Encoding"
import { joinBytes } from "./exchange.js"
import { isHeaderValue, wireNames, wireName } from "./names.js"
import { invalidRequest, type Made, percent, percentEncode, percentReserving } from "./percent.js"

export interface Target {
  readonly url: string
  readonly query: ReadonlyArray<string>
  /** Names of the query that belong to the API's own configuration, such as that of its key, as `wireName` has them. */
  readonly taken: ReadonlySet<string>
}

interface Call {
  readonly plan: Plan
  readonly parameters: Arguments
  /** Whether a name of the query or the form means something else than what a model may choose. */
  readonly isTaken: (name: string) => boolean
}

export const requestOf = (plan: Plan, target: Target, parameters: Arguments) =>
  Either.gen(function* () {
    const call: Call = { plan, parameters, isTaken: (name) => target.taken.has(name) || plan.taken.has(name) }
    const path = yield* pathOf(call)
    const query = yield* queryOf(call, target.query)
    const headers = yield* headersOf(call)
    const url = `${target.url}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`
    const request = HttpClientRequest.make(plan.method)(url, { headers })
    const body = yield* bodyOf(call)
    return body === undefined ? request : HttpClientRequest.setBody(request, body)
  })

const pathOf = ({ parameters, plan }: Call): Made<string> =>
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

const queryOf = (call: Call, own: ReadonlyArray<string>): Made<ReadonlyArray<string>> =>
  Either.gen(function* () {
    const { fixed, pairs } = call.plan.path
    const texts: Array<string> = [...own, ...fixed]
    for (const { name, value } of pairs) for (const each of yield* templatePair(call, name, value)) texts.push(each)
    for (const each of yield* pairTexts(call, yield* valuesOf(call, "query"))) texts.push(each)
    return texts
  })

/** The pair of a template: absent without its arguments, repeated for an array. The name is the author's. */
const templatePair = (call: Call, name: string, pieces: Template): Made<ReadonlyArray<string>> => {
  const [only] = pieces
  if (pieces.length === 1 && only?._tag === "Placeholder") {
    const { parameter, place } = call.plan.parameterOf(only.name)
    const value = argument(call.parameters, parameter)
    // The pair has a name; the keys of an object are no names beside it.
    const pairs = pairsOf(value, "", isScattered(value, place) ? { ...place, in: "query", explode: false } : place)
    return Either.all(pairs.map((pair) => Either.map(pairText(pair, parameter), (text) => writtenName(name) + text)))
  }
  return Either.map(filled(call, pieces, percent), (text) =>
    text === undefined ? [] : [`${writtenName(name)}=${text}`]
  )
}

const writtenName = (name: string): string => name.replace(/[^!$%'()*+,\-./0-9:;?@A-Z[\]_a-z~]+/g, percentEncode)

const filled = ({ parameters, plan }: Call, pieces: Template, escape: Escape): Made<string | undefined> =>
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

const headersOf = (call: Call): Made<Record<string, string>> =>
  Either.gen(function* () {
    const { parameters, plan } = call
    const headers: Record<string, string> = {}
    for (const { name, value } of plan.headers) {
      const text = yield* filled(call, value, /^cookie$/i.test(name) ? cookieText : headerText)
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

/** RFC 6265, 4.2: of a text with a semicolon, what follows would be another cookie. */
const cookieText = (text: string, of: string): Made<string> =>
  text.includes(";") ? invalidRequest(`${of} has a semicolon, which would begin another cookie`) : headerText(text, of)

const bodyOf = (call: Call): Made<HttpBody.HttpBody | undefined> => {
  const { parameters, plan } = call
  const type = plan.contentType ?? "application/json"
  if (plan.body !== undefined) {
    const [lost] = unnamed(call, "body")
    if (lost !== undefined) return invalidRequest(`there is no argument of the name ${lost}`)
    const value = argument(parameters, plan.body)
    return value === undefined ? Either.right(undefined) : wholeBody(call, type, plan.body, value)
  }
  return Either.flatMap(valuesOf(call, "body"), (values): Made<HttpBody.HttpBody | undefined> => {
    // DELETE seldom has a body, and servers may refuse an empty one.
    const isEmpty = values.length === 0 && (plan.placed.body.length === 0 || plan.method === "DELETE")
    if (isEmpty || !takesBody(plan.method)) return Either.right(undefined)
    if (kindOf(type) === "text") return invalidRequest(`a body of type ${type} needs the parameter that is its text`)
    // `__proto__` is a name like any other.
    const object = Object.fromEntries(values.map(({ name, value }) => [name, value]))
    return fieldsBody(call, type, object, values)
  })
}

const wholeBody = (call: Call, type: string, parameter: string, value: unknown): Made<HttpBody.HttpBody> => {
  const { bodyPlace } = call.plan
  if (bodyPlace?.isFile === true) {
    return Either.map(bytesOf(value, parameter), (bytes) => HttpBody.uint8Array(bytes, type))
  }
  if (kindOf(type) === "text") return Either.right(HttpBody.text(textOf(value), type))
  return fieldsBody(call, type, value, fieldsOf(value, bodyPlace))
}

const fieldsBody = (call: Call, type: string, value: unknown, fields: ReadonlyArray<Valued>) => {
  switch (kindOf(type)) {
    case "form":
      return Either.map(pairTexts(call, fields), (texts) => HttpBody.text(texts.join("&"), type))
    case "multipart":
      return multipartOf(call, fields)
    case "json":
    case "text":
      return Either.right(HttpBody.text(JSON.stringify(value), type))
  }
}

/** The properties of a value that is the whole of a form: each in the style of the whole. */
const fieldsOf = (value: unknown, place: ParameterPlace | undefined): ReadonlyArray<Valued> =>
  Json.isObject(value)
    ? Object.entries(value).map(([name, held]) => ({ parameter: name, name, place, value: held }))
    : []

const multipartOf = (call: Call, values: ReadonlyArray<Valued>): Made<HttpBody.HttpBody> =>
  Either.gen(function* () {
    const boundary = `wield-${globalThis.crypto.randomUUID()}`
    const pieces: Array<Uint8Array> = []
    for (const value of values) {
      for (const { bytes, contentType, filename, name } of yield* partsOf(call, value)) {
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
    return HttpBody.uint8Array(joinBytes(pieces), `multipart/form-data; boundary=${boundary}`)
  })

interface Part {
  readonly name: string
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly filename: string | undefined
}

/** A value whose style is said has the parts that are pairs of a form; any other a part for each item of a list. */
const partsOf = (call: Call, valued: Valued): Made<ReadonlyArray<Part>> => {
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
    return Either.map(ownPairs(call, valued), (pairs) =>
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

const bytesOf = (value: unknown, parameter: string): Made<Uint8Array> => {
  const { content = "", encoding } = fileParts(value)
  const bytes = encoding === "base64" ? Encoding.decodeBase64(textOf(content)) : Either.right(utf8(textOf(content)))
  return Either.isLeft(bytes) ? invalidRequest(`the content of ${parameter} is not base64`) : Either.right(bytes.right)
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** As browsers write a name: what would end it, or begin another header, is percent-encoded. */
const quoted = (name: string): string => name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22")

interface Valued extends Placed {
  readonly value: unknown
}

/** An own property only: `toString` is no argument. */
const argument = (parameters: Arguments, name: string): unknown =>
  Object.hasOwn(parameters, name) ? parameters[name] : undefined

/** Parameters in a place, and those that the schema allows without naming them. */
const valuesOf = (call: Call, where: "query" | "body"): Made<ReadonlyArray<Valued>> => {
  const { isTaken, parameters, plan } = call
  const chosen = unnamed(call, where)
  const clash = chosen.find((name) => wireNames(name).some(isTaken))
  if (clash !== undefined) return invalidRequest(`there is no argument of the name ${clash}`)
  return Either.right(
    [...plan.placed[where], ...chosen.map((name): Placed => ({ parameter: name, name, place: undefined }))]
      .map((placed) => ({ ...placed, value: argument(parameters, placed.parameter) }))
      .filter(({ value }) => value !== undefined)
  )
}

const unnamed = ({ parameters, plan: { further } }: Call, where: "query" | "body"): ReadonlyArray<string> =>
  further?.in === where ? Object.keys(parameters).filter((name) => !further.isUsed(name)) : []

/** The pairs that say a value, none of which has the name of something else. */
const ownPairs = ({ isTaken }: Call, { name, parameter, place, value }: Valued): Made<ReadonlyArray<Pair>> => {
  const pairs = pairsOf(value, name, place)
  const isChosen = isScattered(value, place)
  // `filter[state]` of the object `filter` may be the name of another parameter.
  const own = isChosen ? 0 : wireName(name).length
  const clash = pairs.find((pair) => wireNames(pair.name).some((part) => part.length > own && isTaken(part)))
  return clash === undefined ? Either.right(pairs) : invalidRequest(`${parameter} may not have the key ${clash.name}`)
}

const pairTexts = (call: Call, values: ReadonlyArray<Valued>): Made<ReadonlyArray<string>> =>
  Either.gen(function* () {
    const texts: Array<string> = []
    for (const one of values) {
      const escape = one.place?.allowReserved === true ? percentReserving : percent
      for (const pair of yield* ownPairs(call, one)) texts.push(yield* pairText(pair, one.parameter, escape))
    }
    return texts
  })
