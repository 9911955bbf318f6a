/**
 * Several toolsets as one. Each keeps its own handlers; two tools of one name
 * are an error, of the compiler where it knows the names.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type * as Types from "effect/Types"
import { ToolNameCollision } from "../ToolsetError.js"
import {
  type Any,
  checkToolset,
  type DynamicTools,
  type Entry,
  knownOffer,
  make,
  type Offer,
  type Toolset
} from "./model.js"

type ToolsIn<T> = T extends Toolset<infer Tools, infer _R, infer _E> ? Tools : never
type RequirementsOf<T> = T extends Toolset<infer _Tools, infer R, infer _E> ? R : never
type ErrorOf<T> = T extends Toolset<infer _Tools, infer _R, infer E> ? E : never

type NamesOf<T> = keyof ToolsIn<T> & string

/** The names that stand in more than one of the toolsets. */
type Collisions<Toolsets, Seen extends string = never> = Toolsets extends readonly [infer First, ...infer Rest]
  ? (NamesOf<First> & Seen) | Collisions<Rest, Seen | NamesOf<First>>
  : never

export interface MoreThanOneToolsetHas<Names> {
  readonly "more than one toolset has a tool named": Names
}

type Checked<Toolsets> = [Collisions<Toolsets>] extends [never] ? unknown : MoreThanOneToolsetHas<Collisions<Toolsets>>

type Combined<Toolsets extends ReadonlyArray<unknown>> = Types.UnionToIntersection<ToolsIn<Toolsets[number]>>

/** Only names that the compiler does not know can collide at run time. */
type CollisionOf<Toolsets extends ReadonlyArray<unknown>> =
  ToolsIn<Toolsets[number]> extends infer Tools ? (Tools extends DynamicTools ? ToolNameCollision : never) : never

// `this` is not used: a message about it is short, where one about the toolsets would print all of their types.
export function combine<const Toolsets extends readonly [Any, ...Array<Any>]>(
  this: Checked<Toolsets>,
  ...toolsets: Toolsets
): Toolset<Combined<Toolsets>, RequirementsOf<Toolsets[number]>, ErrorOf<Toolsets[number]> | CollisionOf<Toolsets>> {
  const all: ReadonlyArray<Any> = toolsets
  for (const [index, toolset] of all.entries()) checkToolset(`Number ${index + 1} of what is combined`, toolset)
  const offers = all.map((toolset) => toolset.offer)
  // Erased: the error's type is computed from the toolsets' types.
  const together = Effect.flatMap(Effect.all(offers), merge) as Effect.Effect<
    Offer,
    ErrorOf<Toolsets[number]> | CollisionOf<Toolsets>
  >
  return make(
    {
      offer: combineKnown(all) ?? together,
      changes: Stream.mergeAll(
        all.map((toolset) => toolset.changes),
        { concurrency: "unbounded" }
      )
    },
    toolsets[0]
  )
}

/** What cannot change is merged once. */
const combineKnown = (toolsets: ReadonlyArray<Any>): Effect.Effect<Offer> | undefined => {
  const offers: Array<Offer> = []
  for (const toolset of toolsets) {
    const known = knownOffer(toolset)
    if (known === undefined) return undefined
    offers.push(known)
  }
  const merged = merge(offers)
  return Either.isRight(merged) ? Effect.succeed(merged.right) : undefined
}

const merge = (offers: ReadonlyArray<Offer>): Either.Either<Offer, ToolNameCollision> => {
  const entries = new Map<string, Entry>()
  const withheld = new Map<string, Entry>()
  const collisions = new Set<string>()
  for (const offer of offers) {
    for (const [name, entry] of offer.entries) {
      if (entries.has(name)) collisions.add(name)
      entries.set(name, entry)
    }
    for (const [name, entry] of offer.withheld) withheld.set(name, entry)
  }
  return collisions.size > 0
    ? Either.left(new ToolNameCollision({ names: [...collisions] }))
    : Either.right({ entries, withheld })
}
