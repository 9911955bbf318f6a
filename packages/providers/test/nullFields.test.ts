/** Servers and clients that write every field they know, as `null` where there is nothing to say. */
import { expect, it } from "@effect/vitest"
import { Json } from "@wield/core"
import { Either } from "effect"
import * as BedrockConverse from "../src/BedrockConverse.js"
import * as CohereV2 from "../src/CohereV2.js"
import * as Gemini from "../src/Gemini.js"
import * as Mistral from "../src/Mistral.js"
import * as Ollama from "../src/Ollama.js"
import * as OpenAiResponses from "../src/OpenAiResponses.js"
import type { WireFormat } from "../src/WireFormat.js"
import { readStream } from "./readStream.js"
import { type Event, eventStream, serverSentEvents } from "./streamBody.js"

/** The value with these fields in each of its objects, but for those that have them and for arguments. */
const filled = (value: unknown, keys: string): unknown => {
  if (Array.isArray(value)) return value.map((item) => filled(item, keys))
  if (!Json.isObject(value)) return value
  const stated = Object.entries(value).map(([key, field]) => [
    key,
    /^(args|input|parameters)$/.test(key) && Json.isObject(field) ? field : filled(field, keys)
  ])
  return { ...Object.fromEntries(keys.split(" ").map((key) => [key, null])), ...Object.fromEntries(stated) }
}

interface Told {
  readonly format: WireFormat
  readonly keys: string
  readonly messages: ReadonlyArray<object>
}

const bytesOf = ({ format, messages }: Told): Uint8Array => {
  if (format.name === "ollama") return new TextEncoder().encode(messages.map((line) => JSON.stringify(line)).join("\n"))
  if (format.name !== "bedrock-converse") return serverSentEvents(messages)
  return eventStream(messages.map((message): Event => [Object.keys(message)[0]!, Object.values(message)[0]]))
}

const chunk = (text: string, finishReason?: string) => ({
  candidates: [
    { content: { role: "model", parts: [{ text }] }, ...(finishReason === undefined ? {} : { finishReason }) }
  ]
})

const streams: ReadonlyArray<Told> = [
  {
    format: BedrockConverse.format,
    keys: "text toolUse reasoningContent",
    messages: [
      { messageStart: { role: "assistant" } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hm." } } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { contentBlockDelta: { contentBlockIndex: 1, delta: { text: "Hello" } } },
      { contentBlockStop: { contentBlockIndex: 1 } },
      { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: "t1", name: "now" } } } },
      { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: "{}" } } } },
      { contentBlockStop: { contentBlockIndex: 2 } },
      { messageStop: { stopReason: "tool_use" } }
    ]
  },
  {
    format: CohereV2.format,
    keys: "type text thinking error index",
    messages: [
      { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
      { type: "content-delta", index: 0, delta: { message: { content: { text: "Hel" } } } },
      { type: "content-delta", index: 0, delta: { message: { content: { text: "lo" } } } },
      {
        type: "tool-call-start",
        delta: { message: { tool_calls: { id: "c1", type: "function", function: { name: "now", arguments: "" } } } }
      },
      { type: "tool-call-delta", delta: { message: { tool_calls: { function: { arguments: "{}" } } } } },
      { type: "tool-call-end" },
      { type: "message-end", delta: { finish_reason: "TOOL_CALL" } }
    ]
  },
  {
    format: Gemini.format,
    keys: "text thought functionCall function_call willContinue partialArgs thoughtSignature inlineData finishReason",
    messages: [
      chunk("Hel"),
      chunk("lo"),
      { candidates: [{ content: { parts: [{ functionCall: { name: "now", args: {} } }] } }] },
      chunk("", "STOP")
    ]
  },
  {
    format: Mistral.format,
    keys: "text thinking reference_ids content finish_reason tool_calls",
    messages: [
      { choices: [{ delta: { content: [{ type: "thinking", thinking: [{ type: "text", text: "H" }] }] } }] },
      { choices: [{ delta: { content: [{ type: "thinking", thinking: [{ type: "text", text: "m" }] }] } }] },
      { choices: [{ delta: { content: [{ type: "text", text: "Hel" }] } }] },
      { choices: [{ delta: { content: [{ type: "text", text: "lo" }] } }] },
      { choices: [{ delta: {}, finish_reason: "stop" }] }
    ]
  },
  {
    format: Ollama.format,
    keys: "error thinking tool_calls done_reason",
    messages: [
      { message: { role: "assistant", content: "Hel" }, done: false },
      { message: { role: "assistant", content: "lo" }, done: true, done_reason: "stop" }
    ]
  },
  {
    format: OpenAiResponses.format,
    keys: "error item delta response",
    messages: [
      {},
      {
        type: "response.completed",
        response: {
          object: "response",
          status: "completed",
          output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }]
        }
      }
    ]
  }
]

