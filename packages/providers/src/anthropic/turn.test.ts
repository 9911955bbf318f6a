import { expect, it } from "@effect/vitest"
import { ToolDefinition, Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as NameMap from "../NameMap.js"
import { encodeResults } from "./messages.js"
import { decodeTurn, isFormatOf } from "./turn.js"
import { nameRule } from "./format.js"

const message = (content: ReadonlyArray<unknown>, more: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 20, output_tokens: 5 },
  ...more
})

const decoded = (body: unknown, definitions: ReadonlyArray<ToolDefinition.ToolDefinition> = []) =>
  Either.getOrThrow(decodeTurn(body, { definitions }))

it("reads text, reasoning and calls in their order and keeps the blocks as they are", () => {
  const content = [
    { type: "thinking", thinking: "Orders first.", signature: "c2ln" },
    { type: "redacted_thinking", data: "ZW5j" },
    { type: "text", text: "Let me look.", citations: null },
    { type: "tool_use", id: "toolu_1", name: "get_orders", input: { status: "open" }, caller: { type: "direct" } },
    { type: "tool_use", id: "toolu_2", name: "now", input: {} }
  ]
  const turn = decoded(message(content, { stop_reason: "tool_use" }))
  expect(turn.parts.map((part) => part._tag)).toEqual(["Reasoning", "Reasoning", "Text", "Call", "Call"])
  expect(Turn.calls(turn)).toEqual([
    { id: "toolu_1", name: "get_orders", arguments: { status: "open" } },
    { id: "toolu_2", name: "now", arguments: {} }
  ])
  expect(turn).toMatchObject({ id: "msg_1", model: "claude-sonnet-4-5", finish: "calls", nativeFinish: "tool_use" })
  expect(turn.native).toEqual([{ role: "assistant", content }])
})

it("counts what was read from and written to a cache among the input", () => {
  expect(decoded(message([])).usage).toEqual({
    input: 33,
    output: 5,
    reasoning: undefined,
    cacheRead: 20,
    cacheWrite: 3
  })
})

it("leaves the tools that Anthropic runs to Anthropic", () => {
  const content = [
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "effect" } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
    { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "echo", input: {} },
    { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [] },
    { type: "text", text: "Found." }
  ]
  const turn = decoded(message(content))
  expect(Turn.calls(turn)).toEqual([])
  expect(turn.parts.map((part) => (part._tag === "Call" ? part.executedBy : part._tag))).toEqual([
    "provider",
    "provider",
    "Text"
  ])
  expect(turn.finish).toBe("stop")
  expect(turn.native).toEqual([{ role: "assistant", content }])
  // The word stands for its own tools here, whose results are there.
  expect(decoded(message(content, { stop_reason: "tool_use" })).finish).toBe("stop")
  expect(decoded(message(content, { stop_reason: "a new word" })).finish).toBe("other")
})

it("maps names back and keeps the native one", () => {
  const definition = ToolDefinition.make({ name: "shop/get orders" })
  const native = NameMap.make([definition], nameRule).toNative("shop/get orders")
  const search = ToolDefinition.make({
    name: "web",
    provider: { id: "anthropic.web_search_20250305", name: "web_search", settings: {} }
  })
  const turn = decoded(
    message([
      { type: "tool_use", id: "a", name: native, input: {} },
      { type: "server_tool_use", id: "b", name: "web_search", input: {} },
      { type: "tool_use", id: "c", name: "__proto__", input: {} }
    ]),
    [definition, search]
  )
  expect(turn.parts.map((part) => part._tag === "Call" && [part.call.name, part.nativeName])).toEqual([
    ["shop/get orders", native],
    ["web", "web_search"],
    ["__proto__", "__proto__"]
  ])
})

it.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "paused"],
  ["compaction", "paused"],
  ["refusal", "filter"],
  ["something_new", "other"],
  [null, "other"]
])("says %s in Wield's words: %s", (reason, finish) => {
  expect(decoded(message([{ type: "text", text: "…" }], { stop_reason: reason })).finish).toBe(finish)
})

it("tells why the model refused where the API does", () => {
  const details = { type: "refusal", category: "cyber", explanation: "This request is about malware." }
  const turn = decoded(message([], { stop_reason: "refusal", stop_details: details }))
  expect(turn.parts).toEqual([{ _tag: "Refusal", text: "This request is about malware." }])
})

it("leaves no message for a turn without content, which the API would refuse to read again", () => {
  expect(decoded(message([])).native).toEqual([])
})

it("asks to go on after a compaction, with what was compacted", () => {
  const content = [{ type: "compaction", content: "They want a label." }]
  const turn = decoded(message(content, { stop_reason: "compaction" }))
  expect(turn).toMatchObject({ finish: "paused", parts: [] })
  expect(encodeResults(turn, []).messages).toEqual([{ role: "assistant", content }])
})

it("ignores blocks that it does not know, except in the native message", () => {
  const content = [{ type: "container_upload", file_id: "file_1" }]
  expect(decoded(message(content))).toMatchObject({ parts: [], native: [{ role: "assistant", content }] })
})

it.each([
  [undefined, []],
  ["text", []],
  [[], []],
  [{ input_tokens: 12 }, ["content"]],
  [message([4]), ["content", 0]],
  [message([{ text: "no type" }]), ["content", 0, "type"]],
  [message([{ type: "text" }]), ["content", 0, "text"]],
  [message([{ type: "tool_use", name: "now", input: {} }]), ["content", 0, "id"]],
  [message([{ type: "tool_use", id: "a", input: {} }]), ["content", 0, "name"]],
  [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, ["error"]]
])("says where %j is wrong", (body, path) => {
  expect(Either.flip(decodeTurn(body)).pipe(Either.getOrThrow).path).toEqual(path)
})

it("shows the API's own words for an error", () => {
  const body = { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" }
  expect(isFormatOf(body)).toBe(true)
  expect(Either.flip(decodeTurn(body)).pipe(Either.getOrThrow).received).toBe('"overloaded_error: Overloaded"')
})
