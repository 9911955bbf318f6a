/**
 * A JSON Schema as Gemini's field `parametersJsonSchema` takes it: the whole
 * schema. Keywords outside the documented subset are sent as they are and do
 * not bind the model's arguments; that is reported. Only `const`, which
 * Gemini's models do not follow, is said as an `enum` of one.
 *
 * @see https://ai.google.dev/api/generate-content#FIELDS.response_json_schema
 */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import type { Path } from "../internal/wireField.js"

const supported: ReadonlySet<string> = new Set(
  (
    "$id $defs $ref $anchor type format title description enum const items prefixItems minItems maxItems minimum maximum " +
    "anyOf oneOf properties additionalProperties required propertyOrdering"
  ).split(" ")
)

/** Keywords that say nothing about which values are valid. */
const harmless: ReadonlySet<string> = new Set(
  "$schema $comment definitions default examples readOnly writeOnly deprecated".split(" ")
)

const ofNames: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"])
const ofBranches: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])
const ofOne: ReadonlySet<string> = new Set(["items", "additionalProperties"])

export const geminiSchema = (
  subject: string,
  root: Json.JsonObject
): { readonly schema: Json.JsonObject; readonly losses: ReadonlyArray<Loss.Loss> } => {
  const losses: Array<Loss.Loss> = []
  const rewrite = (value: Json.Json, path: Path): Json.Json => {
    if (!Json.isObject(value)) return value
    return Object.fromEntries(
      Object.entries(withoutConst(value)).map(([keyword, stated]): [string, Json.Json] => {
        if (!supported.has(keyword) && !harmless.has(keyword)) {
          losses.push({ subject, path, keyword, reason: "Gemini takes the keyword and does not enforce it." })
        }
        const here = [...path, keyword]
        if (keyword === "enum" && Json.isArray(stated) && stated.includes("")) {
          // "enum[0]: cannot be empty"
          losses.push({ subject, path, keyword, reason: "Gemini takes no empty text in an enum; it is left out." })
          const filled = stated.filter((each) => each !== "")
          return filled.length === 0 ? ["description", 'Only the empty text: ""'] : [keyword, filled]
        }
        if (ofNames.has(keyword) && Json.isObject(stated)) {
          const named = Object.entries(stated).map(([key, inner]) => [key, rewrite(inner, [...here, key])])
          return [keyword, Object.fromEntries(named)]
        }
        if (ofBranches.has(keyword) && Json.isArray(stated)) {
          return [keyword, stated.map((inner, index) => rewrite(inner, [...here, index]))]
        }
        return [keyword, ofOne.has(keyword) ? rewrite(stated, here) : stated]
      })
    )
  }
  const schema = rewrite(root, [])
  // `rewrite` gives an object for an object.
  const object = Json.isObject(schema) ? schema : root
  return { schema: object["type"] === "object" ? object : { ...object, type: "object" }, losses }
}

const withoutConst = (schema: Json.JsonObject): Json.JsonObject => {
  const { const: only, ...rest } = schema
  if (only === undefined) return schema
  return { ...(typeof only === "object" ? {} : { type: typeof only }), ...rest, enum: [only] }
}
