import { describe, expect, it } from "@effect/vitest"
import { Journal, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { jobCall, jobs } from "../tools/Job.js"
import { expectOutcome, tagsOf } from "../tools/outcomes.js"

const counting = (policy = {}) => {
  let runs = 0
  return Effect.map(
    Effect.flatMap(
      jobs(() => Effect.sync(() => ++runs)),
      (toolset) => ToolRunner.make(toolset, policy)
    ),
    (runner) => ({ runner, runs: () => runs })
  )
}

it.scoped("a run remembers what it has run, another does not know of it", () =>
  Effect.gen(function* () {
    const { runner, runs } = yield* counting()
    const run = runner.forRun({})
    yield* run.run(jobCall("c"))
    yield* run.runAll([jobCall("c")])
    expect(runs()).toBe(1)
    yield* runner.forRun({}).run(jobCall("c"))
    expect(runs()).toBe(2)
  })
)

describe("a run within a run", () => {
  it.scoped("is the same run: what is finished is replayed in it, and the other way round", () =>
    Effect.gen(function* () {
      for (const policy of [{}, { journal: yield* Journal.memory }]) {
        const { runner, runs } = yield* counting(policy)
        const run = runner.forRun({})
        yield* run.run(jobCall("before"))
        const turn = run.forRun({ offered: ["job"] })
        const replayed = yield* turn.run(jobCall("before"))
        expect(replayed.notes).toEqual([{ _tag: "Replayed" }])
        yield* turn.run(jobCall("within"))
        expect((yield* run.run(jobCall("within"))).notes).toEqual([{ _tag: "Replayed" }])
        expect(runs()).toBe(2)
      }
    })
  )
  it.scoped("counts repetitions together with the run around it", () =>
    Effect.gen(function* () {
      const toolset = yield* jobs(() => Effect.succeed("same"))
      const run = (yield* ToolRunner.make(toolset)).forRun({})
      const outcomes = yield* Effect.forEach(["a", "b", "c"], (id) => run.forRun({ offered: ["job"] }).run(jobCall(id)))
      expect(outcomes[2]?.notes).toEqual([{ _tag: "Repeated", times: 3 }])
    })
  )
  it.scoped("with an id of its own is another run", () =>
    Effect.gen(function* () {
      const { runner, runs } = yield* counting()
      const run = runner.forRun({ id: "a" })
      yield* run.run(jobCall("c"))
      yield* run.forRun({ id: "b" }).run(jobCall("c"))
      expect(runs()).toBe(2)
    })
  )
  it.scoped("changes what is offered, and leaves the run around it as it is", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic(["a", "b"].map((name) => ({ name, execute: () => Effect.void })))
      const run = (yield* ToolRunner.make(toolset)).forRun({ offered: ["a"] })
      const turn = run.forRun({ offered: ["b"] })
      const call = (name: string) => ToolCall.make(name, name, {})
      expect(tagsOf(yield* run.runAll([call("a"), call("b")]))).toEqual(["Success", "Unavailable"])
      expect(tagsOf(yield* turn.runAll([call("a"), call("b")]))).toEqual(["Unavailable", "Success"])
      expectOutcome(yield* turn.forRun({}).run(call("b")), "Success")
    })
  )
})

it.scoped("a run is started anew each time its effect is run, unless it is named", () =>
  Effect.gen(function* () {
    const { runner, runs } = yield* counting({ journal: yield* Journal.memory })
    const once = runner.run(jobCall("c"))
    yield* once
    yield* once
    expect(runs()).toBe(2)
  })
)

it.scoped("a journal is forgotten run by run", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.memory
    const { runner, runs } = yield* counting({ journal })
    for (const id of ["r1", "r2"]) yield* runner.forRun({ id }).run(jobCall("c"))
    yield* journal.forget("r1")
    for (const id of ["r1", "r2"]) yield* runner.forRun({ id }).run(jobCall("c"))
    expect(runs()).toBe(3)
  })
)
