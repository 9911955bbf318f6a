/** Options without their types, as plain JavaScript gives them: one that is misspelt would protect nothing. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Issue from "./Issue.js"
import * as Json from "./Json.js"
import * as NearestNames from "./NearestNames.js"

type Path = ReadonlyArray<string>

/**
 * What is wrong with options, and where: `limits.time` as `["limits", "time"]`.
 *
 * @category models
 */
export interface Problem {
  readonly path: Path
  /** In words, behind "must be". */
  readonly expected: string
  /** In words, behind "but is". Bounded. */
  readonly received: string
}

/**
 * The first thing that is wrong with a value, which stands at the path; `undefined` for nothing.
 *
 * @category models
 */
export type Check = (value: unknown, path?: Path) => Problem | undefined

/**
 * A check for each option: with `satisfies`, the compiler finds those that lack one.
 *
 * @category models
 */
export type Checks<Options> = { readonly [Name in keyof Options]-?: Check }

/**
 * What a value must be, in words, and whether it is.
 *
 * @category constructors
 */
export const holds =
  (expected: string, isRight: (value: unknown) => boolean): Check =>
  (value, path = []) =>
    isRight(value) ? undefined : { path, expected, received: describe(value) }

const describe = (value: unknown): string => (Duration.isDuration(value) ? Duration.format(value) : Issue.show(value))

/**
 * An object with these options at most. What is `undefined` is absent, which only those that are `required` may not be.
 * `isRight` says what an object is. Unless it says so, a Map, a promise or an instance of a class is not one: they have not
 * all they say as fields of their own.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Options } from "@wield/core"
 *
 * const check = Options.fields({ limits: Options.fields({ time: Options.aDuration }) })
 * const problem = check({ limits: { tiem: 5 } })
 * assert.strictEqual(
 *   problem && Options.toText(problem),
 *   'limits.tiem must be named as an option is (did you mean "time"?), but is named "tiem"'
 * )
 * ```
 *
 * @category constructors
 */
export const fields = (
  checks: { readonly [option: string]: Check },
  required: ReadonlyArray<string> = [],
  isRight: typeof Json.isObject = Json.isPlain
): Check => {
  const known = Object.entries(checks)
  const names = known.map(([name]) => name)
  const expected = required.length === 0 ? "an object" : `an object with ${required.join(" and ")}`
  return (value, path = []) => {
    if (!isRight(value)) return { path, expected, received: describe(value) }
    const unknown = Object.keys(value).find((name) => value[name] !== undefined && !names.includes(name))
    if (unknown !== undefined) return unknownName([...path, unknown], "an option", names)
    return first(known, ([name, check]) =>
      value[name] === undefined && !required.includes(name) ? undefined : check(value[name], [...path, name])
    )
  }
}

/**
 * What is wrong with a name that none of these is.
 *
 * @category constructors
 */
export const unknownName = (path: Path, what: string, names: ReadonlyArray<string>): Problem => {
  const name = path.at(-1) ?? ""
  const expected = `named as ${what} is${NearestNames.hint(name, names)}`
  return { path, expected, received: `named ${Issue.show(name)}` }
}

/**
 * An object whose fields, of any name, are all so.
 *
 * @category constructors
 */
export const record =
  (check: Check): Check =>
  (value, path = []) =>
    Json.isPlain(value)
      ? first(Object.entries(value), ([name, item]) => (item === undefined ? undefined : check(item, [...path, name])))
      : { path, expected: "an object", received: describe(value) }

/**
 * A list whose items are all so.
 *
 * @category constructors
 */
export const list =
  (check: Check): Check =>
  (value, path = []) =>
    Array.isArray(value)
      ? first([...value.entries()], ([index, item]) => check(item, [...path, String(index)]))
      : { path, expected: "an array", received: describe(value) }

