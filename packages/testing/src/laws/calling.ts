/** Calls of the laws, and words for their outcomes. */
import type { Outcome, Toolset } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import * as Effect from "effect/Effect"
import type * as FastCheck from "effect/FastCheck"
import * as Either from "effect/Either"
import { type Inputs, validInputs } from "./inputs.js"
import type { LawReport, Name } from "../Laws.js"
import { skipped, property, type Tried, type Verdict } from "./property.js"
import type { Subject, Watched } from "./subject.js"

/** Makes one call in a new run. Returns its outcome and what reached the handler. */
export const callOnce = <R, E>(watched: Watched<R, E>, tool: string, args: unknown) =>
  Effect.gen(function* () {
    yield* watched.takeReceived
    const run = yield* watched.run
    const [outcome] = yield* run.settle([ToolCall.make("call_1", tool, args)])
    return { outcome, received: yield* watched.takeReceived }
  })

/** Arguments as a model sends them: text or a value. */
export const asSent = (args: unknown, isText: boolean): unknown => (isText ? JSON.stringify(args) : args)

/** Describes an unexpected outcome. */
export const endingOf = (outcome: Outcome.Outcome | undefined): string => {
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

/** Tries a law on several tools. Its inputs include valid arguments of each tool. */
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
): Effect.Effect<LawReport, E2, R2> => {
  const parameters = { runs: options.runs ?? subject.runs, seed: subject.seed }
  const tryTool = (tool: string): Effect.Effect<Tried & { readonly tool: string }, E2, R2> => {
    const entry = subject.entries.get(tool)
    if (entry === undefined) return Effect.succeed({ tool, runs: 0, violation: undefined })
    return Either.match(validInputs(entry, subject.options.arguments?.[tool]), {
      onLeft: (problem) => {
        const message = `no arguments could be generated from its schema (${problem}). Give an arbitrary in \`arguments\``
        return Effect.succeed({ tool, runs: 0, violation: { message, counterexample: undefined } })
      },
      onRight: ({ arbitrary, encode }) =>
        Effect.map(
          property(options.arbitrary(arbitrary), parameters, (input) => options.holds(tool, input, encode, entry)),
          (tried) => ({ tool, ...tried })
        )
    })
  }
  return Effect.map(Effect.forEach(tools, tryTool), (all) => ({
    law,
    tools,
    runs: all.reduce((sum, { runs }) => sum + runs, 0),
    violations: all.flatMap(({ tool, violation }) => (violation === undefined ? [] : [{ law, tool, ...violation }]))
  }))
}

/** The tools whose arguments the application checks. */
export const checkedTools = <R, E>({ entries }: Subject<R, E>): ReadonlyArray<string> =>
  [...entries].flatMap(([name, { definition }]) => (definition.facts.kind === "provider" ? [] : [name]))

/** Continues with valid arguments and skips an invalid value. */
export const withValid = <E, R>(
  encoded: Effect.Effect<unknown, unknown>,
  then: (args: unknown) => Effect.Effect<Verdict, E, R>
): Effect.Effect<Verdict, E, R> =>
  Effect.matchEffect(encoded, { onFailure: () => Effect.succeed(skipped), onSuccess: then })
