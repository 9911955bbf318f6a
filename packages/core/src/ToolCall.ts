/** A tool call as a model sent it. */

/**
 * A tool call as a model sent it. `arguments` is either JSON text, as OpenAI's
 * APIs send it (it may be broken), or a JSON value that was already parsed, as
 * Anthropic's and Gemini's send it. A string is always taken for JSON text:
 * arguments are an object, so a parsed string could never be valid.
 *
 * @category models
 */
export interface ToolCall {
  /**
   * Pairs the call with its result. Two calls of one turn with the same id,
   * tool and arguments are one call sent twice: it is run once.
   */
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

/**
 * A tool call.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolCall } from "@wield/core"
 *
 * const sent = ToolCall.make("call_1", "get_orders", '{"status":"open"}') // or as a value: { status: "open" }
 * assert.deepStrictEqual(sent, { id: "call_1", name: "get_orders", arguments: '{"status":"open"}' })
 * ```
 *
 * @category constructors
 */
export const make = (id: string, name: string, args: unknown): ToolCall => ({ id, name, arguments: args })
