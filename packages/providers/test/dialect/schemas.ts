/** Arbitrary JSON Schemas as tools have them, and arbitrary values by a JSON Schema. */
import { Json } from "@wield/core"
import { FastCheck } from "effect"

type Fields = { readonly [key: string]: unknown }

const names = ["a", "b", "c", "d"]

const leaf: FastCheck.Arbitrary<Fields> = FastCheck.oneof(
  FastCheck.constantFrom<Fields>(
    { type: "string" },
    { type: "integer" },
    { type: "number" },
    { type: "boolean" },
    { type: "null" },
    { type: ["string", "null"] },
    { type: ["integer", "string"] },
    { type: "integer", minimum: 0, maximum: 9 },
    { $ref: "#/$defs/Leaf" },
    { $ref: "#/$defs/Node" }
  ),
  FastCheck.uniqueArray(FastCheck.constantFrom("x", "y", "z"), { minLength: 1 }).map((values) => ({
    type: "string",
    enum: values
  })),
  FastCheck.uniqueArray(FastCheck.constantFrom(1, 2, 3), { minLength: 1 }).map((values) => ({
    type: "integer",
    enum: values
  })),
  FastCheck.constantFrom<unknown>("x", 1, true, null).map((value) => ({ const: value }))
)

const tree = FastCheck.letrec<{ schema: Fields; object: Fields }>((tie) => ({
  schema: FastCheck.oneof(
    { maxDepth: 4, depthSize: "medium" },
    leaf,
    tie("object"),
    tie("schema").map((items) => ({ type: "array", items })),
    FastCheck.array(tie("schema"), { minLength: 2, maxLength: 3 }).map((branches) => ({ anyOf: branches }))
  ),
  object: FastCheck.record({
    keys: FastCheck.uniqueArray(FastCheck.constantFrom(...names), { minLength: 1, maxLength: 4 }),
    schemas: FastCheck.array(tie("schema"), { minLength: 4, maxLength: 4 }),
    required: FastCheck.array(FastCheck.boolean(), { minLength: 4, maxLength: 4 }),
    isClosed: FastCheck.boolean()
  }).map(({ isClosed, keys, required, schemas }) => ({
    type: "object",
    properties: Object.fromEntries(keys.map((key, index) => [key, schemas[index]])),
    required: keys.filter((_, index) => required[index]),
    ...(isClosed ? { additionalProperties: false } : {})
  }))
}))

const definitions = {
  Leaf: { type: "object", properties: { n: { type: "number" }, unit: { enum: ["C", "F"] } }, required: ["n"] },
  Node: {
    type: "object",
    properties: { name: { type: "string" }, next: { $ref: "#/$defs/Node" } },
    required: ["name"],
    additionalProperties: false
  }
}

const withDefinitions = (schema: Fields): Fields =>
  JSON.stringify(schema).includes("$ref") ? { ...schema, $defs: definitions } : schema

export const anySchema: FastCheck.Arbitrary<Fields> = tree.schema.map(withDefinitions)

export const parametersSchema: FastCheck.Arbitrary<Fields> = tree.object.map(withDefinitions)

/** Values of a schema in any of the dialects, whose types may be in capitals and nullable. */
export const valueOf = (schema: Fields, document: Fields = schema, depth = 0): FastCheck.Arbitrary<unknown> => {
  const inner = (item: unknown): FastCheck.Arbitrary<unknown> =>
    Json.isObject(item) ? valueOf(item, document, depth + 1) : FastCheck.jsonValue()
  const { $ref: reference, anyOf, const: only, enum: values, nullable, type } = schema
  const made = ((): FastCheck.Arbitrary<unknown> => {
    if (typeof reference === "string") {
      let at: unknown = document
      for (const key of reference.split("/").slice(1)) at = Json.isObject(at) ? at[key] : undefined
      return inner(at)
    }
    if (Array.isArray(anyOf)) {
      // Deep down a recursive type has to end.
      const branches =
        depth > 8 ? anyOf.filter((branch) => Json.isObject(branch) && branch["$ref"] === undefined) : anyOf
      return FastCheck.oneof(...(branches.length === 0 ? anyOf : branches).map(inner))
    }
    if (Array.isArray(values)) return FastCheck.constantFrom<unknown>(...values)
    if (only !== undefined || "const" in schema) return FastCheck.constant(only)
    const types: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type]
    return FastCheck.oneof(...types.map((name) => ofType(String(name).toLowerCase(), schema, inner, depth)))
  })()
  return nullable === true ? FastCheck.oneof(made, FastCheck.constant(null)) : made
}

const ofType = (
  type: string,
  schema: Fields,
  inner: (item: unknown) => FastCheck.Arbitrary<unknown>,
  depth: number
): FastCheck.Arbitrary<unknown> => {
  const { items, maxItems, maximum, minItems, minimum, properties, required } = schema
  switch (type) {
    case "string":
      return FastCheck.oneof(FastCheck.string({ maxLength: 5 }), FastCheck.constantFrom("1", "null", "x", "{}"))
    case "integer":
      return FastCheck.integer({
        min: typeof minimum === "number" ? minimum : -9,
        max: typeof maximum === "number" ? maximum : 9
      })
    case "number":
      return FastCheck.integer({ min: -100, max: 100 }).map((value) => value / 4)
    case "boolean":
      return FastCheck.boolean()
    case "null":
      return FastCheck.constant(null)
    case "array":
      return FastCheck.array(inner(items), {
        minLength: typeof minItems === "number" ? minItems : 0,
        maxLength: typeof maxItems === "number" ? maxItems : depth > 4 ? 0 : 3
      })
    default: {
      const known = Json.isObject(properties) ? Object.entries(properties) : []
      const demanded: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
      const requiredKeys = known.map(([key]) => key).filter((key) => demanded.includes(key))
      const kept = depth > 8 ? known.filter(([key]) => demanded.includes(key)) : known
      return FastCheck.record(Object.fromEntries(kept.map(([key, item]) => [key, inner(item)])), { requiredKeys })
    }
  }
}
