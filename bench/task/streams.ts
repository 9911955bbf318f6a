/**
 * One long streamed answer in each API's own events: 2,000 tokens of text, then
 * a call whose arguments come in 200 pieces where the API has pieces.
 */
import { EventStreamCodec } from "@smithy/eventstream-codec"

const tokens = Array.from({ length: 2_000 }, (_, index) => ` word${index % 97}`)

const call = { id: "call_1", name: "find_orders" }

const given = { note: Array.from({ length: 200 }, (_, index) => `part ${index}`).join(", ") }

const argumentText = JSON.stringify(given)

const argumentPieces = Array.from({ length: 200 }, (_, index) => {
  const size = Math.ceil(argumentText.length / 200)
  return argumentText.slice(index * size, (index + 1) * size)
}).filter((piece) => piece !== "")

/** What every reader has to come to. */
export const expected = `${tokens.join("")}\n${argumentText}`

export interface Body {
  /** The wire format's name. */
  readonly format: string
  /** Each event with its framing. */
  readonly events: ReadonlyArray<Uint8Array>
  /** Text and argument deltas. */
  readonly tokens: number
  /** What one parsed event adds to the text and to the arguments: the least that a reader has to find. */
  readonly read: ((message: never) => readonly [text: string, argumentText: string]) | undefined
}

const encoder = new TextEncoder()

const chatChunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "gpt-4o-2024-08-06",
    system_fingerprint: "fp_1",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }]
  })}\n\n`

interface ChatChunk {
  readonly choices: ReadonlyArray<{
    readonly delta: {
      readonly content?: string
      readonly tool_calls?: ReadonlyArray<{ readonly function: { readonly arguments?: string } }>
    }
  }>
}

const readChat = (chunk: ChatChunk): readonly [string, string] => {
  const delta = chunk.choices[0]?.delta
  return [delta?.content ?? "", delta?.tool_calls?.[0]?.function.arguments ?? ""]
}

const openAiChat = [
  chatChunk({ role: "assistant", content: "" }),
  ...tokens.map((content) => chatChunk({ content })),
  chatChunk({
    tool_calls: [{ index: 0, id: call.id, type: "function", function: { name: call.name, arguments: "" } }]
  }),
  ...argumentPieces.map((piece) => chatChunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  chatChunk({}, "tool_calls"),
  "data: [DONE]\n\n"
]

const mistral = [
  chatChunk({ role: "assistant", content: "" }),
  ...tokens.map((content) => chatChunk({ content })),
  chatChunk(
    {
      content: "",
      tool_calls: [{ index: 0, id: "callcall1", function: { name: call.name, arguments: argumentText } }]
    },
    "tool_calls"
  ),
  "data: [DONE]\n\n"
]

const typed = (event: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

const anthropic = [
  typed({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 500, output_tokens: 1 }
    }
  }),
  typed({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  ...tokens.map((text) => typed({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
  typed({ type: "content_block_stop", index: 0 }),
  typed({
    type: "content_block_start",
    index: 1,
    content_block: { type: "tool_use", id: "toolu_1", name: call.name, input: {} }
  }),
  ...argumentPieces.map((partial_json) =>
    typed({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json } })
  ),
  typed({ type: "content_block_stop", index: 1 }),
  typed({
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 2_200 }
  }),
  typed({ type: "message_stop" })
]

interface AnthropicEvent {
  readonly delta?: { readonly text?: string; readonly partial_json?: string }
}

const text = tokens.join("")
const message = {
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }]
}
const functionCall = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: call.id,
  name: call.name,
  arguments: argumentText
}
const response = {
  id: "resp_1",
  object: "response",
  created_at: 1_760_000_000,
  model: "gpt-5",
  status: "in_progress",
  output: [],
  usage: null
}

const openAiResponses = [
  { type: "response.created", response },
  { type: "response.output_item.added", output_index: 0, item: { ...message, status: "in_progress", content: [] } },
  {
    type: "response.content_part.added",
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    part: { type: "output_text", text: "", annotations: [] }
  },
  ...tokens.map((delta) => ({
    type: "response.output_text.delta",
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    delta
  })),
  { type: "response.output_text.done", item_id: "msg_1", output_index: 0, content_index: 0, text },
  {
    type: "response.content_part.done",
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    part: message.content[0]
  },
  { type: "response.output_item.done", output_index: 0, item: message },
  {
    type: "response.output_item.added",
    output_index: 1,
    item: { ...functionCall, status: "in_progress", arguments: "" }
  },
  ...argumentPieces.map((delta) => ({
    type: "response.function_call_arguments.delta",
    item_id: "fc_1",
    output_index: 1,
    delta
  })),
  { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 1, arguments: argumentText },
  { type: "response.output_item.done", output_index: 1, item: functionCall },
  {
    type: "response.completed",
    response: {
      ...response,
      status: "completed",
      output: [message, functionCall],
      usage: { input_tokens: 500, output_tokens: 2_200, total_tokens: 2_700 }
    }
  }
].map((event, sequence_number) => typed({ ...event, sequence_number }))

interface ResponsesEvent {
  readonly type: string
  readonly delta?: string
}

const geminiChunk = (part: object, finishReason?: string): string =>
  `data: ${JSON.stringify({
    candidates: [
      { content: { parts: [part], role: "model" }, index: 0, ...(finishReason === undefined ? {} : { finishReason }) }
    ],
    usageMetadata: { promptTokenCount: 500, candidatesTokenCount: 10, totalTokenCount: 510 },
    modelVersion: "gemini-2.5-flash",
    responseId: "r1"
  })}\n\n`

const gemini = [
  ...tokens.map((token) => geminiChunk({ text: token })),
  geminiChunk({ functionCall: { name: call.name, args: given } }, "STOP")
]

interface GeminiChunk {
  readonly candidates: ReadonlyArray<{
    readonly content: {
      readonly parts: ReadonlyArray<{ readonly text?: string; readonly functionCall?: { readonly args: unknown } }>
    }
  }>
}

const ollamaLine = (said: object, rest: object): string =>
  `${JSON.stringify({ model: "qwen3", created_at: "2026-11-21T10:00:00.000000Z", message: { role: "assistant", ...said }, ...rest })}\n`

const ollama = [
  ...tokens.map((content) => ollamaLine({ content }, { done: false })),
  ollamaLine({ content: "", tool_calls: [{ function: { name: call.name, arguments: given } }] }, { done: false }),
  ollamaLine({ content: "" }, { done: true, done_reason: "stop", prompt_eval_count: 500, eval_count: 2_200 })
]

const cohere = [
  { type: "message-start", id: "m1", delta: { message: { role: "assistant", content: [], tool_calls: [] } } },
  { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
  ...tokens.map((token) => ({ type: "content-delta", index: 0, delta: { message: { content: { text: token } } } })),
  { type: "content-end", index: 0 },
  {
    type: "tool-call-start",
    index: 0,
    delta: {
      message: { tool_calls: { id: call.id, type: "function", function: { name: call.name, arguments: "" } } }
    }
  },
  ...argumentPieces.map((piece) => ({
    type: "tool-call-delta",
    index: 0,
    delta: { message: { tool_calls: { function: { arguments: piece } } } }
  })),
  { type: "tool-call-end", index: 0 },
  {
    type: "message-end",
    delta: { finish_reason: "TOOL_CALL", usage: { tokens: { input_tokens: 1, output_tokens: 2 } } }
  }
].map(typed)

const decoder = new TextDecoder()
const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === "string" ? bytes : decoder.decode(bytes)),
  (value) => encoder.encode(value)
)

const frame = (event: string, payload: object): Uint8Array =>
  codec.encode({
    headers: {
      ":event-type": { type: "string", value: event },
      ":content-type": { type: "string", value: "application/json" },
      ":message-type": { type: "string", value: "event" }
    },
    body: encoder.encode(JSON.stringify(payload))
  })

const bedrock = [
  frame("messageStart", { role: "assistant" }),
  ...tokens.map((token) => frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: token } })),
  frame("contentBlockStop", { contentBlockIndex: 0 }),
  frame("contentBlockStart", {
    contentBlockIndex: 1,
    start: { toolUse: { toolUseId: "tooluse_1", name: call.name } }
  }),
  ...argumentPieces.map((input) => frame("contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input } } })),
  frame("contentBlockStop", { contentBlockIndex: 1 }),
  frame("messageStop", { stopReason: "tool_use" }),
  frame("metadata", { usage: { inputTokens: 500, outputTokens: 2_200, totalTokens: 2_700 }, metrics: { latencyMs: 1 } })
]

const utf8 = (events: ReadonlyArray<string>): ReadonlyArray<Uint8Array> => events.map((event) => encoder.encode(event))

const inPieces = tokens.length + argumentPieces.length
const inOne = tokens.length + 1

export const bodies: ReadonlyArray<Body> = [
  { format: "openai-chat", events: utf8(openAiChat), tokens: inPieces, read: readChat },
  {
    format: "anthropic",
    events: utf8(anthropic),
    tokens: inPieces,
    read: ({ delta }: AnthropicEvent) => [delta?.text ?? "", delta?.partial_json ?? ""]
  },
  {
    format: "openai-responses",
    events: utf8(openAiResponses),
    tokens: inPieces,
    read: ({ delta = "", type }: ResponsesEvent) =>
      type === "response.output_text.delta"
        ? [delta, ""]
        : ["", type === "response.function_call_arguments.delta" ? delta : ""]
  },
  {
    format: "gemini",
    events: utf8(gemini),
    tokens: inOne,
    read: (chunk: GeminiChunk) => {
      const part = chunk.candidates[0]?.content.parts[0]
      return [part?.text ?? "", part?.functionCall === undefined ? "" : JSON.stringify(part.functionCall.args)]
    }
  },
  { format: "mistral", events: utf8(mistral), tokens: inOne, read: readChat },
  { format: "cohere-v2", events: utf8(cohere), tokens: inPieces, read: undefined },
  { format: "ollama", events: utf8(ollama), tokens: inOne, read: undefined },
  { format: "bedrock-converse", events: bedrock, tokens: inPieces, read: undefined }
]

/** The body as a network hands it over: in pieces of so many bytes, wherever they cut. */
export const inPiecesOf = (bytes: number, events: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  const whole = Buffer.concat(events)
  const pieces: Array<Uint8Array> = []
  for (let start = 0; start < whole.length; start += bytes) {
    pieces.push(new Uint8Array(whole.subarray(start, start + bytes)))
  }
  return pieces
}
