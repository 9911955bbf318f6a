import { expect, test } from "vitest"
import { CallLost, Journal, type Facts, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Logger, Schedule } from "effect"
import { recordSpans } from "../../recording/Spans.js"

const lose = (facts: Partial<Facts.Facts>, retry?: Schedule.Schedule<unknown, unknown>) =>
  Effect.gen(function* () {
    let calls = 0
    const toolset = yield* Toolset.dynamic([
      {
        name: "pay",
        facts,
        execute: () => {
          calls++
          return calls === 1 ? Effect.fail(new CallLost({ reason: "the server went away" })) : Effect.succeed("paid")
        }
      }
    ])
    const journal = yield* Journal.memory
    const runner = yield* ToolRunner.make(toolset, {
      journal,
      ...(retry === undefined ? {} : { limits: { dynamic: { pay: { retry } } } })
    })
    const run = runner.forRun({ id: "run_1" })
    const first = yield* run.run(ToolCall.make("call_1", "pay", {}))
    const again = yield* run.run(ToolCall.make("call_1", "pay", {}))
    return { first, again, calls }
  })

test("a call that was lost is uncertain, and is not made again", async () => {
  const { again, calls, first } = await Effect.runPromise(lose({}))
  expect([first._tag, again._tag, calls]).toEqual(["Uncertain", "Uncertain", 1])
  expect([first, again]).toMatchObject([{ reason: "lost" }, { reason: "interrupted" }])
  expect(Outcome.text(first)).toContain("it was begun and its answer was lost")
})

test("the log says why a call was lost, at level WARN", async () => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push([logLevel.label, message].flat()))
  await Effect.runPromise(lose({}).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger))))
  expect(lines).toEqual([["WARN", "The end of the call call_1 of pay is not known: the server went away"]])
})

test("no trace says why a call was lost, and a logger that dies does not change how it ended", async () => {
  const { spans, value } = await Effect.runPromise(recordSpans(lose({})))
  expect([value.first._tag, new Set(spans.map(({ name }) => name))]).toEqual([
    "Uncertain",
    new Set(["execute_tool pay"])
  ])
  expect(JSON.stringify(spans.map(({ attributes, events }) => [...attributes, events]))).not.toContain("went away")
  const dying = Logger.make(() => {
    throw new Error("no space left")
  })
  const { first } = await Effect.runPromise(lose({}).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, dying))))
  expect(first._tag).toBe("Uncertain")
})

test("a policy's retry does not repeat a lost call that may have had an effect", async () => {
  const { calls, first } = await Effect.runPromise(lose({}, Schedule.recurs(3)))
  expect([first._tag, calls]).toEqual(["Uncertain", 1])
})

test("a policy's retry repeats a lost call of an idempotent tool", async () => {
  const { calls, first } = await Effect.runPromise(lose({ isIdempotent: true }, Schedule.recurs(3)))
  expect([first._tag, calls]).toEqual(["Success", 2])
})

test("a lost call of a read-only tool is interrupted, for it had no effect", async () => {
  const { first } = await Effect.runPromise(lose({ isReadOnly: true }))
  expect(first._tag).toBe("Interrupted")
})
