import { expect, it } from "@effect/vitest"
import { Facts, ToolDefinition } from "@wield/core"
import { encodeTools } from "./tools.js"

const orders = ToolDefinition.make({
  name: "get_orders",
  description: "Orders of the customer",
  inputSchema: {
    type: "object",
    properties: { status: { type: "string", minLength: 1 } },
    required: ["status"],
    additionalProperties: false
  },
  facts: Facts.make({ examples: [{ status: "open" }] })
})
const now = ToolDefinition.make({ name: "now" })

it("offers a tool with its schema and examples", () => {
  expect(encodeTools([orders, now])).toEqual({
    body: {
      tools: [
        {
          name: "get_orders",
          description: "Orders of the customer",
          input_schema: orders.inputSchema,
          input_examples: [{ status: "open" }]
        },
        { name: "now", input_schema: { type: "object", properties: {}, additionalProperties: false } }
      ]
    },
    losses: []
  })
})

it("restricts the schema in strict mode, and tells what it had to leave out", () => {
  const { body, losses } = encodeTools([orders], { isStrict: true })
  expect(body["tools"]).toMatchObject([
    {
      strict: true,
      input_schema: {
        properties: { status: { type: "string", description: '{"minLength":1}' } },
        additionalProperties: false
      }
    }
  ])
  expect(losses).toMatchObject([{ subject: "get_orders", path: ["properties", "status"], keyword: "minLength" }])
})

it("offers a tool without strict mode where strict mode would forbid valid arguments", () => {
  const record = ToolDefinition.make({
    name: "tag",
    inputSchema: { type: "object", properties: { tags: { type: "object", additionalProperties: { type: "string" } } } }
  })
  const { body, losses } = encodeTools([record], { isStrict: true })
  expect(body["tools"]).toEqual([{ name: "tag", input_schema: record.inputSchema }])
  expect(losses).toMatchObject([{ subject: "tag", keyword: "strict" }])
})

it("passes a tool of Anthropic's own through, and leaves out one of another API", () => {
  const search = ToolDefinition.make({
    name: "web",
    provider: { id: "anthropic.web_search_20250305", name: "web_search", settings: { max_uses: 3 } }
  })
  const foreign = ToolDefinition.make({
    name: "files",
    provider: { id: "openai.file_search", name: "file_search", settings: {} }
  })
  const { body, losses } = encodeTools([search, foreign])
  expect(body).toEqual({ tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }] })
  expect(losses).toMatchObject([{ subject: "files", keyword: "provider" }])
})

it("puts the branches of a root union side by side", () => {
  const definition = ToolDefinition.make({
    name: "pay",
    inputSchema: {
      $defs: { Card: { type: "object", properties: { card: { type: "string" }, sum: {} }, required: ["card", "sum"] } },
      anyOf: [
        { $ref: "#/$defs/Card" },
        { type: "object", properties: { iban: {}, sum: {} }, required: ["iban", "sum"] }
      ]
    }
  })
  const { body, losses } = encodeTools([definition])
  expect(body["tools"]).toMatchObject([
    { input_schema: { type: "object", properties: { card: {}, iban: {}, sum: {} }, required: ["sum"] } }
  ])
  expect(losses).toMatchObject([{ subject: "pay", keyword: "anyOf" }])
})

it.each([
  [{ choice: { _tag: "Auto" } }, { type: "auto" }, 0],
  [{ choice: { _tag: "None" }, isParallel: false }, { type: "none" }, 0],
  [{ choice: { _tag: "Required" }, isParallel: false }, { type: "any", disable_parallel_tool_use: true }, 0],
  [{ choice: { _tag: "OneOf", names: ["now"] } }, { type: "tool", name: "now" }, 0],
  [{ choice: { _tag: "OneOf", names: ["now", "get_orders"] } }, { type: "any" }, 1],
  [{ choice: { _tag: "OneOf", names: [] } }, { type: "none" }, 1],
  [{ isParallel: true }, { type: "auto", disable_parallel_tool_use: false }, 0]
] as const)("says %j as %j", (options, expected, lossCount) => {
  const { body, losses } = encodeTools([orders, now], options)
  expect(body["tool_choice"]).toEqual(expected)
  expect(body["tools"]).toHaveLength(2)
  expect(losses).toHaveLength(lossCount)
})

it("sends no choice without tools, which the API would refuse", () => {
  expect(encodeTools([], { choice: { _tag: "Required" } }).body).toEqual({})
})

it("maps a name that the API would refuse, also where it is chosen", () => {
  const definition = ToolDefinition.make({ name: "shop/get orders" })
  const { body } = encodeTools([definition], { choice: { _tag: "OneOf", names: ["shop/get orders"] } })
  const name: unknown = expect.stringMatching(/^shop_get_orders_/)
  expect(body).toMatchObject({ tools: [{ name }], tool_choice: { type: "tool", name } })
})
