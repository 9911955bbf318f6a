import { expect, it } from "@effect/vitest"
import type { Json, Turn } from "@wield/core"
import { Content, Facts, Outcome } from "@wield/core"
import * as Either from "effect/Either"
import * as OpenAiChat from "../OpenAiChat.js"

const entry = (id: string | undefined, name = "f") => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { name, arguments: "{}" }
})

const turnOf = (message: object) => Either.getOrThrow(OpenAiChat.decodeTurn({ choices: [{ message }] }))

const callAt = (turn: Turn.Turn, index: number) => {
  const part = turn.parts.filter((part) => part._tag === "Call")[index]
  if (part === undefined) throw new Error(`no call ${index}`)
  return part.call
}

const success = (turn: Turn.Turn, index: number, encoded: Json.Json, content?: ReadonlyArray<Content.Part>) => {
  const call = callAt(turn, index)
  return Outcome.success(call, encoded, content)
}

const contents = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>) =>
  OpenAiChat.encodeResults(turn, outcomes).messages.slice(1)

it("appends the message verbatim, then one result per call in the order of the calls", () => {
  const message = { role: "assistant", content: null, refusal: null, tool_calls: [entry("a"), entry("b")] }
  const turn = turnOf(message)
  const { messages, pending, losses } = OpenAiChat.encodeResults(turn, [
    success(turn, 1, "noon"),
    success(turn, 0, { n: 1 })
  ])
  expect(messages[0]).toBe(message)
  expect(messages.slice(1)).toStrictEqual([
    { role: "tool", tool_call_id: "a", content: '{"n":1}' },
    { role: "tool", tool_call_id: "b", content: "noon" }
  ])
  expect({ pending, losses }).toStrictEqual({ pending: [], losses: [] })
})

it("says of an error in text that it is one", () => {
  const turn = turnOf({ tool_calls: [entry("a"), entry("b")] })
  const failure = Outcome.failure(callAt(turn, 0), { code: 3 })
  const denied = Outcome.denial(callAt(turn, 1), "not today")
  expect(contents(turn, [failure, denied])).toStrictEqual([
    { role: "tool", tool_call_id: "a", content: '{"error":{"code":3}}' },
    { role: "tool", tool_call_id: "b", content: "Error: The call of f was denied and not run: not today" }
  ])
})

it("names the calls that still wait", () => {
  const turn = turnOf({ tool_calls: [entry("a"), entry("b")] })
  const deferred = new Outcome.Deferred({
    call: callAt(turn, 0),
    waitsFor: "approval",
    arguments: {},
    requestId: "r",
    digest: "digest",
    facts: Facts.unstated
  })
  expect(OpenAiChat.encodeResults(turn, [deferred]).pending).toStrictEqual(["a", "b"])
})

it("fills in ids that the server left out, so that results have something to name", () => {
  const message = {
    role: "assistant",
    tool_calls: [entry(undefined), { ...entry("b"), extra_content: { signed: true } }]
  }
  const turn = turnOf(message)
  expect(turn.native).toStrictEqual([message])
  expect(OpenAiChat.encodeResults(turn, [success(turn, 0, 1), success(turn, 1, 2)]).messages).toStrictEqual([
    { role: "assistant", tool_calls: [{ ...entry(undefined), id: "call_0" }, message.tool_calls[1]] },
    { role: "tool", tool_call_id: "call_0", content: "1" },
    { role: "tool", tool_call_id: "b", content: "2" }
  ])
})

it("gives each of two calls with one id its own outcome, also when the outcomes share it", () => {
  const turn = turnOf({ tool_calls: [entry("a"), entry("a")] })
  const results = [
    { role: "tool", tool_call_id: "a", content: "1" },
    { role: "tool", tool_call_id: "a", content: "2" }
  ]
  expect(contents(turn, [success(turn, 0, 1), success(turn, 1, 2)])).toStrictEqual(results)
  const parts = turn.parts.map((part) => (part._tag === "Call" ? { ...part, call: callAt(turn, 0) } : part))
  expect(contents({ ...turn, parts }, [success(turn, 0, 1), success(turn, 0, 2)])).toStrictEqual(results)
})

it("answers a function_call under the function's name", () => {
  const turn = turnOf({ content: null, function_call: { name: "f", arguments: "{}" } })
  expect(contents(turn, [success(turn, 0, "done")])).toStrictEqual([{ role: "function", name: "f", content: "done" }])
})

it("sends text parts as text, and reports what it cannot carry", () => {
  const turn = turnOf({ tool_calls: [entry("a")] })
  const content = [Content.text("As of now:"), Content.json({ n: 1 }), Content.file("application/pdf", "AAAA")]
  const { messages, losses } = OpenAiChat.encodeResults(turn, [success(turn, 0, null, content)])
  expect(messages[1]).toMatchObject({
    content: 'As of now:\n{"n":1}\n[a file of type application/pdf that this API cannot carry in a result]'
  })
  expect(losses).toMatchObject([{ subject: "f", path: ["content", 2], keyword: "file" }])
})

it("never sends undefined", () => {
  const turn = turnOf({ tool_calls: [entry("a")] })
  expect(contents(turn, [success(turn, 0, null)])).toStrictEqual([{ role: "tool", tool_call_id: "a", content: "null" }])
})

it("writes a turn of another format anew and reports what that loses", () => {
  const turn = { ...turnOf({ content: "Let me see.", tool_calls: [entry("a")] }), format: "anthropic", native: [] }
  const { messages, losses } = OpenAiChat.encodeResults(turn, [success(turn, 0, 1)])
  expect(messages).toStrictEqual([
    { role: "assistant", content: "Let me see.", tool_calls: [entry("a")] },
    { role: "tool", tool_call_id: "a", content: "1" }
  ])
  expect(losses).toMatchObject([{ keyword: "native" }])
})
