/**
 * A selection of a toolset's tools by name. What is not selected does not exist
 * in it: a call of it ends as `UnknownTool`.
 */
import { mapOffer } from "./mapOffer.js"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Change, DynamicTools, NameOf, Offer, Toolset } from "./model.js"

export type Selected<Tools, Name> = { readonly [Key in Extract<keyof Tools, Name | symbol>]: Tools[Key] }

type Selection<Tools, Name> = unknown extends Tools ? DynamicTools : Selected<Tools, Name>

export const select =
  <Tools, const Name extends NameOf<Tools>>(...names: ReadonlyArray<Name>) =>
  <R, E>(self: Toolset<Tools, R, E>): Toolset<Selection<Tools, Name>, R, E> => {
    const selected = new Set<string>(names)
    const isSelected = (name: string) => selected.has(name)
    return mapOffer<Selection<Tools, Name>, R, E>(
      self,
      (offer) => selectOffer(offer, isSelected),
      Stream.filterMap(self.changes, (change) => selectChange(change, isSelected))
    )
  }

const selectOffer = (offer: Offer, isSelected: (name: string) => boolean): Offer => ({
  entries: new Map([...offer.entries].filter(([name]) => isSelected(name))),
  withheld: new Set([...offer.withheld].filter(isSelected))
})

const selectChange = (change: Change, isSelected: (name: string) => boolean): Option.Option<Change> => {
  const next: Change = {
    added: change.added.filter(isSelected),
    removed: change.removed.filter(isSelected),
    altered: change.altered.filter(isSelected)
  }
  return next.added.length + next.removed.length + next.altered.length > 0 ? Option.some(next) : Option.none()
}
