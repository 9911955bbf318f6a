import { expect, it } from "@effect/vitest"
import type { Json, Turn } from "@wield/core"
import { Content, Facts, Outcome, ToolCall } from "@wield/core"
import * as Either from "effect/Either"
import * as OpenAiResponses from "../OpenAiResponses.js"

const turnOf = (...output: ReadonlyArray<object>) => Either.getOrThrow(OpenAiResponses.decodeTurn({ output }))

const callAt = (turn: Turn.Turn, index: number) => {
  const part = turn.parts.filter((part) => part._tag === "Call")[index]
  if (part === undefined) throw new Error(`no call ${index}`)
  return part.call
}

const success = (turn: Turn.Turn, index: number, encoded: Json.Json, content?: ReadonlyArray<Content.Part>) => {
  const call = callAt(turn, index)
  return Outcome.success(call, encoded, content)
}

const failure = (turn: Turn.Turn, index: number, encoded: Json.Json) => {
  const call = callAt(turn, index)
  return Outcome.failure(call, encoded)
}

const functionCall = (callId: string) => ({ type: "function_call", call_id: callId, name: "f", arguments: "{}" })

/** What is sent after the one item that called. */
const answer = (turn: Turn.Turn, outcome: Outcome.Outcome) => OpenAiResponses.encodeResults(turn, [outcome]).messages[1]

it("appends the items verbatim, then one output per call in the order of the calls", () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }
  const turn = turnOf(reasoning, functionCall("a"), functionCall("b"))
  const { messages, pending, losses } = OpenAiResponses.encodeResults(turn, [
    success(turn, 1, "noon"),
    success(turn, 0, { n: 1 })
  ])
  expect(messages).toStrictEqual([
    reasoning,
    functionCall("a"),
    functionCall("b"),
    { type: "function_call_output", call_id: "a", output: '{"n":1}' },
    { type: "function_call_output", call_id: "b", output: "noon" }
  ])
  expect(messages[0]).toBe(reasoning)
  expect({ pending, losses }).toStrictEqual({ pending: [], losses: [] })
})

it("says of an error in text that it is one", () => {
  const turn = turnOf(functionCall("a"))
  expect(answer(turn, failure(turn, 0, { code: 3 }))).toMatchObject({ output: '{"error":{"code":3}}' })
  expect(answer(turn, new Outcome.UnknownTool({ call: callAt(turn, 0), nearest: [] }))).toMatchObject({
    output: 'Error: There is no tool named "f". No tools are available.'
  })
})

