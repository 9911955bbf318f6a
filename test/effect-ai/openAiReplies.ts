/**
 * Bodies as OpenAI's Responses API sends them, whole and streamed.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 */
import type { Reply } from "./serve.js"

export interface Item {
  readonly type: string
  readonly id: string
  readonly [key: string]: unknown
}

export interface Event {
  readonly type: string
  readonly [key: string]: unknown
}

export const text = (id: string, words: string): Item => ({
  type: "message",
  id,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: words, annotations: [], logprobs: [] }]
})

export const refusal = (id: string, words: string): Item => ({
  type: "message",
  id,
  role: "assistant",
  status: "completed",
  content: [{ type: "refusal", refusal: words }]
})

export const reasoning = (id: string, summary: ReadonlyArray<string>, encrypted: string): Item => ({
  type: "reasoning",
  id,
  summary: summary.map((words) => ({ type: "summary_text", text: words })),
  encrypted_content: encrypted
})

/** `sent` is the text of the arguments, which may be broken. */
export const call = (callId: string, name: string, sent: string): Item => ({
  type: "function_call",
  id: `fc_${callId}`,
  call_id: callId,
  name,
  arguments: sent,
  status: "completed"
})

const usage = {
  input_tokens: 120,
  input_tokens_details: { cached_tokens: 100 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 150
}

const response = (output: ReadonlyArray<Item>, status: string) => ({
  id: "resp_1",
  object: "response",
  status,
  created_at: 1763712000,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: "gpt-5-mini-2025-08-07",
  output,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  usage: status === "completed" ? usage : null
})

export const whole = (...output: ReadonlyArray<Item>): Reply => ({ body: response(output, "completed") })

export const streamed = (...output: ReadonlyArray<Item>): Reply => ({
  events: numbered([...begun(...output), { type: "response.completed", response: response(output, "completed") }])
})

/** The events of a response that never comes to its end. */
export const begun = (...output: ReadonlyArray<Item>): ReadonlyArray<Event> => [
  { type: "response.created", response: response([], "in_progress") },
  ...output.flatMap(itemEvents)
]

export const numbered = (events: ReadonlyArray<Event>) =>
  events.map((event, index) => ({ ...event, sequence_number: index }))

const itemEvents = (item: Item, index: number): ReadonlyArray<Event> => [
  { type: "response.output_item.added", output_index: index, item: opened(item) },
  ...deltas(item, index),
  { type: "response.output_item.done", output_index: index, item }
]

const opened = (item: Item): Item => {
  switch (item.type) {
    case "message":
      return { ...item, status: "in_progress", content: [] }
    case "reasoning":
      return { ...item, summary: [], encrypted_content: "" }
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" }
    default:
      return { ...item, status: "in_progress" }
  }
}

const deltas = (item: Item, index: number): ReadonlyArray<Event> => {
  const at = { item_id: item.id, output_index: index }
  if (item.type === "function_call") {
    return pieces(String(item["arguments"])).map((delta) => ({
      type: "response.function_call_arguments.delta",
      ...at,
      delta
    }))
  }
  if (item.type === "reasoning") {
    return (item["summary"] as ReadonlyArray<{ readonly text: string }>).flatMap((part, summary_index) => [
      {
        type: "response.reasoning_summary_part.added",
        ...at,
        summary_index,
        part: { type: "summary_text", text: "" }
      },
      { type: "response.reasoning_summary_text.delta", ...at, summary_index, delta: part.text }
    ])
  }
  if (item.type !== "message") return []
  const content = item["content"] as ReadonlyArray<{ readonly text?: string }>
  return content.flatMap((part) =>
    pieces(part.text ?? "").map((delta) => ({
      type: "response.output_text.delta",
      ...at,
      content_index: 0,
      delta,
      logprobs: []
    }))
  )
}

const pieces = (whole: string): ReadonlyArray<string> => whole.match(/[^]{1,7}/g) ?? []
