import { expect, it } from "@effect/vitest"
import { objectRoot } from "./objectRoot.js"

it("leaves a plain object as it is", () => {
  const schema = { type: "object", properties: { a: {} } }
  expect(objectRoot("tool", schema).schema).toBe(schema)
})

it("states the type where it is missing", () => {
  expect(objectRoot("tool", {})).toEqual({ schema: { type: "object" }, losses: [] })
})

it("follows a reference at the root and keeps the definitions", () => {
  const $defs = { "a/b": { type: "object", properties: { x: {} } } }
  expect(objectRoot("tool", { $ref: "#/$defs/a~1b", $defs }).schema).toEqual({ ...$defs["a/b"], $defs })
})

it("does not follow a reference that leads nowhere or to itself for ever", () => {
  for (const $ref of ["#", "#/$defs/none", "https://example.com", "#/%"]) {
    expect(objectRoot("tool", { $ref, type: "object" }).schema["type"]).toBe("object")
  }
})

it("merges branches that all hold without a loss", () => {
  const allOf = [
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    { properties: { b: { type: "number" } }, required: ["b"] }
  ]
  expect(objectRoot("tool", { allOf, description: "Both" })).toEqual({
    schema: {
      description: "Both",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a", "b"],
      type: "object"
    },
    losses: []
  })
})

it("offers the properties of alternative branches side by side, and reports it", () => {
  const oneOf = [
    { type: "object", properties: { kind: { const: "a" }, x: {} }, required: ["kind", "x"] },
    { type: "object", properties: { kind: { const: "b" } }, required: ["kind"] },
    { type: "string" }
  ]
  const { schema, losses } = objectRoot("tool", { oneOf })
  expect(schema).toEqual({
    type: "object",
    properties: { kind: { anyOf: [{ const: "a" }, { const: "b" }] }, x: {} },
    required: ["kind"]
  })
  expect(losses).toMatchObject([{ subject: "tool", keyword: "oneOf" }])
})
