/**
 * A toolset in which some tools have other descriptions.
 */
import { mapOffer } from "./mapOffer.js"
import type { DynamicTools, Entry, Toolset } from "./model.js"

export interface NoSuchTool<Name> {
  readonly "Toolset.describe: no such tool": Name
}

type Checked<Tools, Name> = Tools extends DynamicTools
  ? unknown
  : [Exclude<Name, keyof Tools>] extends [never]
    ? unknown
    : NoSuchTool<Exclude<Name, keyof Tools>>

export const describe =
  <const Descriptions extends { readonly [name: string]: string }>(descriptions: Descriptions) =>
  <Tools, R, E>(self: Toolset<Tools, R, E> & Checked<Tools, keyof Descriptions>): Toolset<Tools, R, E> =>
    mapOffer<Tools, R, E>(self, (offer) => {
      const entries = new Map<string, Entry>()
      for (const [name, entry] of offer.entries) {
        const description = Object.hasOwn(descriptions, name) ? descriptions[name] : undefined
        entries.set(
          name,
          description === undefined ? entry : { ...entry, definition: { ...entry.definition, description } }
        )
      }
      return { entries, withheld: offer.withheld }
    })
