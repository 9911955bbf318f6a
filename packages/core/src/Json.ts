/** JSON values and JSON Schema documents as plain types, and JSON text as a value. */
import { isJson } from "./internal/isJson.js"

/**
 * A value that JSON can say.
 *
 * @category models
 */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/**
 * A JSON object.
 *
 * @category models
 */
export interface JsonObject {
  readonly [key: string]: Json
}

/**
 * A JSON Schema document of any draft. Its keywords are not typed here, since
 * a definition that comes from outside may use any of them.
 *
 * @category models
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/**
 * Whether a value is a JSON object (not null, not an array).
 *
 * @category guards
 */
export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Whether a value is an object that a literal makes, also in another realm: of an
 * instance of a class, a Map or a promise, not all that it says stands in its own fields.
 *
 * @category guards
 */
export const isPlain = (value: unknown): value is { readonly [key: string]: unknown } => {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** @internal `Array.isArray` does not narrow what is read-only. */
export const isArray = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

type Defined<Fields> = {
  readonly [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key]
} & {
  readonly [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>
}

/**
 * The fields that say something.
 *
 * @internal
 */
export const withoutUndefined = <const Fields extends object>(fields: Fields): Defined<Fields> =>
  // What is left are its own fields, but for those that are undefined.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>

/**
 * A value as JSON, as `JSON.parse(JSON.stringify(value))` gives it. A bigint, a
 * function or `NaN` becomes `null`; an object drops fields that are `undefined`
 * or functions. `toJSON` methods are not called. Throws a `RangeError` for a
 * value that contains itself, or nests by thousands of levels.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Json } from "@wield/core"
 *
 * assert.deepStrictEqual(Json.from({ a: 1, b: undefined, c: [Number.NaN] }), { a: 1, c: [null] })
 * ```
 *
 * @category constructors
 */
export const from = (value: unknown): Json => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : null
    case "object":
      if (value === null) return null
      return Array.isArray(value) ? value.map(from) : fromObject(value)
    default:
      return null
  }
}

/**
 * A value as JSON, by its `toJSON` methods: a date is its text, a secret is
 * `<redacted>`. What is JSON is given back itself; what has no JSON, such as a
 * value that contains itself, is `null`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Json } from "@wield/core"
 *
 * assert.deepStrictEqual(Json.attempt({ at: new Date(0), size: 1 }), { at: "1970-01-01T00:00:00.000Z", size: 1 })
 * assert.strictEqual(Json.attempt(1n), null)
 * ```
 *
 * @category constructors
 */
export const attempt = (value: unknown): Json => {
  if (typeof value !== "object" || value === null) return from(value)
  try {
    // That it is JSON was looked at.
    return isJson(value, false) ? (value as Json) : JSON.parse(JSON.stringify(value) ?? "null")
  } catch {
    return null
  }
}

/**
 * The own enumerable fields of an object as JSON, as `from` gives them.
 *
 * @category constructors
 */
export const fromObject = (value: object): JsonObject => {
  const entries: Array<[string, Json]> = []
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined && typeof field !== "function") entries.push([key, from(field)])
  }
  // Not by assignment: `__proto__` may be a key.
  return Object.fromEntries(entries)
}

/**
 * How many levels of arrays and objects are read of a text from outside: what
 * reads it may call itself for each. Files, whose parsers call themselves
 * several times a level, have fewer: `JsonText.maxDepth`.
 *
 * @category decoding
 */
export const maxDepth = 1_000

/**
 * Whether a JSON text nests deeper than `maxDepth`. It is looked through once,
 * and need not be JSON.
 *
 * @category decoding
 */
export const isDeep = (text: string): boolean => {
  if (text.length <= 2 * maxDepth) return false
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 34) {
      const end = stringEnd(text, index)
      if (end === -1) return false
      index = end
    } else if (unit === 91 || unit === 123) {
      if (++depth > maxDepth) return true
    } else if (unit === 93 || unit === 125) depth--
  }
  return false
}

/**
 * The same JSON text, with a text in place of each value that nests deeper than
 * `maxDepth`: for messages of which the rest is needed.
 *
 * @category decoding
 */
