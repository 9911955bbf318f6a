/** Stage `find`: the tool of the call's name among those offered in this turn. */
import { Unavailable, UnknownTool } from "../Outcome.js"
import { isOfClient } from "./begin.js"
import type { Entry, Offer } from "../toolset/model.js"
import type { Execution, Step } from "./execution.js"
import { byDistance } from "../NearestNames.js"
import type { Run } from "./run.js"

export const find = (execution: Execution): Step => {
  const { call, offer, run } = execution
  // A Map has no prototype to look a name like `toString` up in.
  const offered = offer.entries.get(call.name)
  const entry = offered ?? offer.withheld.get(call.name)
  if (entry === undefined) return new UnknownTool(withNearest(execution))
  if ((offered === undefined || !isOffered(entry, run)) && !isOver(execution, entry))
    return new Unavailable(withNearest(execution))
  execution.entry = entry
  return undefined
}

/** A person's no, and what a client has done, hold whether or not the tool is on offer. */
const isOver = (execution: Execution, { definition }: Entry): boolean =>
  execution.answer?.response._tag === "Deny" || (isOfClient(execution) && definition.facts.kind === "client")

const withNearest = ({ call, offer, run }: Execution) => ({
  call,
  nearest: () => nearestOffered(call.name, offer, run)
})

/** A provider's own tool is offered to the model, but never for us to run. */
const isOffered = (entry: Entry, run: Run): boolean =>
  (run.offered === undefined || run.offered.has(entry.definition.name)) &&
  (entry.handler !== undefined || entry.definition.facts.kind === "client")

/** The nearest names to wrong ones, by what is on offer. */
const kept = new WeakMap<Offer, Map<string, ReadonlyArray<string>>>()

/** How many wrong names are kept, and of what length. */
const capacity = 64
const longest = 100

/**
 * Names that a model may have meant, best first. A model makes the same mistake
 * many times, and the search takes longer the more tools there are.
 */
const nearestOffered = (name: string, offer: Offer, run: Run): ReadonlyArray<string> => {
  // What is kept is of all tools of an offer; a run may offer fewer.
  if (run.offered !== undefined || name.length > longest) return search(name, offer, run)
  let ofOffer = kept.get(offer)
  if (ofOffer === undefined) kept.set(offer, (ofOffer = new Map()))
  let names = ofOffer.get(name)
  if (names === undefined) {
    if (ofOffer.size === capacity) ofOffer.clear()
    ofOffer.set(name, (names = search(name, offer, run)))
  }
  return names
}

const search = (name: string, offer: Offer, run: Run): ReadonlyArray<string> => {
  const offered = [...offer.entries.values()].filter((entry) => isOffered(entry, run))
  return byDistance(
    name,
    offered.map((entry) => entry.definition.name)
  )
    .slice(0, 5)
    .map((near) => near.name)
}
