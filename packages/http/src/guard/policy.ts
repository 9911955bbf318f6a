/** A policy without its type, as plain JavaScript gives it: what is misspelt, or no number, would limit nothing. */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { Policy } from "../HttpGuard.js"

const count = Schema.optional(Schema.NonNegative)

const schema = Schema.Struct({
  allowedHosts: Schema.optional(Schema.Array(Schema.String)),
  allowedHostsOf: Schema.optional(Schema.String),
  maxRedirects: count,
  maxBytes: count,
  maxHeaderBytes: count,
  connectTimeout: count,
  headersTimeout: count,
  bodyTimeout: count,
  lookup: Schema.optional(Schema.Any.pipe(Schema.filter((given) => typeof given === "function" || "a function")))
} satisfies { readonly [Name in keyof Required<Policy>]: unknown })

const decode = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })

/** Throws a `TypeError` that names the first option that is wrong, and what it may be. */
export const checkPolicy = (policy: unknown): void => {
  // Of a promise or a Map, nothing would be found.
  const isOdd = typeof policy === "object" && policy !== null && ("then" in policy || Symbol.iterator in policy)
  if (isOdd) throw new TypeError("The policy of HttpGuard must be an object with options of its own")
  const decoded = decode(policy)
  if (Either.isRight(decoded)) return
  const [first] = ParseResult.ArrayFormatter.formatErrorSync(decoded.left)
  const place = first === undefined || first.path.length === 0 ? "" : ` at ${first.path.join(".")}`
  throw new TypeError(`The policy of HttpGuard is wrong${place}: ${first?.message ?? ""}`)
}