export const cutDeep = (text: string): string => {
  if (!isDeep(text)) return text
  const parts: Array<string> = []
  let taken = 0
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 34) {
      const end = stringEnd(text, index)
      if (end === -1) break
      index = end
    } else if (unit === 91 || unit === 123) {
      if (++depth === maxDepth + 1) parts.push(text.slice(taken, index), '"(nested too deeply)"')
    } else if ((unit === 93 || unit === 125) && depth-- === maxDepth + 1) taken = index + 1
  }
  return parts.join("") + text.slice(taken)
}

/**
 * JSON text as a value, in which no number is another one. JSON.parse rounds
 * what a JavaScript number cannot hold: `12345678901234567890` ends in other
 * digits, and `1e400` becomes `null` when it is written again. Such a number, and
 * each whole number beyond 2^53, is the text of its digits here. As JSON.parse does, it throws for anything that is not
 * JSON, takes the last of equal keys, and puts keys that are whole numbers first.
 *
 * With `decimals: "rounded"` decimals are rounded as JSON.parse does, and only whole numbers that would get other digits
 * and numbers that are too large are texts. So arguments of tools are read: a model may write any number of digits after
 * the point, but another id is another thing.
 *
 * With `numbers: "rounded"` all numbers are as JSON.parse has them: for documents whose numbers are read as numbers, such
 * as the bounds of a schema.
 *
 * Throws for a text that nests deeper than `maxDepth`. Every text from outside is read by this function: JSON.parse itself
 * reads millions of levels, which no one can walk through or write again.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Json } from "@wield/core"
 *
 * assert.deepStrictEqual(Json.parse('{"id": 12345678901234567890, "price": 1.50}'), {
 *   id: "12345678901234567890",
 *   price: 1.5
 * })
 * ```
 *
 * @category decoding
 */
export const parse = (
  text: string,
  options: { readonly decimals?: "rounded" | "text"; readonly numbers?: "rounded" } = {}
): Json => {
  if (isDeep(text)) throw new SyntaxError(`Values nest deeper than ${maxDepth} levels`)
  // What JSON.parse gives is JSON. It comes first, so that what follows reads valid JSON only.
  const value = JSON.parse(text) as Json
  if (options.numbers === "rounded") return value
  const isRounded = options.decimals === "rounded"
  // Only decimals that are rounded leave no trace in the value, in which a look takes less time than in the text.
  if (!(isRounded ? holdsLargeNumber(value, 0) : mayBeRounded.test(text))) return value
  const exact = withExactNumbers(text, isRounded ? isSameWhole : isKept)
  // `JSON.parse` gives JSON.
  return exact === text ? value : (JSON.parse(exact) as Json)
}

/** Whether a number is beyond 2^53. A value that nests so deeply that a look could exhaust the stack may hold one. */
const holdsLargeNumber = (value: Json, depth: number): boolean => {
  if (typeof value === "number") return value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER
  if (typeof value !== "object" || value === null) return false
  if (depth === 200) return true
  if (Array.isArray(value)) {
    // An array of JSON holds JSON.
    for (const item of value as ReadonlyArray<Json>) if (holdsLargeNumber(item, depth + 1)) return true
    return false
  }
  // What is left is an object.
  const fields = value as JsonObject
  // Each key is one of the object's own, and no list of them is made.
  for (const key in fields) if (holdsLargeNumber(fields[key]!, depth + 1)) return true
  return false
}

/** Sixteen digits, or an exponent that may be too large or too small. */
const mayBeRounded = /\d[\d.]{15}|\d[eE][+-]?\d\d/

const number = /-?\d[\d.eE+-]*/y

const withExactNumbers = (text: string, isKept: (digits: string) => boolean): string => {
  const parts: Array<string> = []
  let taken = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 34) {
      index = stringEnd(text, index)
    } else if (unit === 45 || (unit >= 48 && unit <= 57)) {
      number.lastIndex = index
      const digits = number.exec(text)?.[0] ?? ""
      if (!isKept(digits)) {
        parts.push(text.slice(taken, index), `"${digits}"`)
        taken = index + digits.length
      }
      index += digits.length - 1
    }
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(taken)
}

/** Where the quote stands that ends a string. */
const stringEnd = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

const isEscaped = (text: string, index: number): boolean => {
  let slashes = 0
  while (text[index - 1 - slashes] === "\\") slashes++
  return slashes % 2 === 1
}

/** Whether JavaScript writes the same digits of a number, at the same place; of whole numbers, those up to 2^53. */
const isKept = (digits: string): boolean => {
  const value = Number(digits)
  if (!/[.eE]/.test(digits)) return Number.isSafeInteger(value)
  if (digits.length <= 15 && !/[eE]/.test(digits)) return true
  return Number.isFinite(value) && digitsOf(digits) === digitsOf(String(value))
}

