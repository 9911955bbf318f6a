/**
 * The wire format of Cohere's Chat API, version 2.
 *
 * @see https://docs.cohere.com/reference/chat
 */
import * as errors from "./cohere-v2/errors.js"
import { table } from "./cohere-v2/format.js"
import * as messages from "./cohere-v2/messages.js"
import * as streams from "./cohere-v2/stream.js"
import * as tools from "./cohere-v2/tools.js"
import * as turns from "./cohere-v2/turn.js"
import { serverSentEvents } from "./framing/serverSentEvents.js"
import { makeFormat } from "./internal/format.js"
import type { WireFormat } from "./internal/contract.js"

/**
 * Cohere's Chat API as a wire format.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolDefinition, Turn } from "@wield/core"
 * import { CohereV2 } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = CohereV2.encodeTools([now], { choice: { _tag: "Required" } })
 * assert.strictEqual(body["tool_choice"], "REQUIRED")
 *
 * const tool_calls = [{ id: "now_1", type: "function", function: { name: "now", arguments: "{}" } }]
 * const message = { role: "assistant", tool_calls }
 * const turn = Effect.runSync(CohereV2.decodeTurn({ message, finish_reason: "TOOL_CALL" }))
 * const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, 12))
 * assert.deepStrictEqual(CohereV2.encodeResults(turn, outcomes).messages, [
 *   message,
 *   { role: "tool", tool_call_id: "now_1", content: "12" }
 * ])
 * ```
 *
 * @category formats
 */
export const format: WireFormat = makeFormat(table, serverSentEvents, { tools, turns, streams, messages, errors })

/**
 * The `tools`, `tool_choice` and `strict_tools` of a request. The API can
 * demand a call or forbid calls, but not name a tool: a choice among some is
 * sent as `REQUIRED` and reported as a loss. `isStrict` writes schemas in the
 * words that `strict_tools` enforces and tells the rest in the description,
 * with a loss.
 *
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * A response body as a turn. The plan that Cohere's models make before they
 * call tools is reasoning; citations stay in `turn.native`.
 *
 * @category decoding
 */
export const decodeTurn: WireFormat["decodeTurn"] = format.decodeTurn

/**
 * The model's message as it was sent, then one message of the role `tool` for
 * every call that has an outcome. An object is a document, which the model can
 * cite, and so is each item of a list of objects; anything else is text. There
 * is no flag for errors: their text says so.
 *
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults

/**
 * Reads the server-sent events of a streamed response. A call is complete at
 * its `tool-call-end`.
 *
 * @category streaming
 */
export const streamDecoder: WireFormat["streamDecoder"] = format.streamDecoder

/**
 * A request body in Wield's words.
 *
 * @category decoding
 */
export const decodeRequest: WireFormat["decodeRequest"] = format.decodeRequest

/**
 * A request body. What came from a body of this format is put back verbatim;
 * what came from another is re-encoded.
 *
 * @category encoding
 */
export const encodeRequest: WireFormat["encodeRequest"] = format.encodeRequest

/**
 * What an error response means, by its status and its words: Cohere sends no
 * codes.
 *
 * @category decoding
 */
export const decodeError: WireFormat["decodeError"] = format.decodeError
