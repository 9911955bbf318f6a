/**
 * Whether a call of the ground truth breaks its function's own schema: the
 * leaderboard has some that do. Found out from the raw schema by nothing but
 * types, enums and required names, so that a wrong import cannot pass for a
 * mistake of the material.
 */
import { Json } from "@wield/core"

/** The types of the leaderboard's three languages. */
const kinds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    array: "array Array ArrayList list tuple Queue Set",
    boolean: "boolean Boolean bool",
    integer: "integer int long short byte bigint Bigint",
    number: "float double number",
    object: "dict HashMap Hashtable object",
    string: "string String char"
  }).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind] as const))
)

/** In a sentence, or `undefined`. */
export const mistakeOf = (schema: unknown, value: unknown, place = "the call"): string | undefined => {
  if (!Json.isObject(schema)) return undefined
  const { enum: listed, items, required, type } = schema
  const kind = typeof type === "string" ? kinds.get(type) : undefined
  const found = Array.isArray(value) ? "array" : value === null ? "null" : typeof value
  const isOfKind = found === kind || (kind === "integer" && Number.isInteger(value))
  if (kind !== undefined && !isOfKind)
    return `${place} is ${JSON.stringify(value)}, where the type is ${JSON.stringify(type)}`
  if (Array.isArray(listed) && !listed.includes(value))
    return `${place} is ${JSON.stringify(value)}, which its enum does not list`
  if (Array.isArray(value)) return first(value.map((item, index) => mistakeOf(items, item, `${place}[${index}]`)))
  if (!Json.isObject(value)) return undefined
  const missing = (Array.isArray(required) ? required : []).find((name) => !Object.hasOwn(value, String(name)))
  if (missing !== undefined) return `${place} lacks ${String(missing)}, which is required`
  const properties = Json.isObject(schema["properties"]) ? schema["properties"] : {}
  return first(
    Object.entries(value).map(([key, item]) =>
      mistakeOf(Object.hasOwn(properties, key) ? properties[key] : undefined, item, key)
    )
  )
}

const first = (found: ReadonlyArray<string | undefined>): string | undefined => found.find((each) => each !== undefined)