it.each(streams)("$format.name: a field that is null in a stream is an absent one", (told) => {
  const before = readStream(told.format, bytesOf(told))
  const after = readStream(told.format, bytesOf({ ...told, messages: told.messages.map(nullsOf(told)) }))
  expect(before.failure).toBeUndefined()
  expect(after.failure).toBeUndefined()
  expect(partsOf(after.turn)).toEqual(partsOf(before.turn))
  expect(after.events.map(({ _tag }) => _tag)).toEqual(before.events.map(({ _tag }) => _tag))
})

/** Of Bedrock, the outermost key names the event. */
const nullsOf =
  ({ format, keys }: Told) =>
  (message: object): object =>
    format.name === "bedrock-converse"
      ? Object.fromEntries(Object.entries(message).map(([type, payload]) => [type, filled(payload, keys)]))
      : Object(filled(message, keys))

const partsOf = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, field: unknown) => (key === "native" ? undefined : field)))

const bodies: ReadonlyArray<{ readonly format: WireFormat; readonly keys: string; readonly response: object }> = [
  {
    format: BedrockConverse.format,
    keys: "text toolUse reasoningContent image",
    response: {
      output: {
        message: {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Hm." } } },
            { text: "Hello" },
            { toolUse: { toolUseId: "t1", name: "now", input: {} } }
          ]
        }
      },
      stopReason: "tool_use"
    }
  },
  {
    format: Mistral.format,
    keys: "thinking reference_ids refusal",
    response: {
      choices: [{ message: { role: "assistant", content: [{ type: "text", text: "Hello" }] }, finish_reason: "stop" }]
    }
  },
  {
    format: OpenAiResponses.format,
    keys: "type object",
    response: { output: [{ role: "assistant", content: [{ type: "output_text", text: "Hello" }] }] }
  }
]

it.each(bodies)("$format.name: a field that is null in a response is an absent one", ({ format, keys, response }) => {
  const before = Either.getOrThrow(format.decodeTurn(response))
  const after = Either.getOrThrow(format.decodeTurn(filled(response, keys)))
  expect(before.parts.length).toBeGreaterThan(0)
  expect(partsOf(after)).toEqual(partsOf(before))
})

const requests: ReadonlyArray<{ readonly format: WireFormat; readonly keys: string; readonly body: object }> = [
  {
    format: BedrockConverse.format,
    keys: "text toolUse toolResult image json cachePoint toolSpec systemTool toolConfig",
    body: {
      messages: [
        { role: "user", content: [{ text: "Hi" }] },
        { role: "assistant", content: [{ toolUse: { toolUseId: "t1", name: "now", input: {} } }] },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "t1", content: [{ image: { format: "png", source: { bytes: "AAAA" } } }] } }
          ]
        }
      ],
      toolConfig: { tools: [{ toolSpec: { name: "now" } }, { systemTool: { name: "nova_grounding" } }] }
    }
  },
  {
    format: BedrockConverse.format,
    keys: "toolConfig",
    body: { messages: [{ role: "user", content: [{ text: "Hi" }] }] }
  },
  {
    format: Gemini.format,
    keys: "systemInstruction googleSearch codeExecution",
    body: {
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      system_instruction: { parts: [{ text: "Be brief." }] },
      tools: [{ functionDeclarations: [{ name: "now" }] }]
    }
  },
  {
    format: OpenAiResponses.format,
    keys: "type",
    body: { input: [{ role: "assistant", content: [{ type: "output_text", text: "Hello" }] }] }
  }
]

it.each(requests)("$format.name: a field that is null in a request is an absent one", ({ body, format, keys }) => {
  const nulls = filled(body, keys)
  const before = Either.getOrThrow(format.decodeRequest(body))
  const after = Either.getOrThrow(format.decodeRequest(nulls))
  expect(partsOf(after.messages)).toEqual(partsOf(before.messages))
  expect(after.definitions.map(({ name, provider }) => [name, provider?.id])).toEqual(
    before.definitions.map(({ name, provider }) => [name, provider?.id])
  )
  expect(format.encodeRequest(after).body).toEqual(nulls)
})
