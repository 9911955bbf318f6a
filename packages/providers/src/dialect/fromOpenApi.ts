/**
 * Google's and OpenAPI 3.0's way of writing a schema as JSON Schema: types in
 * capitals, `nullable`, numbers as strings (int64), names in snake case.
 *
 * @see https://ai.google.dev/api/caching#Schema
 */
import * as Json from "@wield/core/Json"
import { isBounded } from "../internal/json.js"

export const fromOpenApi = (schema: { readonly [key: string]: unknown }): Json.JsonSchema =>
  // What nests beyond the stack is left as it stands.
  isBounded(schema) ? rewrite(Json.fromObject(schema)) : schema

const camelCase: ReadonlyMap<string, string> = new Map(
  (
    "any_of anyOf max_items maxItems min_items minItems max_length maxLength min_length minLength " +
    "max_properties maxProperties min_properties minProperties property_ordering propertyOrdering " +
    "additional_properties additionalProperties prefix_items prefixItems ref $ref defs $defs"
  )
    .split(" ")
    .flatMap((name, index, all) => (index % 2 === 0 ? [[name, all[index + 1] ?? name] as const] : []))
)

const unspecified = "type_unspecified"

/** With `$alt=json;enum-encoding=int`, as Google's REST transport for Python asks, enums are numbers. */
const numbered: ReadonlyArray<string> = [
  unspecified,
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
  "null"
]

const counts: ReadonlySet<string> = new Set(
  "maxItems minItems maxLength minLength maxProperties minProperties".split(" ")
)

const rewrite = (schema: Json.JsonObject): Json.JsonObject => {
  const out: Array<[string, Json.Json]> = []
  const isNullable = schema["nullable"] === true
  for (const [key, value] of Object.entries(schema)) {
    const keyword = camelCase.get(key) ?? key
    if (keyword === "nullable") continue
    if (keyword === "type" && (typeof value === "string" || typeof value === "number")) {
      const type = (typeof value === "string" ? value : (numbered[value] ?? unspecified)).toLowerCase()
      if (type !== unspecified) out.push([keyword, isNullable ? [type, "null"] : type])
    } else if (keyword === "properties" && Json.isObject(value)) {
      out.push([
        keyword,
        Object.fromEntries(
          Object.entries(value).map(([name, inner]) => [name, Json.isObject(inner) ? rewrite(inner) : inner])
        )
      ])
    } else if ((keyword === "items" || keyword === "additionalProperties") && Json.isObject(value)) {
      out.push([keyword, rewrite(value)])
    } else if (keyword === "anyOf" && Array.isArray(value)) {
      // `isArray` makes the list one of `any`.
      const branches = (value as ReadonlyArray<Json.Json>).map((branch) =>
        Json.isObject(branch) ? rewrite(branch) : branch
      )
      out.push([keyword, isNullable && schema["type"] === undefined ? [...branches, { type: "null" }] : branches])
    } else if (keyword === "enum" && Array.isArray(value)) {
      // As above.
      out.push([keyword, isNullable && !value.includes(null) ? [...(value as ReadonlyArray<Json.Json>), null] : value])
    } else if (keyword === "format" && value === "enum") continue
    else if (counts.has(keyword) && typeof value === "string" && value !== "") out.push([keyword, Number(value)])
    else out.push([keyword, value])
  }
  return Object.fromEntries(out)
}
