import { expect, it } from "@effect/vitest"
import type { Message } from "@wield/core"
import { Content, ToolCall, ToolDefinition } from "@wield/core"
import * as Either from "effect/Either"
import * as OpenAiResponses from "../OpenAiResponses.js"
import type { Request } from "../WireFormat.js"

const read = (body: object) => Either.getOrThrow(OpenAiResponses.decodeRequest(body))
const back = (request: Request) => OpenAiResponses.encodeRequest(request)
const functionCall = (callId: string) => ({ type: "function_call", call_id: callId, name: "f", arguments: "{}" })
const output = (callId: string, value: unknown = "1") => ({
  type: "function_call_output",
  call_id: callId,
  output: value
})
const user = { role: "user", content: "Hi" }
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }
const search = { type: "tool_search_call", id: "tsc_1", call_id: null, execution: "server", arguments: {} }
const found = { type: "tool_search_output", id: "tso_1", call_id: null, execution: "server", tools: [] }
const f = {
  type: "function",
  name: "f",
  description: "F",
  parameters: { type: "object", properties: {} },
  strict: false
}
const added = { type: "additional_tools", role: "developer", tools: [f] }

it("reads items that are one turn as one message, and results in a row as one", () => {
  const body = {
    model: "gpt-5",
    instructions: "Be brief.",
    input: [
      { role: "developer", content: [{ type: "input_text", text: "Be kind." }] },
      user,
      reasoning,
      { role: "assistant", content: "Let me see." },
      functionCall("a"),
      functionCall("b"),
      output("b", "2"),
      output("a", [{ type: "input_text", text: "1" }]),
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] }
    ]
  }
  const request = read(body)
  expect(request.messages).toMatchObject([
    { _tag: "System", text: "Be brief.", native: { json: ["Be brief."] } },
    { _tag: "System", text: "Be kind." },
    { _tag: "User", content: [{ text: "Hi" }] },
    {
      _tag: "Assistant",
      parts: [{ _tag: "Reasoning" }, { text: "Let me see." }, { call: { id: "a" } }, { call: { id: "b" } }],
      native: { json: body.input.slice(2, 6) }
    },
    {
      _tag: "Results",
      results: [
        { id: "b", name: "f", isError: false, content: [{ text: "2" }] },
        { id: "a", name: "f", content: [{ text: "1" }] }
      ]
    },
    { _tag: "Assistant", parts: [{ text: "Done." }] }
  ])
  expect(request.settings).toStrictEqual({ format: "openai-responses", json: { model: "gpt-5" } })
  expect(back(request)).toStrictEqual({ body, losses: [] })
})

it.each<[string, object]>([
  ["text as input", { input: "Hi" }],
  ["no input", { conversation: "conv_1" }],
  ["an empty input", { input: [] }],
  ["items without words", { input: [added] }],
  ["items without words at the beginning", { input: [added, user] }],
  ["items without words in the middle", { input: [user, functionCall("a"), output("a"), added, user] }],
  ["a reference to a stored item", { input: [user, { type: "item_reference", id: "fc_1" }, output("a")] }],
  ["the API's own calls and outputs", { input: [user, search, found, functionCall("a"), output("a")] }],
  ["an approval", { input: [{ type: "mcp_approval_response", approval_request_id: "m", approve: true }] }],
  ["repeated ids", { input: [functionCall("a"), output("a"), functionCall("a"), output("a")] }],
  ["files by id", { input: [{ role: "user", content: [{ type: "input_file", file_id: "file_1" }] }] }],
  ["no tools", { input: "Hi", tools: [], tool_choice: "auto", parallel_tool_calls: true }],
  ["null for what is not stated", { input: "Hi", tools: null, tool_choice: null, instructions: null }],
  ["a choice of a function", { input: "Hi", tools: [f], tool_choice: { type: "function", name: "f" } }],
  [
    "a choice of a tool of the API",
    { input: "Hi", tools: [{ type: "mcp", server_label: "s" }], tool_choice: { type: "mcp", server_label: "s" } }
  ],
  [
    "a choice that there are no words for",
    {
      input: "Hi",
      tools: [f],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] }
    }
  ],
  [
    "a choice of one of several",
    {
      input: "Hi",
      tools: [f, { ...f, name: "g" }],
      tool_choice: {
        type: "allowed_tools",
        mode: "required",
        tools: [
          { type: "function", name: "f" },
          { type: "function", name: "g" }
        ]
      }
    }
  ],
  [
    "a choice that says more than there are words for",
    { input: "Hi", tools: [f], tool_choice: { type: "function", name: "f", why: 1 } }
  ],
  ["tools without a type", { input: "Hi", tools: [{ name: "f", description: null }], tool_choice: "auto" }],
  [
    "a custom tool",
    {
      input: "Hi",
      tools: [{ type: "custom", name: "sql", format: { type: "text" } }],
      tool_choice: { type: "custom", name: "sql" }
    }
  ],
  [
    "strict and lazy tools",
    { input: "Hi", tools: [{ ...f, strict: true, defer_loading: true }, { type: "tool_search" }] }
  ]
])("gives back a request with %s", (_, body) => {
  expect(back(read(body)).body).toStrictEqual(body)
})

