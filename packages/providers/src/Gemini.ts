/**
 * The wire format of Gemini's `generateContent`, of the developer API and of
 * Vertex AI.
 *
 * @since 0.1.0
 */
import type { Outcome, ToolDefinition, Turn } from "@wield/core"
import type * as Either from "effect/Either"
import * as decode from "./gemini/decodeTurn.js"
import * as results from "./gemini/encodeResults.js"
import * as tools from "./gemini/encodeTools.js"
import { formatName } from "./gemini/names.js"
import type { WireError } from "./WireError.js"
import type { EncodedResults, EncodedTools, Offered, ToolsOptions, WireFormat } from "./WireFormat.js"

/**
 * The `tools` and `toolConfig` of a request.
 *
 * - Schemas go into `parametersJsonSchema`, whole; keywords that Gemini takes
 *   without enforcing them are reported as losses.
 * - `isStrict` selects the calling mode `VALIDATED`.
 * - The API cannot be told to make one call at a time: a loss.
 * - Google's own tools (`google.googleSearch` and the like) are entries beside
 *   the function declarations, named as the API names them.
 *
 * @see https://ai.google.dev/api/caching#FunctionDeclaration
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolDefinition } from "@wield/core"
 * import { Gemini } from "@wield/providers"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = Gemini.encodeTools([now], { choice: { _tag: "OneOf", names: ["now"] } })
 * assert.deepStrictEqual(body, {
 *   tools: [
 *     {
 *       functionDeclarations: [
 *         {
 *           name: "now",
 *           description: "The current time",
 *           parametersJsonSchema: { type: "object", properties: {}, additionalProperties: false }
 *         }
 *       ]
 *     }
 *   ],
 *   toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["now"] } }
 * })
 * ```
 *
 * @since 0.1.0
 * @category encoding
 */
export const encodeTools: (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options?: ToolsOptions
) => EncodedTools = tools.encodeTools

/**
 * A response body as a turn: its first candidate. The content is kept as it
 * was sent (thought signatures) in `turn.native`.
 *
 * Where Gemini sends a call without an id, the call gets one that is made of
 * the response's id and the call's position: the same each time the body is
 * decoded, and another in every turn.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Turn } from "@wield/core"
 * import { Gemini } from "@wield/providers"
 * import { Either } from "effect"
 *
 * const turn = Gemini.decodeTurn({
 *   candidates: [
 *     {
 *       content: { role: "model", parts: [{ functionCall: { name: "get_orders", args: { status: "open" } } }] },
 *       finishReason: "STOP"
 *     }
 *   ],
 *   responseId: "r1"
 * }).pipe(Either.getOrThrow)
 * assert.strictEqual(turn.finish, "calls")
 * assert.deepStrictEqual(Turn.calls(turn), [
 *   { id: "call_r1_0", name: "get_orders", arguments: { status: "open" } }
 * ])
 * ```
 *
 * @since 0.1.0
 * @category decoding
 */
export const decodeTurn: (body: unknown, offered?: Offered) => Either.Either<Turn.Turn, WireError> = decode.decodeTurn

/**
 * The model's content as it was sent, then one `user` content with a
 * `functionResponse` for every call that has an outcome, in the order of the
 * calls.
 *
 * A result that is an object is the response; anything else stands under
 * `output`, an error under `error`. Gemini 3 gets images and files inside the
 * response where it takes their type; otherwise they follow in a content of
 * their own.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, Turn } from "@wield/core"
 * import { Gemini } from "@wield/providers"
 * import { Either } from "effect"
 *
 * const content = { role: "model", parts: [{ functionCall: { name: "now", args: {} } }] }
 * const turn = Either.getOrThrow(Gemini.decodeTurn({ candidates: [{ content, finishReason: "STOP" }] }))
 * const outcomes = Turn.calls(turn).map((call) => new Outcome.Success(call, "now", [], 12, 12, "12", undefined))
 * const { messages } = Gemini.encodeResults(turn, outcomes)
 * assert.deepStrictEqual(messages, [
 *   content,
 *   { role: "user", parts: [{ functionResponse: { name: "now", response: { output: 12 } } }] }
 * ])
 * ```
 *
 * @since 0.1.0
 * @category encoding
 */
export const encodeResults: (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>) => EncodedResults =
  results.encodeResults

/**
 * Whether a response body looks like a response of this API, or like one of
 * Google's errors.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Gemini } from "@wield/providers"
 *
 * assert.strictEqual(Gemini.isFormatOf({ candidates: [] }), true)
 * assert.strictEqual(Gemini.isFormatOf({ choices: [] }), false)
 * ```
 *
 * @since 0.1.0
 * @category guards
 */
export const isFormatOf: (body: unknown) => boolean = decode.isFormatOf

/**
 * Gemini's `generateContent` as a value.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Gemini } from "@wield/providers"
 *
 * assert.strictEqual(Gemini.format.name, "gemini")
 * ```
 *
 * @since 0.1.0
 * @category formats
 */
export const format: WireFormat = { name: formatName, encodeTools, decodeTurn, encodeResults, isFormatOf }
