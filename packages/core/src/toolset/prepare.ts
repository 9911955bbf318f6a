/**
 * Definitions that are changed per request: another description for another
 * language, a narrower schema for a smaller plan. What the model is shown
 * changes; how a call is decoded and run does not.
 */
import * as Effect from "effect/Effect"
import { CallContext, type Values } from "../CallContext.js"
import type { ToolDefinition } from "../ToolDefinition.js"
import { type Entry, make, type Offer, type Toolset } from "./model.js"

/** What may be changed; a tool is renamed by `rename` only. */
export type Prepared = Partial<Pick<ToolDefinition, "description" | "inputSchema" | "outputSchema">>

export const prepare =
  (change: (definition: ToolDefinition, context: Values) => Prepared) =>
  <Tools, R, E>(self: Toolset<Tools, R, E>): Toolset<Tools, R, E> =>
    make<Tools, R, E>({
      offer: Effect.flatMap(self.offer, (offer) =>
        Effect.map(CallContext, (context) => prepareOffer(offer, (definition) => change(definition, context)))
      ),
      changes: self.changes
    })

const prepareOffer = (offer: Offer, change: (definition: ToolDefinition) => Prepared): Offer => {
  const entries = new Map<string, Entry>()
  for (const [name, entry] of offer.entries) {
    const changed = change(entry.definition)
    entries.set(
      name,
      Object.keys(changed).length === 0
        ? entry
        : { ...entry, definition: { ...entry.definition, ...changed, name, facts: entry.definition.facts } }
    )
  }
  return { entries, withheld: offer.withheld }
}