it("says what of a request it has no words for", () => {
  const losses = (body: object) => read(body).losses.map((loss) => loss.keyword)
  expect(losses({ input: [added] })).toStrictEqual(["additional_tools"])
  expect(losses({ input: [{ type: "item_reference", id: "x" }] })).toStrictEqual(["item_reference"])
  expect(losses({ previous_response_id: "resp_1" })).toStrictEqual(["previous_response_id"])
  expect(losses({ input: [{ role: "user", content: [{ type: "input_image", file_id: "x" }] }] })).toStrictEqual([
    "input_image"
  ])
})

it("reads images and files of the user and of results", () => {
  const content = [
    { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
    { type: "input_image", image_url: "https://example.com/a", detail: "auto" },
    { type: "input_file", file_data: "data:application/pdf;base64,BBBB", filename: "a.pdf" },
    { type: "input_file", file_url: "https://example.com/a.pdf" }
  ]
  const parts = [
    Content.image("image/png", "AAAA"),
    new Content.Image({ mediaType: "image/*", source: { _tag: "Url", url: "https://example.com/a" } }),
    Content.file("application/pdf", "BBBB", "a.pdf"),
    new Content.File({ mediaType: "application/pdf", source: { _tag: "Url", url: "https://example.com/a.pdf" } })
  ]
  const request = read({ input: [{ role: "user", content }, functionCall("a"), output("a", content)] })
  expect(request.messages[0]).toMatchObject({ content: parts })
  expect(request.messages[2]).toMatchObject({ results: [{ content: parts }] })
  const anew = back({ ...request, messages: request.messages.map((message) => ({ ...message, native: undefined })) })
  expect(anew).toStrictEqual({
    body: { input: [{ role: "user", content }, functionCall("a"), output("a", content)] },
    losses: []
  })
})

it("says calls and results of the API's kinds anew by the tools that are offered", () => {
  const tools = [
    { type: "custom", name: "sql" },
    { type: "local_shell" },
    { type: "tool_search", execution: "client" },
    { type: "apply_patch" }
  ]
  const input = [
    { type: "custom_tool_call", call_id: "a", name: "sql", input: "select 1" },
    { type: "local_shell_call", call_id: "b", status: "completed", action: { type: "exec", command: ["ls"] } },
    { type: "tool_search_call", call_id: "c", execution: "client", status: "completed", arguments: { goal: "x" } },
    { type: "apply_patch_call", call_id: "d", status: "completed", operation: { type: "delete_file", path: "a" } },
    { type: "custom_tool_call_output", call_id: "a", output: "1" },
    { type: "local_shell_call_output", call_id: "b", output: "a" },
    { type: "tool_search_output", call_id: "c", execution: "client", status: "completed", tools: [f] },
    { type: "apply_patch_call_output", call_id: "d", status: "failed", output: "Error: no" }
  ]
  const request = read({ input, tools })
  expect(request.messages).toMatchObject([
    { parts: [{ executedBy: "application" }, {}, {}, { call: { name: "apply_patch" } }] },
    { results: [{ name: "sql" }, { name: "local_shell" }, { structured: [f] }, { isError: true }] }
  ])
  const anew = back({ ...request, messages: request.messages.map((message) => ({ ...message, native: undefined })) })
  expect(anew.body["input"]).toMatchObject(input.with(7, { ...input[7], output: "Error: Error: no" } as never))
})

const otherFormat: ReadonlyArray<Message.Message> = [
  { _tag: "System", text: "Be brief.", native: { format: "anthropic", json: ["Be brief."] } },
  { _tag: "User", content: [Content.text("Hi"), Content.file("audio/mpeg", "AAAA")], native: undefined },
  {
    _tag: "Assistant",
    parts: [
      { _tag: "Reasoning", text: "Hm." },
      { _tag: "Text", text: "A" },
      { _tag: "Refusal", text: "No." },
      {
        _tag: "Call",
        call: ToolCall.make("x".repeat(80), "shop/f", { n: 1 }),
        executedBy: "application",
        nativeName: "f",
        nativeId: "x"
      },
      {
        _tag: "Call",
        call: ToolCall.make("p", "search", {}),
        executedBy: "provider",
        nativeName: "search",
        nativeId: "p"
      },
      { _tag: "Call", call: ToolCall.make("u", "g", {}), executedBy: "application", nativeName: "g", nativeId: "u" }
    ],
    native: { format: "anthropic", json: [{}] }
  },
  {
    _tag: "Results",
    results: [
      { id: "x".repeat(80), name: "shop/f", isError: true, content: [Content.text("no")] },
      { id: "p", name: "search", isError: false, content: [Content.text("found")] }
    ],
    native: { format: "anthropic", json: [{}] }
  },
  { _tag: "User", content: [Content.text("Go on.")], native: { format: "anthropic", json: [] } }
]

it("says a conversation of another format anew, each call with its result", () => {
  const { body, losses } = back({
    messages: otherFormat,
    definitions: [ToolDefinition.make({ name: "shop/f" })],
    options: {},
    settings: { format: "anthropic", json: { max_tokens: 3 } },
    losses: []
  })
  expect(body["input"]).toMatchObject([
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "input_text", text: "Hi" }, { type: "input_file" }] },
    { role: "assistant", content: "A" },
    { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    { type: "function_call", arguments: '{"n":1}' },
    { type: "function_call_output", output: "Error: no" },
    { role: "user", content: "Go on." }
  ])
  const [called, answer] = (body["input"] as ReadonlyArray<Record<string, string>>).slice(4)
  expect(called?.["call_id"]).toBe(answer?.["call_id"])
  expect(called?.["call_id"]?.length).toBeLessThanOrEqual(64)
  expect(body["tools"]).toMatchObject([{ name: called?.["name"] }])
  expect(losses.map((loss) => loss.keyword)).toStrictEqual([
    "max_tokens",
    "reasoning",
    "providerCall",
    "call",
    "result"
  ])
})

