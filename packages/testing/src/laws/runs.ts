/** The laws of runs: each call has one outcome, in the order of the calls; an interrupted run interrupts its handlers. */
import * as Outcome from "@wield/core/Outcome"
import * as ToolCall from "@wield/core/ToolCall"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { asSent, forEachTool, withValid } from "./calling.js"
import { validInputs } from "./inputs.js"
import type { LawReport } from "../Laws.js"
import { property, skipped, type Verdict } from "./property.js"
import type { Subject } from "./subject.js"

const law = "one-outcome"

/** One call of a batch, before its arguments are encoded. */
interface Made {
  readonly name: string
  readonly value: unknown
  readonly encode: (value: unknown) => Effect.Effect<unknown, unknown>
  readonly isText: boolean
}

export const oneOutcome = <R, E>(subject: Subject<R, E>): Effect.Effect<LawReport, E, R> => {
  const calls = [...subject.entries].flatMap(([name, entry]) =>
    Either.match(validInputs(entry, subject.options.arguments?.[name]), {
      onLeft: () => [],
      onRight: ({ arbitrary, encode }) => [arbitrary.map((value) => ({ name, value, encode }))]
    })
  )
  const batch = FastCheck.array(
    FastCheck.tuple(FastCheck.oneof(...calls, unknownCalls(subject), brokenCalls(subject)), FastCheck.boolean()).map(
      ([call, isText]): Made => ({ ...call, isText })
    ),
    { minLength: 1, maxLength: 6 }
  )
  return Effect.map(
    property(batch, subject, (made) =>
      Effect.gen(function* () {
        const sent = yield* Effect.forEach(made, ({ encode, isText, name, value }, index) =>
          // An invalid value makes a call like any other here.
          Effect.map(
            Effect.orElseSucceed(encode(value), () => value),
            (args) => ToolCall.make(`call_${index + 1}`, name, typeof args === "string" ? args : asSent(args, isText))
          )
        )
        const run = yield* subject.running.run
        return verdict(sent, yield* run.settle(sent))
      })
    ),
    ({ runs, violation }) => ({
      law,
      tools: [...subject.entries.keys()],
      runs,
      violations: violation === undefined ? [] : [{ law, tool: undefined, ...violation }]
    })
  )
}

const succeed = (value: unknown): Effect.Effect<unknown> => Effect.succeed(value)

const unknownCalls = (subject: Pick<Subject<never, never>, "entries">) =>
  FastCheck.oneof(FastCheck.constantFrom("toString", "__proto__", "constructor", ""), FastCheck.string())
    .filter((name) => !subject.entries.has(name))
    // A wider type for what is called.
    .map((name) => ({ name, value: {} as unknown, encode: succeed }))

const brokenCalls = (subject: Pick<Subject<never, never>, "entries">) =>
  FastCheck.tuple(
    FastCheck.constantFrom(...subject.entries.keys(), "no_such_tool"),
    FastCheck.oneof(FastCheck.string(), FastCheck.constantFrom('{"a":', "[]", "null", "{,}"))
    // As above.
  ).map(([name, value]) => ({ name, value: value as unknown, encode: succeed }))

export const verdict = (calls: ReadonlyArray<ToolCall.ToolCall>, outcomes: ReadonlyArray<Outcome.Outcome>): Verdict => {
  if (outcomes.length !== calls.length) {
    return { message: `${calls.length} calls gave ${outcomes.length} outcomes`, input: calls }
  }
  for (const [index, outcome] of outcomes.entries()) {
    const problem = problemOf(outcome, calls[index])
    if (problem !== undefined) return { message: `outcome ${index + 1} ${problem}`, input: calls }
  }
  return undefined
}

const problemOf = (outcome: Outcome.Outcome, call: ToolCall.ToolCall | undefined): string | undefined => {
  if (outcome.call !== call) return `is of ${outcome.id} and not of ${call?.id ?? "no call"}`
  const result = Outcome.render(outcome)
  if (outcome._tag === "Deferred") return result === undefined ? undefined : "is deferred and has a result"
  if (result === undefined) return `is ${outcome._tag} without a result`
  if (result.id !== outcome.id) return `has a result of ${result.id}`
  return JSON.stringify(result.content) === undefined ? "has a result that JSON cannot encode" : undefined
}

/** A broken law costs the whole time limit in each run. */
const maxRuns = 5

export const interruption = <R, E>(subject: Subject<R, E>): Effect.Effect<LawReport, E, R> => {
  const tools = [...subject.entries.keys()].filter(subject.isRun)
  return forEachTool("interruption", subject, tools, {
    runs: Math.min(maxRuns, subject.runs),
    arbitrary: (valid) => valid,
    holds: (tool, value, encode) =>
      withValid(encode(value), (args) =>
        Effect.gen(function* () {
          const watch = yield* subject.running.watch
          const run = yield* subject.running.run
          // A daemon, since a child that ignores the interruption would hold up this fiber.
          const fiber = yield* Effect.forkDaemon(run.settle([ToolCall.make("call_1", tool, args)]))
          // A call can end before its handler begins.
          yield* Effect.race(Deferred.await(watch.begun), Fiber.await(fiber))
          yield* Fiber.interruptFork(fiber)
          const isBegun = yield* Deferred.isDone(watch.begun)
          if (!isBegun) return skipped
          const ended = yield* Deferred.await(watch.ended).pipe(Effect.timeoutOption(subject.timeout))
          return Option.isSome(ended)
            ? undefined
            : {
                message: `the handler went on for more than ${Duration.format(subject.timeout)} after its run was interrupted. Keep its uninterruptible regions short`,
                input: args
              }
        })
      )
  })
}
