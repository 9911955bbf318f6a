/**
 * A toolset in which some tools have other descriptions.
 */
import { mapOffer } from "./mapOffer.js"
import type { Entry, NameOf, Toolset } from "./model.js"

export const describe =
  <Tools>(descriptions: { readonly [Name in NameOf<Tools>]?: string }) =>
  <R, E>(self: Toolset<Tools, R, E>): Toolset<Tools, R, E> =>
    mapOffer<Tools, R, E>(self, (offer) => {
      const entries = new Map<string, Entry>()
      const given = new Map(Object.entries<string | undefined>(descriptions))
      for (const [name, entry] of offer.entries) {
        const description = given.get(name)
        entries.set(
          name,
          description === undefined ? entry : { ...entry, definition: { ...entry.definition, description } }
        )
      }
      return { entries, withheld: offer.withheld }
    })
