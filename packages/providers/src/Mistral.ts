/**
 * The wire format of Mistral's chat completions. It is OpenAI's with
 * differences: content in chunks with reasoning and references, ids of nine
 * letters and digits, `any` for a call that is demanded, the tool's name in
 * each result, and a strict order of roles.
 *
 * @see https://docs.mistral.ai/api
 */
import { dialect } from "./mistral/format.js"
import { isMistralBody } from "./openai-chat/turn.js"
import { makeChat } from "./openai-chat/makeChat.js"
import { isObject } from "./internal/wireField.js"
import type { WireFormat } from "./internal/contract.js"

/**
 * Mistral's chat completions as a wire format, to be held beside others.
 *
 * `isFormatOf` tells Mistral's responses from OpenAI's by their ids and models,
 * and by what only Mistral sends.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolDefinition, Turn } from "@wield/core"
 * import { Mistral } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = Mistral.encodeTools([now], { choice: { _tag: "Required" } })
 * assert.strictEqual(body["tool_choice"], "any")
 *
 * const tool_calls = [{ id: "D681PevKs", function: { name: "now", arguments: "{}" } }]
 * const message = { role: "assistant", content: "", tool_calls }
 * const turn = Effect.runSync(Mistral.decodeTurn({ choices: [{ message, finish_reason: "tool_calls" }] }))
 * const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, 12))
 * assert.deepStrictEqual(Mistral.encodeResults(turn, outcomes).messages, [
 *   message,
 *   { role: "tool", tool_call_id: "D681PevKs", name: "now", content: "12" }
 * ])
 * ```
 *
 * @category formats
 */
export const format: WireFormat = makeChat(dialect, {
  isOwnTool: (id) => id.startsWith("mistral."),
  isFormatOf: (body) => isObject(body) && isMistralBody(body)
})

/**
 * The part of a request body that offers these tools. A call that is demanded
 * is `any`; where one of several is demanded, any is, and that is a loss.
 *
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * Reads a response body. Never throws. The chunks of reasoning become
 * reasoning parts; references stay in the native message.
 *
 * @category decoding
 */
export const decodeTurn: WireFormat["decodeTurn"] = format.decodeTurn

/**
 * The turn's own message and one message per result, which names its tool.
 *
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults

/**
 * Reads a streamed response body (server-sent events). Never throws. Chunks of
 * one kind that follow each other become one, as in the response that does not
 * stream.
 *
 * @category streaming
 */
export const streamDecoder: WireFormat["streamDecoder"] = format.streamDecoder

/**
 * Reads a whole request body. Never throws.
 *
 * @category decoding
 */
export const decodeRequest: WireFormat["decodeRequest"] = format.decodeRequest

/**
 * A request body. What is re-encoded has ids that Mistral accepts, the same for
 * a call and its result.
 *
 * @category encoding
 */
export const encodeRequest: WireFormat["encodeRequest"] = format.encodeRequest

/**
 * What an error response means.
 *
 * @category decoding
 */
export const decodeError: WireFormat["decodeError"] = format.decodeError
