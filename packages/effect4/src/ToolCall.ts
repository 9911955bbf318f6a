/** A tool call as a model sent it. */

/**
 * A tool call. `arguments` is either JSON text (it may be broken), or a JSON
 * value that was already parsed.
 *
 * @category models
 */
export interface ToolCall {
  /** Pairs the call with its result. */
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

/**
 * A tool call.
 *
 * @category constructors
 */
export const make = (id: string, name: string, args: unknown): ToolCall => ({ id, name, arguments: args })
