import { describe, expect, it } from "@effect/vitest"
import { Outcome, ToolDefinition, Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as OpenAiResponses from "../OpenAiResponses.js"
import type { Offered } from "../WireFormat.js"

const body = (output: ReadonlyArray<unknown>, rest: object = {}) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "gpt-5",
  error: null,
  incomplete_details: null,
  output,
  ...rest
})

const turnOf = (output: ReadonlyArray<unknown>, rest: object = {}, offered?: Offered) =>
  Either.getOrThrow(OpenAiResponses.decodeTurn(body(output, rest), offered))

const message = (...content: ReadonlyArray<object>) => ({ type: "message", id: "msg_1", role: "assistant", content })
const text = (text: string) => ({ type: "output_text", text, annotations: [] })
const functionCall = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "f",
  arguments: '{"x":1}',
  status: "completed"
}

it("reads reasoning, text, refusals and calls in the order of the items, and keeps the items verbatim", () => {
  const output = [
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
    {
      type: "reasoning",
      id: "rs_2",
      summary: [
        { type: "summary_text", text: "Hm." },
        { type: "summary_text", text: "Ah." }
      ]
    },
    { type: "reasoning", id: "rs_3", summary: [], content: [{ type: "reasoning_text", text: "Open." }] },
    message(text("A"), { type: "refusal", refusal: "No." }),
    functionCall,
    { type: "compaction", id: "cmp_1", encrypted_content: "x" }
  ]
  const usage = {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 16 },
    output_tokens: 8,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 28
  }
  const turn = turnOf(output, { usage })
  const kept = (place: number) => ({ format: "openai-responses", json: [output[place]] })
  expect(turn).toStrictEqual({
    format: "openai-responses",
    id: "resp_1",
    model: "gpt-5",
    parts: [
      { _tag: "Reasoning", text: "", native: kept(0) },
      { _tag: "Reasoning", text: "Hm.\n\nAh.", native: kept(1) },
      { _tag: "Reasoning", text: "Open.", native: kept(2) },
      { _tag: "Text", text: "A" },
      { _tag: "Refusal", text: "No." },
      {
        _tag: "Call",
        call: { id: "call_1", name: "f", arguments: '{"x":1}' },
        executedBy: "application",
        nativeName: "f",
        nativeId: "call_1",
        format: "openai-responses"
      }
    ],
    usage: { input: 20, output: 8, reasoning: 5, cacheRead: 16, cacheWrite: undefined },
    finish: "calls",
    nativeFinish: "completed",
    native: output,
    isComplete: true
  })
})

const action = { type: "search", query: "effect" }

it.each([
  [{ type: "web_search_call", id: "ws", action }, "web_search", { action }],
  [
    { type: "web_search_call", id: "ws", call_id: "", name: "web_search", arguments: '{"query":"xAI"}' },
    "web_search",
    '{"query":"xAI"}'
  ],
  [{ type: "file_search_call", id: "fs", queries: ["a"], results: null }, "file_search", { queries: ["a"] }],
  [
    { type: "code_interpreter_call", id: "ci", code: "1", container_id: "c", outputs: null },
    "code_interpreter",
    { code: "1", container_id: "c" }
  ],
  [{ type: "image_generation_call", id: "ig", result: "AAAA" }, "image_generation", {}],
  [{ type: "mcp_call", id: "mcp", name: "ask", arguments: "{}", server_label: "s", output: "yes" }, "ask", "{}"],
  [
    { type: "tool_search_call", id: "ts", call_id: null, execution: "server", arguments: { paths: ["a"] } },
    "tool_search",
    { paths: ["a"] }
  ],
  [
    { type: "shell_call", id: "sh", call_id: "c", action, environment: { type: "container_reference" } },
    "shell",
    { action }
  ],
  [
    { type: "custom_tool_call", call_id: "xs", name: "x_keyword_search", input: "{}" },
    "x_keyword_search",
    { input: "{}" }
  ],
  [{ type: "program", id: "cm", call_id: "c", code: "1" }, "programmatic_tool_calling", { code: "1" }],
  [{ type: "time_travel_call", id: "tt", action }, "time_travel", action]
])("shows %j as run by the provider", (item, name, args) => {
  const turn = turnOf([item, message(text("Done."))])
  expect(turn.parts[0]).toMatchObject({ call: { name, arguments: args }, executedBy: "provider" })
  expect(Turn.calls(turn)).toStrictEqual([])
  expect(turn.finish).toBe("stop")
})

it.each([
  [{ type: "custom_tool_call", call_id: "c", name: "sql", input: "select 1" }, "sql", { input: "select 1" }],
  [
    { type: "computer_call", call_id: "c", action: { type: "screenshot" }, pending_safety_checks: [] },
    "computer",
    { action: { type: "screenshot" }, pending_safety_checks: [] }
  ],
  [{ type: "local_shell_call", call_id: "c", action: { type: "exec" } }, "local_shell", { action: { type: "exec" } }],
  [{ type: "shell_call", call_id: "c", action, environment: { type: "local" } }, "shell", { action }],
  [{ type: "apply_patch_call", call_id: "c", operation: { path: "a" } }, "apply_patch", { operation: { path: "a" } }],
  [
    { type: "tool_search_call", call_id: "c", execution: "client", arguments: { goal: "a" } },
    "tool_search",
    { goal: "a" }
  ]
])("leaves %j to the application", (item, name, args) => {
  const turn = turnOf([item])
  expect(Turn.calls(turn)).toStrictEqual([{ id: "c", name, arguments: args }])
  expect(turn.finish).toBe("calls")
})

