/** Tries one property with many inputs and shrinks an input that breaks it. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Runtime from "effect/Runtime"

/** `undefined` if the property holds. */
export type Verdict = undefined | typeof skipped | { readonly message: string; readonly input: unknown }

/** The law does not apply to the input. */
export const skipped = "skipped"

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
      FastCheck.pre(exit.value !== skipped)
      if (exit.value === undefined) return true
      broken = exit.value
      return false
    }
    // fast-check runs promises.
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
  if (broken !== undefined) return { message: broken.message, counterexample: renderInput(broken.input) }
  return details.failed
    ? {
        message: `too few inputs fit the law (${details.numSkips} were skipped). Give an arbitrary of valid arguments in \`arguments\``,
        counterexample: undefined
      }
    : undefined
}

const renderInput = (input: unknown): string => {
  const text = JSON.stringify(input) ?? String(input)
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text
}
