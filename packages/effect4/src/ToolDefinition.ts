/** A tool as a model is shown it. */
import type { Facts } from "./Facts.js"

/**
 * A tool as a model is shown it: without handler, without hidden fields.
 *
 * @category models
 */
export interface ToolDefinition {
  readonly name: string
  readonly description: string | undefined
  /** A JSON Schema whose root is `type: "object"`. */
  readonly inputSchema: { readonly [keyword: string]: unknown }
  readonly outputSchema: { readonly [keyword: string]: unknown } | undefined
  readonly facts: Facts
}
