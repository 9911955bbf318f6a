/**
 * The wire format of Anthropic's Messages API, and of the services that speak
 * it (Bedrock's and Vertex AI's Anthropic endpoints).
 *
 * @since 0.1.0
 */
import type { Outcome, ToolDefinition, Turn } from "@wield/core"
import type * as Either from "effect/Either"
import * as decode from "./anthropic/decodeTurn.js"
import * as results from "./anthropic/encodeResults.js"
import * as tools from "./anthropic/encodeTools.js"
import { formatName } from "./anthropic/names.js"
import type { WireError } from "./WireError.js"
import type { EncodedResults, EncodedTools, Offered, ToolsOptions, WireFormat } from "./WireFormat.js"

/**
 * The `tools` and `tool_choice` of a request.
 *
 * - Examples of a tool's facts become `input_examples`.
 * - `isStrict` sets `strict: true` and restricts each schema to what strict
 *   mode accepts. What is left out of a schema is told in its description and
 *   reported as a loss. A tool whose schema strict mode cannot say at all (an
 *   open record, a recursive type) is offered without it; that is a loss too.
 * - The API can force one tool or any tool. A choice among several is sent as
 *   `any` and reported as a loss: offering fewer tools instead would change
 *   the prefix that Anthropic caches.
 * - `Required` and `OneOf` cannot be combined with extended thinking.
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
 * @since 0.1.0
 * @category encoding
 */
export const encodeTools: (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options?: ToolsOptions
) => EncodedTools = tools.encodeTools

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
 * import { Either } from "effect"
 *
 * const turn = Anthropic.decodeTurn({
 *   type: "message",
 *   role: "assistant",
 *   content: [{ type: "tool_use", id: "toolu_1", name: "get_orders", input: { status: "open" } }],
 *   stop_reason: "tool_use"
 * }).pipe(Either.getOrThrow)
 * assert.strictEqual(turn.finish, "calls")
 * assert.deepStrictEqual(Turn.calls(turn), [{ id: "toolu_1", name: "get_orders", arguments: { status: "open" } }])
 * ```
 *
 * @since 0.1.0
 * @category decoding
 */
export const decodeTurn: (body: unknown, offered?: Offered) => Either.Either<Turn.Turn, WireError> = decode.decodeTurn

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
 * import { Either } from "effect"
 *
 * const content = [{ type: "tool_use", id: "toolu_1", name: "now", input: {} }]
 * const turn = Either.getOrThrow(Anthropic.decodeTurn({ type: "message", content, stop_reason: "tool_use" }))
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
 * @since 0.1.0
 * @category encoding
 */
export const encodeResults: (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>) => EncodedResults =
  results.encodeResults

/**
 * Whether a response body looks like a message of this API, or like one of its
 * errors.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Anthropic } from "@wield/providers"
 *
 * assert.strictEqual(Anthropic.isFormatOf({ type: "message", role: "assistant", content: [] }), true)
 * assert.strictEqual(Anthropic.isFormatOf({ candidates: [] }), false)
 * ```
 *
 * @since 0.1.0
 * @category guards
 */
export const isFormatOf: (body: unknown) => boolean = decode.isFormatOf

/**
 * Anthropic's Messages API as a value.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Anthropic } from "@wield/providers"
 *
 * assert.strictEqual(Anthropic.format.name, "anthropic")
 * ```
 *
 * @since 0.1.0
 * @category formats
 */
export const format: WireFormat = { name: formatName, encodeTools, decodeTurn, encodeResults, isFormatOf }
