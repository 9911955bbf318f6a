/**
 * Tools of `@effect/ai` that show a model a tool definition and take whatever
 * it sends: the seam by which its language models are used without its way of
 * running calls.
 */
import type * as Tool from "@effect/ai/Tool"
import type * as Schema from "effect/Schema"
import { shadowTool } from "./internal/effectAi.js"
import type { ToolDefinition } from "./ToolDefinition.js"

/**
 * Parameters that are advertised by a JSON Schema and not decoded.
 *
 * @category models
 */
export interface Parameters extends Schema.Schema<unknown> {
  readonly fields: {}
  readonly make: unknown
}

/**
 * A tool that advertises a definition. A response that calls it decodes
 * whatever the arguments are; they are given as the model sent them.
 *
 * @category models
 */
export interface ShadowTool<Name extends string, A = unknown, E = unknown, R = never> extends Tool.Tool<
  Name,
  {
    readonly parameters: Parameters
    readonly success: Schema.Schema<A, unknown>
    readonly failure: Schema.Schema<E, unknown>
    readonly failureMode: "return"
  },
  R
> {}

/**
 * A tool of `@effect/ai` that advertises a definition.
 *
 * A tool of the provider's own API keeps its kind: its definition must have the
 * name by which the provider's package knows it, such as `OpenAiWebSearch`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Tool } from "@effect/ai"
 * import { ShadowTool, ToolDefinition } from "@wield/core"
 *
 * const tool = ShadowTool.make(ToolDefinition.make({ name: "greet", description: "Greets a person" }))
 * assert.strictEqual(Tool.getDescription(tool), "Greets a person")
 * ```
 *
 * @category constructors
 */
export const make = (definition: ToolDefinition): ShadowTool<string> => shadowTool(definition)
