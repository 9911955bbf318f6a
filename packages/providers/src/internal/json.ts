/** Values from outside as JSON that can be walked, compared and written. */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonSchema from "@wield/core/JsonSchema"
import { isObject } from "./wireField.js"

/** A JSON value as text; `undefined` where it is nested deeper than the engine can write. */
export const jsonText = (value: unknown): string | undefined => {
  // JSON.stringify reports by throwing; no effect is involved.
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The value of a JSON text, with the digits of its whole numbers; `undefined` where it is no JSON. */
export const parseJson = (text: string): Json.Json | undefined => {
  // JSON.parse reports by throwing; no effect is involved.
  try {
    return Json.parse(text, { decimals: "rounded" })
  } catch {
    return undefined
  }
}

/** Some three levels of JSON for each of the 200 subschemas that the core takes inside one another. */
const maxDepth = 1_000

/** The core takes 20,000 subschemas. */
const maxValues = 1_000_000

const nothing = { depth: 0, values: 0 }
type Extent = typeof nothing

/** Whether a value can be walked and written: it may nest beyond the stack, contain itself, or repeat a part endlessly. */
export const isBounded = (root: object): boolean => {
  // Without recursion, and each object once, however often it is repeated.
  const known = new Map<object, Extent>()
  const open = new Set<object>()
  const rest: Array<object> = [root]
  for (let at = rest.at(-1); at !== undefined; at = rest.at(-1)) {
    const inner: ReadonlyArray<unknown> = known.has(at) ? [] : Object.values(at)
    if (known.has(at) || open.has(at)) {
      rest.pop()
      open.delete(at)
      if (!known.has(at)) known.set(at, around(inner, known))
      continue
    }
    open.add(at)
    for (const value of inner) {
      if (typeof value !== "object" || value === null || known.has(value)) continue
      if (open.has(value)) return false
      rest.push(value)
    }
  }
  const { depth, values } = known.get(root) ?? nothing
  return depth <= maxDepth && values <= maxValues
}

const around = (inner: ReadonlyArray<unknown>, known: ReadonlyMap<object, Extent>): Extent => {
  let { depth, values } = nothing
  for (const value of inner) {
    const extent = (typeof value === "object" && value !== null ? known.get(value) : undefined) ?? nothing
    depth = Math.max(depth, extent.depth)
    values += 1 + extent.values
  }
  return { depth: depth + 1, values }
}

export const isSameJson = (left: unknown, right: unknown): boolean => {
  // Without recursion: a body may be nested deeper than the stack.
  const pairs: Array<readonly [unknown, unknown]> = [[left, right]]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair
    if (Object.is(one, other)) continue
    if (Array.isArray(one) && Array.isArray(other)) {
      if (one.length !== other.length) return false
      one.forEach((item, index) => pairs.push([item, other[index]]))
    } else if (isObject(one) && isObject(other)) {
      const keys = Object.keys(one)
      if (keys.length !== Object.keys(other).length) return false
      for (const key of keys) {
        if (!Object.hasOwn(other, key)) return false
        pairs.push([one[key], other[key]])
      }
    } else return false
  }
  return true
}

/** Whether a model that has no arguments to send sent none, or a text of nothing. */
export const isNothing = (sent: unknown): boolean =>
  sent === undefined || sent === null || (typeof sent === "string" && sent.trim() === "")

/** `undefined` for text that is no JSON object: what the model broke, or broke off. */
export const argumentObject = (value: unknown): Json.JsonObject | undefined => {
  // Arguments are JSON text, or JSON that was parsed: copied, they would have to be cut somewhere.
  if (typeof value !== "string") return isObject(value) ? value : undefined
  if (isNothing(value)) return {}
  const parsed = parseJson(value)
  return isObject(parsed) ? parsed : undefined
}

/** The input schema of a definition, as JSON that can be rewritten and sent; `isOwn`: as the same API stated it. */
export const inputSchema = (
  subject: string,
  schema: Json.JsonSchema,
  isOwn = false
): { readonly schema: Json.JsonObject; readonly losses: ReadonlyArray<Loss.Loss> } =>
  isBounded(schema)
    ? isOwn
      ? { schema: Json.fromObject(schema), losses: [] }
      : sendable(subject, Json.fromObject(schema))
    : // Cut somewhere, it would allow what the full schema forbids.
      { schema: { type: "object" }, losses: [unwritable(subject)] }

/** In the draft that the APIs check schemas by, with no reference that points at nothing: one costs the whole request. */
export const sendable = (
  subject: string,
  document: Json.JsonObject
): { readonly schema: Json.JsonObject; readonly losses: ReadonlyArray<Loss.Loss> } => {
  const { dangling, schema } = JsonSchema.toDraft2020(document)
  const losses = dangling.map(({ path, reference }): Loss.Loss => {
    const reason = `${reference} points at nothing in the schema: any value is allowed.`
    return { subject, path, keyword: "$ref", reason }
  })
  return { schema: schema === document ? document : Json.fromObject(schema), losses }
}

export const unwritable = (subject: string): Loss.Loss => {
  const reason =
    "The schema nests too deep to be written, or contains itself: it is sent as an object of any properties."
  return { subject, path: [], keyword: "schema", reason }
}
