/** What a search of the application's has found, in the APIs that take it from the search's result. */
import { describe, expect, it } from "@effect/vitest"
import type { Message } from "@wield/core"
import { Content, ToolDefinition } from "@wield/core"
import { Either } from "effect"
import * as Anthropic from "./Anthropic.js"
import * as OpenAiResponses from "./OpenAiResponses.js"
import * as WireFormat from "./WireFormat.js"

const shown = [
  ToolDefinition.make({ name: "now" }),
  ToolDefinition.make({
    name: "search_tools",
    description: "Finds tools",
    inputSchema: { type: "object", properties: { query: { type: "string" } } }
  })
]

const schema = { type: "object", properties: { id: { type: "integer" } } }

/** A search that finds these tools, and then a call of the first. */
const conversation = (...found: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Message.Message> => [
  { _tag: "User", content: [Content.text("Read order 5")], native: undefined },
  ...found.flatMap((names, index): ReadonlyArray<Message.Message> => {
    const id = `search_${index}`
    const call = { id, name: "search_tools", arguments: { query: "orders" } }
    const structured = {
      tools: names.map((name) => ({ name, description: `Is ${name} ${index}`, parameters: schema }))
    }
    const content = [Content.json(structured)]
    return [
      {
        _tag: "Assistant",
        parts: [
          {
            _tag: "Call",
            call,
            executedBy: "application",
            nativeName: "search_tools",
            nativeId: undefined,
            format: undefined
          }
        ],
        native: undefined
      },
      {
        _tag: "Results",
        results: [{ id, name: "search_tools", isError: false, content, structured }],
        native: undefined
      }
    ]
  })
]

const request = (messages: ReadonlyArray<Message.Message>): WireFormat.Request => ({
  messages,
  definitions: shown,
  options: {},
  settings: undefined,
  search: "search_tools",
  losses: []
})

describe("found tools", () => {
  it("of Anthropic are deferred behind the tools that are shown, and the result refers to them", () => {
    const { body, losses } = Anthropic.encodeRequest(request(conversation(["orders/read", "orders_list"])))
    expect(losses).toEqual([])
    const native = "orders_read_"
    expect(body["tools"]).toMatchObject([
      { name: "now" },
      { name: "search_tools", input_schema: { properties: { query: { type: "string" } } } },
      {
        name: expect.stringContaining(native),
        description: "Is orders/read 0",
        input_schema: schema,
        defer_loading: true
      },
      { name: "orders_list", defer_loading: true }
    ])
    expect(body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "tool_use", name: "search_tools" }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            content: [
              { type: "tool_reference", tool_name: expect.stringContaining(native) },
              { type: "tool_reference", tool_name: "orders_list" }
            ]
          }
        ]
      }
    ])
  })

  it("of Anthropic carry no mark for the cache: that stands on the last tool that is shown", () => {
    const cached = { ...request(conversation(["orders_list"])), cache: {} }
    const tools = Anthropic.encodeRequest(cached).body["tools"]
    expect(tools).toMatchObject([{ name: "now" }, { cache_control: { type: "ephemeral" } }, { name: "orders_list" }])
    expect(JSON.stringify(tools).match(/cache_control/g)).toHaveLength(1)
  })

  it("of Anthropic that were found twice are sent once, as they were found last", () => {
    const { body } = Anthropic.encodeRequest(request(conversation(["a", "b"], ["c", "a"])))
    expect(body["tools"]).toMatchObject([{}, {}, { description: "Is a 1" }, { name: "b" }, { name: "c" }])
  })

  it("of the Responses API are in the search's output only, and the search is the API's own", () => {
    const { body, losses } = OpenAiResponses.encodeRequest(request(conversation(["orders/read"])))
    expect(losses).toEqual([])
    expect(body["tools"]).toEqual([
      expect.objectContaining({ type: "function", name: "now" }),
      {
        type: "tool_search",
        execution: "client",
        description: "Finds tools",
        parameters: { type: "object", properties: { query: { type: "string" } } }
      }
    ])
    expect(body["input"]).toMatchObject([
      { role: "user" },
      { type: "tool_search_call", call_id: "search_0", execution: "client", arguments: { query: "orders" } },
      {
        type: "tool_search_output",
        call_id: "search_0",
        execution: "client",
        status: "completed",
        tools: [
          {
            type: "function",
            name: expect.stringContaining("orders_read_"),
            description: "Is orders/read 0",
            parameters: schema,
            defer_loading: true
          }
        ]
      }
    ])
  })

  it("of the Responses API that are none are followed by the words of the result", () => {
    const nothing = conversation([]).map((message) =>
      message._tag === "Results"
        ? { ...message, results: message.results.map((one) => ({ ...one, content: [Content.text("Search again")] })) }
        : message
    )
    const { body } = OpenAiResponses.encodeRequest(request(nothing))
    expect(body["input"]).toMatchObject([
      {},
      {},
      { type: "tool_search_output", tools: [] },
      { role: "developer", content: "Search again" }
    ])
  })

  it.each([Anthropic.format, OpenAiResponses.format])(
    "of $name: calls of them are read by their own names",
    (format) => {
      const { offered } = format.encodeRequest(request(conversation(["orders/read"])))
      const native = format.encodeRequest(request(conversation(["orders/read"]))).body
      const name = /orders_read_\w+/.exec(JSON.stringify(native))?.[0]
      const body =
        format.name === "anthropic"
          ? { content: [{ type: "tool_use", id: "a", name, input: { id: 5 } }], stop_reason: "tool_use" }
          : {
              output: [
                { type: "tool_search_call", call_id: "s", execution: "client", arguments: { query: "x" } },
                { type: "function_call", call_id: "a", name, namespace: name, arguments: '{"id":5}' }
              ]
            }
      const turn = Either.getOrThrow(format.decodeTurn(body, offered))
      const called = turn.parts.flatMap((part) => (part._tag === "Call" ? [[part.call.name, part.executedBy]] : []))
      expect(called).toEqual([
        ...(format.name === "anthropic" ? [] : [["search_tools", "application"]]),
        ["orders/read", "application"]
      ])
    }
  )

  it.each([Anthropic.format, OpenAiResponses.format])("of $name say what their schemas lose", (format) => {
    const found = JSON.stringify(conversation(["orders_list"])).replaceAll('{"type":"integer"}', '{"$ref":"#/none"}')
    const { losses } = format.encodeRequest(request(JSON.parse(found)))
    expect(losses).toMatchObject([{ subject: "orders_list", path: ["properties", "id"], keyword: "$ref" }])
  })

  it.each(WireFormat.all.filter(({ takesFound }) => takesFound === undefined))(
    "of $name, which has no such form, stay in the result",
    (format) => {
      const sent = request(conversation(["orders_list"]))
      const { offered, ...encoded } = format.encodeRequest(sent)
      expect(offered).toBeUndefined()
      expect(encoded).toEqual(format.encodeRequest({ ...sent, search: undefined }))
    }
  )
})

