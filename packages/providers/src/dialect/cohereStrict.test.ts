import { expect, it } from "@effect/vitest"
import { cohereStrict } from "./cohereStrict.js"

const keywords = (schema: object) => cohereStrict("t", { ...schema }).losses.map((loss) => loss.keyword)

const text = (pattern: string) => ({ type: "object", properties: { a: { type: "string", pattern } }, required: ["a"] })

it.each([
  ["[A-Z]{3}[0-9]{7}", true],
  ["[^a-z]+", true],
  ["\\$[0-9]+", true],
  ["^[A-Z]+", false],
  ["[A-Z]+$", false],
  ["(?=a)b", false],
  ["(?!a)b", false]
])("enforces the pattern %s: %s", (pattern, isEnforced) => {
  const { losses, schema } = cohereStrict("t", text(pattern))
  expect(losses.map((loss) => loss.keyword)).toEqual(isEnforced ? [] : ["pattern"])
  expect(schema).toMatchObject({
    properties: { a: isEnforced ? { pattern } : { description: JSON.stringify({ pattern }) } }
  })
})

it("demands a required property of every object that has properties, and reports where there is none", () => {
  expect(keywords({ type: "object", properties: {} })).toEqual([])
  expect(keywords({ type: "object", properties: { a: { type: "string" } } })).toEqual(["required"])
  const inner = { type: "object", properties: { b: { type: "string" } } }
  expect(cohereStrict("t", { type: "object", properties: { a: inner }, required: ["a"] }).losses).toMatchObject([
    { path: ["properties", "a"], keyword: "required" }
  ])
})

it("enforces constants that are no objects or lists", () => {
  expect(keywords({ type: "object", properties: { a: { const: 1 } }, required: ["a"] })).toEqual([])
  expect(keywords({ type: "object", properties: { a: { const: { b: 1 } } }, required: ["a"] })).toEqual(["const"])
})
