/** Options without their types, as plain JavaScript gives them: what is misspelt, or no number, would limit nothing. */
import type { Policy } from "../HttpGuard.js"

export interface Kind {
  readonly expected: string
  readonly isRight: (given: unknown) => boolean
}

const isText = (given: unknown): boolean => typeof given === "string"
const text: Kind = { expected: "a text", isRight: isText }
export const texts: Kind = {
  expected: "an array of texts",
  isRight: (given) => Array.isArray(given) && given.every(isText)
}
export const count: Kind = {
  expected: "a number of at least 0",
  isRight: (given) => typeof given === "number" && given >= 0
}
const isBetween = (given: unknown, least: number, most: number): boolean =>
  Number.isInteger(given) && Number(given) >= least && Number(given) <= most
/** Without one, undici and Node would wait without end; what is longer, a timer takes for a millisecond. */
export const milliseconds: Kind = {
  expected: "a whole number of milliseconds from 1 to 2147483647",
  isRight: (given) => isBetween(given, 1, 2_147_483_647)
}
const aSize: Kind = { expected: "a whole number of at least 1", isRight: (given) => isBetween(given, 1, Infinity) }
/** Without a host, Node would listen to all machines. */
export const aHost: Kind = {
  expected: "a name or an address, such as 127.0.0.1",
  isRight: (given) => typeof given === "string" && given !== ""
}
export const aPort: Kind = {
  expected: "a whole number from 0 to 65535",
  isRight: (given) => isBetween(given, 0, 65_535)
}
export const aFunction: Kind = { expected: "a function", isRight: (given) => typeof given === "function" }

const kinds: { readonly [Name in keyof Required<Policy>]: Kind } = {
  allowedHosts: texts,
  allowedHostsOf: text,
  maxRedirects: count,
  maxBytes: count,
  maxHeaderBytes: aSize,
  connectTimeout: milliseconds,
  headersTimeout: milliseconds,
  bodyTimeout: milliseconds,
  lookup: aFunction
}

/** Throws a `TypeError` that names the first option that is wrong, and what it may be; `whole` is what they are options of. */
export const checkOptions = (
  whole: string,
  kinds: { readonly [name: string]: Kind },
  given: unknown,
  required: ReadonlyArray<string> = []
): void => {
  // Of a promise, a Map or an instance of a class, not all that it says would be found.
  const prototype: unknown = typeof given === "object" && given !== null ? Object.getPrototypeOf(given) : undefined
  if (
    typeof given !== "object" ||
    given === null ||
    (prototype !== null && Object.getPrototypeOf(prototype) !== null)
  ) {
    throw new TypeError(`${whole} must be an object with options of its own`)
  }
  const known = new Map(Object.entries(kinds))
  const needed = required.map((name): [string, unknown] => [name, Reflect.get(given, name)])
  for (const [name, value] of [...Object.entries(given), ...needed]) {
    const kind = known.get(name)
    if ((value === undefined && !required.includes(name)) || kind?.isRight(value) === true) continue
    if (kind !== undefined) throw new TypeError(`${whole} is wrong: ${name} must be ${kind.expected}`)
    throw new TypeError(`${whole} has no option ${name}; there are ${[...known.keys()].join(", ")}`)
  }
}

/**
 * Throws what is wrong with a policy, as `make` does once it runs: for what takes one, and makes the client later.
 *
 * @category guards
 */
export const checkPolicy = (policy: unknown): void => checkOptions("The policy of HttpGuard", kinds, policy)

export const check = (what: string, { expected, isRight }: Kind, given: unknown): void => {
  if (!isRight(given)) throw new TypeError(`${what} must be ${expected}`)
}