it("takes a call whose output is in the same response for one that has been run", () => {
  const shell = { type: "shell_call", id: "sh", call_id: "c", action, environment: null }
  expect(turnOf([shell, { type: "shell_call_output", call_id: "c", output: [] }]).parts).toMatchObject([
    { executedBy: "provider" }
  ])
  expect(turnOf([shell]).parts).toMatchObject([{ executedBy: "application" }])
})

it("names the API's own tools as they were offered", () => {
  const definitions = [
    ToolDefinition.make({
      name: "OpenAiWebSearch",
      provider: { id: "openai.web_search_preview", name: "web_search_preview", settings: {} }
    })
  ]
  expect(turnOf([{ type: "web_search_call", id: "ws", action }], {}, { definitions }).parts).toMatchObject([
    { call: { name: "OpenAiWebSearch" }, nativeName: "web_search_preview" }
  ])
})

it("makes an id for a function call without one, and takes the item's for a call that was run", () => {
  const turn = turnOf([
    { type: "function_call", id: "fc_1", name: "f", arguments: "{}" },
    { type: "web_search_call", id: "ws_1", action }
  ])
  expect(turn.parts).toMatchObject([
    { call: { id: "call_resp_1_0" }, nativeId: undefined },
    { call: { id: "ws_1" }, nativeId: "ws_1" }
  ])
})

it("keeps an id that the server sends twice", () => {
  expect(Turn.calls(turnOf([functionCall, functionCall])).map((call) => call.id)).toStrictEqual(["call_1", "call_1"])
})

it.each([
  [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length", "max_output_tokens"],
  [{ status: "incomplete", incomplete_details: { reason: "content_filter" } }, "filter", "content_filter"],
  [{ status: "incomplete", incomplete_details: null }, "other", "incomplete"],
  [{ status: "failed", error: { code: "server_error", message: "…" } }, "error", "server_error"],
  [{ status: "cancelled" }, "other", "cancelled"],
  [{ status: undefined }, "stop", undefined]
])("understands %j as %s", (rest, finish, nativeFinish) => {
  expect(turnOf([message(text("A"))], rest)).toMatchObject({ finish, nativeFinish, isComplete: true })
})

it("marks a background response that is not there yet as incomplete", () => {
  expect(turnOf([], { status: "queued" })).toMatchObject({ finish: "background", nativeFinish: "queued" })
})

it("pauses for the approval of an MCP call", () => {
  const turn = turnOf([{ type: "mcp_approval_request", id: "mcpr_1", server_label: "s", name: "ask", arguments: "{}" }])
  expect(turn.finish).toBe("paused")
  expect(turn.parts).toMatchObject([{ call: { id: "mcpr_1", name: "ask" }, executedBy: "provider" }])
})

it.each([
  ["text", [], "an object with output"],
  [{}, ["output"], "an array of items"],
  [{ output: [functionCall, 3] }, ["output", 1], "an item"],
  [{ error: { code: "unsupported_file", message: "A pdf, please." } }, ["error"], "output"]
])("refuses %j and says where", (sent, path, expected) => {
  expect(OpenAiResponses.decodeTurn(sent)).toMatchObject({ left: { format: "openai-responses", path, expected } })
})

describe("ids that are counted anew in each response (Bedrock Mantle)", () => {
  const id = `resp_${"a2b7".repeat(13)}`
  const item = { type: "function_call", id: "fc_1", call_id: "call_0", name: "f", arguments: "{}" }

  it("are those of the response, in the history too", () => {
    const turn = turnOf([item], { id })
    const [call] = Turn.calls(turn)
    expect(call?.id).toBe(`${id}:call_0`)
    const { messages } = OpenAiResponses.encodeResults(turn, [Outcome.success(call!, 1)])
    expect(messages).toMatchObject([{ call_id: `${id}:call_0` }, { call_id: `${id}:call_0`, output: "1" }])
  })

  it("stay within the length that the API takes", () => {
    const [call] = Turn.calls(turnOf([{ ...item, call_id: "call_10" }], { id }))
    expect(call?.id.length).toBeLessThanOrEqual(64)
  })

  it.each([
    ["another server's response", "resp_0123456789", "call_0"],
    ["ids that are not counted", id, "call_abc"]
  ])("are left as they are: %s", (_, response, call_id) => {
    expect(Turn.calls(turnOf([{ ...item, call_id }], { id: response }))).toMatchObject([{ id: call_id }])
  })

  it("are the same in a stream", () => {
    const events = [
      { type: "response.created", response: { id, object: "response", status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id, object: "response", status: "completed", output: [item] } }
    ]
    const decoder = OpenAiResponses.streamDecoder()
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
    const read = [...decoder.push(new TextEncoder().encode(text)), ...decoder.end()]
    const ids = read.flatMap((event) => {
      if (event._tag === "CallStarted") return [event.id]
      if (event._tag === "CallComplete") return [event.part.call.id]
      return event._tag === "Finished" ? Turn.calls(event.turn).map((call) => call.id) : []
    })
    expect(ids).toEqual([`${id}:call_0`, `${id}:call_0`, `${id}:call_0`])
  })
})
