/** Values as text, by the styles of OpenAPI (which are those of RFC 6570). */
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import type { ParameterPlace } from "../ManifestEntry.js"
import { isJson } from "./mediaType.js"
import { invalidRequest, type Made, percent } from "./percent.js"

export type Escape = (text: string, of: string) => Made<string>

/** What is not there is not sent; `null` has no text. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

/** A scalar as its text; what is nested deeper than a style can say, as JSON. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value)

const joined = (parts: Iterable<Made<string>>, separator: string): Made<string> =>
  Either.map(Either.all([...parts]), (texts) => texts.join(separator))

/** The style `simple`, of path segments and headers. */
export const simple = (value: unknown, of: string, explode: boolean, escape: Escape): Made<string> => {
  if (Array.isArray(value))
    return joined(
      value.map((item) => escape(textOf(item), of)),
      ","
    )
  if (!Json.isObject(value)) return escape(textOf(value), of)
  return joined(
    entriesOf(value).flatMap(([key, item]) => keyed(key, item, of, explode ? "=" : ",", escape)),
    ","
  )
}

/** A path segment, or the part of one that a parameter stands for. */
export const pathText = (value: unknown, of: string, name: string, place: ParameterPlace | undefined): Made<string> => {
  const explode = place?.explode ?? false
  if (place?.contentType !== undefined) return percent(contentOf(value, place.contentType), of)
  switch (place?.style) {
    case "label":
      return Either.map(
        explode && (Array.isArray(value) || Json.isObject(value))
          ? joined(itemsOf(value, of), ".")
          : simple(value, of, false, percent),
        (text) => `.${text}`
      )
    case "matrix":
      return Either.flatMap(percent(name, of), (key) => {
        if (explode && Array.isArray(value))
          return joined(itemsOf(value, of).map(Either.map((item) => `;${key}=${item}`)), "")
        if (explode && Json.isObject(value)) return joined(itemsOf(value, of).map(Either.map((item) => `;${item}`)), "")
        return Either.map(simple(value, of, false, percent), (text) => (text === "" ? `;${key}` : `;${key}=${text}`))
      })
    default:
      return Json.isObject(value) && place?.style === undefined
        ? invalidRequest(`${of} is an object, which has no text in a path unless its style is said`)
        : simple(value, of, explode, percent)
  }
}

const itemsOf = (value: ReadonlyArray<unknown> | { readonly [key: string]: unknown }, of: string) =>
  Array.isArray(value)
    ? value.map((item) => percent(textOf(item), of))
    : entriesOf(value).flatMap(([key, item]) => keyed(key, item, of, "=", percent))

const keyed = (key: string, item: unknown, of: string, sign: string, escape: Escape): Array<Made<string>> => [
  Either.zipWith(escape(key, of), escape(textOf(item), of), (left, right) => `${left}${sign}${right}`)
]

const entriesOf = (value: object): Array<[string, unknown]> =>
  Object.entries(value).filter(([, item]) => !isAbsent(item))

/** A pair of a query or a form, not yet encoded. */
export interface Pair {
  readonly name: string
  /** Joined by `separator`, which is not encoded. */
  readonly values: ReadonlyArray<string>
  readonly separator: string
}

const pair = (name: string, value: unknown): Pair => ({ name, values: [textOf(value)], separator: "" })

/** The pairs that say a value. Unless a style is said, objects are `deepObject`, and lists are repeated. */
export const pairsOf = (value: unknown, name: string, place: ParameterPlace | undefined): ReadonlyArray<Pair> => {
  if (isAbsent(value)) return []
  if (place?.contentType !== undefined) return [pair(name, contentOf(value, place.contentType))]
  const isList = Array.isArray(value)
  if (!isList && !Json.isObject(value)) return [pair(name, value)]
  const style = place?.style ?? (isList ? "form" : "deepObject")
  if (style === "deepObject") return deep(value, name)
  const separator = separators[style]
  const isExploded = separator === undefined || (place?.explode ?? style === "form")
  const items = isList ? value.filter((item) => !isAbsent(item)) : []
  if (isExploded)
    return isList ? items.map((item) => pair(name, item)) : entriesOf(value).map(([key, item]) => pair(key, item))
  const texts = (isList ? items : entriesOf(value).flat()).map(textOf)
  return texts.length === 0 ? [] : [{ name, values: texts, separator }]
}

/** By key or by index, as deep as it goes: `items[0][price]`. */
const deep = (value: unknown, name: string): ReadonlyArray<Pair> => {
  if (isAbsent(value)) return []
  const entries = Array.isArray(value)
    ? value.filter((item) => !isAbsent(item)).map((item, index): [unknown, unknown] => [index, item])
    : Json.isObject(value)
      ? entriesOf(value)
      : undefined
  return entries === undefined
    ? [pair(name, value)]
    : entries.flatMap(([key, item]) => deep(item, `${name}[${String(key)}]`))
}

const separators: Partial<Record<NonNullable<ParameterPlace["style"]>, string>> = {
  form: ",",
  simple: ",",
  spaceDelimited: "%20",
  pipeDelimited: "%7C"
}

/** A value by the media type that its place says: JSON, or a text. */
export const contentOf = (value: unknown, contentType: string): string =>
  isJson(contentType) ? JSON.stringify(value) : textOf(value)

export const pairText = ({ name, separator, values }: Pair, of: string, escape: Escape = percent): Made<string> =>
  Either.zipWith(
    percent(name, of),
    joined(
      values.map((value) => escape(value, of)),
      separator
    ),
    (key, text) => `${key}=${text}`
  )

/** Whether the names of the pairs are keys of the value, which a model may have chosen. */
export const isScattered = (value: unknown, place: ParameterPlace | undefined): boolean =>
  Json.isObject(value) &&
  place?.contentType === undefined &&
  place?.style !== undefined &&
  place.style !== "deepObject" &&
  (place.explode ?? place.style === "form")
