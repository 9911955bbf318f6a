/** Options without their types, as plain JavaScript gives them: one that is misspelt would protect nothing. */
import * as Issue from "./Issue.js"
import * as Json from "./Json.js"
import * as NearestNames from "./NearestNames.js"

/**
 * What an option must be: in words, and whether a value is so; or options within it.
 *
 * @category models
 */
export type Kind = readonly [expected: string, isRight: (value: unknown) => boolean] | Within

interface Within {
  readonly [option: string]: Kind
}

/**
 * The kind of each option.
 *
 * @category models
 */
export type Kinds<Options> = { readonly [Name in keyof Options]-?: Kind }

/**
 * What is wrong with options, or with those within them; `undefined` for nothing. What is `undefined` is absent.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Options } from "@wield/core"
 *
 * const kinds = { limits: { time: Options.aNumber } }
 * assert.strictEqual(
 *   Options.problemOf({ limits: { tiem: 5 } }, kinds),
 *   '`limits` has no option "tiem" (did you mean "time"?)'
 * )
 * ```
 *
 * @category checking
 */
export const problemOf = (given: unknown, kinds: Within, path = ""): string | undefined => {
  const known: ReadonlyMap<string, Kind> = new Map(Object.entries(kinds))
  const names = [...known.keys()]
  const what = path === "" ? "It" : `\`${path}\``
  if (!Json.isPlain(given))
    return `${what} must be an object with ${names.slice(0, 5).join(", ")}, but is ${Issue.show(given)}`
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const kind = known.get(name)
    if (kind === undefined) return `${what} has no option ${Issue.show(name)}${NearestNames.hint(name, names)}`
    const place = path === "" ? name : `${path}.${name}`
    const problem = isSimple(kind)
      ? kind[1](value)
        ? undefined
        : `\`${place}\` must be ${kind[0]}, but is ${Issue.show(value)}`
      : problemOf(value, kind, place)
    if (problem !== undefined) return problem
  }
  return undefined
}

const isSimple = (kind: Kind): kind is Extract<Kind, ReadonlyArray<unknown>> => Array.isArray(kind)

/**
 * An option that is checked elsewhere.
 *
 * @category kinds
 */
export const anything: Kind = ["anything", () => true]

/**
 * A text.
 *
 * @category kinds
 */
export const aText: Kind = ["a text", (value) => typeof value === "string"]

/**
 * A list of texts, such as names.
 *
 * @category kinds
 */
export const texts: Kind = [
  "an array of texts",
  (value) => Array.isArray(value) && value.every((one) => typeof one === "string")
]

/**
 * A limit: with `Infinity` there is no limit.
 *
 * @category kinds
 */
export const aNumber: Kind = ["a number of at least 0", (value) => typeof value === "number" && value >= 0]

/**
 * True or false.
 *
 * @category kinds
 */
export const aFlag: Kind = ["true or false", (value) => typeof value === "boolean"]

/**
 * One of these words.
 *
 * @category kinds
 */
export const oneOf = (...words: ReadonlyArray<string>): Kind => [
  words.map((word) => Issue.show(word)).join(" or "),
  (value) => words.some((word) => word === value)
]

/**
 * One of these words, or a function.
 *
 * @category kinds
 */
export const oneOfOrFunction = (...words: ReadonlyArray<string>): Kind => [
  [...words.map((word) => Issue.show(word)), "a function"].join(" or "),
  (value) => typeof value === "function" || words.some((word) => word === value)
]
