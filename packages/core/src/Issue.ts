/** One thing that is wrong with the arguments of a call: where, what was expected, what was sent. */
import * as Schema from "effect/Schema"
import { foreign } from "./internal/json.js"
import { isPlain } from "./Json.js"

/** The longest rendering of a received value, or of a key, in characters. */
const limit = 80

/**
 * One thing that is wrong with the arguments of a call.
 *
 * @category models
 */
export interface Issue {
  /** The place in the arguments; empty for the arguments as a whole. */
  readonly path: ReadonlyArray<string | number>
  readonly expected: string
  /** A bounded rendering of what was sent; `undefined` where nothing was. */
  readonly received: string | undefined
  /** What the schema's author has to say instead, where there is a message annotation. */
  readonly message?: string
}

/**
 * An issue as a model reads it, in one line.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Issue } from "@wield/core"
 *
 * const issue = { path: ["items", 0, "count"], expected: "an integer", received: '"two"' }
 * assert.strictEqual(Issue.toText(issue), 'items[0].count: expected an integer, received "two"')
 * ```
 *
 * @category rendering
 */
export const toText = (issue: Issue): string => {
  if (issue.message !== undefined) return `${pathToText(issue.path)}: ${issue.message}`
  const received = issue.received === undefined ? ", but it is missing" : `, received ${issue.received}`
  return `${pathToText(issue.path)}: expected ${issue.expected}${received}`
}

/**
 * A path as it would be written in JavaScript, `arguments` for the empty one. A
 * key is cut to 80 characters: it may be a model's own.
 *
 * @category rendering
 */
export const pathToText = (path: ReadonlyArray<string | number>): string => {
  if (path.length === 0) return "arguments"
  let out = ""
  for (const key of path) {
    if (typeof key === "number") out += `[${key}]`
    else if (key.length > limit) out += `[${JSON.stringify(`${key.slice(0, limit)}…`)}]`
    else if (/^[A-Za-z_$][\w$]*$/.test(key)) out += out === "" ? key : `.${key}`
    else out += `[${JSON.stringify(key)}]`
  }
  return out
}

/**
 * A received value as an issue shows it: JSON text, cut to 80 characters. Only
 * as much of the value is read as is shown, so a value of many megabytes costs
 * no more than a short one.
 *
 * @category rendering
 */
export const show = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return value.length > limit
        ? `${JSON.stringify(value.slice(0, limit))}… (${value.length} characters)`
        : JSON.stringify(value)
    case "number":
    case "boolean":
    case "bigint":
      return String(value)
    case "undefined":
      return "nothing"
    case "object": {
      if (value === null) return "null"
      if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`
      if (!isPlain(value) && !("_tag" in value)) return foreign(value)
      const keys = Object.keys(value)
      if (keys.length === 0) return "an empty object"
      const shown = keys.slice(0, 5).map((key) => (key.length > 20 ? `${key.slice(0, 20)}…` : key))
      return `an object with ${shown.join(", ")}${keys.length > 5 ? ", …" : ""}`
    }
    default:
      return `a ${typeof value}`
  }
}

/**
 * The JSON of an issue: `message` says it in a sentence.
 *
 * @category schemas
 */
export const Json = Schema.Struct({
  path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
  expected: Schema.String,
  received: Schema.optionalWith(Schema.String, { exact: true }),
  message: Schema.String
}).annotations({ identifier: "Issue" })

/**
 * An issue as JSON.
 *
 * @category conversions
 */
export const toJson = (issue: Issue): typeof Json.Type => ({
  path: issue.path,
  expected: issue.expected,
  ...(issue.received === undefined ? {} : { received: issue.received }),
  message: toText(issue)
})
