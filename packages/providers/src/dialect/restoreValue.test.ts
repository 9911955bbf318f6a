import { expect, it } from "@effect/vitest"
import { type Json, ToolDefinition, Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as Dialect from "../Dialect.js"
import * as Gemini from "../Gemini.js"
import * as OpenAiChat from "../OpenAiChat.js"
import { foldAllOf } from "./allOf.js"
import { restoreGeminiText } from "./geminiSubset.js"
import { acceptsNull } from "./keywords.js"
import { restoreOptional, restoreValue } from "./restoreValue.js"

const object = (properties: object, more: object = {}): Json.JsonSchema => ({ type: "object", properties, ...more })

it("decides a union once for each value within, however deep it lies", () => {
  const one = { $ref: "#/$defs/E" }
  const schema = object(
    { e: one },
    {
      $defs: {
        E: {
          anyOf: [
            object({ e: one, op: { const: "not" } }, { required: ["e", "op"] }),
            object({ e: one, op: { const: "neg" }, by: { type: "string" } }, { required: ["e", "op"] }),
            { type: "number" }
          ]
        }
      }
    }
  )
  const nest = (more: object) => {
    let value: unknown = 1
    for (let depth = 0; depth < 150; depth++) value = { e: value, op: "neg", ...more }
    return { e: value }
  }
  expect(restoreOptional(schema, nest({ by: null }))).toEqual(nest({}))
  expect(restoreValue(schema, nest({ by: null }), restoreGeminiText)).toEqual(nest({}))
})

/** Types that each name the next one twice. */
const doubled = (keyword: string, last: Json.JsonSchema, beside: (index: number) => Json.JsonSchema = () => ({})) => ({
  $ref: "#/$defs/A0",
  $defs: Object.fromEntries(
    Array.from({ length: 31 }, (_, depth) => [
      `A${depth}`,
      depth === 30 ? last : { [keyword]: [0, 1].map((index) => ({ $ref: `#/$defs/A${depth + 1}`, ...beside(index) })) }
    ])
  )
})

it.each(["allOf", "anyOf", "oneOf"])("reads types that name the next one twice, in an %s", (keyword) => {
  const last = object({ a: { type: "string" } })
  const beside = (index: number) => ({ description: String(index) })
  for (const schema of [doubled(keyword, last), doubled(keyword, last, beside)]) {
    foldAllOf(schema.$defs["A0"] ?? {}, schema)
    acceptsNull(schema, schema)
    for (const restore of [undefined, restoreGeminiText]) {
      expect(() =>
        restoreValue({ ...object({ a: schema }), $defs: schema.$defs }, { a: { a: null } }, restore)
      ).not.toThrow()
    }
  }
  const same = doubled(keyword, last)
  expect(restoreOptional(same, { a: null })).toEqual({})
  expect(foldAllOf(doubled("allOf", last).$defs["A0"] ?? {}, doubled("allOf", last))).toEqual({
    schema: last,
    conflicts: []
  })
})

it("leaves a null in an object that may have other keys", () => {
  const open = object({ id: { type: "string" } })
  expect(restoreOptional(open, { id: null, due: null })).toEqual({ due: null })
  const patterned = { ...open, patternProperties: { "^d": { type: ["string", "null"] } }, additionalProperties: false }
  expect(restoreOptional(patterned, { id: null, due: null })).toEqual({ due: null })
  expect(restoreOptional({ ...open, additionalProperties: false }, { id: "a", due: null })).toEqual({ id: "a" })
  expect(restoreOptional({ type: "object" }, { due: null })).toEqual({ due: null })
})

it("leaves the nulls of a tool that was sent without strict mode", () => {
  const update = ToolDefinition.make({
    name: "update",
    inputSchema: object({ id: { type: "string" }, fields: { type: "object" }, any: {} }, { required: ["fields"] })
  })
  expect(JSON.stringify(OpenAiChat.encodeTools([update], { isStrict: true }).body)).not.toContain("strict")
  const sent = '{"id":null,"fields":{"assignee":null}}'
  const message = { tool_calls: [{ id: "a", function: { name: "update", arguments: sent } }] }
  const turn = OpenAiChat.decodeTurn({ choices: [{ message }] }, { definitions: [update], isStrict: true })
  expect(Turn.calls(Either.getOrThrow(turn))).toMatchObject([{ arguments: sent }])
  const { restore, schema } = Dialect.rewrite(update.inputSchema, "openai-strict")
  expect([schema, restore(JSON.parse(sent))]).toEqual([undefined, JSON.parse(sent)])
})

const gemini = Gemini.make({ schema: "openapi" })
const readByGemini = (properties: object, args: object) => {
  const tool = ToolDefinition.make({ name: "f", inputSchema: object(properties) })
  const content = { parts: [{ functionCall: { name: "f", args } }] }
  const turn = Either.getOrThrow(gemini.decodeTurn({ candidates: [{ content }] }, { definitions: [tool] }))
  return Turn.calls(turn)[0]?.arguments
}

it("reads text of Gemini's for what it was asked for: any value, also where nothing or `true` is said of it", () => {
  const sent = ["5", "true", '["5"]', "so"]
  const meant = [5, true, ["5"], "so"]
  for (const items of [undefined, true, {}]) {
    expect(readByGemini({ list: { type: "array", items } }, { list: sent })).toEqual({ list: meant })
  }
  expect(readByGemini({ any: true }, { any: "5" })).toEqual({ any: 5 })
  expect(readByGemini({ patch: { type: "object" } }, { patch: '{"due":null,"a":"1"}' })).toEqual({
    patch: { due: null, a: "1" }
  })
  expect(readByGemini({ a: { type: "string" } }, { a: "5", unknown: "5" })).toEqual({ a: "5", unknown: "5" })
})

it("restores an object by what stands beside its union and by the branch that it is of", () => {
  const schema = object(
    { kind: { type: "string" }, note: { type: "string" } },
    {
      required: ["kind"],
      anyOf: [
        { properties: { due: { type: ["string", "null"] }, of: object({ a: { type: "string" } }) }, required: ["due"] },
        { properties: { n: { type: "number" } }, required: ["n"] }
      ]
    }
  )
  const due = { kind: "k", due: null }
  const sent = { ...due, note: null, n: null }
  expect(restoreOptional(schema, { ...sent, of: { a: null } })).toEqual({ ...due, of: {} })
  expect(restoreOptional(schema, { ...sent, n: 1 })).toMatchObject({ kind: "k", n: 1 })
  // Within another union, too.
  const outer = object({ it: { anyOf: [schema, { type: "number" }] } })
  expect(restoreOptional(outer, { it: sent })).toEqual({ it: due })
})

it("restores by what an object demands where its branches only demand", () => {
  const schema = object(
    { a: { type: "string" }, b: { type: "string" } },
    { anyOf: [{ required: ["a"] }, { required: ["b"] }] }
  )
  expect(restoreOptional(schema, { a: "1", b: null })).toEqual({ a: "1" })
  expect(restoreOptional(schema, { a: null, b: "1" })).toEqual({ b: "1" })
})
