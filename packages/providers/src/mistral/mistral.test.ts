import { expect, it } from "@effect/vitest"
import { Outcome, ToolDefinition, Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as Mistral from "../Mistral.js"
import * as OpenAiChat from "../OpenAiChat.js"
import type { ToolChoice } from "../WireFormat.js"

const find = ToolDefinition.make({ name: "find" })
const now = ToolDefinition.make({ name: "now" })

const cases: ReadonlyArray<readonly [ToolChoice, unknown]> = [
  [{ _tag: "Auto" }, "auto"],
  [{ _tag: "None" }, "none"],
  [{ _tag: "Required" }, "any"],
  [
    { _tag: "OneOf", names: ["find"] },
    { type: "function", function: { name: "find" } }
  ]
]

it.each(cases)("writes the choice %j", (choice, sent) => {
  const { body, losses } = Mistral.encodeTools([find, now], { choice })
  expect(body["tool_choice"]).toEqual(sent)
  expect(losses).toEqual([])
})

it("asks for any tool where one of several is demanded, and reports it", () => {
  const { body, losses } = Mistral.encodeTools([find, now], { choice: { _tag: "OneOf", names: ["find", "now"] } })
  expect(body["tool_choice"]).toBe("any")
  expect(losses).toMatchObject([{ subject: "tool_choice", keyword: "OneOf" }])
})

it("offers a tool of Mistral's own", () => {
  const search = ToolDefinition.make({
    name: "web_search",
    provider: { id: "mistral.web_search", name: "web_search", settings: {} }
  })
  expect(Mistral.encodeTools([search])).toEqual({ body: { tools: [{ type: "web_search" }] }, losses: [] })
})

it("says strictness and parallel calls as OpenAI does", () => {
  expect(Mistral.encodeTools([find], { isStrict: true, isParallel: false }).body).toMatchObject({
    tools: [{ type: "function", function: { name: "find", strict: true } }],
    parallel_tool_calls: false
  })
})

it("offers no tool of another API", () => {
  const search = ToolDefinition.make({
    name: "search",
    provider: { id: "openai.web_search", name: "web_search", settings: {} }
  })
  const { body, losses } = Mistral.encodeTools([search, find])
  expect(body["tools"]).toHaveLength(1)
  expect(losses).toMatchObject([{ subject: "search", keyword: "provider" }])
})

it("makes ids of nine letters and digits where there are none, and sends results under them", () => {
  const entries = [undefined, "null", ""].map((id) => ({
    ...(id === undefined ? {} : { id }),
    function: { name: "f", arguments: "{}" }
  }))
  const message = { role: "assistant", content: "", tool_calls: entries }
  const turn = Either.getOrThrow(Mistral.decodeTurn({ id: "r1", choices: [{ message, finish_reason: "tool_calls" }] }))
  const calls = Turn.calls(turn)
  expect(new Set(calls.map((call) => call.id)).size).toBe(3)
  for (const { id } of calls) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
  const outcomes = calls.map((call) => Outcome.success(call, 1))
  expect(Mistral.encodeResults(turn, outcomes).messages).toEqual([
    { ...message, tool_calls: entries.map((entry, index) => ({ ...entry, id: calls[index]?.id })) },
    ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, name: "f", content: "1" }))
  ])
})

it("sends a turn of OpenAI's under ids that Mistral accepts", () => {
  const message = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }]
  }
  const turn = Either.getOrThrow(OpenAiChat.decodeTurn({ choices: [{ message, finish_reason: "tool_calls" }] }))
  const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, 1))
  const [called, result] = JSON.parse(JSON.stringify(Mistral.encodeResults(turn, outcomes).messages))
  expect(called.tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/)
  expect(result.tool_call_id).toBe(called.tool_calls[0].id)
})

const answer = (message: object, usage: object = {}) => ({
  choices: [{ message: { role: "assistant", ...message } }],
  usage
})

it("counts cached tokens by Mistral's own name for them", () => {
  const usage = { prompt_tokens: 64, completion_tokens: 6, total_tokens: 70, num_cached_tokens: 32 }
  expect(Either.getOrThrow(Mistral.decodeTurn(answer({ content: "Hi" }, usage))).usage).toMatchObject({
    input: 64,
    cacheRead: 32
  })
})

it("is told from OpenAI by what only it sends", () => {
  const calls = (id: string, rest: object = {}) => ({
    tool_calls: [{ id, function: { name: "f", arguments: "{}" }, ...rest }]
  })
  const own = [
    answer({ content: [{ type: "reference", reference_ids: [1] }] }),
    answer({ content: "Hi" }, { num_cached_tokens: 3 }),
    answer(calls("D681PevKs"))
  ]
  const others = [answer({ content: "Hi" }), answer(calls("call_1")), answer(calls("D681PevKs", { type: "function" }))]
  for (const body of own)
    expect([Mistral.format.isFormatOf(body), OpenAiChat.format.isFormatOf(body)]).toEqual([true, false])
  for (const body of others)
    expect([Mistral.format.isFormatOf(body), OpenAiChat.format.isFormatOf(body)]).toEqual([false, true])
})
