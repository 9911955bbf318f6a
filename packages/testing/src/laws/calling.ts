/** How the laws call tools, and how they look at what came of it. */
import { type Outcome, ToolCall, type Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import type * as FastCheck from "effect/FastCheck"
import * as Either from "effect/Either"
import { type Inputs, validInputs } from "./inputs.js"
import type { Name, Violation } from "./model.js"
import { leftOut, property, type Tried, type Verdict } from "./property.js"
import type { Subject, Watched } from "./subject.js"

/** One call in a run of its own, and what reached the handler by it. */
export const callOnce = <R, E>(watched: Watched<R, E>, tool: string, args: unknown) =>
  Effect.gen(function* () {
    yield* watched.takeReceived
    const run = yield* watched.run
    const [outcome] = yield* run.settle([ToolCall.make("call_1", tool, args)])
    return { outcome, received: yield* watched.takeReceived }
  })

/** A model sends text or a value, as its API has it. */
export const asSent = (args: unknown, isText: boolean): unknown => (isText ? JSON.stringify(args) : args)

/** The words for an outcome that should have been another. */
export const ended = (outcome: Outcome.Outcome | undefined): string => {
  if (outcome === undefined) return "gave no outcome"
  switch (outcome._tag) {
    case "InvalidArguments":
    case "InvalidResult":
    case "MissingContext":
      return `ended as ${outcome._tag}: ${outcome.issues.map((issue) => `${["$", ...issue.path].join(".")} expected ${issue.expected}, received ${issue.received ?? "nothing"}`).join("; ")}`
    case "Defect":
      return `ended as Defect: ${String(outcome.cause)}`
    case "TimedOut":
      return `ended as TimedOut after ${outcome.limit} ms`
    default:
      return `ended as ${outcome._tag}`
  }
}

/** A property of each of some tools, with valid arguments of the tool among its inputs. */
export const forEachTool = <A, E, R, R2, E2>(
  law: Name,
  subject: Subject<R, E>,
  tools: ReadonlyArray<string>,
  options: {
    readonly runs?: number | undefined
    readonly arbitrary: (valid: FastCheck.Arbitrary<unknown>) => FastCheck.Arbitrary<A>
    readonly holds: (
      tool: string,
      input: A,
      encode: Inputs["encode"],
      entry: Toolset.Entry
    ) => Effect.Effect<Verdict, E2, R2>
  }
): Effect.Effect<{ readonly runs: number; readonly violations: ReadonlyArray<Violation> }, E2, R2> =>
  Effect.map(
    Effect.forEach(tools, (tool): Effect.Effect<readonly [string, Tried], E2, R2> => {
      const entry = subject.entries.get(tool)
      if (entry === undefined) return Effect.succeed([tool, { runs: 0, violation: undefined }])
      return Either.match(validInputs(entry, subject.options.arguments?.[tool]), {
        onLeft: (problem) =>
          Effect.succeed([
            tool,
            {
              runs: 0,
              violation: {
                message: `no arguments could be made from its schema (${problem}): give an arbitrary of them in \`arguments\``,
                counterexample: undefined
              }
            }
          ] as const),
        onRight: (inputs) =>
          Effect.map(
            property(
              options.arbitrary(inputs.arbitrary),
              { runs: options.runs ?? subject.runs, seed: subject.seed },
              (input) => options.holds(tool, input, inputs.encode, entry)
            ),
            (tried) => [tool, tried] as const
          )
      })
    }),
    (all) => ({
      runs: all.reduce((sum, [, tried]) => sum + tried.runs, 0),
      violations: all.flatMap(([tool, { violation }]) => (violation === undefined ? [] : [{ law, tool, ...violation }]))
    })
  )

/** Goes on with valid arguments; a value that proves not to be valid is left out. */
export const withValid = <E, R>(
  encoded: Effect.Effect<unknown, unknown>,
  then: (args: unknown) => Effect.Effect<Verdict, E, R>
): Effect.Effect<Verdict, E, R> =>
  Effect.matchEffect(encoded, { onFailure: () => Effect.succeed(leftOut), onSuccess: then })
