import { describe, expect, it } from "@effect/vitest"
import { CallContext, CurrentCall, Journal, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, FastCheck } from "effect"
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

/** Names that could be taken for each other if they were only put together. */
const name = FastCheck.constantFrom(
  "",
  "1",
  "a",
  ":",
  "1:a",
  ":a",
  "1:1:a",
  "turn:1:a",
  "turn::a",
  "turn:1:1:a",
  "a/b",
  "turn:"
)

const place = FastCheck.record({ turn: FastCheck.option(name, { nil: undefined }), id: name })

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
      const call = (name: string, id = name) => ToolCall.make(id, name, {})
      expect(tagsOf(yield* run.runAll([call("a"), call("b")]))).toEqual(["Success", "Unavailable"])
      expect(tagsOf(yield* turn.runAll([call("a", "later"), call("b")]))).toEqual(["Unavailable", "Success"])
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

describe("a turn within a run", () => {
  // The last one's operations are effects.
  const policies = Effect.map(Effect.all([Journal.memory, Journal.memory]), ([atOnce, slow]) => [
    {},
    { journal: atOnce },
    { journal: { ...slow } }
  ])

  it.scoped("runs a call whose id came in another turn before, with the same tool and arguments", () =>
    Effect.gen(function* () {
      for (const policy of yield* policies) {
        const { runner, runs } = yield* counting(policy)
        const run = runner.forRun({ id: "r" })
        for (const turn of ["1", "2", "3"]) {
          expectOutcome(yield* run.forRun({ turn }).run(jobCall("call_0", "x")), "Success")
        }
        expect(runs()).toBe(3)
      }
    })
  )
  it.scoped("is the same turn when its name comes again: what it has run is replayed", () =>
    Effect.gen(function* () {
      for (const policy of yield* policies) {
        const { runner, runs } = yield* counting(policy)
        const run = runner.forRun({ id: "s", turn: "1" })
        yield* run.run(jobCall("call_0"))
        const second = run.forRun({ turn: "2" })
        yield* second.run(jobCall("call_0"))
        // Options that say nothing of the turn leave it as it is.
        for (const again of [run, second.forRun({ turn: "1" }), run.forRun({ offered: ["job"] }), second.forRun({})]) {
          expect((yield* again.run(jobCall("call_0"))).notes).toEqual([{ _tag: "Replayed" }])
        }
        expect(runs()).toBe(2)
      }
    })
  )
  it.scoped("is found again under the journal after a restart, and forgotten with its run", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const { runner, runs } = yield* counting({ journal })
      const turn = (id: string) => runner.forRun({ id, turn: "1" }).run(jobCall("call_0"))
      yield* turn("r")
      yield* turn("r/1")
      expect((yield* turn("r")).notes).toEqual([{ _tag: "Replayed" }])
      yield* journal.forget("r")
      expect((yield* turn("r/1")).notes).toEqual([{ _tag: "Replayed" }])
      yield* turn("r")
      expect(runs()).toBe(3)
    })
  )
  it.scoped("has an idempotency key of its own for each of its calls", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const toolset = yield* jobs(() =>
        Effect.map(CurrentCall.CurrentCall, ({ idempotencyKey }) => void keys.push(idempotencyKey))
      )
      const run = (yield* ToolRunner.make(toolset)).forRun({ id: "r" })
      for (const turn of ["1", "2"]) yield* run.forRun({ turn }).run(jobCall("call_0"))
      yield* run.run(jobCall("call_0"))
      expect(new Set(keys).size).toBe(3)
    })
  )
  it.scoped("shares the repeat guard and the context with the other turns of its run", () =>
    Effect.gen(function* () {
      const toolset = yield* jobs(() => Effect.map(CallContext.CallContext, ({ user }) => user))
      const run = (yield* ToolRunner.make(toolset)).forRun({ context: { user: "ada" } })
      const outcomes = yield* Effect.forEach(["1", "2", "3"], (turn) => run.forRun({ turn }).run(jobCall("call_0")))
      expect(outcomes.map((outcome) => expectOutcome(outcome, "Success").encoded)).toEqual(["ada", "ada", "ada"])
      expect(outcomes[2]?.notes).toEqual([{ _tag: "Repeated", times: 3 }])
    })
  )
  it.scoped.prop(
    "is taken for no other turn, whatever the names of turns and the ids of calls are",
    { places: FastCheck.array(place, { minLength: 2, maxLength: 8 }) },
    ({ places }) =>
      Effect.gen(function* () {
        const { runner, runs } = yield* counting({ journal: yield* Journal.memory })
        const different = new Set(places.map(({ id, turn }) => JSON.stringify([turn ?? null, id])))
        for (const { id, turn } of places) yield* runner.forRun({ id: "r", turn }).run(jobCall(id))
        expect(runs()).toBe(different.size)
      })
  )
})
