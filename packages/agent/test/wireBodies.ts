/** Every format's response to one question, whole and streamed: some text, and a call of `get_orders`. */
import type { WireFormat } from "@wield/providers"
import { cases } from "../../providers/test/responses.js"
import { eventStream, serverSentEvents } from "../../providers/test/streamBody.js"

export interface WireBodies {
  readonly format: WireFormat.WireFormat
  readonly whole: object
  readonly streamed: Uint8Array
  readonly contentType: string
}

const call = { name: "get_orders", arguments: '{"a":1}' }
const input = { a: 1 }

const chat = (id: string, extra: ReadonlyArray<object>, usage: object | undefined) =>
  serverSentEvents([
    { id: "c1", model: "m", choices: [{ index: 0, delta: { role: "assistant", content: "Let me " } }] },
    { id: "c1", model: "m", choices: [{ index: 0, delta: { content: "look." } }] },
    {
      id: "c1",
      model: "m",
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id, type: "function", function: call }] } }]
    },
    { id: "c1", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], ...usage },
    ...extra
  ])

const usage = { usage: { prompt_tokens: 1, completion_tokens: 1 } }

const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Let me look.", annotations: [] }]
}
const functionCall = { type: "function_call", id: "fc_0", call_id: "call_0", ...call, status: "completed" }

const streams: { readonly [format: string]: readonly [body: Uint8Array, contentType: string] } = {
  "openai-chat": [
    Buffer.concat([
      chat("call_0", [{ id: "c1", model: "m", choices: [], ...usage }], undefined),
      Buffer.from("data: [DONE]\n\n")
    ]),
    "text/event-stream"
  ],
  mistral: [
    Buffer.concat([chat("D681PevK0", [], usage), Buffer.from("data: [DONE]\n\n")]),
    "text/event-stream; charset=utf-8"
  ],
  "openai-responses": [
    serverSentEvents([
      { type: "response.created", response: { id: "r1", object: "response", status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...message, content: [] } },
      {
        type: "response.output_text.delta",
        output_index: 0,
        item_id: "msg_1",
        content_index: 0,
        delta: "Let me look."
      },
      { type: "response.output_item.done", output_index: 0, item: message },
      { type: "response.output_item.added", output_index: 1, item: { ...functionCall, arguments: "" } },
      { type: "response.function_call_arguments.delta", output_index: 1, item_id: "fc_0", delta: call.arguments },
      { type: "response.output_item.done", output_index: 1, item: functionCall },
      {
        type: "response.completed",
        response: {
          id: "r1",
          object: "response",
          status: "completed",
          output: [message, functionCall],
          usage: { input_tokens: 1, output_tokens: 1 }
        }
      }
    ]),
    "text/event-stream"
  ],
  anthropic: [
    serverSentEvents([
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          usage: { input_tokens: 1 }
        }
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Let me look." } },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "toolu_0", name: call.name, input: {} }
      },
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "input_json_delta", partial_json: call.arguments }
      },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
      { type: "message_stop" }
    ]),
    "text/event-stream"
  ],
  gemini: [
    serverSentEvents([
      { candidates: [{ content: { role: "model", parts: [{ text: "Let me look." }] } }], responseId: "r1" },
      {
        candidates: [
          {
            content: { role: "model", parts: [{ functionCall: { name: call.name, args: input } }] },
            finishReason: "STOP"
          }
        ],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
        responseId: "r1"
      }
    ]),
    "text/event-stream"
  ],
  "bedrock-converse": [
    eventStream([
      ["messageStart", { role: "assistant" }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Let me look." } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["contentBlockStart", { contentBlockIndex: 1, start: { toolUse: { toolUseId: "tooluse_0", name: call.name } } }],
      ["contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: call.arguments } } }],
      ["contentBlockStop", { contentBlockIndex: 1 }],
      ["messageStop", { stopReason: "tool_use" }],
      ["metadata", { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }]
    ]),
    "application/vnd.amazon.eventstream"
  ],
  "cohere-v2": [
    serverSentEvents([
      { type: "message-start", id: "c1", delta: { message: { role: "assistant", content: [], tool_calls: [] } } },
      { type: "tool-plan-delta", delta: { message: { tool_plan: "Let me look." } } },
      {
        type: "tool-call-start",
        index: 0,
        delta: {
          message: {
            tool_calls: { id: "tool_0", type: "function", function: { name: call.name, arguments: "" } }
          }
        }
      },
      {
        type: "tool-call-delta",
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: call.arguments } } } }
      },
      { type: "tool-call-end", index: 0 },
      {
        type: "message-end",
        delta: { finish_reason: "TOOL_CALL", usage: { tokens: { input_tokens: 1, output_tokens: 1 } } }
      }
    ]),
    "text/event-stream"
  ],
  ollama: [
    Buffer.from(
      [
        { model: "m", message: { role: "assistant", content: "Let me look." }, done: false },
        {
          model: "m",
          message: {
            role: "assistant",
            content: "",
            tool_calls: [{ function: { name: call.name, arguments: input } }]
          },
          done: false
        },
        {
          model: "m",
          message: { role: "assistant", content: "" },
          done: true,
          done_reason: "stop",
          prompt_eval_count: 1,
          eval_count: 1
        }
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join("")
    ),
    "application/x-ndjson"
  ]
}

export const bodies: ReadonlyArray<WireBodies> = cases.flatMap(({ format, response }) => {
  const stream = streams[format.name]
  if (stream === undefined) throw new Error(`No stream of ${format.name}`)
  return [{ format, whole: response([call.name], call.arguments), streamed: stream[0], contentType: stream[1] }]
})
