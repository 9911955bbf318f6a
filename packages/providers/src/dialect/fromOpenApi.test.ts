import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { fromOpenApi } from "./fromOpenApi.js"

it("reads Google's types, nullable, counts written as text, and snake case", () => {
  expect(
    fromOpenApi({
      type: "OBJECT",
      properties: {
        a: { type: "ARRAY", min_items: "2", items: { type: "STRING", format: "enum", enum: ["x"], nullable: true } },
        b: { any_of: [{ type: "INTEGER" }, { type: "BOOLEAN" }], nullable: true },
        c: { type: "TYPE_UNSPECIFIED", description: "Anything" }
      },
      property_ordering: ["a", "b"],
      required: ["a"]
    })
  ).toEqual({
    type: "object",
    properties: {
      a: { type: "array", minItems: 2, items: { type: ["string", "null"], enum: ["x", null] } },
      b: { anyOf: [{ type: "integer" }, { type: "boolean" }, { type: "null" }] },
      c: { description: "Anything" }
    },
    propertyOrdering: ["a", "b"],
    required: ["a"]
  })
})

it("reads types as numbers, which Google's REST transport for Python sends", () => {
  expect(fromOpenApi({ type: 6, properties: { a: { type: 1 }, b: { type: 5, items: { type: 3 } } } })).toEqual({
    type: "object",
    properties: { a: { type: "string" }, b: { type: "array", items: { type: "integer" } } }
  })
})

it("never throws, whatever the schema", () => {
  const keyword = FastCheck.constantFrom("type", "properties", "items", "anyOf", "any_of", "enum", "nullable", "format")
  FastCheck.assert(
    FastCheck.property(FastCheck.dictionary(keyword, FastCheck.jsonValue()), (given) => {
      expect(fromOpenApi(given)).toBeTypeOf("object")
    })
  )
})
