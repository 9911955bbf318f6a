/** Options without their types, as plain JavaScript gives them: what is misspelt, or no number, would limit nothing. */
import type { Policy } from "../HttpGuard.js"

export interface Kind {
  readonly expected: string
  readonly isRight: (given: unknown) => boolean
}

const isText = (given: unknown): boolean => typeof given === "string"
export const text: Kind = { expected: "a text", isRight: isText }
const texts: Kind = { expected: "an array of texts", isRight: (given) => Array.isArray(given) && given.every(isText) }
export const count: Kind = {
  expected: "a number of at least 0",
  isRight: (given) => typeof given === "number" && given >= 0
}
const aFunction: Kind = { expected: "a function", isRight: (given) => typeof given === "function" }

const kinds: { readonly [Name in keyof Required<Policy>]: Kind } = {
  allowedHosts: texts,
  allowedHostsOf: text,
  maxRedirects: count,
  maxBytes: count,
  maxHeaderBytes: count,
  connectTimeout: count,
  headersTimeout: count,
  bodyTimeout: count,
  lookup: aFunction
}

/** Throws a `TypeError` that names the first option that is wrong, and what it may be; `whole` is what they are options of. */
export const checkOptions = (
  whole: string,
  kinds: { readonly [name: string]: Kind },
  given: unknown,
  required: ReadonlyArray<string> = []
): void => {
  // Of a promise or a Map, nothing would be found.
  if (typeof given !== "object" || given === null || "then" in given || Symbol.iterator in given) {
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
