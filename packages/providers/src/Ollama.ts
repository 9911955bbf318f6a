/**
 * The wire format of Ollama's own chat API (`/api/chat`). Its OpenAI-compatible
 * endpoint speaks `OpenAiChat`.
 *
 * @see https://docs.ollama.com/api/chat
 */
import * as errors from "./ollama/errors.js"
import { table } from "./ollama/format.js"
import * as messages from "./ollama/messages.js"
import * as streams from "./ollama/stream.js"
import * as tools from "./ollama/tools.js"
import * as turns from "./ollama/turn.js"
import { makeFormat } from "./internal/format.js"
import type { WireFormat } from "./internal/contract.js"

/**
 * Ollama's chat API as a wire format.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolDefinition, Turn } from "@wield/core"
 * import { Ollama } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * assert.ok("tools" in Ollama.encodeTools([now]).body)
 *
 * const message = { role: "assistant", content: "", tool_calls: [{ function: { name: "now", arguments: {} } }] }
 * const turn = Effect.runSync(Ollama.decodeTurn({ message, done: true, done_reason: "stop" }))
 * const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, 12))
 * assert.deepStrictEqual(Ollama.encodeResults(turn, outcomes).messages, [
 *   message,
 *   { role: "tool", tool_name: "now", content: "12" }
 * ])
 * ```
 *
 * @category formats
 */
export const format: WireFormat = makeFormat(table, streams.jsonLines, { tools, turns, streams, messages, errors })

/**
 * The `tools` of a request. Ollama has no options for them: `None` leaves the
 * tools out, other demands are reported as losses, and so is every keyword of
 * a schema that its server does not show to the model.
 *
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * A response body as a turn. Where Ollama sends a call without an id, the call
 * gets one that is made of the response's time and the call's position.
 *
 * @category decoding
 */
export const decodeTurn: WireFormat["decodeTurn"] = format.decodeTurn

/**
 * The model's message as it was sent, then one message of the role `tool` for
 * every call that has an outcome, in the order of the calls. Results are text
 * without an error flag: an error begins with `Error: `, a typed failure is
 * `{"error": …}`.
 *
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults

/**
 * Reads the lines of a streamed response. Calls come whole: each is started,
 * gets its arguments and is complete at once.
 *
 * @category streaming
 */
export const streamDecoder: WireFormat["streamDecoder"] = format.streamDecoder

/**
 * A request body in Wield's words. Results are paired with the calls before
 * them by tool and order, where they state no id.
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
 * What an error response means, by its status and its words: Ollama sends no
 * codes.
 *
 * @category decoding
 */
export const decodeError: WireFormat["decodeError"] = format.decodeError
