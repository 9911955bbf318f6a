/** Options that are given in code. Without types they may be anything, and one that is misspelt would keep nothing out. */
import * as Options from "@wield/core/Options"
import * as Effect from "effect/Effect"
import { InvalidConfiguration } from "../ExecutorFactory.js"

export const checkOptions = (check: Options.Check, given: unknown): Effect.Effect<void, InvalidConfiguration> => {
  const problem = check(given)
  if (problem === undefined) return Effect.void
  return new InvalidConfiguration({ faults: [{ path: ["options"], message: Options.toText(problem, "They") }] })
}
