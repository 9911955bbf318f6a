/**
 * Names in a policy that no tool has: a rule under a misspelt name protects
 * nothing, and where tools are known at run time only, no compiler says so.
 */
import { distance } from "fastest-levenshtein"
import type { Policy } from "../Policy.js"
import type { Offer } from "../toolset/model.js"

/** What is to be told of each. A tool may still come under the name later. */
export const unknownNames = ({ approval, limits }: Policy, offer: Offer): ReadonlyArray<string> => {
  const known = new Set([...offer.entries.keys(), ...offer.withheld])
  const named: ReadonlyArray<readonly [string, object]> = [
    ["a rule of `approval`", typeof approval === "object" ? approval : {}],
    ["an entry of `limits.tools`", limits?.tools ?? {}],
    ["an entry of `limits.dynamic`", limits?.dynamic ?? {}]
  ]
  return named.flatMap(([what, entries]) =>
    Object.entries(entries).flatMap(([name, entry]) =>
      entry === undefined || known.has(name)
        ? []
        : [`The policy has ${what} for ${JSON.stringify(name)}, but no tool has that name now${meant(name, known)}`]
    )
  )
}

const meant = (name: string, known: ReadonlySet<string>): string => {
  const [nearest] = [...known]
    .map((other) => ({ other, far: distance(name.toLowerCase(), other.toLowerCase()) }))
    .sort((left, right) => left.far - right.far)
  return nearest !== undefined && nearest.far <= 3 ? `; did you mean ${JSON.stringify(nearest.other)}?` : ""
}
