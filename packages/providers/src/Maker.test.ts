/** What one server or model family left in a turn, sent to another of the same format. */
import { describe, expect, it } from "@effect/vitest"
import { type Json, Message, Outcome, Turn } from "@wield/core"
import { Either, Schema } from "effect"
import { cases } from "../test/responses.js"
import * as Gemini from "./Gemini.js"
import * as Maker from "./Maker.js"
import * as OpenAiChat from "./OpenAiChat.js"
import type { WireFormat } from "./WireFormat.js"

const here = { host: "api.here.example", model: "alpha-1" }

const conversation = (turn: Turn.Turn): ReadonlyArray<Message.Message> => [
  { _tag: "Assistant", parts: turn.parts, native: Turn.native(turn) },
  {
    _tag: "Results",
    results: Turn.calls(turn).flatMap((call) => Outcome.render(Outcome.success(call, 1)) ?? []),
    native: undefined
  }
]

const historyOf = (
  format: WireFormat,
  messages: ReadonlyArray<Message.Message>,
  to: Message.Maker,
  json?: Json.JsonObject
) => {
  const settings = json === undefined ? undefined : { format: format.name, json }
  return format.encodeRequest({ messages, definitions: [], options: {}, settings, losses: [], ...to })
}

describe.each(cases)("a turn of one server, as $format.name", ({ format, response }) => {
  const read = Either.getOrThrow(format.decodeTurn(response(["now", "now"]), {}))
  const native = JSON.parse(
    JSON.stringify(read.native).replaceAll("Let me look.", "As it stood.")
  ) as Turn.Turn["native"]
  const turn = Turn.mark({ ...read, native }, here)

  it.each([
    ["the same model", here],
    ["another of its family", { ...here, model: "maker/alpha-2-large" }],
    ["one of which nothing is known", {}]
  ])("goes back as it stood to %s", (_, to) => {
    expect(JSON.stringify(historyOf(format, conversation(turn), to))).toContain("As it stood.")
  })

  it.each([
    ["another server", { ...here, host: "api.there.example" }],
    ["another family of models", { ...here, model: "beta-1" }]
  ])("is re-encoded for %s, and its reasoning left out", (_, to) => {
    const { body, losses } = historyOf(format, conversation(turn), to)
    const text = JSON.stringify(body)
    expect(text).not.toContain("As it stood.")
    // Cohere's plan is reasoning.
    expect(text.includes("Let me look.")).toBe(turn.parts.some((part) => part._tag === "Text"))
    expect(text).not.toMatch(/signature":"(?!c2tpcF9)|encrypted_content|reasoningContent/)
    expect(text.match(/"now"/g)?.length).toBeGreaterThanOrEqual(2)
    const hadReasoning = turn.parts.some((part) => part._tag === "Reasoning")
    expect(losses.some(({ keyword }) => keyword === "reasoning")).toBe(hadReasoning)
  })

  it("goes back as it stood where it was stored before turns named their maker", () => {
    const { from: _, ...unmarked } = { ...read, native }
    expect(JSON.stringify(historyOf(format, conversation(unmarked), here))).toContain("As it stood.")
  })

  it("is stored with its maker", () => {
    const json = Schema.parseJson(Schema.Array(Message.Message))
    const messages = conversation(turn)
    const stored = Schema.decodeSync(json)(Schema.encodeSync(json)(messages))
    const text = JSON.stringify(historyOf(format, stored, { ...here, host: "api.there.example" }))
    expect(text).not.toContain("As it stood.")
  })
})

it("keeps one server's field of reasoning from another server of Chat Completions", () => {
  const message = { role: "assistant", reasoning_content: "Hm.", content: "Noon." }
  const read = Either.getOrThrow(OpenAiChat.decodeTurn({ choices: [{ message, finish_reason: "stop" }] }))
  const turn = Turn.mark(read, { host: "api.deepseek.com", model: "deepseek-chat" })
  const { body } = historyOf(OpenAiChat.format, conversation(turn), { host: "api.groq.com", model: "deepseek-r1" })
  expect(body["messages"]).toEqual([{ role: "assistant", content: "Noon." }])
})

