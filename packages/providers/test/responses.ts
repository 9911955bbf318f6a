/** Every format, and a response as its API documents it. */
import * as Anthropic from "../src/Anthropic.js"
import * as BedrockConverse from "../src/BedrockConverse.js"
import * as CohereV2 from "../src/CohereV2.js"
import * as Gemini from "../src/Gemini.js"
import * as Mistral from "../src/Mistral.js"
import * as Ollama from "../src/Ollama.js"
import * as OpenAiChat from "../src/OpenAiChat.js"
import * as OpenAiResponses from "../src/OpenAiResponses.js"
import type { WireFormat } from "../src/WireFormat.js"

export interface Case {
  readonly format: WireFormat
  /** A response as the API documents it: text, and calls of these tools with these arguments (JSON text). */
  readonly response: (names: ReadonlyArray<string>, input?: string) => object
}

export const cases: ReadonlyArray<Case> = [
  {
    format: OpenAiChat.format,
    response: (names, input = "{}") => ({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "gpt-5",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "Let me look.",
            tool_calls: names.map((name, index) => ({
              id: `call_${index}`,
              type: "function",
              function: { name, arguments: input }
            }))
          },
          finish_reason: "tool_calls"
        }
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1 }
    })
  },
  {
    format: Mistral.format,
    response: (names, input = "{}") => ({
      id: "cmpl-1",
      object: "chat.completion",
      created: 1,
      model: "mistral-large-latest",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "Let me look.",
            tool_calls: names.map((name, index) => ({
              id: `D681PevK${index}`,
              function: { name, arguments: input },
              index
            }))
          },
          finish_reason: "tool_calls"
        }
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1 }
    })
  },
  {
    format: OpenAiResponses.format,
    response: (names, input = "{}") => ({
      id: "resp_1",
      object: "response",
      status: "completed",
      model: "gpt-5",
      output: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Let me look.", annotations: [] }]
        },
        ...names.map((name, index) => ({
          type: "function_call",
          id: `fc_${index}`,
          call_id: `call_${index}`,
          name,
          arguments: input,
          status: "completed"
        }))
      ],
      usage: { input_tokens: 1, output_tokens: 1 }
    })
  },
  {
    format: BedrockConverse.format,
    response: (names, input = "{}") => ({
      output: {
        message: {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "…", signature: "c2ln" } } },
            { text: "Let me look." },
            ...names.map((name, index) => ({
              toolUse: { toolUseId: `tooluse_${index}`, name, input: JSON.parse(input) as unknown }
            }))
          ]
        }
      },
      stopReason: "tool_use",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    })
  },
  {
    format: CohereV2.format,
    response: (names, input = "{}") => ({
      id: "c1",
      message: {
        role: "assistant",
        tool_plan: "Let me look.",
        tool_calls: names.map((name, index) => ({
          id: `tool_${index}`,
          type: "function",
          function: { name, arguments: input }
        }))
      },
      finish_reason: "TOOL_CALL",
      usage: { tokens: { input_tokens: 1, output_tokens: 1 } }
    })
  },
  {
    format: Ollama.format,
    response: (names, input = "{}") => ({
      model: "qwen3",
      created_at: "2025-11-01T10:00:00Z",
      message: {
        role: "assistant",
        content: "Let me look.",
        tool_calls: names.map((name) => ({ function: { name, arguments: JSON.parse(input) as unknown } }))
      },
      done: true,
      done_reason: "stop"
    })
  },
  {
    format: Anthropic.format,
    response: (names, input = "{}") => ({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [
        { type: "thinking", thinking: "…", signature: "c2ln" },
        { type: "text", text: "Let me look." },
        ...names.map((name, index) => ({
          type: "tool_use",
          id: `toolu_${index}`,
          name,
          input: JSON.parse(input) as unknown
        }))
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 1, output_tokens: 1 }
    })
  },
  {
    format: Gemini.format,
    response: (names, input = "{}") => ({
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              { text: "Let me look.", thoughtSignature: "c2ln" },
              // Of calls in parallel, Gemini 3 signs the first.
              ...names.map((name, index) => ({
                functionCall: { name, args: JSON.parse(input) as unknown },
                ...(index === 0 ? { thoughtSignature: "c2ln" } : {})
              }))
            ]
          },
          finishReason: "STOP"
        }
      ],
      usageMetadata: { promptTokenCount: 1 },
      modelVersion: "gemini-3-flash-preview",
      responseId: "r1"
    })
  }
]
