/** The arguments of a call that go into its query or its body. */
import * as Either from "effect/Either"
import type { Arguments } from "../Executor.js"
import type { Placed, Plan } from "./plan.js"
import { isScattered, type Pair, pairsOf, pairText } from "./style.js"
import { wireBase, wireName } from "./names.js"
import { invalidRequest, type Made, percent, percentReserving } from "./percent.js"

export interface Valued extends Placed {
  readonly value: unknown
}

/** Names that belong to the configuration of the API, such as that of its key, as `wireName` has them. */
export type Taken = ReadonlySet<string>

/** An own property only: `toString` is no argument. */
export const argument = (parameters: Arguments, name: string): unknown =>
  Object.hasOwn(parameters, name) ? parameters[name] : undefined

/** Parameters in a place, and those that the schema allows without naming them. */
export const valuesOf = (
  plan: Plan,
  where: "query" | "body",
  taken: Taken,
  parameters: Arguments
): Made<ReadonlyArray<Valued>> => {
  const { further } = plan
  const chosen = further?.in === where ? Object.keys(parameters).filter((name) => !further.isUsed(name)) : []
  const clash = chosen.find((name) => isTaken(name, plan, taken))
  if (clash !== undefined) return invalidRequest(`there is no argument of the name ${clash}`)
  return Either.right(
    [...plan.placed[where], ...chosen.map((name): Placed => ({ parameter: name, name, place: undefined }))]
      .map((placed) => ({ ...placed, value: argument(parameters, placed.parameter) }))
      .filter(({ value }) => value !== undefined)
  )
}

/** A name that a model chose must not be one that means something else. */
const isTaken = (name: string, plan: Plan, taken: Taken): boolean =>
  [wireName(name), wireBase(name)].some((one) => taken.has(one) || plan.taken.has(one))

/** `filter[state]` of the object `filter` may be the name of another parameter. */
const isTakenAsWhole = (name: string, plan: Plan, taken: Taken): boolean =>
  taken.has(wireName(name)) || plan.taken.has(wireName(name))

/** The pairs that say a value, none of which has the name of something else. */
export const ownPairs = (
  plan: Plan,
  taken: Taken,
  { name, parameter, place, value }: Valued
): Made<ReadonlyArray<Pair>> => {
  const pairs = pairsOf(value, name, place)
  const clash = isScattered(value, place)
    ? pairs.find((pair) => isTaken(pair.name, plan, taken))
    : pairs.find((pair) => pair.name !== name && isTakenAsWhole(pair.name, plan, taken))
  return clash === undefined ? Either.right(pairs) : invalidRequest(`${parameter} may not have the key ${clash.name}`)
}

export const pairTexts = (plan: Plan, taken: Taken, values: ReadonlyArray<Valued>): Made<ReadonlyArray<string>> =>
  Either.gen(function* () {
    const texts: Array<string> = []
    for (const one of values) {
      const escape = one.place?.allowReserved === true ? percentReserving : percent
      for (const pair of yield* ownPairs(plan, taken, one)) texts.push(yield* pairText(pair, one.parameter, escape))
    }
    return texts
  })
