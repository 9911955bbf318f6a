/** A response, a stream and a request of each API, for where there are no recordings. */
import { streamBytes } from "../corpus/streamBytes.js"

export interface Fixture {
  readonly responses: ReadonlyArray<unknown>
  readonly streams: ReadonlyArray<Uint8Array>
  readonly requests: ReadonlyArray<unknown>
}

const bytes = (response: Parameters<typeof streamBytes>[0]): ReadonlyArray<Uint8Array> => {
  const stream = streamBytes(response)
  return stream === undefined ? [] : [stream]
}

const sse = (...events: ReadonlyArray<object>) =>
  bytes({ sse: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") })

const lines = (...events: ReadonlyArray<object>) => events.map((event) => JSON.stringify(event))

const parameters = { type: "object", properties: { status: { type: "string", enum: ["open"] } }, required: ["status"] }
const described = { name: "get_orders", description: "The orders", parameters }
const args = '{"status":"open"}'
const input = { status: "open" }

const chatCall = { id: "call_1", type: "function", function: { name: "get_orders", arguments: args } }
const chat: Fixture = {
  responses: [
    {
      id: "1",
      object: "chat.completion",
      model: "m",
      choices: [
        { index: 0, message: { role: "assistant", content: "A", tool_calls: [chatCall] }, finish_reason: "tool_calls" }
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2 }
    }
  ],
  streams: sse(
    { id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant", content: "A" } }] },
    { id: "1", choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...chatCall }] } }] },
    { id: "1", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], usage: { prompt_tokens: 1 } }
  ),
  requests: [
    {
      model: "m",
      messages: [
        { role: "system", content: "S" },
        { role: "user", content: [{ type: "text", text: "U" }] },
        { role: "assistant", content: null, tool_calls: [chatCall] },
        { role: "tool", tool_call_id: "call_1", content: "[]" }
      ],
      tools: [{ type: "function", function: described }],
      tool_choice: "auto"
    }
  ]
}

const item = { type: "function_call", id: "fc_1", call_id: "call_1", name: "get_orders", arguments: args }
const message = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "A" }] }
const response = { id: "resp_1", object: "response", status: "completed", model: "m", output: [message, item] }
const responses: Fixture = {
  responses: [response],
  streams: sse(
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...message, content: [] } },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "A" },
    { type: "response.output_item.done", output_index: 0, item: message },
    { type: "response.output_item.added", output_index: 1, item: { ...item, arguments: "" } },
    { type: "response.function_call_arguments.delta", output_index: 1, delta: args },
    { type: "response.output_item.done", output_index: 1, item },
    { type: "response.completed", response }
  ),
  requests: [
    {
      model: "m",
      instructions: "S",
      input: [
        { role: "user", content: "U" },
        message,
        item,
        { type: "function_call_output", call_id: "call_1", output: "[]" }
      ],
      tools: [{ type: "function", ...described, strict: false }],
      tool_choice: "auto"
    }
  ]
}

const toolUse = { type: "tool_use", id: "toolu_1", name: "get_orders", input }
const anthropic: Fixture = {
  responses: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "A" }, toolUse],
      stop_reason: "tool_use",
      usage: { input_tokens: 1, output_tokens: 2 }
    }
  ],
  streams: sse(
    { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", content: [] } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "A" } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { ...toolUse, input: {} } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: args } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } },
    { type: "message_stop" }
  ),
  requests: [
    {
      model: "m",
      max_tokens: 9,
      system: "S",
      messages: [
        { role: "user", content: "U" },
        { role: "assistant", content: [{ type: "thinking", thinking: "T", signature: "c2ln" }, toolUse] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: "[]" },
            { type: "text", text: "U" }
          ]
        }
      ],
      tools: [{ name: "get_orders", input_schema: parameters }],
      tool_choice: { type: "auto" }
    }
  ]
}

