import { expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { anthropicStrict } from "./anthropicStrict.js"

const root = (properties: Json.JsonSchema, more: Json.JsonSchema = {}): Json.JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more
})

const rewritten = (schema: unknown) => anthropicStrict("tool", root({ a: schema }))

it("keeps what strict mode knows, without a loss", () => {
  const schema = root(
    {
      a: { type: "string", description: "A day", format: "date" },
      b: { type: "array", items: { $ref: "#/$defs/B" }, minItems: 1 },
      c: { anyOf: [{ type: "integer", enum: [1, 2] }, { type: "null" }] },
      d: { type: "string", pattern: "^[A-Z]{2}$" }
    },
    { $defs: { B: root({ x: { const: "y" } }) }, required: ["a"] }
  )
  expect(anthropicStrict("tool", schema)).toEqual({ schema, losses: [] })
})

it.each([
  [{ type: "integer", minimum: 1, maximum: 5 }, { type: "integer", description: '{"minimum":1,"maximum":5}' }, 2],
  [{ type: "string", description: "Name", minLength: 1 }, { type: "string", description: 'Name\n{"minLength":1}' }, 1],
  [{ type: "string", format: "regex" }, { type: "string", description: '{"format":"regex"}' }, 1],
  [{ type: "string", pattern: "(?=a)" }, { type: "string", description: '{"pattern":"(?=a)"}' }, 1],
  [{ type: ["string", "null"] }, { anyOf: [{ type: "string" }, { type: "null" }] }, 0],
  [{ type: "string", nullable: true }, { anyOf: [{ type: "string" }, { type: "null" }] }, 0],
  [{ oneOf: [{ type: "string" }, { type: "number" }] }, { anyOf: [{ type: "string" }, { type: "number" }] }, 1],
  [
    { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
    1
  ],
  [
    { type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } },
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
    1
  ],
  [
    { type: "object", properties: { x: { type: "string" } }, additionalProperties: true },
    { type: "object", properties: { x: { type: "string" } }, additionalProperties: false },
    1
  ],
  [
    { type: "object", properties: { x: { type: "string" } } },
    { type: "object", properties: { x: { type: "string" } }, additionalProperties: false },
    0
  ]
])("rewrites %j", (schema, expected, lossCount) => {
  const { schema: strict, losses } = rewritten(schema)
  expect(strict?.["properties"]).toEqual({ a: expected })
  expect(losses).toHaveLength(lossCount)
})

it.each([
  true,
  {},
  { type: "object" },
  { type: "object", additionalProperties: { type: "string" } },
  { type: "object", patternProperties: { "^x": {} } },
  { $ref: "https://example.com/schema.json" },
  { $ref: "#" },
  { $ref: "#/properties/a" }
])("cannot say %j", (schema) => {
  expect(rewritten(schema)).toMatchObject({ schema: undefined, losses: [{ subject: "tool", keyword: "strict" }] })
})

it("cannot say a type that contains itself through another", () => {
  const $defs = { A: root({ b: { $ref: "#/$defs/B" } }), B: root({ a: { $ref: "#/$defs/A" } }) }
  const { schema, losses } = anthropicStrict("tool", root({ a: { $ref: "#/$defs/A" } }, { $defs }))
  expect(schema).toBeUndefined()
  expect(losses).toHaveLength(1)
})

it("takes a root without properties for one without parameters", () => {
  expect(anthropicStrict("tool", { type: "object" })).toEqual({
    schema: { type: "object", additionalProperties: false },
    losses: []
  })
})

it("writes each type of several with the keywords of that type", () => {
  let schema: Json.JsonSchema = { type: "string" }
  for (let depth = 0; depth < 10; depth++) {
    schema = {
      type: ["object", "string", "number"],
      properties: { a: schema },
      required: ["a"],
      minimum: 1,
      pattern: "^a"
    }
  }
  const { losses, schema: made } = rewritten(schema)
  expect(losses.map(({ keyword }) => keyword)).toEqual(expect.arrayContaining(["minimum"]))
  expect(JSON.stringify(made).length).toBeLessThan(3_000)
})

it("refuses a schema that is too large once its types are written out", () => {
  let schema: Json.JsonSchema = { type: "string" }
  for (let depth = 0; depth < 10; depth++) {
    schema = { type: ["string", "number"], anyOf: [root({ a: schema }), schema] }
  }
  expect(rewritten(schema)).toMatchObject({ schema: undefined, losses: [{ reason: expect.stringContaining("5000") }] })
})