it("gives Gemini 3 the documented signature in place of the one that 2.5 did not give", () => {
  const content = { role: "model", parts: [{ functionCall: { name: "now", args: {} } }] }
  const read = Either.getOrThrow(Gemini.decodeTurn({ candidates: [{ content, finishReason: "STOP" }] }))
  const host = "generativelanguage.googleapis.com"
  const turn = Turn.mark(read, { host, model: "gemini-2.5-flash" })
  const to = (model: string) => historyOf(Gemini.format, conversation(turn), { host, model }).body["contents"]
  expect(to("gemini-2.5-pro")).toEqual([content, expect.anything()])
  expect(JSON.stringify(to("gemini-3-pro-preview"))).toContain("thoughtSignature")
})

const called = { id: "call_1", type: "function", function: { name: "now", arguments: "{}" } }

const chatTurn = (message: object) =>
  Either.getOrThrow(
    OpenAiChat.decodeTurn({
      choices: [{ message: { role: "assistant", content: null, ...message }, finish_reason: "tool_calls" }]
    })
  )

const firstMessage = (turn: Turn.Turn, to: Message.Maker) => {
  const messages = historyOf(OpenAiChat.format, conversation(turn), to).body["messages"]
  return Array.isArray(messages) ? messages[0] : undefined
}

describe("an assistant's message that calls, made by another", () => {
  const turn = Turn.mark(chatTurn({ tool_calls: [called], reasoning: "Hm." }), here)

  it.each([
    { host: "api.deepseek.com", model: "deepseek-chat" },
    { host: "api.moonshot.ai", model: "kimi-k2.5" },
    { host: "api.moonshot.cn:443", model: "kimi-k2-thinking" },
    { host: "openrouter.ai", model: "moonshotai/kimi-k2.5" },
    { host: "127.0.0.1:8000", model: "deepseek-v4-pro" },
    { model: "deepseek-reasoner" }
  ])("has the reasoning that $host demands for $model, empty", (to) => {
    const sent = { role: "assistant", content: null, reasoning_content: "", tool_calls: [called] }
    expect(firstMessage(turn, to)).toEqual(sent)
  })

  it("has it where the request asks a model of theirs to think", () => {
    const to = { host: "127.0.0.1:8000", model: "deepseek-chat" }
    const sent = (json: Json.JsonObject) => JSON.stringify(historyOf(OpenAiChat.format, conversation(turn), to, json))
    expect(sent({ thinking: { type: "enabled" } })).toContain("reasoning_content")
    expect(sent({})).not.toContain("reasoning_content")
  })

  it.each([
    { host: "api.groq.com", model: "moonshotai/kimi-k2-instruct" },
    { host: "api.groq.com", model: "deepseek-r1-distill-llama-70b" },
    { host: "api.openai.com", model: "gpt-5.1" }
  ])("has none for $host and $model", (to) => {
    expect(firstMessage(turn, to)).toEqual({ role: "assistant", content: null, tool_calls: [called] })
  })

  it.each(["gemini-3-pro-preview", "google/gemini-3.1-flash", "gemini-flash-latest"])(
    "has the documented signature on its first call for %s",
    (model) => {
      const extra_content = { google: { thought_signature: "skip_thought_signature_validator" } }
      const two = Turn.mark(chatTurn({ tool_calls: [called, { ...called, id: "call_2" }] }), here)
      expect(firstMessage(two, { host: "generativelanguage.googleapis.com", model })).toMatchObject({
        tool_calls: [
          { ...called, extra_content },
          { ...called, id: "call_2" }
        ]
      })
      expect(JSON.stringify(firstMessage(two, { model })).match(/thought_signature/g)).toHaveLength(2)
    }
  )

  it("has no signature for Gemini 2.5", () => {
    expect(firstMessage(turn, { model: "gemini-2.5-pro" })).not.toHaveProperty("tool_calls.0.extra_content")
  })
})

