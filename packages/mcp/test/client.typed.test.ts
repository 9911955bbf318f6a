/** Typed calls of a known server. */
import { assert, describe, it } from "@effect/vitest"
import { Tool, Toolkit } from "@effect/ai"
import { McpClient } from "@wield/mcp"
import { Effect, Schema } from "effect"
import { fileURLToPath } from "node:url"
import { findMismatches } from "../src/client/compatibility.js"

const connect = McpClient.connect(
  "math",
  McpClient.stdio(process.execPath, [fileURLToPath(new URL("fixtures/math.mjs", import.meta.url))])
)

const Add = Tool.make("add", {
  parameters: { a: Schema.Number, b: Schema.Number },
  success: Schema.Struct({ sum: Schema.Number })
})
const Described = Schema.Struct({ isEven: Schema.Boolean, at: Schema.Date })
const Describe = Tool.make("describe", { parameters: { n: Schema.Int }, success: Described })

describe("a typed server", () => {
  it.scopedLive("takes and gives what the toolkit declares, from structured content and from text", () =>
    Effect.gen(function* () {
      const math = yield* McpClient.typed(yield* connect, Toolkit.make(Add, Describe))
      assert.deepStrictEqual(yield* math.add({ a: 1, b: 2 }), { sum: 3 })
      const { at, isEven } = yield* math.describe({ n: 4 })
      assert.deepStrictEqual([isEven, at.getTime()], [true, Date.UTC(2026, 6, 28)])
    })
  )

  it.scopedLive("tells a failure of a tool from a result that is another one", () =>
    Effect.gen(function* () {
      const math = yield* McpClient.typed(yield* connect, Toolkit.make(Add, Describe))
      const failed = yield* Effect.flip(math.add({ a: 1e7, b: 0 }))
      assert.deepStrictEqual(
        [failed._tag, failed._tag === "ToolFailed" && failed.failure],
        ["ToolFailed", "a is too large"]
      )
      const other = yield* Effect.flip(math.add({ a: 5000, b: 0 }))
      assert.match(other.message, /the result of add is another one[^]*sum/)
      const text = yield* Effect.flip(math.describe({ n: 0 }))
      assert.strictEqual(text._tag, "ProtocolViolation")
      assert.strictEqual((yield* Effect.flip(math.describe({ n: 0.5 })))._tag, "ParseError")
    })
  )

  it.scopedLive("has its tools by the names that a model knows, too", () =>
    Effect.gen(function* () {
      const Named = Toolkit.make(Tool.make("math_add", { parameters: { a: Schema.Number, b: Schema.Number } }))
      const math = yield* McpClient.typed(yield* connect, Named)
      yield* math.math_add({ a: 1, b: 2 })
    })
  )

  it.scopedLive("that does not fit the toolkit says what is wrong, and where", () =>
    Effect.gen(function* () {
      const Other = Toolkit.make(
        Tool.make("add", {
          parameters: { a: Schema.String, rounding: Schema.optional(Schema.Literal("up", "nearest")) },
          success: Schema.Struct({ sum: Schema.Number, note: Schema.optional(Schema.String), carry: Schema.Boolean })
        }),
        Tool.make("describe", { parameters: { n: Schema.Number, language: Schema.String } }),
        Tool.make("subtract", {})
      )
      const error = yield* Effect.flip(McpClient.typed(yield* connect, Other))
      assert.strictEqual(
        error.message,
        `The MCP server math does not fit the toolkit:
add parameters/b: it is required, but it is absent
add parameters/a: expected number, but it may be string
add parameters/rounding: expected "up" or "down", but it may be "nearest"
add result/carry: it is required, but it is absent
add result/note: expected string, but it may be null
describe parameters/language: there is no field of this name
subtract: the server has no such tool`
      )
    })
  )
})

describe("two schemas", () => {
  const differ = (given: object, taken: object) =>
    findMismatches(given as never, taken as never, { ignoresUnknown: false }).map(({ path }) => path)

  it("that refer to themselves, or to nothing, are compared to an end", () => {
    const list = { $ref: "#/$defs/l", $defs: { l: { type: "object", properties: { next: { $ref: "#/$defs/l" } } } } }
    assert.deepStrictEqual(differ(list, list), [])
    assert.deepStrictEqual(differ({ $ref: "#" }, { $ref: "https://example.com/schema" }), [])
    const bomb = { allOf: Array.from({ length: 40 }, () => ({ anyOf: [{ type: "string" }, { type: "number" }] })) }
    assert.deepStrictEqual(differ(bomb, { type: ["string", "number"] }), [])
  })

  it("fit where one of the alternatives does", () => {
    const either = {
      anyOf: [{ type: "string" }, { type: "object", properties: { a: { type: "integer" } }, required: ["a"] }]
    }
    assert.deepStrictEqual(differ({ const: "x" }, either), [])
    assert.deepStrictEqual(
      differ({ type: "object", properties: { a: { type: "number" } }, required: ["a"] }, either),
      []
    )
    assert.deepStrictEqual(differ({ type: "boolean" }, either), [""])
    assert.deepStrictEqual(differ({ type: ["null", "string"] }, { anyOf: [{ type: "string" }, { type: "null" }] }), [])
    assert.deepStrictEqual(differ({ enum: [1, "a"] }, { anyOf: [{ const: 1 }, { enum: ["a", "b"] }] }), [])
    assert.deepStrictEqual(differ(either, { type: "string" }), [""])
    assert.deepStrictEqual(
      differ({ type: "array", items: { type: "string" } }, { type: "array", items: { type: "number" } }),
      ["/*"]
    )
    const record = (type: string) => ({ type: "object", additionalProperties: { type } })
    assert.deepStrictEqual(differ(record("string"), record("number")), ["/*"])
  })
})
