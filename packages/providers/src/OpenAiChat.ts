/**
 * The wire format of OpenAI's Chat Completions API, which Groq, DeepSeek, xAI,
 * OpenRouter, Azure, Hugging Face, vLLM, Ollama and many others speak too, each
 * with deviations of its own; those that are known are read as they are meant.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 *
 * @since 0.1.0
 */
import { Json } from "@wield/core"
import { encodeResults as encode } from "./openai-chat/encodeResults.js"
import { makeDecodeTurn } from "./openai-chat/decodeTurn.js"
import { shape } from "./openai-chat/encodeTools.js"
import { name } from "./openai-chat/name.js"
import { makeEncodeTools } from "./openai/encodeTools.js"
import { makeOfferedTools } from "./openai/offeredTools.js"
import type { WireFormat } from "./WireFormat.js"

const make = (): WireFormat => {
  const offeredTools = makeOfferedTools()
  return {
    name,
    encodeTools: makeEncodeTools(shape, offeredTools),
    decodeTurn: makeDecodeTurn(offeredTools),
    encodeResults: encode,
    isFormatOf: (body) => {
      if (!Json.isObject(body) || !Array.isArray(body["choices"])) return false
      const choice: unknown = body["choices"][0]
      return Json.isObject(choice) && Json.isObject(choice["message"])
    }
  }
}

/**
 * Chat Completions as a wire format, to be held beside others.
 *
 * What it remembers of the definitions it has encoded is a memo by identity
 * of what is derived from them, and holds none of them back.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { OpenAiChat } from "@wield/providers"
 *
 * const body = { choices: [{ message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }] }
 * assert.strictEqual(OpenAiChat.format.isFormatOf(body), true)
 * ```
 *
 * @since 0.1.0
 * @category format
 */
export const format: WireFormat = make()

/**
 * The part of a request body that offers these tools: `tools`, `tool_choice`
 * and `parallel_tool_calls`. Equal definitions give equal bytes.
 *
 * In strict mode each schema is rewritten to the part of JSON Schema that the
 * API accepts; what that cannot say is a loss, and a tool whose schema has no
 * strict form is sent without. Names that the API refuses are mapped, and
 * mapped back by `decodeTurn`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolDefinition } from "@wield/core"
 * import { OpenAiChat } from "@wield/providers"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = OpenAiChat.encodeTools([now], { choice: { _tag: "OneOf", names: ["now"] } })
 * assert.deepStrictEqual(body, {
 *   tools: [
 *     {
 *       type: "function",
 *       function: {
 *         name: "now",
 *         description: "The current time",
 *         parameters: { type: "object", properties: {}, additionalProperties: false }
 *       }
 *     }
 *   ],
 *   tool_choice: { type: "function", function: { name: "now" } }
 * })
 * ```
 *
 * @since 0.1.0
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * Reads a response body. Never throws; a body that holds no response, the
 * API's own error object included, is a `WireError`.
 *
 * Ids that the server left out are made, the same for the same body. The
 * message is kept verbatim in `native`. The input of a custom tool, which is
 * free text, becomes the arguments `{ input }`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Turn } from "@wield/core"
 * import { OpenAiChat } from "@wield/providers"
 * import { Either } from "effect"
 *
 * const turn = OpenAiChat.decodeTurn({
 *   choices: [
 *     {
 *       message: {
 *         role: "assistant",
 *         content: null,
 *         tool_calls: [{ id: "call_1", type: "function", function: { name: "now", arguments: "{}" } }]
 *       },
 *       finish_reason: "tool_calls"
 *     }
 *   ]
 * })
 * assert.deepStrictEqual(Either.map(turn, Turn.calls), Either.right([{ id: "call_1", name: "now", arguments: "{}" }]))
 * ```
 *
 * @since 0.1.0
 * @category decoding
 */
export const decodeTurn: WireFormat["decodeTurn"] = format.decodeTurn

/**
 * The turn's own message and one message per result, to append to the
 * request's `messages`.
 *
 * Results of this API are text without an error flag. A JSON value is its JSON
 * text, a string is sent as it is; a typed failure is `{"error": …}`, any other
 * error begins with `Error: `. Images and files are reported as losses.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolCall } from "@wield/core"
 * import { OpenAiChat } from "@wield/providers"
 * import { Either } from "effect"
 *
 * const message = {
 *   role: "assistant",
 *   tool_calls: [{ id: "call_1", type: "function", function: { name: "now", arguments: "{}" } }]
 * }
 * const turn = Either.getOrThrow(OpenAiChat.decodeTurn({ choices: [{ message, finish_reason: "tool_calls" }] }))
 * const call = ToolCall.make("call_1", "now", "{}")
 * const outcome = new Outcome.Success(call, "now", [], { hour: 12 }, { hour: 12 }, '{"hour":12}', undefined)
 * assert.deepStrictEqual(OpenAiChat.encodeResults(turn, [outcome]).messages, [
 *   message,
 *   { role: "tool", tool_call_id: "call_1", content: '{"hour":12}' }
 * ])
 * ```
 *
 * @since 0.1.0
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults
