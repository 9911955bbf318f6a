/**
 * The wire format of OpenAI's Chat Completions API, which Groq, DeepSeek, xAI,
 * OpenRouter, Azure, Hugging Face, vLLM, Ollama and many others speak too, each
 * with deviations of its own; those that are known are read as they are meant.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
import * as Json from "@wield/core/Json"
import { dialect } from "./openai-chat/format.js"
import { makeChat } from "./openai-chat/makeChat.js"
import { isMistralBody } from "./openai-chat/turn.js"
import { makeShape } from "./openai-chat/tools.js"
import { isNotForeign, makeEncodeTools, makeOfferedTools } from "./openai/tools.js"
import type { Conversing, WireFormat } from "./WireFormat.js"

const make = (): WireFormat => {
  const offeredTools = makeOfferedTools()
  return makeChat(dialect, offeredTools, makeEncodeTools(dialect, makeShape(isNotForeign), offeredTools), (body) => {
    if (!Json.isObject(body) || !Array.isArray(body["choices"]) || isMistralBody(body)) return false
    const choice: unknown = body["choices"][0]
    return Json.isObject(choice) && Json.isObject(choice["message"])
  })
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
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * Reads a response body. Never throws; a body that holds no response, the
 * API's own error object included, is a `WireError`.
 *
 * Ids that the server left out are made of the response's id and the call's
 * place: the same each time, and others in every turn. An id that the server
 * repeats is kept. The message is kept verbatim in `native`. The input of a
 * custom tool, which is free text, becomes the arguments `{ input }`.
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
 * import { Effect } from "effect"
 *
 * const message = {
 *   role: "assistant",
 *   tool_calls: [{ id: "call_1", type: "function", function: { name: "now", arguments: "{}" } }]
 * }
 * const turn = Effect.runSync(OpenAiChat.decodeTurn({ choices: [{ message, finish_reason: "tool_calls" }] }))
 * const call = ToolCall.make("call_1", "now", "{}")
 * const outcome = new Outcome.Success(call, "now", [], { hour: 12 }, { hour: 12 }, '{"hour":12}', undefined)
 * assert.deepStrictEqual(OpenAiChat.encodeResults(turn, [outcome]).messages, [
 *   message,
 *   { role: "tool", tool_call_id: "call_1", content: '{"hour":12}' }
 * ])
 * ```
 *
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults

/**
 * Reads a streamed response body (server-sent events). Never throws.
 *
 * A call is complete as soon as its arguments are a whole JSON object, and at
 * the latest when the response says why it ended. The turn at the end is the
 * one that the response gives that does not stream.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { OpenAiChat } from "@wield/providers"
 *
 * const decoder = OpenAiChat.streamDecoder()
 * const chunk = { choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: "stop" }] }
 * const events = decoder.push(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`))
 * assert.deepStrictEqual(events, [{ _tag: "TextDelta", text: "Hello." }])
 * const [finished] = decoder.end()
 * assert.strictEqual(finished?._tag === "Finished" && finished.turn.isComplete, true)
 * ```
 *
 * @category streaming
 */
export const streamDecoder: Conversing["streamDecoder"] = format.streamDecoder

/**
 * Reads a whole request body. Never throws. Each message, with the results of
 * one turn together, and each tool stays beside what it is read as, verbatim.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { OpenAiChat } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const body = { model: "gpt-5", messages: [{ role: "user", content: "What time is it?" }] }
 * const request = Effect.runSync(OpenAiChat.decodeRequest(body))
 * assert.strictEqual(request.messages[0]?._tag, "User")
 * assert.deepStrictEqual(OpenAiChat.encodeRequest(request).body, body)
 * ```
 *
 * @category history
 */
export const decodeRequest: Conversing["decodeRequest"] = format.decodeRequest

/**
 * A request body. What came from a body of this format is put back as it
 * stood; the rest is re-encoded: reasoning and the calls that another provider
 * ran itself are left out, ids are shortened to the 40 characters that OpenAI
 * takes, and each loss is reported.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Content } from "@wield/core"
 * import { OpenAiChat } from "@wield/providers"
 *
 * const { body } = OpenAiChat.encodeRequest({
 *   messages: [{ _tag: "User", content: [Content.text("Hello.")], native: undefined }],
 *   definitions: [],
 *   options: {},
 *   settings: undefined,
 *   losses: []
 * })
 * assert.deepStrictEqual(body, { messages: [{ role: "user", content: "Hello." }] })
 * ```
 *
 * @category history
 */
export const encodeRequest: Conversing["encodeRequest"] = format.encodeRequest

/**
 * What an error response means, by the codes that the API documents and those
 * that compatible servers were seen to send; otherwise by its status.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { OpenAiChat } from "@wield/providers"
 *
 * const error = OpenAiChat.decodeError({
 *   status: 429,
 *   headers: { "retry-after": "2" },
 *   body: { error: { message: "Slow down.", type: "requests", code: "rate_limit_exceeded" } }
 * })
 * assert.strictEqual(error._tag === "RateLimited" && error.retryAfter, 2000)
 * ```
 *
 * @category errors
 */
export const decodeError: Conversing["decodeError"] = format.decodeError
