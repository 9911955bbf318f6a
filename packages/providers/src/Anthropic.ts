/**
 * The wire format of Anthropic's Messages API, and of the services that speak
 * it (Bedrock's and Vertex AI's Anthropic endpoints).
 */
import * as errors from "./anthropic/errors.js"
import { table } from "./anthropic/format.js"
import * as messages from "./anthropic/messages.js"
import { streamAssembler } from "./anthropic/stream.js"
import * as tools from "./anthropic/tools.js"
import * as turns from "./anthropic/turn.js"
import { serverSentEvents } from "./framing/serverSentEvents.js"
import { describe } from "./internal/format.js"
import * as StreamDecoder from "./StreamDecoder.js"
import type { WireFormat } from "./WireFormat.js"

/**
 * Anthropic's Messages API as a wire format.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Anthropic } from "@wield/providers"
 *
 * assert.strictEqual(Anthropic.format.isFormatOf({ type: "message", role: "assistant", content: [] }), true)
 * ```
 *
 * @category formats
 */
export const format: WireFormat = {
  ...describe(table),
  encodeTools: tools.encodeTools,
  decodeTurn: turns.decodeTurn,
  encodeResults: messages.encodeResults,
  isFormatOf: turns.isFormatOf,
  streamDecoder: (offered) =>
    StreamDecoder.make({
      format: table.name,
      framing: serverSentEvents,
      assembler: streamAssembler(offered)
    }),
  decodeRequest: messages.decodeRequest,
  encodeRequest: messages.encodeRequest,
  decodeError: errors.decodeError
}

/**
 * The `tools` and `tool_choice` of a request.
 *
 * - Examples of a tool's facts become `input_examples`.
 * - `isStrict` sets `strict: true` and restricts each schema to what strict
 *   mode accepts. What is left out of a schema moves into its description and
 *   is a loss. A tool whose schema strict mode cannot say at all (an
 *   open record, a recursive type) is offered without it; that is a loss too.
 * - A property whose name the API refuses is sent under another name, and read
 *   back by `decodeTurn` and `streamDecoder`; that is reported too.
 * - The API can force one tool or any tool. A choice among several is sent as
 *   `any` and reported as a loss: offering fewer tools instead would change
 *   the prefix that Anthropic caches.
 * - `Required` and `OneOf` cannot be combined with extended thinking.
 * - `isCached` puts `cache_control: { type: "ephemeral" }` on the last tool
 *   that is not loaded later, so that all of them are one cached prefix.
 * - A definition that came out of a request of this API is put back as it stood.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolDefinition } from "@wield/core"
 * import { Anthropic } from "@wield/providers"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = Anthropic.encodeTools([now], { choice: { _tag: "Required" } })
 * assert.deepStrictEqual(body, {
 *   tools: [
 *     {
 *       name: "now",
 *       description: "The current time",
 *       input_schema: { type: "object", properties: {}, additionalProperties: false }
 *     }
 *   ],
 *   tool_choice: { type: "any" }
 * })
 * ```
 *
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * A response body as a turn. The content blocks are kept as they were sent
 * (signatures, encrypted reasoning, results of Anthropic's own tools) in
 * `turn.native`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Turn } from "@wield/core"
 * import { Anthropic } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const turn = Anthropic.decodeTurn({
 *   type: "message",
 *   role: "assistant",
 *   content: [{ type: "tool_use", id: "toolu_1", name: "get_orders", input: { status: "open" } }],
 *   stop_reason: "tool_use"
 * }).pipe(Effect.runSync)
 * assert.strictEqual(turn.finish, "calls")
 * assert.deepStrictEqual(Turn.calls(turn), [{ id: "toolu_1", name: "get_orders", arguments: { status: "open" } }])
 * ```
 *
 * @category decoding
 */
export const decodeTurn: WireFormat["decodeTurn"] = format.decodeTurn

