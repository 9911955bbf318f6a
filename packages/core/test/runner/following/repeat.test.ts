import { expect, it } from "@effect/vitest"
import { Outcome, type Policy, ToolCall, ToolResult, ToolRunner } from "@wield/core"
import { Effect } from "effect"
import type { Job } from "../../tools/Job.js"
import { jobCall, type JobHandler, jobs } from "../../tools/Job.js"
import { shop } from "../../tools/Shop.js"

const runOf = (handler: JobHandler, policy: Policy.Policy<{ readonly job: typeof Job }> = {}) =>
  Effect.map(
    Effect.flatMap(jobs(handler), (toolset) => ToolRunner.make(toolset, policy)),
    (runner) => runner.forRun({})
  )

const repeated = (outcome: Outcome.Outcome): ReadonlyArray<number> =>
  outcome.notes.flatMap((note) => (note._tag === "Repeated" ? [note.times] : []))

it.scoped("the third identical call of a run with an identical result is told so", () =>
  Effect.gen(function* () {
    const run = yield* runOf(() => Effect.succeed("nothing found"))
    const outcomes = yield* Effect.forEach(["a", "b", "c", "d"], (id) => run.run(jobCall(id, "x")))
    expect(outcomes.map(repeated)).toEqual([[], [], [3], [4]])
    const third = outcomes[2] && Outcome.render(outcomes[2])
    expect(third === undefined ? "" : ToolResult.toText(third)).toBe(
      "nothing found\nYou have made this call 3 times with the same arguments and the same result. Do not repeat it; use the result."
    )
    expect(third?.isError).toBe(false)
    expect(third?.structured).toBe("nothing found")
  })
)

it.scoped("another result, other arguments or another run are no repetition", () =>
  Effect.gen(function* () {
    let count = 0
    const changing = yield* runOf(() => Effect.sync(() => ++count))
    for (const id of ["a", "b", "c", "d"]) expect(repeated(yield* changing.run(jobCall(id, "x")))).toEqual([])
    const same = yield* runOf(() => Effect.succeed("same"))
    for (const id of ["a", "b", "c", "d"]) expect(repeated(yield* same.run(jobCall(id, id)))).toEqual([])
    const runner = yield* ToolRunner.make(yield* jobs(() => Effect.succeed("same")))
    for (const id of ["a", "b", "c", "d"]) expect(repeated(yield* runner.forRun({}).run(jobCall(id)))).toEqual([])
    for (const id of ["a", "b", "c", "d"]) expect(repeated(yield* runner.run(jobCall(id)))).toEqual([])
  })
)

it.scoped("the limit is the policy's, and false turns it off", () =>
  Effect.gen(function* () {
    const second = yield* runOf(() => Effect.succeed("same"), { repeatGuard: 2 })
    const off = yield* runOf(() => Effect.succeed("same"), { repeatGuard: false })
    expect((yield* Effect.forEach(["a", "b"], (id) => second.run(jobCall(id)))).map(repeated)).toEqual([[], [2]])
    expect((yield* Effect.forEach(["a", "b", "c", "d"], (id) => off.run(jobCall(id)))).flatMap(repeated)).toEqual([])
  })
)

it.scoped("a replayed call is no repetition, failures are none", () =>
  Effect.gen(function* () {
    const run = yield* runOf(() => Effect.succeed("same"), { repeatGuard: 2 })
    for (const id of ["a", "a", "a"]) expect(repeated(yield* run.run(jobCall(id)))).toEqual([])
    const failing = yield* runOf(() => Effect.fail("same"), { repeatGuard: 2 })
    for (const id of ["a", "b", "c"]) expect(repeated(yield* failing.run(jobCall(id)))).toEqual([])
  })
)

it.scoped("calls of two tools with the same arguments and result are told apart", () =>
  Effect.gen(function* () {
    const run = (yield* ToolRunner.make(yield* shop, { repeatGuard: 2 })).forRun({ context: { customerId: "c" } })
    expect(repeated(yield* run.run(ToolCall.make("a", "cancel", { number: 7 })))).toEqual([])
    expect(repeated(yield* run.run(ToolCall.make("b", "cancel", { number: 7 })))).toEqual([2])
    expect(repeated(yield* run.run(ToolCall.make("c", "refund", { amount: 7 })))).toEqual([])
  })
)