describe("tools that the API's own search finds", () => {
  const deferred = ["orders/read", "orders_list"].map((name) =>
    ToolDefinition.make({ name, description: `Is ${name}`, inputSchema: schema })
  )
  const [now] = shown
  const said: Message.Message = { _tag: "User", content: [Content.text("Read order 5")], native: undefined }
  const hosted = (messages: ReadonlyArray<Message.Message> = [said]): WireFormat.Request => ({
    ...request(messages),
    definitions: now === undefined ? [] : [now],
    deferred
  })

  it.each([
    [Anthropic.format, { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" }],
    [OpenAiResponses.format, { type: "tool_search" }]
  ])("of $name are deferred behind that search, in each request alike", (format, search) => {
    const { body, losses } = format.encodeRequest({ ...hosted(), cache: {} })
    expect(losses).toEqual([])
    const [first, second, ...others] = body["tools"] as ReadonlyArray<object>
    expect(first).toMatchObject({ name: "now" })
    expect(first).not.toHaveProperty("defer_loading")
    expect(second).toMatchObject(search)
    expect(second).not.toHaveProperty("defer_loading")
    expect(others).toMatchObject([
      { name: expect.stringContaining("orders_read_"), description: "Is orders/read", defer_loading: true },
      { name: "orders_list", defer_loading: true }
    ])
    expect(JSON.stringify(others)).not.toContain("cache_control")
  })

  it("of Anthropic may be found by the other search that it has", () => {
    const provider = {
      id: "anthropic.tool_search_tool_regex_20251119",
      name: "tool_search_tool_regex",
      settings: {}
    }
    const own = ToolDefinition.make({ name: "tool_search_tool_regex", provider })
    const { body } = Anthropic.encodeRequest({ ...hosted(), definitions: [own] })
    expect(body["tools"]).toMatchObject([{ type: "tool_search_tool_regex_20251119" }, {}, { name: "orders_list" }])
  })

  it("of Anthropic go back as they were found, but for those that are no longer offered", () => {
    const blockOf = (...names: ReadonlyArray<string>) => ({
      type: "tool_search_tool_result",
      tool_use_id: "srvtoolu_1",
      content: {
        type: "tool_search_tool_search_result",
        tool_references: names.map((name) => ({ type: "tool_reference", tool_name: name }))
      }
    })
    const answer = {
      type: "message",
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "srvtoolu_1", name: "tool_search_tool_bm25", input: { query: "orders" } },
        blockOf("orders_list", "orders_remove"),
        { type: "text", text: "Found." }
      ],
      stop_reason: "end_turn"
    }
    const turn = Either.getOrThrow(Anthropic.decodeTurn(answer))
    const native = { format: "anthropic", json: turn.native }
    const sentBack = (names: ReadonlyArray<string>) => {
      const offered = names.map((name) => ToolDefinition.make({ name }))
      const messages = [said, { _tag: "Assistant" as const, parts: turn.parts, native }]
      return Anthropic.encodeRequest({ ...hosted(messages), deferred: offered }).body["messages"]
    }
    expect(sentBack(["orders_list", "orders_remove"])).toEqual([expect.anything(), turn.native[0]])
    expect(sentBack(["orders_list"])).toMatchObject([{}, { content: [{}, blockOf("orders_list"), {}] }])
    expect(sentBack([])).toMatchObject([{}, { content: [{}, blockOf(), {}] }])
  })

  it.each(WireFormat.all.filter(({ takesFound }) => takesFound === undefined))(
    "of $name, which has no such search, are tools like any other",
    (format) => {
      const { offered, ...encoded } = format.encodeRequest(hosted())
      const whole = { ...hosted(), definitions: [...shown.slice(0, 1), ...deferred], deferred: undefined }
      expect(encoded).toEqual(format.encodeRequest({ ...whole, search: undefined }))
      expect(offered?.definitions).toEqual(whole.definitions)
    }
  )
})

