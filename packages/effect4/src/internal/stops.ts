/** Conditions under which runs stop, and windows: what stands for those of Wield. */
import type { ContextWindow as ContextWindow3, Stop as Stop3 } from "@wield/effect3"
import * as Effect from "effect/Effect"
import type { ContextWindow, Summariser } from "../ContextWindow.js"
import type { State, Stop } from "../Stop.js"
import { into3 } from "./into3.js"
import { outcomeFrom3 } from "./outcomes.js"

const stops = new WeakMap<Stop, Stop3.Stop>()

/** Which tools it waits for is the caller's claim. */
export const stopFrom3 = <Name extends string>(stop: Stop3.Stop): Stop<Name> => {
  // The mark exists in the type only.
  const own = { name: stop.name } as unknown as Stop<Name>
  stops.set(own, stop)
  return own
}

export const stopTo3 = (stop: Stop): Stop3.Stop => {
  const own = stops.get(stop)
  if (own === undefined)
    throw new TypeError("What stops an agent must be of @wield/effect4/Stop, such as Stop.steps(5)")
  return own
}

export const predicateTo3 =
  (predicate: (state: State) => boolean | Effect.Effect<boolean>) =>
  ({ elapsed, entries, outcomes, steps, usage }: Stop3.State) => {
    const reached = predicate({ elapsed, entries, outcomes: outcomes.map(outcomeFrom3), steps, usage })
    return Effect.isEffect(reached) ? into3(reached) : reached
  }

const windows = new WeakMap<ContextWindow, ContextWindow3.ContextWindow>()

export const windowFrom3 = (window: ContextWindow3.ContextWindow): ContextWindow => {
  // As above.
  const own = {} as ContextWindow
  windows.set(own, window)
  return own
}

export const windowTo3 = (window: ContextWindow): ContextWindow3.ContextWindow => {
  const own = windows.get(window)
  if (own === undefined) throw new TypeError("An agent's window must be one of @wield/effect4/ContextWindow")
  return own
}

const summarisers = new WeakMap<Summariser, ContextWindow3.Summariser>()

export const summariserFrom3 = (summariser: ContextWindow3.Summariser): Summariser => {
  // As above.
  const own = {} as Summariser
  summarisers.set(own, summariser)
  return own
}

export const summariserTo3 = (summariser: Summariser): ContextWindow3.Summariser => {
  const own = summarisers.get(summariser)
  if (own === undefined) throw new TypeError("Who summarises must be made by ContextWindow.summarise")
  return own
}