const first = <A>(items: ReadonlyArray<A>, check: (item: A) => Problem | undefined): Problem | undefined => {
  for (const item of items) {
    const problem = check(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

/**
 * One of these words.
 *
 * @category constructors
 */
export const oneOf = (...words: ReadonlyArray<string>): Check =>
  holds(words.map((word) => Issue.show(word)).join(" or "), (value) => words.some((word) => word === value))

/**
 * Anything: it is checked elsewhere.
 *
 * @category checks
 */
export const anything: Check = () => undefined

/**
 * A text.
 *
 * @category checks
 */
export const aText: Check = holds("a text", (value) => typeof value === "string")

/**
 * A text that is not empty.
 *
 * @category checks
 */
export const aName: Check = holds("a name", (value) => typeof value === "string" && value !== "")

/**
 * A list of texts, such as names.
 *
 * @category checks
 */
export const texts: Check = holds(
  "an array of texts",
  (value) => Array.isArray(value) && value.every((one) => typeof one === "string")
)

/**
 * A limit: with `Infinity` there is no limit.
 *
 * @category checks
 */
export const aNumber: Check = holds("a number of at least 0", (value) => typeof value === "number" && value >= 0)

/**
 * How many: one at least.
 *
 * @category checks
 */
export const aCount: Check = holds(
  "a whole number of at least 1",
  (value) => Number.isInteger(value) && Number(value) >= 1
)

/**
 * How many, or none.
 *
 * @category checks
 */
export const aCountOrZero: Check = holds(
  "a whole number of at least 0",
  (value) => Number.isInteger(value) && Number(value) >= 0
)

/**
 * True or false.
 *
 * @category checks
 */
export const aFlag: Check = holds("true or false", (value) => typeof value === "boolean")

/**
 * A function.
 *
 * @category checks
 */
export const aFunction: Check = holds("a function", (value) => typeof value === "function")

/**
 * The values of a request: of a promise or a Map, no hidden field would be found.
 *
 * @category checks
 */
export const aContext: Check = holds(
  "an object",
  (value) => Json.isObject(value) && !("then" in value) && !(Symbol.iterator in value)
)

/**
 * What aborts a call or a run. An AbortController is given easily in place of it.
 *
 * @category checks
 */
export const aSignal: Check = holds(
  "an AbortSignal (of an AbortController its `signal`)",
  (value) => Json.isObject(value) && "aborted" in value && "addEventListener" in value
)

/**
 * A text that is kept from logs and traces: `Redacted.make(…)`.
 *
 * @category checks
 */
export const aSecret: Check = (value, path = []) =>
  isSecret(value)
    ? undefined
    : { path, expected: "a secret, such as Redacted.make(…)", received: describeSecret(value) }

const isSecret = (value: unknown): boolean => Redacted.isRedacted(value) && typeof Redacted.value(value) === "string"

/** A plain text may be the secret itself. */
const describeSecret = (value: unknown): string => (typeof value === "string" ? "a plain text" : describe(value))

/**
 * A list of secrets, at least one.
 *
 * @category checks
 */
export const secrets: Check = (value, path = []) =>
  Array.isArray(value) && value.length > 0 && value.every(isSecret)
    ? undefined
    : { path, expected: "an array of secrets, such as [Redacted.make(…)]", received: describeSecret(value) }

// Effect takes what is negative, or no number, for zero.
const isLongerThanZero = (value: unknown): boolean =>
  Option.exists(Duration.decodeUnknown(value), (duration) => Duration.toMillis(duration) > 0)

/**
 * How long, such as `"5 seconds"`; a number is in milliseconds. With `Infinity` it never ends.
 *
 * @category checks
 */
export const aDuration: Check = holds("a duration longer than 0", isLongerThanZero)

/**
 * How long, such as `"5 seconds"`; a number is in milliseconds.
 *
 * @category checks
 */
export const aFiniteDuration: Check = holds(
  "a duration longer than 0 that ends",
  (value) => isLongerThanZero(value) && Option.exists(Duration.decodeUnknown(value), Duration.isFinite)
)

/**
 * As `aDuration`, or none at all.
 *
 * @category checks
 */
export const aDurationOrZero: Check = holds(
  "a duration",
  (value) =>
    isLongerThanZero(value) ||
    value === 0 ||
    (typeof value !== "number" && Option.exists(Duration.decodeUnknown(value), Duration.isZero))
)

/**
 * Whether a function of the application has said yes: `true` alone does. Of a promise, or an effect, everything would be
 * taken for a yes, so a `TypeError` names it; `who` is the function.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Options } from "@wield/core"
 *
 * assert.strictEqual(Options.isYes(undefined, "`filter`"), false)
 * assert.throws(() => Options.isYes(Promise.resolve(false), "`filter`"), /`filter` must give true or false/)
 * ```
 *
 * @category predicates
 */
export const isYes = (said: unknown, who: string): boolean => {
  if (typeof said === "object" && said !== null) {
    throw new TypeError(`${who} must give true or false, but gives ${Issue.show(said)}`)
  }
  return said === true
}

/**
 * Throws what is wrong with something as a `TypeError`; `whole` is what it is.
 *
 * @category checks
 */
export const orThrow = (problem: Problem | undefined, whole?: string): void => {
  if (problem !== undefined) throw new TypeError(toText(problem, whole))
}

/**
 * A problem in words; `whole` is what they are the options of.
 *
 * @category rendering
 */
export const toText = ({ expected, path, received }: Problem, whole = "The options"): string =>
  `${path.length === 0 ? whole : Issue.pathToText(path.map(stepOf))} must be ${expected}, but is ${received}`

const stepOf = (name: string): string | number => (/^\d+$/.test(name) ? Number(name) : name)