it("sends images and files of any type beside text", () => {
  const turn = turnOf(functionCall("a"))
  const content = [
    Content.text("See:"),
    Content.json({ n: 1 }),
    Content.image("image/png", "AAAA"),
    Content.file("application/pdf", "BBBB"),
    new Content.File({ mediaType: "application/pdf", source: { _tag: "Url", url: "https://example.com/a.pdf" } }),
    Content.file("audio/mpeg", "CCCC", "song.mp3")
  ]
  const { messages, losses } = OpenAiResponses.encodeResults(turn, [success(turn, 0, null, content)])
  expect(messages[1]).toStrictEqual({
    type: "function_call_output",
    call_id: "a",
    output: [
      { type: "input_text", text: "See:" },
      { type: "input_text", text: '{"n":1}' },
      { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
      { type: "input_file", file_data: "data:application/pdf;base64,BBBB", filename: "file.pdf" },
      { type: "input_file", file_url: "https://example.com/a.pdf" },
      { type: "input_file", file_data: "data:audio/mpeg;base64,CCCC", filename: "song.mp3" }
    ]
  })
  expect(losses).toEqual([])
})

it("answers a custom tool's call in its own kind, and a program's call with its caller", () => {
  const custom = turnOf({ type: "custom_tool_call", call_id: "a", name: "sql", input: "select 1" })
  expect(answer(custom, success(custom, 0, "1"))).toStrictEqual({
    type: "custom_tool_call_output",
    call_id: "a",
    output: "1"
  })
  const caller = { type: "program", caller_id: "call_program" }
  const called = turnOf({ ...functionCall("a"), caller })
  expect(answer(called, success(called, 0, 1))).toStrictEqual({
    type: "function_call_output",
    call_id: "a",
    output: "1",
    caller
  })
})

it("answers the computer with a screenshot and the safety checks that were accepted", () => {
  const checks = [{ id: "sc_1", code: "malicious_instructions", message: "…" }]
  const turn = turnOf({
    type: "computer_call",
    call_id: "a",
    action: { type: "screenshot" },
    pending_safety_checks: checks
  })
  expect(answer(turn, success(turn, 0, null, [Content.image("image/png", "AAAA")]))).toStrictEqual({
    type: "computer_call_output",
    call_id: "a",
    output: { type: "computer_screenshot", image_url: "data:image/png;base64,AAAA" },
    acknowledged_safety_checks: checks
  })
  const denied = OpenAiResponses.encodeResults(turn, [Outcome.denial(callAt(turn, 0), "no")])
  expect(denied.messages[1]).not.toHaveProperty("acknowledged_safety_checks")
  expect(denied.losses).toMatchObject([{ subject: "computer", keyword: "content" }])
})

it("answers shells and patches in their own kinds", () => {
  const shell = turnOf({ type: "shell_call", call_id: "a", action: { commands: ["ls"], max_output_length: 100 } })
  const chunk = { stdout: "a", stderr: "", outcome: { type: "exit", exit_code: 0 } }
  const output = { type: "shell_call_output", call_id: "a", max_output_length: 100, output: [chunk] }
  expect(answer(shell, success(shell, 0, { output: [chunk] }))).toStrictEqual(output)
  expect(answer(shell, success(shell, 0, "a"))).toStrictEqual(output)
  expect(answer(shell, failure(shell, 0, "no"))).toMatchObject({
    output: [{ stdout: "", stderr: '{"error":"no"}', outcome: { type: "exit", exit_code: 1 } }]
  })
  const local = turnOf({ type: "local_shell_call", call_id: "a", action: {} })
  expect(answer(local, success(local, 0, "a"))).toStrictEqual({
    type: "local_shell_call_output",
    call_id: "a",
    output: "a"
  })
  const patch = turnOf({ type: "apply_patch_call", call_id: "a", operation: {} })
  expect(answer(patch, failure(patch, 0, "no"))).toStrictEqual({
    type: "apply_patch_call_output",
    call_id: "a",
    status: "failed",
    output: '{"error":"no"}'
  })
})

it("answers a tool search with the tools that were found", () => {
  const turn = turnOf({ type: "tool_search_call", call_id: "a", execution: "client", arguments: {} })
  const tools = [{ type: "function", name: "f", parameters: {} }]
  const output = { type: "tool_search_output", call_id: "a", execution: "client", status: "completed" }
  expect(answer(turn, success(turn, 0, { tools }))).toStrictEqual({ ...output, tools })
  expect(answer(turn, success(turn, 0, "nothing"))).toStrictEqual({ ...output, tools: [] })
})

it("sends the chunks of a shell's output whole, however deep they are", () => {
  const turn = turnOf({ type: "shell_call", call_id: "a", action: {} })
  let chunk: Json.JsonObject = { innermost: true }
  for (let level = 0; level < 500; level++) chunk = { a: chunk }
  expect(JSON.stringify(answer(turn, success(turn, 0, { output: [chunk] })))).toContain("innermost")
})

it("fills in a call_id that the server left out", () => {
  const item = { type: "function_call", name: "f", arguments: "{}" }
  const turn = turnOf(item)
  expect(OpenAiResponses.encodeResults(turn, [success(turn, 0, 1)]).messages).toStrictEqual([
    { ...item, call_id: "call_0" },
    { type: "function_call_output", call_id: "call_0", output: "1" }
  ])
})

it("waits for an approval, and sends what was decided", () => {
  const request = { type: "mcp_approval_request", id: "mcpr_1", server_label: "s", name: "ask", arguments: "{}" }
  const turn = turnOf(request)
  const call = ToolCall.make("mcpr_1", "ask", "{}")
  expect(OpenAiResponses.encodeResults(turn, [])).toMatchObject({ messages: [request], pending: ["mcpr_1"] })
  expect(answer(turn, success(turn, 0, null))).toStrictEqual({
    type: "mcp_approval_response",
    approval_request_id: "mcpr_1",
    approve: true
  })
  expect(answer(turn, Outcome.denial(call, "no"))).toMatchObject({
    approve: false,
    reason: "The call of ask was denied and not run: no"
  })
})

it("does not approve a request by the result of a call that has its id", () => {
  const request = { type: "mcp_approval_request", id: "a", server_label: "s", name: "ask", arguments: "{}" }
  const turn = turnOf(functionCall("a"), request)
  const { messages, pending } = OpenAiResponses.encodeResults(turn, [success(turn, 0, 1)])
  expect(messages.slice(2)).toStrictEqual([{ type: "function_call_output", call_id: "a", output: "1" }])
  expect(pending).toStrictEqual(["a"])
})

it("names the calls that still wait, and reports outcomes without a call", () => {
  const turn = turnOf(functionCall("a"), functionCall("b"))
  const deferred = new Outcome.Deferred({
    call: callAt(turn, 0),
    waitsFor: "client",
    arguments: {},
    requestId: "r",
    digest: "digest",
    facts: Facts.unstated
  })
  const stray = new Outcome.Interrupted({ call: ToolCall.make("x", "f", {}) })
  const { pending, losses } = OpenAiResponses.encodeResults(turn, [deferred, stray])
  expect(pending).toStrictEqual(["a", "b"])
  expect(losses).toMatchObject([{ keyword: "outcome" }])
})

it("writes a turn of another format anew and reports what that loses", () => {
  const turn = {
    ...turnOf({ type: "message", content: "Let me see." }, functionCall("a")),
    format: "gemini",
    native: []
  }
  const { messages, losses } = OpenAiResponses.encodeResults(turn, [success(turn, 0, 1)])
  expect(messages).toStrictEqual([
    { role: "assistant", content: "Let me see." },
    functionCall("a"),
    { type: "function_call_output", call_id: "a", output: "1" }
  ])
  expect(losses).toMatchObject([{ keyword: "native" }])
})
