/**
 * A response body that holds calls, in every wire format: the message is the
 * format's own encoding of a conversation in which they were made, and the
 * envelope around it is what the API puts there.
 */
import type { Json, ToolDefinition } from "@wield/core"
import { type Message, ToolCall } from "@wield/core"
import {
  Anthropic,
  BedrockConverse,
  CohereV2,
  Gemini,
  Mistral,
  Ollama,
  OpenAiChat,
  OpenAiResponses,
  type WireFormat
} from "@wield/providers"

export interface Wire {
  readonly format: WireFormat.WireFormat
  readonly isAssistant: (message: Json.JsonObject) => boolean
  readonly envelope: (messages: ReadonlyArray<Json.Json>) => Json.JsonObject
}

const isAssistant = (message: Json.JsonObject): boolean => message["role"] === "assistant"

const chat = (messages: ReadonlyArray<Json.Json>): Json.JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "any",
  choices: messages.map((message, index) => ({ index, message, finish_reason: "tool_calls" }))
})

const contentOf = (messages: ReadonlyArray<Json.Json>): Json.Json => {
  const [message] = messages
  return typeof message === "object" && message !== null && "content" in message ? (message.content ?? []) : []
}

export const wires: ReadonlyArray<Wire> = [
  { format: OpenAiChat.format, isAssistant, envelope: chat },
  {
    format: OpenAiResponses.format,

    isAssistant: (item) => item["type"] === "function_call",
    envelope: (output) => ({ id: "resp_1", object: "response", status: "completed", model: "any", output })
  },
  {
    format: Anthropic.format,

    isAssistant,
    envelope: (messages) => ({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "any",
      content: contentOf(messages),
      stop_reason: "tool_use",
      usage: { input_tokens: 1, output_tokens: 1 }
    })
  },
  {
    format: Gemini.format,

    isAssistant: (content) => content["role"] === "model",
    envelope: (contents) => ({ candidates: contents.map((content) => ({ content, finishReason: "STOP" })) })
  },
  {
    format: BedrockConverse.format,

    isAssistant,
    envelope: (messages) => ({ output: { message: messages[0] ?? {} }, stopReason: "tool_use", usage: {}, metrics: {} })
  },
  { format: Mistral.format, isAssistant, envelope: chat },
  {
    format: CohereV2.format,

    isAssistant,
    envelope: (messages) => ({ id: "1", message: messages[0] ?? {}, finish_reason: "TOOL_CALL" })
  },
  {
    format: Ollama.format,

    isAssistant,
    envelope: (messages) => ({ model: "any", message: messages[0] ?? {}, done: true, done_reason: "stop" })
  }
]

interface Call {
  readonly name: string
  readonly arguments: Json.JsonSchema
}

/** The body of a response in which the model makes this call. */
export const responseOf = (
  wire: Wire,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  call: Call
): Json.JsonObject => responseOfAll(wire, definitions, [call])

/** The body of a response in which the model makes these calls. */
export const responseOfAll = (
  wire: Wire,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  calls: ReadonlyArray<Call>
): Json.JsonObject => {
  // Mistral's ids are of nine letters and digits.
  const made = calls.map((call, index) => ({ ...call, id: `call${String(index + 1).padStart(5, "0")}` }))
  const messages: ReadonlyArray<Message.Message> = [
    { _tag: "User", content: [{ _tag: "Text", text: "Go." }], native: undefined },
    {
      _tag: "Assistant",
      parts: made.map(({ arguments: given, id, name }) => ({
        _tag: "Call",
        call: ToolCall.make(id, name, given),
        executedBy: "application",
        nativeName: name,
        nativeId: undefined
      })),
      native: undefined
    },
    {
      _tag: "Results",
      results: made.map(({ id, name }) => ({ id, name, isError: false, content: [{ _tag: "Text", text: "ok" }] })),
      native: undefined
    }
  ]
  const { body } = wire.format.encodeRequest({ messages, definitions, options: {}, settings: undefined, losses: [] })
  const history = body[wire.format.historyKey]
  const said = (Array.isArray(history) ? history : []).filter((message) => wire.isAssistant(message as Json.JsonObject))
  return wire.envelope(said)
}
