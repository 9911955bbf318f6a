import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import { openAiStrict } from "./openAiStrict.js"
import { restoreOptional } from "./restoreValue.js"

const strict = (schema: object) => openAiStrict("tool", { ...schema })
const object = (properties: object, required: ReadonlyArray<string> = Object.keys(properties), rest: object = {}) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
  ...rest
})
const property = (schema: object, isRequired = true) => {
  const { schema: rewritten, losses } = strict(object({ a: schema }, isRequired ? ["a"] : []))
  const properties = rewritten?.["properties"]
  return { schema: typeof properties === "object" ? Reflect.get(properties ?? {}, "a") : undefined, losses }
}

it("closes objects, requires every property and makes optional ones nullable", () => {
  expect(
    strict({
      type: "object",
      properties: {
        text: { type: "string" },
        limit: { type: "integer" },
        kind: { type: "string", enum: ["a", "b"] },
        one: { const: 1 },
        nested: { type: "object", properties: { deep: { type: "boolean" } } }
      },
      required: ["text"]
    }).schema
  ).toStrictEqual(
    object({
      text: { type: "string" },
      limit: { type: ["integer", "null"] },
      kind: { type: ["string", "null"], enum: ["a", "b", null] },
      one: { type: ["number", "null"], enum: [1, null] },
      nested: { ...object({ deep: { type: ["boolean", "null"] } }), type: ["object", "null"] }
    })
  )
})

it("leaves a property that may be null anyway as it is", () => {
  expect(property({ anyOf: [{ type: "string" }, { type: "null" }] }, false).schema).toStrictEqual({
    anyOf: [{ type: "string" }, { type: "null" }]
  })
  // Some compatible servers know the one word, some the other; OpenAI takes both.
  expect(property({ type: "string", nullable: true }, false).schema).toStrictEqual({
    type: ["string", "null"],
    nullable: true
  })
})

it("writes a reference alone, whatever type stands beside it, and nothing of an object to it", () => {
  const box = object({ width: { type: "integer" } })
  const inBox = (beside: object) => {
    const { schema, losses } = strict({ ...object({ a: { $ref: "#/$defs/Box", ...beside } }), $defs: { Box: box } })
    return { a: Reflect.get(Object(schema?.["properties"]), "a"), losses }
  }
  expect(inBox({ type: "object" })).toStrictEqual({ a: { $ref: "#/$defs/Box" }, losses: [] })
  expect(inBox({ type: "object", title: "Its box" }).a).toStrictEqual({
    title: "Its box",
    anyOf: [{ $ref: "#/$defs/Box" }]
  })
  expect(inBox({ additionalProperties: false }).a).toStrictEqual(box)
  expect(inBox({ properties: { height: { type: "integer" } }, required: ["height"] }).a).toStrictEqual(
    object({ height: { type: "integer" }, width: { type: "integer" } })
  )
})

it("says in the description what the keywords may not say, and reports it", () => {
  const { schema, losses } = property({
    type: "string",
    description: "A name",
    minLength: 2,
    format: "uri",
    default: "x"
  })
  expect(schema).toStrictEqual({ type: "string", description: 'A name (minLength: 2, format: uri, default: "x")' })
  expect(losses.map((loss) => [loss.path, loss.keyword])).toStrictEqual([
    [["properties", "a"], "minLength"],
    [["properties", "a"], "format"],
    [["properties", "a"], "default"]
  ])
})

it("keeps the keywords that the API accepts", () => {
  const accepted = { type: "string", pattern: "^a+$", format: "email", title: "T", description: "D" }
  expect(property(accepted)).toStrictEqual({ schema: accepted, losses: [] })
  const numbers = {
    type: "array",
    items: { type: "number", minimum: 1, exclusiveMaximum: 5, multipleOf: 2 },
    minItems: 1,
    maxItems: 3
  }
  expect(property(numbers)).toStrictEqual({ schema: numbers, losses: [] })
})

it("leaves out a pattern with look-around, which the API refuses", () => {
  expect(property({ type: "string", pattern: "^(?!a)" })).toMatchObject({
    schema: { description: "pattern: ^(?!a)" },
    losses: [{ keyword: "pattern" }]
  })
})

it("keeps definitions that are referred to, recursion included, and wraps a reference that is described", () => {
  const tree = {
    type: "object",
    properties: { value: { type: "string" }, children: { type: "array", items: { $ref: "#/definitions/Tree" } } },
    required: ["value", "children"]
  }
  expect(
    strict({
      ...object({ tree: { $ref: "#/definitions/Tree", description: "The root" } }, []),
      definitions: { Tree: tree, Unused: true }
    })
  ).toStrictEqual({
    schema: {
      ...object({ tree: { description: "The root", anyOf: [{ $ref: "#/$defs/Tree" }, { type: "null" }] } }),
      $defs: {
        Tree: object({ value: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } })
      }
    },
    losses: []
  })
})

it("writes tuples as arrays of what their items may be", () => {
  expect(
    property({
      type: "array",
      items: [{ type: "number" }, { type: "string" }, { type: "number" }],
      additionalItems: false
    })
  ).toMatchObject({
    schema: { type: "array", items: { anyOf: [{ type: "number" }, { type: "string" }] }, minItems: 3, maxItems: 3 },
    losses: [{ keyword: "items" }]
  })
})

it("folds allOf, sends oneOf as anyOf, and drops conditions", () => {
  expect(property({ type: "number", minimum: 1, allOf: [{ maximum: 5 }, { multipleOf: 2 }] })).toStrictEqual({
    schema: { type: "number", minimum: 1, maximum: 5, multipleOf: 2 },
    losses: []
  })
  expect(property({ oneOf: [{ type: "string" }, { type: "number" }] })).toMatchObject({
    schema: { anyOf: [{ type: "string" }, { type: "number" }] },
    losses: [{ keyword: "oneOf" }]
  })
  expect(property({ type: "string", not: { enum: ["x"] } })).toMatchObject({
    schema: { type: "string" },
    losses: [{ keyword: "not" }]
  })
})

