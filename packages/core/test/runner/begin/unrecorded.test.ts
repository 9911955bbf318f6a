/** A call that the journal cannot write down is not run, and the model is told so. */
import { expect, it } from "@effect/vitest"
import { Journal, JournalError, Outcome, ToolRunner } from "@wield/core"
import { Effect } from "effect"
import { IdempotentJob, type Job, jobCall, jobs } from "../../tools/Job.js"

const broken = (begin: Effect.Effect<never, JournalError>) =>
  Effect.map(Journal.memory, (journal): Journal.Service => ({ ...journal, begin: () => begin }))

const textOf = (begin: Effect.Effect<never, JournalError>, isRecovered: boolean, tool?: typeof Job) =>
  Effect.gen(function* () {
    const toolset = yield* jobs(() => Effect.dieMessage("it was run"), tool)
    const runner = yield* ToolRunner.make(toolset, { journal: yield* broken(begin) })
    const [outcome] = yield* runner.forRun({ id: "r", isRecovered }).runAll([jobCall("c")])
    return outcome === undefined ? undefined : Outcome.text(outcome)
  })

const failing = {
  "fails with an error": new JournalError({ operation: "begin", cause: "the disk is full" }),
  dies: Effect.die("the disk is full")
}

for (const [how, begin] of Object.entries(failing)) {
  it.scoped(`a journal that ${how}: the tool was not run, and may be tried again`, () =>
    Effect.gen(function* () {
      const told = yield* textOf(begin, false)
      expect(told).toMatch(/^The tool job was not run: the program could not record the call \(reference \w+\)\./)
      expect(told).toContain("You may try again later.")
      expect(told).not.toContain("disk")
      // Nobody knows whether a process that is gone has begun it.
      const uncertain = yield* textOf(begin, true)
      expect(uncertain).toContain("may already have taken effect: the record of whether it was begun cannot be read")
      expect(yield* textOf(begin, true, IdempotentJob)).toContain("You may try again later.")
    })
  )
}

it.scoped.each([
  null,
  undefined,
  {},
  "Fresh",
  { _tag: "fresh" },
  { _tag: "Running" },
  { _tag: "Finished" },
  { _tag: "toString" }
])("a journal that answers %j: the tool was not run", (answer) =>
  Effect.gen(function* () {
    // A journal in plain JavaScript, or of another version.
    const told = yield* textOf(Effect.succeed(answer as never), false)
    expect(told).toMatch(/^The tool job was not run: the program could not record the call/)
  })
)

it.scoped("a call that ended as this version does not know is not run again", () =>
  Effect.gen(function* () {
    const ending = { _tag: "Postponed", until: 5 }
    // As above.
    const told = yield* textOf(Effect.succeed({ _tag: "Finished", ending } as never), false)
    expect(told).toMatch(/^The tool job was not run/)
  })
)