it("gives DeepSeek and Kimi the empty reasoning of their own turn that they made without thinking", () => {
  const turn = Turn.mark(chatTurn({ tool_calls: [called] }), { host: "api.moonshot.ai", model: "kimi-k2.5" })
  const to = { host: "api.moonshot.ai", model: "kimi-k2.6" }
  expect(firstMessage(turn, to)).toMatchObject({ reasoning_content: "", tool_calls: [called] })
})

it("gives Gemini 3 back the signature that it made over Chat Completions, and no other model", () => {
  const signed = { ...called, extra_content: { google: { thought_signature: "c2ln" } } }
  const host = "generativelanguage.googleapis.com"
  const turn = Turn.mark(chatTurn({ tool_calls: [signed] }), { host, model: "gemini-3-pro-preview" })
  expect(firstMessage(turn, { host, model: "gemini-3-flash" })).toMatchObject({ tool_calls: [signed] })
  expect(firstMessage(turn, { host: "api.openai.com", model: "gpt-5" })).toMatchObject({ tool_calls: [called] })
  expect(JSON.stringify(firstMessage(turn, { host: "api.openai.com", model: "gpt-5" }))).not.toContain("extra_content")
})

describe("a turn of Gemini 2.5 that was stored before turns named their maker", () => {
  it.each(["functionCall", "function_call"])("is signed for Gemini 3 (%s)", (key) => {
    const content = { role: "model", parts: [{ text: "Hm." }, { [key]: { name: "now", args: {} } }] }
    const turn = Either.getOrThrow(Gemini.decodeTurn({ candidates: [{ content, finishReason: "STOP" }] }))
    const to = (model: string) => historyOf(Gemini.format, conversation(turn), { model }).body["contents"]
    expect(to("gemini-2.5-pro")).toEqual([content, expect.anything()])
    expect(to("gemini-3-pro-preview")).toMatchObject([
      { parts: [{ text: "Hm." }, { thoughtSignature: expect.any(String) }] },
      {}
    ])
  })

  it("is signed over Chat Completions", () => {
    expect(firstMessage(chatTurn({ tool_calls: [called] }), { model: "gemini-3-pro-preview" })).toHaveProperty(
      "tool_calls.0.extra_content.google.thought_signature"
    )
  })

  it.each(["thoughtSignature", "thought_signature"])("keeps its own signature (%s)", (key) => {
    const content = { role: "model", parts: [{ functionCall: { name: "now", args: {} }, [key]: "c2ln" }] }
    const turn = Either.getOrThrow(Gemini.decodeTurn({ candidates: [{ content, finishReason: "STOP" }] }))
    const { body } = historyOf(Gemini.format, conversation(turn), { model: "gemini-3-pro-preview" })
    expect(body["contents"]).toEqual([content, expect.anything()])
  })
})

it.each([
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude"],
  ["claude-opus-4-5", "claude"],
  ["MiniMax-M2.1", "minimax"],
  ["google/gemini-3-pro-preview", "gemini-3"],
  ["gemini-2.5-flash", "gemini-2"],
  ["ft:gpt-4o:shop", "gpt-4"],
  ["gpt-5.1-mini", "gpt-5"],
  ["o3", "o"],
  ["amazon.nova-pro-v1:0", "nova"],
  ["deepseek-ai/DeepSeek-V3.1", "deepseek"],
  ["arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-haiku-4-5", "claude"],
  ["4", "4"]
])("%s is of the family %s", (model, family) => {
  expect(Maker.familyOf(model)).toBe(family)
})

it.each([
  ["bedrock-runtime.us-east-1.amazonaws.com", "bedrock-runtime.eu-west-1.amazonaws.com", true],
  ["us-central1-aiplatform.googleapis.com", "aiplatform.googleapis.com", true],
  ["generativelanguage.googleapis.com", "aiplatform.googleapis.com", false],
  ["127.0.0.1:8000", "127.0.0.1:8001", false]
])("%s and %s read each other's turns: %s", (left, right, isSame) => {
  const message: Message.Message = {
    _tag: "Assistant",
    parts: [],
    native: { format: "anthropic", json: [{}], from: { host: left } }
  }
  const [kept] = Maker.keepOwn([message], { format: "anthropic", host: right })
  expect(kept === message).toBe(isSame)
})
