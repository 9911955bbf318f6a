/**
 * Problems in the log, for whoever runs the program: a tool that is not there is
 * no error of the program.
 */
import * as Effect from "effect/Effect"
import { type Problem, report } from "@wield/core/Problem"

export const logProblems = (problems: ReadonlyArray<Problem>): Effect.Effect<void> =>
  Effect.forEach(problems, (problem) => Effect.logWarning(report(problem)), { discard: true })
