/** A toolset in which some tools have other names. */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Stream from "effect/Stream"
import { aName, orThrow, record } from "../Options.js"
import { ToolNameCollision } from "../ToolsetError.js"
import { withNames } from "./named.js"
import {
  type Change,
  type Dynamic,
  type DynamicTools,
  type Entry,
  knownOffer,
  make,
  type NameOf,
  type NoSuchTool,
  type Offer,
  type Toolset
} from "./model.js"

type NewName<Names, Name> = Name extends keyof Names ? Extract<Names[Name], string> : Name

export type Renamed<Tools, Names> = {
  readonly [Name in keyof Tools as NewName<Names, Name>]: Tools[Name]
}

export interface NewNameTaken<Name> {
  readonly "another tool already has the name": Name
}

/** New names that a tool which keeps its name already has, or that are given twice. */
type Taken<Known, Names> =
  | Extract<Names[keyof Names], Exclude<Known, keyof Names>>
  | {
      readonly [Old in keyof Names]: {
        readonly [Other in Exclude<keyof Names, Old>]: Names[Other] & Names[Old]
      }[Exclude<keyof Names, Old>]
    }[keyof Names]

export interface NamesNotLiteral {
  readonly "names known at run time only can be given to dynamic tools only": never
}

/** The new names; in the place of a wrong one, a type that says what is wrong with it. */
type Checked<Known, Names> = [Known] extends [never]
  ? unknown
  : {
      readonly [Old in keyof Names]: string extends Old
        ? [Known & string] extends [never]
          ? unknown
          : NamesNotLiteral
        : string extends Names[Old]
          ? unknown
          : Names[Old] extends Taken<Known, Names>
            ? NewNameTaken<Names[Old]>
            : Old extends Known | (typeof Dynamic extends Known ? string : never)
              ? unknown
              : NoSuchTool<Old, Known>
    }

type ErrorOf<Tools> = Tools extends DynamicTools ? ToolNameCollision : never

export const rename: {
  <Tools, const N extends { readonly [Old in NameOf<Tools>]?: string }>(
    names: N & Checked<keyof Tools, N>
  ): <R, E>(self: Toolset<Tools, R, E>) => Toolset<Renamed<Tools, N>, R, E | ErrorOf<Tools>>
  <Tools, R, E, const N extends { readonly [Old in NameOf<Tools>]?: string }>(
    self: Toolset<Tools, R, E>,
    names: N & Checked<keyof Tools, N>
  ): Toolset<Renamed<Tools, N>, R, E | ErrorOf<Tools>>
} = dual(
  2,
  <Tools, R, E, const N extends { readonly [old: string]: string }>(given: Toolset<Tools, R, E>, names: N) => {
    orThrow(newNames(names), "What `Toolset.rename` takes")
    const self = withNames(given, "Toolset.rename", Object.keys(names))
    const newName = (name: string): string => (Object.hasOwn(names, name) ? (names[name] ?? name) : name)
    // Static names cannot collide (the compiler checked them), so that the error
    // is in the type only where it can happen.
    const offer = Effect.flatMap(self.offer, (before) => {
      const after = renameOffer(before, newName)
      return after.entries.size === before.entries.size
        ? Effect.succeed(after)
        : Effect.fail(new ToolNameCollision({ names: collisions(before, newName) }))
    }) as Effect.Effect<Offer, E | ErrorOf<Tools>>
    const known = knownOffer(self)
    const after = known === undefined ? undefined : renameOffer(known, newName)
    return make<Renamed<Tools, N>, R, E | ErrorOf<Tools>>(
      {
        offer: after !== undefined && after.entries.size === known?.entries.size ? Effect.succeed(after) : offer,
        changes: Stream.map(self.changes, (change) => renameChange(change, newName))
      },
      self
    )
  }
)

const newNames = record(aName)

export const renameOffer = ({ entries, withheld }: Offer, newName: (name: string) => string): Offer => {
  const renamed = (from: ReadonlyMap<string, Entry>) =>
    new Map(Array.from(from.values(), (entry) => renameEntry(entry, newName(entry.definition.name))))
  return { entries: renamed(entries), withheld: renamed(withheld) }
}

const renameEntry = (entry: Entry, name: string): readonly [string, Entry] => {
  const { definition } = entry
  return [name, name === definition.name ? entry : { ...entry, definition: { ...definition, name } }]
}

export const renameChange = (change: Change, newName: (name: string) => string): Change => ({
  added: change.added.map(newName),
  removed: change.removed.map(newName),
  altered: change.altered.map(newName)
})

const collisions = (offer: Offer, newName: (name: string) => string): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const name of offer.entries.keys()) {
    const next = newName(name)
    if (seen.has(next)) repeated.add(next)
    seen.add(next)
  }
  return [...repeated]
}
