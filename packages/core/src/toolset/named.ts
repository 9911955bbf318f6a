/** Names of tools that a combinator is given: one that no tool has would do nothing, in silence. */
import * as Effect from "effect/Effect"
import { memoize } from "../internal/memoize.js"
import { hint } from "../NearestNames.js"
import { orThrow, unknownName } from "../Options.js"
import { checkToolset, knownOffer, make, type Offer, sourceOf, type Toolset } from "./model.js"

/**
 * The toolset itself. Where its tools cannot change, a name that none of them has is thrown; where they come and go, it
 * is reported once for each source, for the tool may come later.
 */
export const withNames = <Tools, R, E>(
  self: Toolset<Tools, R, E>,
  combinator: string,
  names: ReadonlyArray<string>
): Toolset<Tools, R, E> => {
  checkToolset("What another toolset is made of", self)
  const known = knownOffer(self)
  if (known !== undefined) {
    const [unknown] = unknownIn(known, names)
    if (unknown !== undefined) {
      orThrow({ ...unknownName([unknown], "a tool", namesOf(known)), path: [] }, `What \`${combinator}\` takes`)
    }
    return self
  }
  // The combinator may be used again for each request.
  const reported = reportedOf(sourceOf(self))
  const unknownOf = memoize((offer: Offer) => unknownIn(offer, names))
  const offer = Effect.tap(self.offer, (offer) =>
    Effect.forEach(
      unknownOf(offer).filter((name) => !reported.has(`${combinator} ${name}`)),
      (name) => {
        reported.add(`${combinator} ${name}`)
        return Effect.logWarning(
          `${combinator} names ${JSON.stringify(name)}, but no tool has that name now${hint(name, namesOf(offer))}`
        )
      },
      { discard: true }
    )
  )
  return make({ offer, changes: self.changes }, self)
}

/** What was reported, for as long as the source lives. */
const reportedOf = memoize((_source: object) => new Set<string>())

const unknownIn = ({ entries, withheld }: Offer, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => !entries.has(name) && !withheld.has(name))

const namesOf = ({ entries, withheld }: Offer): ReadonlyArray<string> => [...entries.keys(), ...withheld.keys()]