const functionCall = { functionCall: { name: "get_orders", args: input }, thoughtSignature: "c2ln" }
const candidate = { content: { role: "model", parts: [{ text: "A" }, functionCall] }, finishReason: "STOP" }
const gemini: Fixture = {
  responses: [{ candidates: [candidate], usageMetadata: { promptTokenCount: 1 }, responseId: "r" }],
  streams: sse(
    { candidates: [{ content: { role: "model", parts: [{ text: "A" }] } }] },
    { candidates: [{ content: { role: "model", parts: [functionCall] }, finishReason: "STOP" }], responseId: "r" }
  ),
  requests: [
    {
      systemInstruction: { parts: [{ text: "S" }] },
      contents: [
        { role: "user", parts: [{ text: "U" }] },
        { role: "model", parts: [functionCall] },
        { role: "user", parts: [{ functionResponse: { name: "get_orders", response: { result: [] } } }] }
      ],
      tools: [{ functionDeclarations: [{ name: "get_orders", parameters: { ...parameters, type: "OBJECT" } }] }],
      toolConfig: { functionCallingConfig: { mode: "AUTO" } }
    }
  ]
}

const bedrockUse = { toolUse: { toolUseId: "tooluse_1", name: "get_orders", input } }
const bedrock: Fixture = {
  responses: [
    {
      output: { message: { role: "assistant", content: [{ text: "A" }, bedrockUse] } },
      stopReason: "tool_use",
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
    }
  ],
  streams: bytes({
    lines: lines(
      { messageStart: { role: "assistant" } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "A" } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      {
        contentBlockStart: { contentBlockIndex: 1, start: { toolUse: { toolUseId: "tooluse_1", name: "get_orders" } } }
      },
      { contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input: args } } } },
      { contentBlockStop: { contentBlockIndex: 1 } },
      { messageStop: { stopReason: "tool_use" } },
      { metadata: { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } } }
    )
  }),
  requests: [
    {
      system: [{ text: "S" }],
      messages: [
        { role: "user", content: [{ text: "U" }] },
        { role: "assistant", content: [bedrockUse] },
        {
          role: "user",
          content: [{ toolResult: { toolUseId: "tooluse_1", content: [{ text: "[]" }], status: "success" } }]
        }
      ],
      toolConfig: { tools: [{ toolSpec: { name: "get_orders", inputSchema: { json: parameters } } }] }
    }
  ]
}

const cohere: Fixture = {
  responses: [
    {
      id: "c",
      finish_reason: "TOOL_CALL",
      message: { role: "assistant", tool_plan: "P", tool_calls: [chatCall] },
      usage: {}
    }
  ],
  streams: sse(
    {
      type: "message-start",
      id: "c",
      delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [] } }
    },
    { type: "tool-plan-delta", delta: { message: { tool_plan: "P" } } },
    { type: "tool-call-start", index: 0, delta: { message: { tool_calls: chatCall } } },
    { type: "tool-call-end", index: 0 },
    { type: "message-end", delta: { finish_reason: "TOOL_CALL", usage: {} } }
  ),
  requests: [
    {
      model: "m",
      messages: [
        { role: "user", content: "U" },
        { role: "assistant", tool_calls: [chatCall] },
        { role: "tool", tool_call_id: "call_1", content: [{ type: "document", document: { data: "[]" } }] }
      ],
      tools: [{ type: "function", function: described }]
    }
  ]
}

const ollamaMessage = {
  role: "assistant",
  content: "A",
  tool_calls: [{ function: { name: "get_orders", arguments: input } }]
}
const ollama: Fixture = {
  responses: [{ model: "m", created_at: "t", message: ollamaMessage, done: true, done_reason: "stop", eval_count: 1 }],
  streams: bytes({
    ndjson: lines(
      { model: "m", created_at: "t", message: ollamaMessage, done: false },
      { model: "m", created_at: "t", message: { role: "assistant", content: "" }, done: true, done_reason: "stop" }
    ).join("\n")
  }),
  requests: [
    {
      model: "m",
      messages: [
        { role: "user", content: "U" },
        ollamaMessage,
        { role: "tool", tool_name: "get_orders", content: "[]" }
      ],
      tools: [{ type: "function", function: described }]
    }
  ]
}

/** By the name that the recordings give the format. */
export const fixtures: ReadonlyMap<string, Fixture> = new Map([
  ["openai-chat", chat],
  ["mistral-chat", chat],
  ["openai-responses", responses],
  ["anthropic-messages", anthropic],
  ["gemini-generatecontent", gemini],
  ["bedrock-converse", bedrock],
  ["cohere-v2", cohere],
  ["ollama-chat", ollama]
])
