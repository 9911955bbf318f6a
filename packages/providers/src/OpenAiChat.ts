/**
 * The wire format of OpenAI's Chat Completions API, which Groq, DeepSeek, xAI,
 * OpenRouter, Azure, Hugging Face, vLLM, Ollama and many others speak too, each
 * with deviations of its own; those that are known are read as they are meant.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
import { dialect } from "./openai-chat/format.js"
import { makeChat } from "./openai-chat/makeChat.js"
import { isMistralBody } from "./openai-chat/turn.js"
import { isNotForeign } from "./openai-shared/tools.js"
import { isObject } from "./internal/wireField.js"
import type { WireFormat } from "./internal/contract.js"

/**
 * Chat Completions as a wire format, to be held beside others.
 *
 * What it remembers of the definitions it has encoded is a memo by identity
 * of what is derived from them, and holds none of them back.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolDefinition, Turn } from "@wield/core"
 * import { OpenAiChat } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = OpenAiChat.encodeTools([now], { choice: { _tag: "OneOf", names: ["now"] } })
 * assert.deepStrictEqual(body["tool_choice"], { type: "function", function: { name: "now" } })
 *
 * const tool_calls = [{ id: "call_1", type: "function", function: { name: "now", arguments: "{}" } }]
 * const message = { role: "assistant", tool_calls }
 * const turn = Effect.runSync(OpenAiChat.decodeTurn({ choices: [{ message, finish_reason: "tool_calls" }] }))
 * const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, 12))
 * assert.deepStrictEqual(OpenAiChat.encodeResults(turn, outcomes).messages, [
 *   message,
 *   { role: "tool", tool_call_id: "call_1", content: "12" }
 * ])
 * ```
 *
 * @category formats
 */
export const format: WireFormat = makeChat(dialect, {
  isOwnTool: isNotForeign,
  isFormatOf: (body) => {
    if (!isObject(body) || !Array.isArray(body["choices"]) || isMistralBody(body)) return false
    const choice: unknown = body["choices"][0]
    return isObject(choice) && isObject(choice["message"])
  }
})

/**
 * The part of a request body that offers these tools: `tools`, `tool_choice`
 * and `parallel_tool_calls`. Equal definitions give equal bytes.
 *
 * In strict mode each schema is rewritten to the part of JSON Schema that the
 * API accepts; what that cannot say is a loss, and a tool whose schema has no
 * strict form is sent without. Names that the API refuses are mapped, and
 * mapped back by `decodeTurn`.
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
 * @category streaming
 */
export const streamDecoder: WireFormat["streamDecoder"] = format.streamDecoder

/**
 * Reads a whole request body. Never throws. Each message, with the results of
 * one turn together, and each tool stays beside what it is read as, verbatim.
 *
 * @category decoding
 */
export const decodeRequest: WireFormat["decodeRequest"] = format.decodeRequest

/**
 * A request body. What came from a body of this format is put back as it
 * stood; the rest is re-encoded: reasoning and the calls that another provider
 * ran itself are left out, ids are shortened to the 40 characters that OpenAI
 * takes, and each loss is reported.
 *
 * @category encoding
 */
export const encodeRequest: WireFormat["encodeRequest"] = format.encodeRequest

/**
 * What an error response means, by the codes that the API documents and those
 * that compatible servers were seen to send; otherwise by its status.
 *
 * @category decoding
 */
export const decodeError: WireFormat["decodeError"] = format.decodeError
