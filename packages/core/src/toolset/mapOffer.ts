/**
 * Another view of a toolset's offer; what cannot change is computed once.
 */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { type Change, knownOffer, make, type Offer, type Toolset } from "./model.js"

export const mapOffer = <Tools, R, E>(
  self: Toolset<unknown, unknown, E>,
  change: (offer: Offer) => Offer,
  changes: Stream.Stream<Change> = self.changes
): Toolset<Tools, R, E> => {
  const known = knownOffer(self)
  return make({
    offer: known === undefined ? Effect.map(self.offer, memoize(change)) : Effect.succeed(change(known)),
    changes
  })
}

/** The same offer gives the same view, so that what is cached by identity stays cached. */
const memoize = (change: (offer: Offer) => Offer): ((offer: Offer) => Offer) => {
  const views = new WeakMap<Offer, Offer>()
  return (offer) => {
    let view = views.get(offer)
    if (view === undefined) views.set(offer, (view = change(offer)))
    return view
  }
}
