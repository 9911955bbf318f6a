/**
 * A response body that holds one call, in every wire format: the message is the
 * format's own encoding of a conversation in which the call was made, and the
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

type Format = Pick<WireFormat.WireFormat, "decodeTurn" | "encodeTools" | "name"> &
  Pick<WireFormat.Conversing, "encodeRequest">

interface Wire {
  readonly format: Format
  /** The key of the request that has the conversation. */
  readonly history: string
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
  { format: OpenAiChat.format, history: "messages", isAssistant, envelope: chat },
  {
    format: OpenAiResponses.format,
    history: "input",
    isAssistant: (item) => item["type"] === "function_call",
    envelope: (output) => ({ id: "resp_1", object: "response", status: "completed", model: "any", output })
  },
  {
    format: Anthropic.format,
    history: "messages",
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
    history: "contents",
    isAssistant: (content) => content["role"] === "model",
    envelope: (contents) => ({ candidates: contents.map((content) => ({ content, finishReason: "STOP" })) })
  },
  {
    format: BedrockConverse.format,
    history: "messages",
    isAssistant,
    envelope: (messages) => ({ output: { message: messages[0] ?? {} }, stopReason: "tool_use", usage: {}, metrics: {} })
  },
  { format: Mistral.format, history: "messages", isAssistant, envelope: chat },
  {
    format: CohereV2.format,
    history: "messages",
    isAssistant,
    envelope: (messages) => ({ id: "1", message: messages[0] ?? {}, finish_reason: "TOOL_CALL" })
  },
  {
    format: Ollama.format,
    history: "messages",
    isAssistant,
    envelope: (messages) => ({ model: "any", message: messages[0] ?? {}, done: true, done_reason: "stop" })
  }
]

/** The body of a response in which the model makes this call. */
export const responseOf = (
  wire: Wire,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  call: { readonly name: string; readonly arguments: Json.JsonSchema }
): Json.JsonObject => {
  const id = "call00001"
  const messages: ReadonlyArray<Message.Message> = [
    { _tag: "User", content: [{ _tag: "Text", text: "Go." }], native: undefined },
    {
      _tag: "Assistant",
      parts: [
        {
          _tag: "Call",
          call: ToolCall.make(id, call.name, call.arguments),
          executedBy: "application",
          nativeName: call.name,
          nativeId: undefined
        }
      ],
      native: undefined
    },
    {
      _tag: "Results",
      results: [{ id, name: call.name, isError: false, content: [{ _tag: "Text", text: "ok" }] }],
      native: undefined
    }
  ]
  const { body } = wire.format.encodeRequest({ messages, definitions, options: {}, settings: undefined, losses: [] })
  const history = body[wire.history]
  const said = (Array.isArray(history) ? history : []).filter((message) => wire.isAssistant(message as Json.JsonObject))
  return wire.envelope(said)
}
