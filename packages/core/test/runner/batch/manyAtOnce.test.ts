/** Thousands of calls of one batch leave the event loop to others. */
import { expect, it } from "@effect/vitest"
import { Facts, Journal, ToolRunner } from "@wield/core"
import { Effect } from "effect"
import { Job, jobCall, type JobHandler, jobs } from "../../tools/Job.js"

const calls = Array.from({ length: 2000 }, (_, index) => jobCall(`c_${index}`, index))

interface Options {
  readonly isSequential?: boolean
  readonly concurrency?: number
  /** Each call in a run and a fiber of its own, with a journal that answers with effects. */
  readonly isApart?: boolean
}

const journal = (): Journal.Service => ({ ...Journal.unsafeMemory() })

/** The most calls that were handled in one turn of the event loop. */
const mostInATurn = (handler: JobHandler, options: Options = {}) =>
  Effect.gen(function* () {
    let inTurn = 0
    let most = 0
    const turn = (): NodeJS.Immediate => {
      inTurn = 0
      return (next = setImmediate(turn))
    }
    let next = setImmediate(turn)
    const counted: JobHandler = (parameters) =>
      Effect.suspend(() => {
        most = Math.max(most, ++inTurn)
        return handler(parameters)
      })
    const tool = options.isSequential === true ? Facts.sequential(Job) : Job
    const { concurrency, isApart = false } = options
    const policy = isApart ? { journal: journal() } : { concurrency }
    const runner = yield* ToolRunner.make(yield* jobs(counted, tool), policy)
    const outcomes = yield* isApart
      ? Effect.forEach(calls, (call) => runner.forRun({}).run(call), { concurrency: "unbounded" })
      : runner.runAll(calls)
    clearImmediate(next)
    expect(outcomes.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
    return most
  })

const waiting: JobHandler = ({ value }) => Effect.as(Effect.yieldNow(), value)

it.scopedLive("calls that wait begin in groups", () =>
  Effect.gen(function* () {
    expect(yield* mostInATurn(waiting)).toBeLessThan(200)
  })
)

it.scopedLive("calls that answer at once are handled in groups", () =>
  Effect.gen(function* () {
    expect(yield* mostInATurn(({ value }) => Effect.succeed(value))).toBeLessThan(200)
  })
)

it.scopedLive("so are those of a sequential tool, and those under a limit", () =>
  Effect.gen(function* () {
    expect(yield* mostInATurn(waiting, { isSequential: true })).toBeLessThan(200)
    expect(yield* mostInATurn(waiting, { concurrency: 3 })).toBeLessThan(200)
  })
)

it.scopedLive("so are those of many journaled runs at once", () =>
  Effect.gen(function* () {
    expect(yield* mostInATurn(waiting, { isApart: true })).toBeLessThan(200)
  })
)

it("a program that cannot wait is not made to", () => {
  const program = Effect.scoped(
    Effect.gen(function* () {
      const toolset = yield* jobs(({ value }) => Effect.succeed(value))
      return yield* (yield* ToolRunner.make(toolset)).runAll(calls)
    })
  )
  expect(Effect.runSync(program)).toHaveLength(2000)
})
