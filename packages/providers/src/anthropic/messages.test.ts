import { describe, expect, it } from "@effect/vitest"
import type { Json, Message } from "@wield/core"
import { Content, Facts, ToolCall, ToolDefinition } from "@wield/core"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { mutated } from "../../test/mutated.js"
import { withoutNative } from "../../test/request.js"
import * as Anthropic from "../Anthropic.js"
import type { Request } from "../WireFormat.js"
import { runs } from "../../../../test/sizes.js"

const decode = (body: unknown): Request => Either.getOrThrow(Anthropic.decodeRequest(body))

const text = (value: string) => ({ type: "text", text: value })
const use = (id: string, more: object = {}) => ({ type: "tool_use", id, name: "get_orders", input: { a: 1 }, ...more })
const result = (id: string, more: object = {}) => ({ type: "tool_result", tool_use_id: id, content: "none", ...more })

const body = {
  model: "claude-sonnet-4-5",
  max_tokens: 1024,
  container: "container_1",
  mcp_servers: [{ type: "url", name: "wiki", url: "https://example.com/mcp" }],
  system: [{ ...text("Be brief."), cache_control: { type: "ephemeral", ttl: "1h" } }, text("Be kind.")],
  tools: [
    { type: "web_search_20250305", name: "web_search", max_uses: 3 },
    { type: "mcp_toolset", mcp_server_name: "wiki" },
    {
      name: "get_orders",
      description: "Orders",
      input_schema: { type: "object", properties: { a: { type: "integer" } } },
      input_examples: [{ a: 1 }],
      eager_input_streaming: true
    },
    { type: "custom", name: "now", input_schema: { type: "object" }, cache_control: { type: "ephemeral" } }
  ],
  tool_choice: { type: "tool", name: "now", disable_parallel_tool_use: true },
  messages: [
    { role: "user", content: "Hello" },
    {
      role: "assistant",
      content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }, text("Sure."), use("a"), use("b")]
    },
    {
      role: "user",
      content: [
        result("b", {
          content: [
            text("one"),
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
            { type: "tool_reference", tool_name: "now" }
          ]
        }),
        result("a", { is_error: true }),
        { ...text("And this?"), cache_control: { type: "ephemeral" } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "Größe" }, title: "note.txt" },
        { type: "container_upload", file_id: "file_1" }
      ]
    },
    { role: "system", content: [text("Now be brave.")] },
    { role: "assistant", content: "Done." }
  ]
}

it("puts a body back as it stood", () => {
  expect(Anthropic.encodeRequest(decode(body))).toEqual({ body, losses: [] })
})

it.each([
  { messages: [], tools: [], tool_choice: { type: "auto" } },
  { messages: [], system: null, tools: null, tool_choice: null },
  { messages: [], tools: [use("a")], tool_choice: { type: "none", disable_parallel_tool_use: true } },
  { messages: [], tools: [{ name: "a", input_schema: {} }], tool_choice: { type: "newer", budget: 3 } },
  { messages: [{ role: "user", content: [] }], system: [] },
  {
    messages: [
      { role: "assistant", content: [use("a"), use("b")] },
      { role: "user", content: [result("a")] },
      { role: "user", content: [result("b"), text("Go on.")] }
    ]
  }
])("puts back what says nothing here (%#)", (given) => {
  const request = decode(given)
  expect(Anthropic.encodeRequest(request).body).toEqual(given)
})

describe("what a body says", () => {
  const request = decode(body)

  it("are messages in their order, results before what the user adds to them", () => {
    expect(request.messages.map((message) => message._tag)).toEqual([
      "System",
      "User",
      "Assistant",
      "Results",
      "User",
      "System",
      "Assistant"
    ])
    expect(request.messages[0]).toMatchObject({ text: "Be brief.\n\nBe kind." })
    expect(request.messages[3]).toMatchObject({
      results: [
        { id: "b", name: "get_orders", isError: false, content: [Content.text("one"), { _tag: "Image" }] },
        { id: "a", name: "get_orders", isError: true, content: [Content.text("none")] }
      ],
      native: { json: [body.messages[2]] }
    })
    expect(request.messages[4]).toMatchObject({
      content: [
        Content.text("And this?"),
        { _tag: "File", mediaType: "text/plain", filename: "note.txt", source: { data: "R3LDtsOfZQ==" } }
      ],
      native: { json: [] }
    })
  })

  it("are definitions and options, and settings for the rest", () => {
    expect(request.definitions).toMatchObject([
      { name: "web_search", provider: { id: "anthropic.web_search_20250305", settings: { max_uses: 3 } } },
      { name: "wiki", provider: { id: "anthropic.mcp_toolset" } },
      { name: "get_orders", description: "Orders", facts: { examples: [{ a: 1 }] }, native: { json: body.tools[2] } },
      { name: "now" }
    ])
    expect(request.options).toEqual({ choice: { _tag: "OneOf", names: ["now"] }, isParallel: false, isCached: true })
    expect(Object.keys(request.settings?.json ?? {})).toEqual(["model", "max_tokens", "container", "mcp_servers"])
  })

  it("are losses where it has no words here", () => {
    expect(request.losses.map(({ keyword, path, subject }) => [subject, ...path, keyword].join(" "))).toEqual([
      "get_orders eager_input_streaming",
      "message 2 content 0 content 2 tool_reference",
      "message 2 content 2 cache_control",
      "message 2 content 4 container_upload",
      "system 0 cache_control"
    ])
  })
})