it.each([
  ["anthropic", "claude-sonnet-4-5-20250929", "api.anthropic.com", true],
  ["anthropic", "claude-haiku-4-5", undefined, true],
  ["anthropic", "claude-opus-4-10", "api.anthropic.com", true],
  ["anthropic", "claude-sonnet-5", "api.anthropic.com:443", true],
  ["anthropic", "claude-fable-5", "api.anthropic.com", true],
  ["anthropic", "claude-sonnet-4-20250514", "api.anthropic.com", false],
  ["anthropic", "claude-3-7-sonnet-latest", "api.anthropic.com", false],
  ["anthropic", "claude-sonnet-5", "api.deepseek.com", false],
  ["anthropic", "claude-sonnet-5", "api.anthropic.com.example.org", false],
  ["anthropic", "kimi-k3", "api.anthropic.com", false],
  ["openai-responses", "gpt-5.4", "api.openai.com", true],
  ["openai-responses", "gpt-5.4-mini", undefined, true],
  ["openai-responses", "gpt-6", "eu.api.openai.com", true],
  ["openai-responses", "gpt-5", "api.openai.com", false],
  ["openai-responses", "gpt-5.2", "api.openai.com", false],
  ["openai-responses", "gpt-50", "openrouter.ai", false],
  ["openai-responses", "gpt-oss-120b", "api.openai.com", false],
  ["openai-responses", "o5", "api.openai.com", false]
])("%s: that %s at %s takes found tools from the result is known: %s", (name, model, host, isKnown) => {
  const format = WireFormat.all.find((one) => one.name === name)
  expect(format?.takesFound?.({ model, host })).toBe(isKnown)
})
