/** The law that an interrupted run interrupts its handlers. */
import * as ToolCall from "@wield/core/ToolCall"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { forEachTool, withValid } from "./calling.js"
import type { LawReport } from "../Laws.js"
import type { Subject } from "./subject.js"

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
          if (!isBegun) return undefined
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
