/** Servers in languages without lists of their own write them otherwise: an empty one as `{}`, one entry without a list. */
import { describe, expect, it } from "@effect/vitest"
import { Turn } from "@wield/core"
import {
  Anthropic,
  BedrockConverse,
  CohereV2,
  Gemini,
  Mistral,
  Ollama,
  OpenAiChat,
  OpenAiResponses
} from "@wield/providers"
import type { WireFormat } from "@wield/providers"
import * as Either from "effect/Either"

const first = { id: "a1b2c3d4e", type: "function", function: { name: "drop", arguments: '{"n":1}' } }
const second = { ...first, id: "f5g6h7i8j", function: { name: "drop", arguments: '{"n":2}' } }

/** The same message whole, and as a stream of one piece. */
interface Bodies {
  readonly format: WireFormat.WireFormat
  readonly whole: (message: object) => unknown
  readonly stream?: (message: object) => string
}

const events = (bodies: ReadonlyArray<unknown>): string =>
  bodies.map((body) => `data: ${JSON.stringify(body)}\n\n`).join("")

const chat = (format: WireFormat.WireFormat): Bodies => ({
  format,
  whole: (message) => ({ choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }] }),
  stream: (delta) =>
    events([
      { choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
    ])
})

const formats: ReadonlyArray<Bodies> = [
  chat(OpenAiChat.format),
  chat(Mistral.format),
  {
    format: Ollama.format,
    whole: (message) => ({ message: { role: "assistant", content: "", ...message }, done: true, done_reason: "stop" }),
    stream: (message) =>
      `${JSON.stringify({ message: { role: "assistant", content: "", ...message }, done: true, done_reason: "stop" })}\n`
  },
  {
    format: CohereV2.format,
    whole: (message) => ({ id: "c", message: { role: "assistant", ...message }, finish_reason: "COMPLETE" })
  }
]

const streamed = (format: WireFormat.WireFormat, text: string): Turn.Turn | undefined => {
  const decoder = format.streamDecoder()
  const last = [...decoder.push(new TextEncoder().encode(text)), ...decoder.end()].at(-1)
  expect(decoder.failure()).toBeUndefined()
  return last?._tag === "Finished" ? last.turn : undefined
}

describe.each(formats)("$format.name", ({ format, stream, whole }) => {
  it.each([
    ["an empty one that is an object", {}, 0],
    ["none", null, 0],
    ["entries that are not there", [null, first, null], 1],
    ["one entry without a list", first, 1],
    ["an object by numbers", { 0: first, 1: second }, 2]
  ])("reads calls of %s", (_, tool_calls, count) => {
    const message = count === 0 ? { content: "Hello", tool_calls } : { tool_calls }
    const turns = [Either.getOrThrow(format.decodeTurn(whole(message)))]
    if (stream !== undefined) turns.push(streamed(format, stream(message))!)
    for (const turn of turns) {
      expect(Turn.text(turn)).toBe(count === 0 ? "Hello" : "")
      expect(Turn.calls(turn).map(({ name }) => name)).toEqual(Array.from({ length: count }, () => "drop"))
    }
  })
})

const said = { type: "text", text: "Hello" }

it.each([
  ["content that is a text", Anthropic.format, { type: "message", role: "assistant", content: "Hello" }],
  ["one block without a list", Anthropic.format, { type: "message", role: "assistant", content: said }],
  ["blocks that are not there", Anthropic.format, { type: "message", role: "assistant", content: [null, said] }],
  ["blocks by numbers", BedrockConverse.format, { output: { message: { content: { 0: { text: "Hello" } } } } }],
  ["parts that are not there", Gemini.format, { candidates: [{ content: { parts: [null, { text: "Hello" }] } }] }],
  ["parts by numbers", Gemini.format, { candidates: [{ content: { parts: { 0: { text: "Hello" } } } }] }],
  ["items that are not there", OpenAiResponses.format, { output: [null, { type: "message", content: [said] }] }],
  ["one item without a list", OpenAiResponses.format, { output: { type: "message", content: [said] } }]
])("reads %s: $1.name", (_, format, body) => {
  const turn = Either.getOrThrow(format.decodeTurn(body))
  expect(Turn.text(turn)).toBe("Hello")
  expect(JSON.stringify(turn.native)).not.toContain("null")
})

it.each([OpenAiChat.format, Mistral.format])("reads content of one part without a list: $name", (format) => {
  const { stream, whole } = chat(format)
  const message = { content: { type: "text", text: "Hello" } }
  expect(Turn.text(Either.getOrThrow(format.decodeTurn(whole(message))))).toBe("Hello")
  expect(Turn.text(streamed(format, stream!(message))!)).toBe("Hello")
})