/**
 * The assistant's message as it was sent, then one user message with a
 * `tool_result` block for every call that has an outcome, in the order of the
 * calls. Images, PDF and plain-text files are carried; an error carries text
 * only, as the API demands.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, Turn } from "@wield/core"
 * import { Anthropic } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const content = [{ type: "tool_use", id: "toolu_1", name: "now", input: {} }]
 * const turn = Effect.runSync(Anthropic.decodeTurn({ type: "message", content, stop_reason: "tool_use" }))
 * const outcomes = Turn.calls(turn).map((call) => new Outcome.Denied(call, "now", [], "not today"))
 * const { messages } = Anthropic.encodeResults(turn, outcomes)
 * assert.deepStrictEqual(messages, [
 *   { role: "assistant", content },
 *   {
 *     role: "user",
 *     content: [
 *       {
 *         type: "tool_result",
 *         tool_use_id: "toolu_1",
 *         content: "The call of now was denied and not run: not today",
 *         is_error: true
 *       }
 *     ]
 *   }
 * ])
 * ```
 *
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults

/**
 * Reads a streamed response body (server-sent events).
 *
 * - A call is complete when its block ends. One that ends without arguments,
 *   or with text that is no JSON, waits for what comes next, since the token
 *   limit may have cut it off: such a call is in no turn.
 * - Arguments that fine-grained tool streaming leaves invalid are given as
 *   text, and sent back as the API asks for it (`INVALID_JSON`).
 * - Tools that Anthropic runs itself have no events of calls; they are in the turn.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Anthropic } from "@wield/providers"
 *
 * const events = [
 *   { type: "message_start", message: { id: "msg_1", role: "assistant", content: [] } },
 *   { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_1", name: "now", input: {} } },
 *   { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{\"zone\":" } },
 *   { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "\"UTC\"}" } },
 *   { type: "content_block_stop", index: 0 }
 * ]
 * const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
 *
 * const decoder = Anthropic.streamDecoder()
 * const last = decoder.push(new TextEncoder().encode(body)).at(-1)
 * assert.strictEqual(last?._tag, "CallComplete")
 * assert.deepStrictEqual(last.part.call, { id: "toolu_1", name: "now", arguments: { zone: "UTC" } })
 * ```
 *
 * @category streaming
 */
export const streamDecoder: WireFormat["streamDecoder"] = format.streamDecoder

/**
 * A request body in Wield's words. What has none (cache marks, files that lie
 * with Anthropic, results of its own tools) is kept for this API, and reported
 * as a loss.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Anthropic } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const request = Anthropic.decodeRequest({
 *   model: "claude-sonnet-4-5",
 *   max_tokens: 1024,
 *   system: "Be brief.",
 *   messages: [{ role: "user", content: "What time is it?" }]
 * }).pipe(Effect.runSync)
 * assert.deepStrictEqual(request.messages.map((message) => message._tag), ["System", "User"])
 * assert.deepStrictEqual(request.settings?.json, { model: "claude-sonnet-4-5", max_tokens: 1024 })
 * ```
 *
 * @category decoding
 */
export const decodeRequest: WireFormat["decodeRequest"] = format.decodeRequest

/**
 * A request body. What came from a body of this API is put back as it stood;
 * what came from another is re-encoded:
 *
 * - instructions become `system`, wherever they stand;
 * - reasoning and calls that another provider ran itself are left out;
 * - results and what the user says after them are one message;
 * - ids are mapped to what the API accepts, for a call and its result alike.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Anthropic } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const body = {
 *   model: "claude-sonnet-4-5",
 *   max_tokens: 1024,
 *   messages: [{ role: "user", content: [{ type: "text", text: "What time is it?" }] }]
 * }
 * const request = Effect.runSync(Anthropic.decodeRequest(body))
 * assert.deepStrictEqual(Anthropic.encodeRequest(request).body, body)
 * ```
 *
 * @category encoding
 */
export const encodeRequest: WireFormat["encodeRequest"] = format.encodeRequest

/**
 * What an error response means, by its type and, for context overflow, used up
 * credit and filtered content, by its words.
 *
 * @see https://platform.claude.com/docs/en/api/errors
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Anthropic, ApiError } from "@wield/providers"
 *
 * const error = Anthropic.decodeError({
 *   status: 529,
 *   body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
 * })
 * assert.strictEqual(error._tag, "ProviderUnavailable")
 * assert.strictEqual(ApiError.isRetryable(error), true)
 * ```
 *
 * @category decoding
 */
export const decodeError: WireFormat["decodeError"] = format.decodeError
