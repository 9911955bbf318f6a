/**
 * Which tools are offered, decided per request by definition and call context.
 * What is not offered exists all the same: a call of it ends as `Unavailable`.
 */
import * as Effect from "effect/Effect"
import { CallContext, type Values } from "../CallContext.js"
import type { ToolDefinition } from "../ToolDefinition.js"
import { type Entry, make, type Offer, type Toolset } from "./model.js"

export const filter =
  (isOffered: (definition: ToolDefinition, context: Values) => boolean) =>
  <Tools, R, E>(self: Toolset<Tools, R, E>): Toolset<Tools, R, E> =>
    make<Tools, R, E>({
      offer: Effect.flatMap(self.offer, (offer) =>
        Effect.map(CallContext, (context) => filterOffer(offer, (definition) => isOffered(definition, context)))
      ),
      changes: self.changes
    })

export const filterOffer = (offer: Offer, isOffered: (definition: ToolDefinition) => boolean): Offer => {
  const entries = new Map<string, Entry>()
  const withheld = new Set(offer.withheld)
  for (const [name, entry] of offer.entries) {
    if (isOffered(entry.definition)) entries.set(name, entry)
    else withheld.add(name)
  }
  return { entries, withheld }
}