/** Whether a number is finite and, if it is whole, has the same digits in JavaScript. */
const isSameWhole = (digits: string): boolean => {
  const value = Number(digits)
  if (!Number.isFinite(value)) return false
  return /[.eE]/.test(digits) || Number.isSafeInteger(value) || digitsOf(digits) === digitsOf(String(value))
}

/** `-0012.50e3` as `-125e2`. */
const digitsOf = (text: string): string => {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d*)\.?(\d*)(?:[eE]\+?(-?\d+))?$/.exec(text) ?? []
  const all = (whole + fraction).replace(/^0+/, "")
  const significant = withoutLastZeros(all)
  return significant === ""
    ? "0"
    : `${sign}${significant}e${Number(exponent) - fraction.length + all.length - significant.length}`
}

/** A pattern would begin again at each zero. */
const withoutLastZeros = (digits: string): string => {
  let end = digits.length
  while (digits[end - 1] === "0") end--
  return digits.slice(0, end)
}

/**
 * A JSON value whose texts and keys are Unicode: each half of a surrogate pair,
 * as a text has one that was cut within a character, is `U+FFFD`. Many APIs
 * refuse a body that has one, and then the whole conversation. A value
 * that has none is given back itself; an instance of a class stays.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Json } from "@wield/core"
 *
 * assert.deepStrictEqual(Json.toWellFormed({ text: "cut \ud83d" }), { text: "cut \ufffd" })
 * ```
 *
 * @category combinators
 */
export const toWellFormed = <A>(value: A): A =>
  // A text stays a text, a list a list, and an object one with the same fields, but for keys that are not Unicode.
  (isWellFormed(value, 0) ? value : wellFormed(value, 0)) as A

/** Nearly every value is: to find that out takes no memory. */
const isWellFormed = (value: unknown, depth: number): boolean => {
  if (typeof value === "string") return isUnicode(value)
  if (typeof value !== "object" || value === null || depth === maxDepth) return true
  if (Array.isArray(value)) return value.every((item) => isWellFormed(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return true
  // What is left is an object.
  const fields = value as { readonly [key: string]: unknown }
  for (const key of Object.keys(value)) if (!isUnicode(key) || !isWellFormed(fields[key], depth + 1)) return false
  return true
}

/** The engine's own answer takes a third of the time, where it has one. */
const isUnicode = (text: string & { readonly isWellFormed?: () => boolean }): boolean =>
  text.isWellFormed?.() ?? !half.test(text)

const half = /\p{Surrogate}/u

const halves = /\p{Surrogate}/gu

/** What nests more deeply than a request may is left as it is. */
const wellFormed = (value: unknown, depth: number): unknown => {
  if (typeof value === "string") return value.replace(halves, "\ufffd")
  if (typeof value !== "object" || value === null || depth === maxDepth) return value
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    const made = items.map((item) => wellFormed(item, depth + 1))
    return made.every((item, index) => item === items[index]) ? value : made
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  let isSame = true
  const fields = Object.entries(value).map(([key, field]): readonly [string, unknown] => {
    const made = [key.replace(halves, "\ufffd"), wellFormed(field, depth + 1)] as const
    isSame &&= made[0] === key && made[1] === field
    return made
  })
  return isSame ? value : Object.fromEntries(fields)
}

/**
 * A JSON value as text with sorted keys: equal values have one text, whatever the
 * order of their keys. What JSON cannot say is `null`, a field that is
 * `undefined` too.
 *
 * @category rendering
 */
export const canonical = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value)
    case "boolean":
      return value ? "true" : "false"
    case "number":
      return Number.isFinite(value) ? String(value) : "null"
    case "object":
      return value === null ? "null" : Array.isArray(value) ? canonicalArray(value) : canonicalObject(value)
    default:
      return "null"
  }
}

// A text that grows by pieces stays in pieces: kept, as a run keeps arguments, it takes five times the memory.
const canonicalArray = (value: ReadonlyArray<unknown>): string => `[${Array.from(value, canonical).join(",")}]`

const canonicalObject = (value: object): string => {
  // What is left is an object.
  const fields = value as { readonly [key: string]: unknown }
  const texts = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(fields[key])}`)
  return `{${texts.join(",")}}`
}
