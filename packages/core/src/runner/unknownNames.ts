/**
 * Names in a policy that no tool has: a rule under a misspelt name protects
 * nothing, and where tools are known at run time only, no compiler says so.
 */
import type { Policy } from "../Policy.js"
import type { Offer } from "../toolset/model.js"
import { byDistance } from "../NearestNames.js"

/** What is to be told of each. A tool may still come under the name later. */
export const unknownNames = ({ approval, limits }: Policy, offer: Offer): ReadonlyArray<string> => {
  const named = [
    ...entriesOf("a rule of `approval`", typeof approval === "object" ? approval : {}),
    ...entriesOf("an entry of `limits.tools`", limits?.tools ?? {}),
    ...entriesOf("an entry of `limits.dynamic`", limits?.dynamic ?? {})
  ]
  return named
    .filter(({ name }) => !offer.entries.has(name) && !offer.withheld.has(name))
    .map(
      ({ name, what }) =>
        `The policy has ${what} for ${JSON.stringify(name)}, but no tool has that name now${meant(name, offer)}`
    )
}

const entriesOf = (what: string, entries: object) =>
  Object.entries(entries).flatMap(([name, entry]) => (entry === undefined ? [] : [{ name, what }]))

const meant = (name: string, { entries, withheld }: Offer): string => {
  const [nearest] = byDistance(name, [...entries.keys(), ...withheld])
  return nearest !== undefined && nearest.distance <= 3 ? `; did you mean ${JSON.stringify(nearest.name)}?` : ""
}