it("says a conversation anew, with every call and its result", () => {
  const { losses, ...encoded } = Anthropic.encodeRequest(withoutNative(decode(body)))
  expect(encoded.body).toMatchObject({
    system: [text("Be brief.\n\nBe kind."), text("Now be brave.")],
    messages: [
      { role: "user", content: [text("Hello")] },
      { role: "assistant", content: [{ type: "thinking", signature: "c2ln" }, text("Sure."), use("a"), use("b")] },
      {
        role: "user",
        content: [
          result("b", { content: [text("one"), { type: "image" }] }),
          result("a", { is_error: true }),
          text("And this?"),
          { type: "document", source: { type: "text", data: "Größe" }, title: "note.txt" }
        ]
      },
      { role: "assistant", content: [text("Done.")] }
    ],
    tools: [
      { name: "web_search", max_uses: 3 },
      { mcp_server_name: "wiki" },
      {},
      { cache_control: { type: "ephemeral" } }
    ],
    tool_choice: body.tool_choice,
    container: "container_1"
  })
  expect(losses.map((loss) => loss.keyword)).toEqual(["system"])
})

describe("a conversation from elsewhere", () => {
  const call = (id: string, args: unknown, executedBy: "application" | "provider" = "application") => ({
    _tag: "Call" as const,
    call: ToolCall.make(id, "shop/orders", args),
    executedBy,
    nativeName: "shop/orders",
    nativeId: id
  })
  const answer = (...ids: ReadonlyArray<string>): Message.Message => ({
    _tag: "Results",
    results: ids.map((id) => ({ id, name: "shop/orders", isError: false, content: [Content.json({ n: 1 })] })),
    native: undefined
  })
  const encode = (messages: ReadonlyArray<Message.Message>) =>
    Anthropic.encodeRequest({
      messages,
      definitions: [ToolDefinition.make({ name: "shop/orders", facts: Facts.unstated })],
      options: {},
      settings: { format: "openai-chat", json: { model: "gpt-5", temperature: 0 } },
      losses: []
    })

  it("keeps calls and results paired under ids and names that the API takes", () => {
    const { body: made, losses } = encode([
      {
        _tag: "Assistant",
        parts: [call("call|1", '{"a":1}'), call("call 2", '{"a":'), call("fc", {}, "provider")],
        native: undefined
      },
      answer("call|1", "call 2", "never")
    ])
    const [asked, answered] = made["messages"] as ReadonlyArray<{ content: ReadonlyArray<Json.JsonObject> }>
    const ids = asked?.content.map((block) => String(block["id"])) ?? []
    expect(asked?.content).toMatchObject([{ input: { a: 1 } }, { input: { INVALID_JSON: '{"a":' } }])
    expect(asked?.content.every((block) => /^shop_orders_\w{8}$/.test(String(block["name"])))).toBe(true)
    expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true)
    expect(answered?.content.map((block) => block["tool_use_id"])).toEqual(ids)
    expect(new Set(ids).size).toBe(2)
    expect(losses.map((loss) => loss.keyword).sort()).toEqual(["model", "providerCall", "result", "temperature"])
    expect(made["model"]).toBeUndefined()
  })

  it("leaves out a call that was never answered, which the API would refuse", () => {
    const { body: made, losses } = encode([
      { _tag: "Assistant", parts: [call("a", {}), call("b", {})], native: undefined },
      answer("b"),
      { _tag: "User", content: [Content.text("Go on.")], native: undefined }
    ])
    expect(made["messages"]).toMatchObject([
      { role: "assistant", content: [{ id: "b" }] },
      { role: "user", content: [{ tool_use_id: "b" }, text("Go on.")] }
    ])
    expect(losses.map((loss) => loss.keyword)).toContain("call")
  })

  it("notes media that the API does not take", () => {
    const content = [Content.file("audio/wav", "UklGRg=="), Content.image("image/png", "iVBORw0KGgo=")]
    const { body: made, losses } = encode([{ _tag: "User", content, native: undefined }])
    expect(made["messages"]).toMatchObject([{ content: [{ type: "text" }, { type: "image" }] }])
    expect(losses).toContainEqual(expect.objectContaining({ path: ["content", 0], keyword: "file" }))
  })
})

it("says again what the user added, when the results before it are gone", () => {
  const request = decode(body)
  const kept = request.messages.filter((message) => message._tag !== "Results")
  const { messages } = Anthropic.encodeRequest({ ...request, messages: kept }).body
  expect(messages).toContainEqual(expect.objectContaining({ content: expect.arrayContaining([text("And this?")]) }))
})

it("puts back any body that it reads, and throws at none", () => {
  FastCheck.assert(
    FastCheck.property(mutated(body), (given) => {
      const request = Anthropic.decodeRequest(given)
      if (Either.isLeft(request)) return
      const { body: made } = Anthropic.encodeRequest(request.right)
      // The API refuses blank text: it is left out.
      const isWhole = !/"text":"\s*"/.test(JSON.stringify(given))
      expect(isWhole ? made : given).toEqual(given)
      Anthropic.encodeRequest(withoutNative(request.right))
    }),
    { numRuns: runs(500) }
  )
})
