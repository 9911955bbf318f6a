/**
 * Bodies as Anthropic's Messages API sends them, whole and streamed.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 */
import type { Reply } from "./serve.js"

export interface Block {
  readonly type: string
  readonly [key: string]: unknown
}

export const text = (words: string): Block => ({ type: "text", text: words, citations: null })

export const thinking = (words: string, signature: string): Block => ({ type: "thinking", thinking: words, signature })

export const redacted = (data: string): Block => ({ type: "redacted_thinking", data })

export const call = (id: string, name: string, input: { readonly [key: string]: unknown }): Block => ({
  type: "tool_use",
  id,
  name,
  input
})

const usage = {
  input_tokens: 20,
  cache_creation_input_tokens: 5,
  cache_read_input_tokens: 100,
  output_tokens: 30
}

const message = (content: ReadonlyArray<Block>, stopReason: string | null) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5-20250929",
  content,
  stop_reason: stopReason,
  stop_sequence: null,
  usage,
  container: null,
  context_management: null
})

const stopReason = (content: ReadonlyArray<Block>): string =>
  content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn"

export const whole = (...content: ReadonlyArray<Block>): Reply => ({ body: message(content, stopReason(content)) })

export const streamed = (...content: ReadonlyArray<Block>): Reply => ({
  events: [...begun(...content), ...ended(stopReason(content))]
})

export const ended = (reason: string) => [
  {
    type: "message_delta",
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 30, input_tokens: null, cache_creation_input_tokens: null, cache_read_input_tokens: null }
  },
  { type: "message_stop" }
]

/** The events of a response that never comes to its end. */
export const begun = (...content: ReadonlyArray<Block>): ReadonlyArray<Block> => [
  { type: "message_start", message: message([], null) },
  ...content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: opened(block) },
    ...deltas(block).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index }
  ])
]

const opened = (block: Block): Block => {
  switch (block.type) {
    case "text":
      return { ...block, text: "" }
    case "thinking":
      return { ...block, thinking: "", signature: "" }
    case "tool_use":
      return { ...block, input: {} }
    default:
      return block
  }
}

const deltas = (block: Block): ReadonlyArray<unknown> => {
  switch (block.type) {
    case "text":
      return pieces(String(block["text"])).map((words) => ({ type: "text_delta", text: words }))
    case "thinking":
      return [
        ...pieces(String(block["thinking"])).map((words) => ({ type: "thinking_delta", thinking: words })),
        { type: "signature_delta", signature: block["signature"] }
      ]
    case "tool_use":
      return pieces(sentText(block["input"])).map((json) => ({ type: "input_json_delta", partial_json: json }))
    default:
      return []
  }
}

/** A string is broken JSON that the model sent, which the API passes on as it streams. */
const sentText = (input: unknown): string => (typeof input === "string" ? input : JSON.stringify(input))

const pieces = (whole: string): ReadonlyArray<string> => whole.match(/[^]{1,7}/g) ?? []
