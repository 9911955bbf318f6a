/** JSON Pointers (RFC 6901), such as `/orders/0`, and as references in a document, such as `#/$defs/Order`. */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { isObject, type JsonSchema } from "./Json.js"

/**
 * A path as a pointer.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { JsonPointer } from "@wield/core"
 *
 * assert.strictEqual(JsonPointer.make(["a/b", 0]), "/a~1b/0")
 * assert.deepStrictEqual(JsonPointer.keysOf("#/$defs/big%20order"), ["$defs", "big order"])
 * assert.strictEqual(JsonPointer.at({ orders: [7] }, "/orders/0"), 7)
 * ```
 *
 * @category constructors
 */
export const make = (path: ReadonlyArray<string | number>): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/**
 * The keys of a pointer. A reference is percent-encoded; a `%` that encodes nothing stands for itself.
 *
 * @category decoding
 */
export const keysOf = (pointer: string): ReadonlyArray<string> => {
  const segments = pointer.split("/").slice(1)
  const decoded = pointer.startsWith("#") && pointer.includes("%") ? segments.map(decodePercent) : segments
  return pointer.includes("~") ? decoded.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~")) : decoded
}

/**
 * The keys of a pointer, an index as a number.
 *
 * @category decoding
 */
export const pathOf = (pointer: string): ReadonlyArray<string | number> =>
  keysOf(pointer).map((key) => (isIndex(key) ? Number(key) : key))

/**
 * The value at a pointer, or `undefined`.
 *
 * @category decoding
 */
export const at = (value: unknown, pointer: string): unknown => {
  let current = value
  for (const key of keysOf(pointer)) {
    if (Array.isArray(current)) current = isIndex(key) ? current[Number(key)] : undefined
    else current = isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined
  }
  return current
}

/**
 * The schema that a reference such as `#/$defs/Order` names; `undefined` for a reference to another document and for
 * an anchor.
 *
 * @category decoding
 */
export const schemaAt = (root: JsonSchema, reference: string): JsonSchema | undefined => {
  if (!reference.startsWith("#/") && reference !== "#") return undefined
  const found = at(root, reference)
  return isObject(found) ? found : undefined
}

const isIndex = (key: string): boolean => /^(0|[1-9]\d*)$/.test(key)

const decodePercent = (segment: string): string => Either.getOrElse(Encoding.decodeUriComponent(segment), () => segment)
