import { expect, it } from "@effect/vitest"
import { ToolDefinition, Turn } from "@wield/core"
import * as Either from "effect/Either"
import { isFormatOf } from "./turn.js"
import { decodeBody as decodeTurn } from "./stream.js"

const response = (parts: ReadonlyArray<unknown>, finishReason: unknown = "STOP", more: object = {}) => ({
  candidates: [{ content: { parts, role: "model" }, finishReason, index: 0 }],
  usageMetadata: {
    promptTokenCount: 10,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 7,
    toolUsePromptTokenCount: 2,
    cachedContentTokenCount: 4,
    totalTokenCount: 24
  },
  modelVersion: "gemini-3-flash-preview",
  responseId: "r1",
  ...more
})

const decoded = (body: unknown, definitions: ReadonlyArray<ToolDefinition.ToolDefinition> = []) =>
  Either.getOrThrow(decodeTurn(body, { definitions }))

it("reads text, thoughts and calls in their order and keeps the content as it is", () => {
  const parts = [
    { text: "Orders first.", thought: true },
    { text: "Let me look.", thoughtSignature: "c2ln" },
    { functionCall: { id: "fc1", name: "get_orders", args: { status: "open" } }, thoughtSignature: "c2ln" },
    { text: "", thoughtSignature: "c2ln" }
  ]
  const turn = decoded(response(parts))
  expect(turn.parts.map((part) => part._tag)).toEqual(["Reasoning", "Text", "Call"])
  expect(Turn.calls(turn)).toEqual([{ id: "fc1", name: "get_orders", arguments: { status: "open" } }])
  expect(turn).toMatchObject({ id: "r1", model: "gemini-3-flash-preview", finish: "calls", nativeFinish: "STOP" })
  expect(turn.native).toEqual([{ role: "model", parts }])
})

it("counts thoughts as output and tool use as input", () => {
  expect(decoded(response([{ text: "Hello" }])).usage).toEqual({
    input: 12,
    output: 12,
    reasoning: 7,
    cacheRead: 4,
    cacheWrite: undefined
  })
})

it("gives calls without ids ids of their own, which differ from those of other responses", () => {
  const calls = [{ functionCall: { name: "now" } }, { functionCall: { name: "now", args: null, id: "" } }]
  expect(Turn.calls(decoded(response(calls)))).toEqual([
    { id: "call_r1_0", name: "now", arguments: {} },
    { id: "call_r1_1", name: "now", arguments: {} }
  ])
  const ids = (body: unknown) => Turn.calls(decoded(body)).map((call) => call.id)
  expect(ids(response(calls, "STOP", { responseId: "r2" }))).toEqual(["call_r2_0", "call_r2_1"])
  expect(ids(response(calls, "STOP", { responseId: undefined }))).toEqual(["call_0", "call_1"])
  const taken = [{ functionCall: { name: "now", id: "call_r1_1" } }, { functionCall: { name: "now" } }]
  expect(ids(response(taken))).toEqual(["call_r1_1", "call_r1_2"])
})

it("leaves the tools that Google runs to Google, under the names by which they were offered", () => {
  const search = ToolDefinition.make({
    name: "web",
    provider: { id: "google.googleSearch", name: "googleSearch", settings: {} }
  })
  const turn = decoded(
    response([
      { executableCode: { language: "PYTHON", code: "print(1)", id: "x1" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n", id: "x1" } },
      { toolCall: { toolType: "GOOGLE_SEARCH_WEB", id: "s1", args: { queries: ["effect"] } } },
      { toolResponse: { toolType: "GOOGLE_SEARCH_WEB", id: "s1", response: {} } }
    ]),
    [search]
  )
  expect(turn.finish).toBe("stop")
  expect(turn.parts).toMatchObject([
    { executedBy: "provider", call: { name: "codeExecution", arguments: { language: "PYTHON", code: "print(1)" } } },
    { executedBy: "provider", call: { name: "web", id: "s1" }, nativeName: "GOOGLE_SEARCH_WEB" }
  ])
})

it("reads the names of Google's protocol buffers and numbered enums too", () => {
  const turn = decoded({
    candidates: [{ content: { parts: [{ function_call: { name: "now", args: {} } }] }, finish_reason: 1 }],
    usage_metadata: { prompt_token_count: 1 },
    model_version: "gemini-2.5-pro",
    response_id: "r1"
  })
  expect(turn).toMatchObject({ finish: "calls", nativeFinish: "STOP", model: "gemini-2.5-pro", usage: { input: 1 } })
  expect(turn.native).toEqual([{ role: "model", parts: [{ function_call: { name: "now", args: {} } }] }])
})

it.each([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "filter"],
  ["MALFORMED_FUNCTION_CALL", "error"],
  ["OTHER", "other"],
  [2, "length"],
  [null, "other"]
])("says %s in Wield's words: %s", (reason, finish) => {
  expect(decoded(response([{ text: "…" }], reason)).finish).toBe(finish)
})

it("lets a call of a function that was not offered be answered", () => {
  const turn = decoded(response([{ functionCall: { name: "list_files", args: {} } }], "UNEXPECTED_TOOL_CALL"))
  expect(turn).toMatchObject({ finish: "calls", nativeFinish: "UNEXPECTED_TOOL_CALL" })
})

it("is a filtered turn without a message where the prompt was blocked", () => {
  const turn = decoded({ promptFeedback: { blockReason: "SAFETY", blockReasonMessage: "Blocked." } })
  expect(turn).toMatchObject({ finish: "filter", nativeFinish: "SAFETY", native: [] })
  expect(turn.parts).toEqual([{ _tag: "Refusal", text: "Blocked." }])
})

it.each([
  { candidates: [{ finishReason: "SAFETY" }] },
  { candidates: [{ content: {}, finishReason: "MALFORMED_FUNCTION_CALL" }] },
  { candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS" }] },
  { candidates: [], usageMetadata: {} },
  { usageMetadata: { promptTokenCount: 1 } }
])("is a turn without a message where nothing was generated: %j", (body) => {
  expect(decoded(body)).toMatchObject({ parts: [], native: [] })
})

it.each([
  [undefined, []],
  [[], []],
  [{}, ["candidates"]],
  [{ candidates: {} }, ["candidates"]],
  [{ candidates: [null] }, ["candidates", 0]],
  [{ candidates: [{ content: "text" }] }, ["candidates", 0, "content"]],
  [{ candidates: [{ content: { parts: "text" } }] }, ["candidates", 0, "content", "parts"]],
  [response([4]), ["candidates", 0, "content", "parts", 0]],
  [response([{ functionCall: {} }]), ["candidates", 0, "content", "parts", 0, "functionCall", "name"]],
  [{ error: { code: 400, message: "Bad", status: "INVALID_ARGUMENT" } }, ["error"]],
  [[{ error: { code: 403, message: "No", status: "PERMISSION_DENIED" } }], ["error"]]
])("says where %j is wrong", (body, path) => {
  expect(Either.flip(decodeTurn(body)).pipe(Either.getOrThrow).path).toEqual(path)
})

it("knows its own errors from those of other APIs", () => {
  expect(isFormatOf({ error: { code: 400, message: "Bad", status: "INVALID_ARGUMENT" } })).toBe(true)
  expect(isFormatOf([{ error: { code: 403, message: "No", status: "PERMISSION_DENIED" } }])).toBe(true)
  expect(isFormatOf({ error: { code: "invalid_api_key", message: "No", type: "invalid_request_error" } })).toBe(false)
})
