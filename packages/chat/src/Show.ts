/** What a page sees of a run: the one place where it is chosen. */
import type { Turn } from "@wield/core"

/**
 * Something of a run that a page may see.
 *
 * - `Arguments`: of a call, as the model sent them. Hidden fields are not among them.
 * - `Result`: of a call that succeeded, as its success schema writes it.
 * - `Progress`: what a handler reported meanwhile. An event of a sub-agent is one too.
 * - `Error`: why a call has no result, as the model reads it. The cause of a defect is not in it.
 * - `Reasoning`: a piece of what the model thought.
 * - `Source`: a page of the web that the model cites, `{ url, title }`.
 *
 * @category models
 */
export type Item =
  | { readonly _tag: "Arguments"; readonly tool: string; readonly value: unknown }
  | { readonly _tag: "Result"; readonly tool: string; readonly value: unknown }
  | { readonly _tag: "Progress"; readonly tool: string; readonly value: unknown }
  | { readonly _tag: "Error"; readonly tool: string; readonly value: string }
  | { readonly _tag: "Reasoning"; readonly value: string }
  | { readonly _tag: "Source"; readonly value: Turn.Source }

/**
 * Gives what the page sees in place of an item's `value`, as JSON; `undefined` keeps it from the page.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import type { Show } from "@wield/chat"
 *
 * // Pages see no reasoning, and of a customer only the name.
 * const show: Show.Show = (item) => {
 *   if (item._tag === "Reasoning") return undefined
 *   if (item._tag === "Result" && item.tool === "find_customer") return { name: (item.value as { name: string }).name }
 *   return item.value
 * }
 * assert.deepStrictEqual(show({ _tag: "Result", tool: "find_customer", value: { name: "Ada", iban: "DE1" } }), { name: "Ada" })
 * ```
 *
 * @category models
 */
export type Show = (item: Item) => unknown

/**
 * Everything that an item can be is shown.
 *
 * @category constructors
 */
export const everything: Show = (item) => item.value
