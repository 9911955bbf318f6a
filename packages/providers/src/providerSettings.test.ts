/** Keys of a tool that the application states for one API. */
import { expect, it } from "@effect/vitest"
import { type Json, ToolDefinition } from "@wield/core"
import * as Anthropic from "./Anthropic.js"
import * as OpenAiChat from "./OpenAiChat.js"
import * as OpenAiResponses from "./OpenAiResponses.js"
import * as WireFormat from "./WireFormat.js"

const plain = ToolDefinition.make({
  name: "stock",
  description: "How many there are",
  inputSchema: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] }
})

const withSettings = (format: string, settings: Json.JsonObject) =>
  ToolDefinition.make({ ...plain, providerSettings: { [format]: settings, other: { unknown: true } } })

it.each(WireFormat.all)("$name is sent its own keys, within an entry that is otherwise the same", (format) => {
  const before = format.encodeTools([plain])
  const { body, losses } = format.encodeTools([withSettings(format.name, { allowed_callers: ["direct"] })])
  const text = JSON.stringify(body)
  expect(text.match(/"allowed_callers":\["direct"\]/g)).toHaveLength(1)
  expect(JSON.parse(text.replace(/,"allowed_callers":\["direct"\]/, ""))).toEqual(before.body)
  expect(losses).toEqual(before.losses)
})

it.each(WireFormat.all)("$name is not sent those of others", (format) => {
  expect(format.encodeTools([withSettings("another", { allowed_callers: [] })])).toEqual(format.encodeTools([plain]))
})

it.each([
  [Anthropic.format, { name: "x", description: "x", input_schema: {}, strict: true, type: "x" }],
  [OpenAiResponses.format, { name: "x", description: "x", parameters: {}, strict: true, type: "x" }],
  [OpenAiChat.format, { type: "x", function: { name: "x", description: "x", parameters: {}, strict: true } }]
])("no setting of $name takes the place of what is said already; each such key is a loss", (format, settings) => {
  for (const isStrict of [true, false]) {
    const before = format.encodeTools([plain], { isStrict })
    const { body, losses } = format.encodeTools([withSettings(format.name, settings)], { isStrict })
    expect(body).toEqual(before.body)
    const all = JSON.stringify(settings).match(/name|description|input_schema|parameters|strict|type/g) ?? []
    expect(losses.map(({ keyword }) => keyword).sort()).toEqual([...all].sort())
  }
})

it("keys within the function of Chat Completions join it", () => {
  const settings = { function: { cached: true }, beside: 1 }
  expect(OpenAiChat.encodeTools([withSettings("openai-chat", settings)]).body["tools"]).toMatchObject([
    { type: "function", beside: 1, function: { name: "stock", cached: true } }
  ])
})
