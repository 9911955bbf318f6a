import { describe, expect, it } from "@effect/vitest"
import { Facts, ToolDefinition, Turn } from "@wield/core"
import { Either } from "effect"
import { readStream } from "../../test/readStream.js"
import type { Event } from "../../test/streamBody.js"
import { eventStream, serverSentEvents } from "../../test/streamBody.js"
import * as Anthropic from "../Anthropic.js"
import * as BedrockConverse from "../BedrockConverse.js"
import * as Dialect from "../Dialect.js"

const search = ToolDefinition.make({
  name: "search",
  inputSchema: {
    type: "object",
    properties: {
      "filter[name]": { type: "string" },
      filter_name_: { type: "string" },
      sort: { type: "object", properties: { größe: { type: "integer" } }, required: ["größe"] }
    },
    required: ["filter[name]"],
    additionalProperties: false
  },
  facts: Facts.make({ examples: [{ "filter[name]": "kettle" }] })
})

const meant = { "filter[name]": "kettle", filter_name_: "mug", sort: { größe: 3 } }
const sent = { filter_name__2: "kettle", filter_name_: "mug", sort: { gr_e: 3 } }
const schema = {
  type: "object",
  properties: {
    filter_name__2: { type: "string" },
    filter_name_: { type: "string" },
    sort: { type: "object", properties: { gr_e: { type: "integer" } }, required: ["gr_e"] }
  },
  required: ["filter_name__2"],
  additionalProperties: false
}

const half = Math.floor(JSON.stringify(sent).length / 2)
const pieces = [JSON.stringify(sent).slice(0, half), JSON.stringify(sent).slice(half)]

const cases = [
  {
    format: Anthropic.format,
    tool: { name: "search", input_schema: schema, input_examples: [{ filter_name__2: "kettle" }] },
    losses: [],
    response: {
      type: "message",
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "search", input: sent }],
      stop_reason: "tool_use"
    },
    stream: serverSentEvents([
      { type: "message_start", message: { type: "message", role: "assistant", content: [] } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "toolu_1", name: "search", input: {} }
      },
      ...pieces.map((partial_json) => ({
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json }
      })),
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
      { type: "message_stop" }
    ])
  },
  {
    format: BedrockConverse.format,
    tool: { toolSpec: { name: "search", inputSchema: { json: schema } } },
    losses: ["examples"],
    response: {
      output: {
        message: {
          role: "assistant",
          content: [{ toolUse: { toolUseId: "tooluse_1", name: "search", input: sent } }]
        }
      },
      stopReason: "tool_use"
    },
    stream: eventStream([
      ["messageStart", { role: "assistant" }],
      ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { toolUseId: "tooluse_1", name: "search" } } }],
      ...pieces.map((input): Event => ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input } } }]),
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["messageStop", { stopReason: "tool_use" }]
    ])
  }
]

describe.each(cases)("$format.name", ({ format, losses: others, response, stream, tool }) => {
  it("sends properties under names that the API takes, in examples too, and reports each", () => {
    const { body, losses } = format.encodeTools([search])
    const { tools } = { ...body, ...(body["toolConfig"] as object) } as { readonly tools: ReadonlyArray<object> }
    expect(tools).toEqual([tool])
    expect(losses.filter(({ keyword }) => keyword === "properties").map(({ path }) => path)).toEqual([
      ["properties", "filter[name]"],
      ["properties", "sort", "properties", "größe"]
    ])
    expect(losses.filter(({ keyword }) => keyword !== "properties").map(({ keyword }) => keyword)).toEqual(others)
  })

  it("gives arguments their own names back, and keeps the message as it came", () => {
    const turn = Either.getOrThrow(format.decodeTurn(response, { definitions: [search] }))
    expect(Turn.calls(turn).map((call) => call.arguments)).toEqual([meant])
    expect(JSON.stringify(turn.native)).toContain(JSON.stringify(sent))
  })

  it("does so in a stream too", () => {
    const offered = { definitions: [search] }
    const { events, turn } = readStream(format, stream, [0.4], offered)
    expect(turn).toEqual(Either.getOrThrow(format.decodeTurn(response, offered)))
    expect(events.flatMap((event) => (event._tag === "CallComplete" ? [event.part.call.arguments] : []))).toEqual([
      meant
    ])
  })
})

it("renames properties below patterns too", () => {
  const inner = { type: "object", properties: { größe: { type: "integer" } } }
  const { restore, schema } = Dialect.rewrite({ type: "object", patternProperties: { "^x": inner } }, "anthropic")
  const renamed = { type: "object", properties: { gr_e: { type: "integer" } } }
  expect(schema?.["patternProperties"]).toEqual({ "^x": renamed })
  expect(restore({ xa: { gr_e: 1 } })).toEqual({ xa: { größe: 1 } })
})

it("leaves keys that the schema does not list", () => {
  const named = { type: "object", properties: { größe: { type: "integer" } } }
  const tool = {
    type: "object",
    properties: {
      "first name": { type: "string" },
      row: { type: "object", additionalProperties: true },
      any: {},
      list: {
        type: "array",
        items: { anyOf: [{ $ref: "#/$defs/Named" }, { allOf: [named], additionalProperties: named }] }
      }
    },
    $defs: { Named: named }
  }
  const { restore } = Dialect.rewrite(tool, "anthropic")
  const open = { first_name: "y", gr_e: 1 }
  expect(
    restore({ first_name: "x", row: open, any: [open], list: [{ gr_e: 1 }, { a: { gr_e: 1 }, first_name: 2 }] })
  ).toEqual({ "first name": "x", row: open, any: [open], list: [{ größe: 1 }, { a: { größe: 1 }, first_name: 2 }] })
  const search = ToolDefinition.make({
    name: "f",
    inputSchema: tool,
    facts: Facts.make({ examples: [{ row: { "first name": 1 } }] })
  })
  expect(Anthropic.encodeTools([search]).body).toMatchObject({
    tools: [{ input_examples: [{ row: { "first name": 1 } }] }]
  })
})
