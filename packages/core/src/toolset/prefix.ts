/**
 * A toolset whose names all begin with the same text, so that it can stand
 * beside others.
 */
import { dual } from "effect/Function"
import * as Stream from "effect/Stream"
import { mapOffer } from "./mapOffer.js"
import type { Toolset } from "./model.js"
import { renameOffer, renameChange } from "./rename.js"

export type Prefixed<Tools, Prefix extends string> = {
  readonly [Name in keyof Tools as Name extends string ? `${Prefix}${Name}` : Name]: Tools[Name]
}

export const prefix: {
  <const Prefix extends string>(
    prefix: Prefix
  ): <Tools, R, E>(self: Toolset<Tools, R, E>) => Toolset<Prefixed<Tools, Prefix>, R, E>
  <Tools, R, E, const Prefix extends string>(
    self: Toolset<Tools, R, E>,
    prefix: Prefix
  ): Toolset<Prefixed<Tools, Prefix>, R, E>
} = dual(2, <Tools, R, E, const Prefix extends string>(self: Toolset<Tools, R, E>, prefix: Prefix) => {
  const newName = (name: string) => `${prefix}${name}`
  return mapOffer<Prefixed<Tools, Prefix>, R, E>(
    self,
    (offer) => renameOffer(offer, newName),
    Stream.map(self.changes, (change) => renameChange(change, newName))
  )
})
