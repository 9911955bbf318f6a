/**
 * The wire format of Amazon Bedrock's Converse API, one for the models of
 * Anthropic, Amazon (Nova), Meta, Mistral and others on Bedrock. Streams are
 * ConverseStream's, in AWS's binary event stream framing.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import * as errors from "./bedrock-converse/errors.js"
import { regionUrl as urlOf, table } from "./bedrock-converse/format.js"
import * as messages from "./bedrock-converse/messages.js"
import * as streams from "./bedrock-converse/stream.js"
import * as tools from "./bedrock-converse/tools.js"
import * as turns from "./bedrock-converse/turn.js"
import { awsEventStream } from "./framing/awsEventStream.js"
import { makeFormat } from "./internal/format.js"
import type { WireFormat } from "./internal/contract.js"

/**
 * Bedrock's Converse API as a wire format.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolDefinition, Turn } from "@wield/core"
 * import { BedrockConverse } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = BedrockConverse.encodeTools([now])
 * assert.ok("toolConfig" in body)
 *
 * const content = [{ toolUse: { toolUseId: "tooluse_1", name: "now", input: {} } }]
 * const message = { role: "assistant", content }
 * const turn = Effect.runSync(BedrockConverse.decodeTurn({ output: { message }, stopReason: "tool_use" }))
 * const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, 12))
 * assert.deepStrictEqual(BedrockConverse.encodeResults(turn, outcomes).messages[1], {
 *   role: "user",
 *   content: [{ toolResult: { toolUseId: "tooluse_1", content: [{ text: "12" }], status: "success" } }]
 * })
 * ```
 *
 * @category formats
 */
export const format: WireFormat = makeFormat(table, awsEventStream, { tools, turns, streams, messages, errors })

/**
 * The `toolConfig` of a request.
 *
 * - `isStrict` sets `strict: true` and restricts each schema as Anthropic's
 *   strict mode does; only Claude has it on Bedrock.
 * - A property whose name Claude refuses is sent under another name, and read
 *   back by `decodeTurn` and `streamDecoder`; that is reported too.
 * - `isCached` puts a cache point behind the last tool.
 * - The API can force one tool or any tool, and cannot forbid calls: other
 *   choices are reported as losses.
 * - Provider tools with the prefix `bedrock.` or `amazon.` are Nova's own, such
 *   as `nova_grounding`.
 *
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * A response body as a turn. Converse says neither the response's id nor the
 * model. The message is kept as it was sent (signatures, citations, results of
 * Nova's own tools) in `turn.native`.
 *
 * @category decoding
 */
export const decodeTurn: WireFormat["decodeTurn"] = format.decodeTurn

/**
 * The model's message as it was sent, then one user message with a
 * `toolResult` block for every call that has an outcome, in the order of the
 * calls. Objects are sent as JSON, other values as text; images, documents and
 * video are carried, in an error only text is.
 *
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults

/**
 * Reads the body of a ConverseStream response: AWS's binary frames, in any
 * pieces. A call is complete as soon as its block stops and its arguments are
 * a JSON object; one without arguments, when the next block or the end shows
 * that it was not cut off.
 *
 * @category streaming
 */
export const streamDecoder: WireFormat["streamDecoder"] = format.streamDecoder

/**
 * A request body in Wield's words. Cache points, guard content and video by
 * reference stay in the native messages and are reported as losses.
 *
 * @category decoding
 */
export const decodeRequest: WireFormat["decodeRequest"] = format.decodeRequest

/**
 * A request body. Roles have to alternate in it, so what is re-encoded is put
 * into the message before, where that has the same role.
 *
 * @category encoding
 */
export const encodeRequest: WireFormat["encodeRequest"] = format.encodeRequest

/**
 * What an error response means, by the exception that its header
 * `x-amzn-errortype` names.
 *
 * @category decoding
 */
export const decodeError: WireFormat["decodeError"] = format.decodeError

/**
 * The base URL of Bedrock in a region.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { BedrockConverse } from "@wield/providers"
 *
 * assert.strictEqual(BedrockConverse.regionUrl("eu-central-1"), "https://bedrock-runtime.eu-central-1.amazonaws.com")
 * ```
 *
 * @category endpoint
 */
export const regionUrl: (region: string) => string = urlOf
