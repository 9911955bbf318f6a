/**
 * The wire format of Anthropic's Messages API, and of the services that speak
 * it (Bedrock's and Vertex AI's Anthropic endpoints).
 */
import * as errors from "./anthropic/errors.js"
import { table } from "./anthropic/format.js"
import * as messages from "./anthropic/messages.js"
import * as streams from "./anthropic/stream.js"
import * as tools from "./anthropic/tools.js"
import * as turns from "./anthropic/turn.js"
import { serverSentEvents } from "./framing/serverSentEvents.js"
import { makeFormat } from "./internal/format.js"
import type { WireFormat } from "./internal/contract.js"

/**
 * Anthropic's Messages API as a wire format.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolDefinition, Turn } from "@wield/core"
 * import { Anthropic } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = Anthropic.encodeTools([now], { choice: { _tag: "Required" } })
 * assert.deepStrictEqual(body["tool_choice"], { type: "any" })
 *
 * const content = [{ type: "tool_use", id: "toolu_1", name: "now", input: {} }]
 * const turn = Effect.runSync(Anthropic.decodeTurn({ type: "message", content, stop_reason: "tool_use" }))
 * const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, 12))
 * assert.deepStrictEqual(Anthropic.encodeResults(turn, outcomes).messages, [
 *   { role: "assistant", content },
 *   { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "12" }] }
 * ])
 * ```
 *
 * @category formats
 */
export const format: WireFormat = makeFormat(table, serverSentEvents, { tools, turns, streams, messages, errors })

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
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * A response body as a turn. The content blocks are kept as they were sent
 * (signatures, encrypted reasoning, results of Anthropic's own tools) in
 * `turn.native`.
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
 * @category streaming
 */
export const streamDecoder: WireFormat["streamDecoder"] = format.streamDecoder

/**
 * A request body in Wield's words. What has none (cache marks, files that lie
 * with Anthropic, results of its own tools) is kept for this API, and reported
 * as a loss.
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
 * @category encoding
 */
export const encodeRequest: WireFormat["encodeRequest"] = format.encodeRequest

/**
 * What an error response means, by its type and, for context overflow, used up
 * credit and filtered content, by its words.
 *
 * @see https://platform.claude.com/docs/en/api/errors
 *
 * @category decoding
 */
export const decodeError: WireFormat["decodeError"] = format.decodeError
