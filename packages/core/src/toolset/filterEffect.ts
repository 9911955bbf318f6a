/**
 * Which tools are offered, decided per request by an effect that can look
 * something up first. What is not offered exists all the same: a call of it ends
 * as `Unavailable`.
 */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import type * as Stream from "effect/Stream"
import type { ToolDefinition } from "../ToolDefinition.js"
import { filterOffer } from "./filter.js"
import { type Change, make, type Offer, type Toolset } from "./model.js"

type IsOffered = (definition: ToolDefinition) => boolean

export interface FilterEffectOptions {
  /** What to announce, given what the toolset itself announces: the same unless given. */
  readonly changes?: ((changes: Stream.Stream<Change>) => Stream.Stream<Change>) | undefined
}

export const filterEffect: {
  <E2>(
    decide: Effect.Effect<IsOffered, E2>,
    options?: FilterEffectOptions
  ): <Tools, R, E>(self: Toolset<Tools, R, E>) => Toolset<Tools, R, E | E2>
  <Tools, R, E, E2>(
    self: Toolset<Tools, R, E>,
    decide: Effect.Effect<IsOffered, E2>,
    options?: FilterEffectOptions
  ): Toolset<Tools, R, E | E2>
} = dual(
  (args) => !Effect.isEffect(args[0]),
  <Tools, R, E, E2>(
    self: Toolset<Tools, R, E>,
    decide: Effect.Effect<IsOffered, E2>,
    { changes }: FilterEffectOptions = {}
  ): Toolset<Tools, R, E | E2> => {
    const view = memoize()
    return make<Tools, R, E | E2>({
      // The decision first: it may change the toolset, as connecting to a server does.
      offer: Effect.zipWith(decide, self.offer, (isOffered, offer) => view(offer, isOffered)),
      changes: changes === undefined ? self.changes : changes(self.changes)
    })
  }
)

/** The same offer and the same decision give the same view, so that what is cached by identity stays cached. */
const memoize = (): ((offer: Offer, isOffered: IsOffered) => Offer) => {
  const views = new WeakMap<Offer, WeakMap<IsOffered, Offer>>()
  return (offer, isOffered) => {
    let decided = views.get(offer)
    if (decided === undefined) views.set(offer, (decided = new WeakMap()))
    let view = decided.get(isOffered)
    if (view === undefined) decided.set(isOffered, (view = filterOffer(offer, isOffered)))
    return view
  }
}
