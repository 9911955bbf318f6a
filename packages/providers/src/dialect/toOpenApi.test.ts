import { describe, expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { ToolDefinition } from "@wield/core"
import * as FastCheck from "effect/FastCheck"
import * as Gemini from "../Gemini.js"
import { fromOpenApi } from "./fromOpenApi.js"
import { toOpenApi } from "./toOpenApi.js"

const rewrite = (property: Json.JsonObject, more: Json.JsonObject = {}) => {
  const { losses, schema } = toOpenApi("tool", { type: "object", properties: { a: property }, ...more })
  const properties = schema?.["properties"]
  return {
    schema: typeof properties === "object" && properties !== null ? Reflect.get(properties, "a") : undefined,
    losses: losses.map((loss) => [...loss.path, loss.keyword].join("."))
  }
}

it.each<[Json.JsonObject, Json.JsonObject, ReadonlyArray<string>]>([
  [{ type: "string", minLength: 1, pattern: "^a" }, { type: "STRING", minLength: 1, pattern: "^a" }, []],
  [{ type: ["integer", "null"] }, { type: "INTEGER", nullable: true }, []],
  [{ type: ["integer", "string"] }, { anyOf: [{ type: "INTEGER" }, { type: "STRING" }] }, []],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, { type: "STRING", nullable: true }, []],
  [{ enum: ["x", "y", null] }, { type: "STRING", nullable: true, enum: ["x", "y"] }, []],
  [{ const: "x" }, { type: "STRING", enum: ["x"] }, []],
  [{ enum: [1, 2] }, { type: "NUMBER", description: "(one of 1, 2)" }, ["properties.a.enum"]],
  [{ type: "array", items: { type: "number" } }, { type: "ARRAY", items: { type: "NUMBER" } }, []],
  [{ type: "string", format: "date-time" }, { type: "STRING", format: "date-time" }, []],
  [
    { type: "string", format: "email", description: "Of whom?" },
    { type: "STRING", description: "Of whom? (format: email)" },
    ["properties.a.format"]
  ],
  [
    { type: "integer", exclusiveMinimum: 0 },
    { type: "INTEGER", description: "(exclusiveMinimum: 0)" },
    ["properties.a.exclusiveMinimum"]
  ],
  [{ type: "object", additionalProperties: false }, { type: "OBJECT" }, []],
  [
    { type: "object", additionalProperties: { type: "string" } },
    { type: "OBJECT" },
    ["properties.a.additionalProperties"]
  ],
  [
    { oneOf: [{ type: "string" }, { type: "integer" }] },
    { anyOf: [{ type: "STRING" }, { type: "INTEGER" }] },
    ["properties.a.oneOf"]
  ]
])("says %j", (given, expected, losses) => {
  expect(rewrite(given)).toEqual({ schema: expected, losses })
})

describe("a reference", () => {
  const Node = {
    type: "object",
    properties: { name: { type: "string" }, next: { $ref: "#/$defs/Node" } },
    required: ["name"]
  }

  it("is put in place, and keeps what stands beside it", () => {
    const more = { $defs: { Id: { type: "string", description: "An id" } } }
    expect(rewrite({ $ref: "#/$defs/Id", description: "Of an order" }, more)).toEqual({
      schema: { type: "STRING", description: "Of an order" },
      losses: []
    })
  })

  it("that leads to itself is cut off, and reported", () => {
    expect(rewrite({ $ref: "#/$defs/Node" }, { $defs: { Node } })).toEqual({
      schema: {
        type: "OBJECT",
        properties: { name: { type: "STRING" }, next: { type: "OBJECT" } },
        required: ["name"]
      },
      losses: ["properties.a.properties.next.$ref"]
    })
  })

  it("to nothing is reported", () => {
    expect(rewrite({ $ref: "#/$defs/None" })).toEqual({ schema: {}, losses: ["properties.a.$ref"] })
  })
})

it("offers a tool without parameters without a schema", () => {
  const { body } = Gemini.make({ schema: "openapi" }).encodeTools([ToolDefinition.make({ name: "now" })])
  expect(body).toEqual({ tools: [{ functionDeclarations: [{ name: "now" }] }] })
})

it("reads back what it says", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: ["string", "null"], description: "A" },
      b: { type: "array", items: { type: "integer", minimum: 0 }, maxItems: 3 },
      c: { anyOf: [{ type: "string" }, { type: "boolean" }] },
      d: { type: "string", enum: ["x", "y"] }
    },
    required: ["b"]
  }
  const { losses, schema: said } = toOpenApi("tool", schema)
  expect(losses).toEqual([])
  expect(fromOpenApi(said ?? {})).toEqual(schema)
})

it("reads numbers that are written as text, types as numbers, and snake case", () => {
  expect(
    fromOpenApi({
      type: 6,
      properties: { a: { type: 5, min_items: "2", any_of: [{ type: "STRING" }], nullable: true } }
    })
  ).toEqual({
    type: "object",
    properties: { a: { type: ["array", "null"], minItems: 2, anyOf: [{ type: "string" }] } }
  })
})

it("never throws, whatever the schema", () => {
  const keyword = FastCheck.constantFrom(
    "type",
    "properties",
    "items",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "enum",
    "const",
    "$defs",
    "nullable",
    "format"
  )
  const { schema } = FastCheck.letrec((tie) => ({
    schema: FastCheck.oneof(
      { maxDepth: 4 },
      FastCheck.constantFrom<Json.Json>("object", "#", "#/properties/a", null, true),
      FastCheck.jsonValue(),
      FastCheck.array(tie("schema"), { maxLength: 3 }),
      FastCheck.dictionary(keyword, tie("schema"), { maxKeys: 4 }),
      FastCheck.dictionary(FastCheck.constantFrom("a", "b"), tie("schema"), { maxKeys: 2 })
    )
  }))
  FastCheck.assert(
    FastCheck.property(FastCheck.dictionary(keyword, schema, { maxKeys: 5 }), (given) => {
      expect(toOpenApi("tool", given as Json.JsonObject).losses).toBeInstanceOf(Array)
      expect(fromOpenApi(given)).toBeTypeOf("object")
    }),
    { numRuns: 300 }
  )
})