it("keeps results of calls that the API holds", () => {
  const request = read({ previous_response_id: "resp_1", input: [output("a")] })
  const anew = back({ ...request, messages: request.messages.map((message) => ({ ...message, native: undefined })) })
  expect(anew.body["input"]).toStrictEqual([output("a")])
})

it("appends to a request whose input was text", () => {
  const request = read({ input: "Hi" })
  const messages = [...request.messages, { _tag: "User" as const, content: [Content.text("More")], native: undefined }]
  expect(back({ ...request, messages }).body).toStrictEqual({ input: [user, { role: "user", content: "More" }] })
})

it.each([
  [400, { error: { code: "context_length_exceeded", message: "…" } }, "ContextOverflow"],
  [400, { error: { message: "This model's maximum context length is 8 tokens." } }, "ContextOverflow"],
  [400, { error: { code: "invalid_prompt", message: "…" } }, "ContentFiltered"],
  [400, { error: { code: "content_filter", innererror: { code: "ResponsibleAIPolicyViolation" } } }, "ContentFiltered"],
  [400, { error: { type: "invalid_request_error", param: "input", message: "…" } }, "RequestRejected"],
  [401, { error: { code: "invalid_api_key", message: "…" } }, "NotAuthorized"],
  [403, "forbidden", "NotAuthorized"],
  [404, { code: "not-found", error: "The model does not exist" }, "RequestRejected"],
  [429, { error: { code: "insufficient_quota", type: "insufficient_quota", message: "…" } }, "QuotaExceeded"],
  [429, { error: { type: "tokens", code: "rate_limit_exceeded", message: "…" } }, "RateLimited"],
  [429, "", "RateLimited"],
  [500, { error: { type: "server_error", message: "…" } }, "ProviderUnavailable"],
  [503, "<html>", "ProviderUnavailable"]
])("reads status %i with %j as %s", (status, body, tag) => {
  expect(OpenAiResponses.decodeError({ status, body })).toMatchObject({ _tag: tag, status, format: "openai-responses" })
})

it("tells which parameter is wrong, and how long to wait", () => {
  const body = { error: { type: "invalid_request_error", param: "input[1]", message: "…" } }
  expect(OpenAiResponses.decodeError({ status: 400, body })).toMatchObject({ parameter: "input[1]" })
  const limited = { status: 429, headers: { "retry-after": "2" }, body: { error: { code: "rate_limit_exceeded" } } }
  expect(OpenAiResponses.decodeError(limited)).toMatchObject({ retryAfter: 2000 })
})

it("goes by what the error says where the status is that of a success", () => {
  const body = { error: { message: "Bad model", type: "invalid_request_error" } }
  expect(OpenAiResponses.decodeError({ status: 200, body })._tag).toBe("RequestRejected")
})