it.each([
  [
    object({ a: { type: "object", additionalProperties: { type: "string" } } }),
    ["properties", "a"],
    "additionalProperties"
  ],
  [object({ a: { type: "object" } }), ["properties", "a"], "additionalProperties"],
  [object({}, [], { additionalProperties: true }), [], "additionalProperties"],
  [object({ a: { type: "object", patternProperties: { "^x": {} } } }), ["properties", "a"], "patternProperties"],
  [object({ a: {} }), ["properties", "a"], "type"],
  [object({ a: { type: "array" } }), ["properties", "a", "items"], "type"],
  [object({ a: { $ref: "https://example.com/schema" } }), ["properties", "a", "$ref"], "$ref"],
  [object({}, ["a"]), [], "required"],
  [{ anyOf: [object({}), object({})] }, [], "anyOf"]
])("has no strict form for %j", (schema, path, keyword) => {
  const { schema: rewritten, losses } = strict(schema)
  expect(rewritten).toBe(undefined)
  expect(losses[0]).toMatchObject({ subject: "tool", path, keyword })
})

it("has a strict form for what Effect writes of a schema", () => {
  class Address extends Schema.Class<Address>("Address")({
    street: Schema.String,
    zip: Schema.optional(Schema.String)
  }) {}
  const schema = Schema.Struct({
    to: Address,
    count: Schema.Int.pipe(Schema.between(1, 10)),
    at: Schema.optional(Schema.Date),
    tags: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
    ends: Schema.Tuple(Schema.Number, Schema.Number)
  })
  const { schema: rewritten } = strict(JSONSchema.make(schema))
  expect(rewritten).toMatchObject({ type: "object", required: ["to", "count", "at", "tags", "ends"] })
})

/** A schema of an object together with a value that is valid under it. */
const leaf = FastCheck.oneof(
  FastCheck.string().map((value) => ({ schema: { type: "string" }, value, full: value as unknown })),
  FastCheck.integer().map((value) => ({ schema: { type: "integer" }, value, full: value as unknown })),
  FastCheck.constantFrom("a", null).map((value) => ({ schema: { type: ["string", "null"] }, value, full: value }))
)

interface Sample {
  readonly schema: object
  readonly value: unknown
  /** The value as the model has to write it: `null` where an optional property is absent. */
  readonly full: unknown
}

const { sample } = FastCheck.letrec<{ sample: Sample; node: Sample }>((tie) => ({
  node: FastCheck.oneof(
    { depthSize: "small" },
    leaf,
    tie("sample"),
    FastCheck.array(tie("sample"), { minLength: 1, maxLength: 1 }).map(([item]): Sample => ({
      schema: { type: "array", items: item?.schema },
      value: [item?.value],
      full: [item?.full]
    }))
  ),
  sample: FastCheck.dictionary(
    FastCheck.oneof(FastCheck.constantFrom("a", "b", "toString"), FastCheck.string()),
    FastCheck.record({ made: tie("node"), isRequired: FastCheck.boolean(), isPresent: FastCheck.boolean() }),
    { minKeys: 1, maxKeys: 4 }
  ).map((fields): Sample => {
    const entries = Object.entries(fields)
    const present = entries.filter(([, field]) => field.isRequired || field.isPresent || acceptsNull(field.made.schema))
    return {
      schema: {
        type: "object",
        properties: Object.fromEntries(entries.map(([key, field]) => [key, field.made.schema])),
        required: entries.filter(([, field]) => field.isRequired).map(([key]) => key),
        additionalProperties: false
      },
      value: Object.fromEntries(present.map(([key, field]) => [key, field.made.value])),
      full: Object.fromEntries(
        entries.map(([key, field]) => [key, present.some(([one]) => one === key) ? field.made.full : null])
      )
    }
  })
}))

const acceptsNull = (schema: object) => Array.isArray(Reflect.get(schema, "type"))

it("restores what the model had to write in full to what the full schema means", () => {
  FastCheck.assert(
    FastCheck.property(sample, ({ schema, value, full }) => {
      expect(strict(schema).schema).toBeDefined()
      expect(restoreOptional({ ...schema }, full)).toStrictEqual(value)
      expect(restoreOptional({ ...schema }, value)).toBe(value)
    })
  )
})

it("restores a union by the branch that the value is of", () => {
  const union = {
    anyOf: [
      { type: "object", properties: { kind: { enum: ["a"] }, x: { type: "string" } }, required: ["kind"] },
      { type: "object", properties: { kind: { enum: ["b"] }, x: { type: ["string", "null"] } }, required: ["kind"] }
    ]
  }
  const schema = object({ of: union })
  expect(restoreOptional(schema, { of: { kind: "a", x: null } })).toStrictEqual({ of: { kind: "a" } })
  expect(restoreOptional(schema, { of: { kind: "b", x: null } })).toStrictEqual({ of: { kind: "b", x: null } })
})

it("survives values and schemas that are deeper than any stack", () => {
  let value: unknown = null
  let schema: object = { type: "string" }
  for (let depth = 0; depth < 20_000; depth++) {
    value = { a: value }
    schema = object({ a: schema })
  }
  const recursive = { ...object({ a: { $ref: "#" } }, []) }
  expect(() => restoreOptional(recursive, value)).not.toThrow()
  expect(strict(schema).schema).toBe(undefined)
})
