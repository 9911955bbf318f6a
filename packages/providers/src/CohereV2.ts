/**
 * The wire format of Cohere's Chat API, version 2.
 *
 * @see https://docs.cohere.com/reference/chat
 */
import * as errors from "./cohere-v2/errors.js"
import { table } from "./cohere-v2/format.js"
import * as messages from "./cohere-v2/messages.js"
import { streamAssembler } from "./cohere-v2/stream.js"
import * as tools from "./cohere-v2/tools.js"
import * as turns from "./cohere-v2/turn.js"
import { serverSentEvents } from "./framing/serverSentEvents.js"
import { describe } from "./internal/format.js"
import * as StreamDecoder from "./StreamDecoder.js"
import type { WireFormat } from "./WireFormat.js"

/**
 * Cohere's Chat API as a wire format.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CohereV2 } from "@wield/providers"
 *
 * assert.strictEqual(CohereV2.format.isFormatOf({ message: { role: "assistant" }, finish_reason: "COMPLETE" }), true)
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
 * The `tools`, `tool_choice` and `strict_tools` of a request. The API can
 * demand a call or forbid calls, but not name a tool: a choice among some is
 * sent as `REQUIRED` and reported as a loss. `isStrict` writes schemas in the
 * words that `strict_tools` enforces and tells the rest in the description,
 * with a loss.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolDefinition } from "@wield/core"
 * import { CohereV2 } from "@wield/providers"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = CohereV2.encodeTools([now], { choice: { _tag: "Required" }, isStrict: true })
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
 *   tool_choice: "REQUIRED",
 *   strict_tools: true
 * })
 * ```
 *
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * A response body as a turn. The plan that Cohere's models make before they
 * call tools is reasoning; citations stay in `turn.native`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CohereV2 } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const turn = CohereV2.decodeTurn({
 *   id: "c1",
 *   message: {
 *     role: "assistant",
 *     tool_plan: "I will look at the clock.",
 *     tool_calls: [{ id: "now_1", type: "function", function: { name: "now", arguments: "{}" } }]
 *   },
 *   finish_reason: "TOOL_CALL"
 * }).pipe(Effect.runSync)
 * assert.strictEqual(turn.finish, "calls")
 * assert.deepStrictEqual(turn.parts.map((part) => part._tag), ["Reasoning", "Call"])
 * ```
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
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, Turn } from "@wield/core"
 * import { CohereV2 } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const message = {
 *   role: "assistant",
 *   tool_calls: [{ id: "now_1", type: "function", function: { name: "now", arguments: "{}" } }]
 * }
 * const turn = Effect.runSync(CohereV2.decodeTurn({ message, finish_reason: "TOOL_CALL" }))
 * const outcomes = Turn.calls(turn).map(
 *   (call) => new Outcome.Success(call, "now", [], { hour: 12 }, { hour: 12 }, '{"hour":12}', undefined)
 * )
 * assert.deepStrictEqual(CohereV2.encodeResults(turn, outcomes).messages, [
 *   message,
 *   { role: "tool", tool_call_id: "now_1", content: [{ type: "document", document: { data: { hour: 12 } } }] }
 * ])
 * ```
 *
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults

/**
 * Reads the server-sent events of a streamed response. A call is complete at
 * its `tool-call-end`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CohereV2 } from "@wield/providers"
 *
 * const decoder = CohereV2.streamDecoder()
 * const events = decoder.push(
 *   new TextEncoder().encode(
 *     'data: {"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Hello"}}}}\n\n'
 *   )
 * )
 * assert.deepStrictEqual(events, [{ _tag: "TextDelta", text: "Hello" }])
 * ```
 *
 * @category streaming
 */
export const streamDecoder: WireFormat["streamDecoder"] = format.streamDecoder

/**
 * A request body in Wield's words.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CohereV2 } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const body = { model: "command-a-03-2025", messages: [{ role: "user", content: "What time is it?" }] }
 * const request = Effect.runSync(CohereV2.decodeRequest(body))
 * assert.deepStrictEqual(request.settings?.json, { model: "command-a-03-2025" })
 * assert.deepStrictEqual(CohereV2.encodeRequest(request).body, body)
 * ```
 *
 * @category decoding
 */
export const decodeRequest: WireFormat["decodeRequest"] = format.decodeRequest

/**
 * A request body. What came from a body of this format is put back verbatim;
 * what came from another is re-encoded.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Content } from "@wield/core"
 * import { CohereV2 } from "@wield/providers"
 *
 * const { body } = CohereV2.encodeRequest({
 *   messages: [{ _tag: "User", content: [Content.text("What time is it?")], native: undefined }],
 *   definitions: [],
 *   options: {},
 *   settings: undefined,
 *   losses: []
 * })
 * assert.deepStrictEqual(body, { messages: [{ role: "user", content: "What time is it?" }] })
 * ```
 *
 * @category encoding
 */
export const encodeRequest: WireFormat["encodeRequest"] = format.encodeRequest

/**
 * What an error response means, by its status and its words: Cohere sends no
 * codes.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CohereV2 } from "@wield/providers"
 *
 * const error = CohereV2.decodeError({ status: 400, body: { message: "too many tokens: size limit exceeded" } })
 * assert.strictEqual(error._tag, "ContextOverflow")
 * ```
 *
 * @category decoding
 */
export const decodeError: WireFormat["decodeError"] = format.decodeError
