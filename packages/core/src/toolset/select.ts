/**
 * A selection of a toolset's tools by name. What is not selected does not exist
 * in it: a call of it ends as `UnknownTool`.
 */
import { mapOffer } from "./mapOffer.js"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Change, DynamicTools, Offer, Toolset } from "./model.js"

export type Selected<Tools, Name> = { readonly [Key in Extract<keyof Tools, Name | symbol>]: Tools[Key] }

/** The names that may be selected; any, where only the run time knows them. */
type NameOf<Tools> = Tools extends DynamicTools ? string : keyof Tools & string

export const select =
  <const Names extends ReadonlyArray<string>>(...names: Names) =>
  <Tools, R, E>(
    self: Toolset<Tools, R, E> & Checked<Tools, Names[number]>
  ): Toolset<Selected<Tools, Names[number]>, R, E> => {
    const isSelected = (name: string) => names.includes(name)
    return mapOffer<Selected<Tools, Names[number]>, R, E>(
      self,
      (offer) => selectOffer(offer, isSelected),
      Stream.filterMap(self.changes, (change) => selectChange(change, isSelected))
    )
  }

export interface NoSuchTool<Name> {
  readonly "Toolset.select: no such tool": Name
}

type Checked<Tools, Name> = [Exclude<Name, NameOf<Tools>>] extends [never]
  ? unknown
  : NoSuchTool<Exclude<Name, NameOf<Tools>>>

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
