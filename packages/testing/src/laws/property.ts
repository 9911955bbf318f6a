/**
 * One property of one tool, tried with many inputs and, where it does not hold,
 * with ever smaller ones.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Runtime from "effect/Runtime"

/** `undefined`: it holds. */
export type Verdict = undefined | typeof leftOut | { readonly message: string; readonly input: unknown }

/** The input is none that the law speaks of. */
export const leftOut = "left out"

export interface Tried {
  readonly runs: number
  readonly violation: { readonly message: string; readonly counterexample: string | undefined } | undefined
}

export const property = <A, E, R>(
  arbitrary: FastCheck.Arbitrary<A>,
  parameters: { readonly runs: number; readonly seed: number },
  verdictOf: (value: A) => Effect.Effect<Verdict, E, R>
): Effect.Effect<Tried, E, R> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<R>()
    let broken: { readonly message: string; readonly input: unknown } | undefined
    let failure: Cause.Cause<E> | undefined
    const holds = async (value: A, signal: AbortSignal): Promise<boolean> => {
      const exit = await Runtime.runPromiseExit(runtime, verdictOf(value), { signal })
      if (Exit.isFailure(exit)) {
        failure = exit.cause
        return true
      }
      FastCheck.pre(exit.value !== leftOut)
      if (exit.value === undefined) return true
      broken = exit.value
      return false
    }
    // fast-check runs promises: this is where the effects under test become some.
    const details = yield* Effect.promise((signal) =>
      FastCheck.check(
        FastCheck.asyncProperty(arbitrary, (value) => holds(value, signal)),
        { numRuns: parameters.runs, seed: parameters.seed, maxSkipsPerRun: 20 }
      )
    )
    if (failure !== undefined) return yield* Effect.failCause(failure)
    return { runs: details.numRuns, violation: violationOf(broken, details) }
  })

const violationOf = (
  broken: { readonly message: string; readonly input: unknown } | undefined,
  details: { readonly failed: boolean; readonly numSkips: number }
): Tried["violation"] => {
  if (broken !== undefined) return { message: broken.message, counterexample: shown(broken.input) }
  return details.failed
    ? {
        message: `too few inputs could be made that the law speaks of (${details.numSkips} were left out): give an arbitrary of valid arguments in \`arguments\``,
        counterexample: undefined
      }
    : undefined
}

const shown = (input: unknown): string => {
  const text = JSON.stringify(input) ?? String(input)
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text
}
