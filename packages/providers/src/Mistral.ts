/**
 * The wire format of Mistral's chat completions. It is OpenAI's with
 * differences: content in chunks with reasoning and references, ids of nine
 * letters and digits, `any` for a call that is demanded, the tool's name in
 * each result, and a strict order of roles.
 *
 * @see https://docs.mistral.ai/api
 */
import * as Json from "@wield/core/Json"
import { dialect } from "./mistral/format.js"
import { isMistralBody } from "./openai-chat/turn.js"
import { makeChat } from "./openai-chat/makeChat.js"
import { makeShape } from "./openai-chat/tools.js"
import { makeEncodeTools, makeOfferedTools } from "./openai/tools.js"
import type { Conversing, WireFormat } from "./WireFormat.js"

const make = (): WireFormat => {
  const offeredTools = makeOfferedTools()
  const shape = makeShape((id) => id.startsWith("mistral."))
  const encode = makeEncodeTools(dialect, shape, offeredTools)
  return makeChat(dialect, offeredTools, encode, (body) => Json.isObject(body) && isMistralBody(body))
}

/**
 * Mistral's chat completions as a wire format, to be held beside others.
 *
 * `isFormatOf` tells Mistral's responses from OpenAI's by their ids and models,
 * and by what only Mistral sends.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Mistral } from "@wield/providers"
 *
 * const message = { role: "assistant", content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] }
 * assert.strictEqual(Mistral.format.isFormatOf({ choices: [{ message, finish_reason: "stop" }] }), true)
 * ```
 *
 * @category format
 */
export const format: WireFormat = make()

/**
 * The part of a request body that offers these tools. A call that is demanded
 * is `any`; where one of several is demanded, any is, and that is a loss.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolDefinition } from "@wield/core"
 * import { Mistral } from "@wield/providers"
 *
 * const now = ToolDefinition.make({ name: "now" })
 * const { body } = Mistral.encodeTools([now], { choice: { _tag: "Required" } })
 * assert.strictEqual(body["tool_choice"], "any")
 * ```
 *
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * Reads a response body. Never throws. The chunks of reasoning become
 * reasoning parts; references stay in the native message.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Turn } from "@wield/core"
 * import { Mistral } from "@wield/providers"
 * import { Either } from "effect"
 *
 * const tool_calls = [{ id: "D681PevKs", function: { name: "now", arguments: "{}" } }]
 * const turn = Mistral.decodeTurn({ choices: [{ message: { role: "assistant", content: "", tool_calls } }] })
 * assert.deepStrictEqual(Either.map(turn, Turn.calls), Either.right([{ id: "D681PevKs", name: "now", arguments: "{}" }]))
 * ```
 *
 * @category decoding
 */
export const decodeTurn: WireFormat["decodeTurn"] = format.decodeTurn

/**
 * The turn's own message and one message per result, which names its tool.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, Turn } from "@wield/core"
 * import { Mistral } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const tool_calls = [{ id: "D681PevKs", function: { name: "now", arguments: "{}" } }]
 * const message = { role: "assistant", content: "", tool_calls }
 * const turn = Effect.runSync(Mistral.decodeTurn({ choices: [{ message, finish_reason: "tool_calls" }] }))
 * const outcomes = Turn.calls(turn).map((call) => new Outcome.Success(call, "now", [], 12, 12, "12", undefined))
 * assert.deepStrictEqual(Mistral.encodeResults(turn, outcomes).messages, [
 *   message,
 *   { role: "tool", tool_call_id: "D681PevKs", name: "now", content: "12" }
 * ])
 * ```
 *
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults

/**
 * Reads a streamed response body (server-sent events). Never throws. Chunks of
 * one kind that follow each other become one, as in the response that does not
 * stream.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Mistral } from "@wield/providers"
 *
 * const decoder = Mistral.streamDecoder()
 * const delta = { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] }
 * const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
 * assert.deepStrictEqual(decoder.push(new TextEncoder().encode(chunk)), [{ _tag: "ReasoningDelta", text: "Hm." }])
 * ```
 *
 * @category streaming
 */
export const streamDecoder: Conversing["streamDecoder"] = format.streamDecoder

/**
 * Reads a whole request body. Never throws.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Mistral } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const body = { model: "mistral-large-latest", messages: [{ role: "user", content: "Hello." }] }
 * const request = Effect.runSync(Mistral.decodeRequest(body))
 * assert.deepStrictEqual(Mistral.encodeRequest(request).body, body)
 * ```
 *
 * @category history
 */
export const decodeRequest: Conversing["decodeRequest"] = format.decodeRequest

/**
 * A request body. What is re-encoded has ids that Mistral accepts, the same for
 * a call and its result, and an assistant's message between a result and what
 * the user says next, which Mistral demands; each such change is reported.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Content } from "@wield/core"
 * import { Mistral } from "@wield/providers"
 *
 * const { body } = Mistral.encodeRequest({
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
 * What an error response means.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Mistral } from "@wield/providers"
 *
 * const body = { object: "error", message: "Rate limit exceeded", type: "rate_limited", param: null, code: "1300" }
 * assert.strictEqual(Mistral.decodeError({ status: 429, body })._tag, "RateLimited")
 * ```
 *
 * @category errors
 */
export const decodeError: Conversing["decodeError"] = format.decodeError
