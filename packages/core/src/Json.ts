/**
 * JSON values and JSON Schema documents as plain types. They carry no
 * behaviour: what is done with them lives where it is done.
 *
 * @since 0.1.0
 */

/**
 * A value that JSON can say.
 *
 * @since 0.1.0
 * @category models
 */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/**
 * A JSON object.
 *
 * @since 0.1.0
 * @category models
 */
export interface JsonObject {
  readonly [key: string]: Json
}

/**
 * A JSON Schema document of any draft. Its keywords are not typed here, since
 * a definition that comes from outside may use any of them.
 *
 * @since 0.1.0
 * @category models
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/**
 * Whether a value is a JSON object (not null, not an array).
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Json } from "@wield/core"
 *
 * assert.strictEqual(Json.isObject({ a: 1 }), true)
 * assert.strictEqual(Json.isObject([1]), false)
 * assert.strictEqual(Json.isObject(null), false)
 * ```
 *
 * @since 0.1.0
 * @category guards
 */
export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)
