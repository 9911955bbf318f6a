/** A policy without its type, as plain JavaScript gives it: what is misspelt, or no number, would limit nothing. */
import type { Policy } from "../HttpGuard.js"

interface Kind {
  readonly expected: string
  readonly isRight: (given: unknown) => boolean
}

const isText = (given: unknown): boolean => typeof given === "string"
const text: Kind = { expected: "a text", isRight: isText }
const texts: Kind = { expected: "an array of texts", isRight: (given) => Array.isArray(given) && given.every(isText) }
const count: Kind = {
  expected: "a number of at least 0",
  isRight: (given) => typeof given === "number" && given >= 0
}
const lookup: Kind = { expected: "a function", isRight: (given) => typeof given === "function" }

const kinds: { readonly [Name in keyof Required<Policy>]: Kind } = {
  allowedHosts: texts,
  allowedHostsOf: text,
  maxRedirects: count,
  maxBytes: count,
  maxHeaderBytes: count,
  connectTimeout: count,
  headersTimeout: count,
  bodyTimeout: count,
  lookup
}

const known = new Map<string, Kind>(Object.entries(kinds))

const whole = "The policy of HttpGuard"

/** Throws a `TypeError` that names the first option that is wrong, and what it may be. */
export const checkPolicy = (policy: unknown): void => {
  // Of a promise or a Map, nothing would be found.
  if (typeof policy !== "object" || policy === null || "then" in policy || Symbol.iterator in policy) {
    throw new TypeError(`${whole} must be an object with options of its own`)
  }
  for (const [name, given] of Object.entries(policy)) {
    const kind = known.get(name)
    if (given === undefined || kind?.isRight(given) === true) continue
    if (kind !== undefined) throw new TypeError(`${whole} is wrong: ${name} must be ${kind.expected}`)
    throw new TypeError(`${whole} has no option ${name}; there are ${[...known.keys()].join(", ")}`)
  }
}
