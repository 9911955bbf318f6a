/** Between a call and its repetition, such as after a restart, its tool or its rule may have become another one. */
import { describe, expect, it } from "@effect/vitest"
import {
  Approval,
  Journal,
  NeedsInput,
  Outcome,
  type Policy,
  Response,
  ToolCall,
  ToolRunner,
  Toolset
} from "@wield/core"
import { Effect } from "effect"

const pay = ToolCall.make("call_1", "pay", { to: "Ada" })
const other = ToolCall.make("call_2", "pay", { to: "Ada" })

interface Version {
  readonly name?: string
  readonly needs?: string
  readonly approval?: Policy.Policy["approval"]
}

const ask = () => Approval.ask()
const later: Record<string, Version> = {
  "whose rule says no": { approval: () => Approval.deny("not any more") },
  "whose rule fails": {
    approval: () => {
      throw new Error("no rules")
    }
  },
  "that takes other arguments": { needs: "amount" },
  "that is gone": { name: "send" }
}

/** The same with the operations as effects only, as a journal elsewhere has them. */
const journals = {
  "in memory": Journal.memory,
  elsewhere: Effect.map(Journal.memory, (memory): Journal.Service => ({ ...memory }))
}

describe.each(Object.entries(journals))("a journal %s", (_, made) => {
  const setup = Effect.gen(function* () {
    const journal = yield* made
    const paid: Array<string> = []
    const open = ({ approval, name = "pay", needs = "to" }: Version, kept = journal) =>
      Effect.gen(function* () {
        const toolset = yield* Toolset.dynamic([
          {
            name,
            inputSchema: { type: "object", properties: { [needs]: { type: "string" } }, required: [needs] },
            execute: () => Effect.sync(() => `payment ${paid.push("paid")}`)
          }
        ])
        const runner = yield* ToolRunner.make(toolset, { journal: kept, ...(approval && { approval }) })
        return runner.forRun({ id: "order 12" })
      })
    return { journal, open, paid }
  })

  describe.each(Object.entries(later))("and a tool %s", (_, version) => {
    it.effect("a call that has run is what it came to", () =>
      Effect.gen(function* () {
        const { open, paid } = yield* setup
        yield* (yield* open({})).run(pay)
        const run = yield* open(version)
        for (const how of [run, run.forRun({ isRecovered: true })]) {
          const [again] = yield* how.settle([pay])
          expect(again).toMatchObject({ _tag: "Success", result: "payment 1", notes: [{ _tag: "Replayed" }] })
          const fiber = yield* Effect.fork(Effect.never)
          const host = { fiber, run: Effect.runPromise, onInterrupt: () => () => {} }
          const promised = yield* Effect.promise(() => ToolRunner.byPromise(how, host).settle([pay]))
          expect(promised).toMatchObject([{ _tag: "Success", result: "payment 1" }])
        }
        expect((yield* run.settle([other]))[0]?._tag).toMatch(/Denied|Defect|InvalidArguments|UnknownTool/)
        expect(paid).toEqual(["paid"])
      })
    )

    it.effect("a call that was begun is uncertain", () =>
      Effect.gen(function* () {
        const { journal, open, paid } = yield* setup
        // As a process leaves it that is killed meanwhile.
        yield* (yield* open({}, { ...journal, finish: () => Effect.void })).run(pay)
        const run = yield* open(version)
        expect((yield* run.settle([pay]))[0]).toMatchObject({ _tag: "Uncertain", arguments: { to: "Ada" } })
        expect(paid).toEqual(["paid"])
      })
    )
  })

  it.effect("an approval that comes again is what it came to, also where its tool is gone", () =>
    Effect.gen(function* () {
      const { open, paid } = yield* setup
      const run = yield* open({ approval: ask })
      const waits = yield* run.run(pay)
      if (!Outcome.isDeferred(waits)) return expect.unreachable()
      yield* run.resume(waits, Response.approve)
      const gone = yield* open({ name: "send" })
      expect(yield* gone.resume(waits, Response.approve)).toMatchObject({ _tag: "Success", result: "payment 1" })
      expect(paid).toEqual(["paid"])
    })
  )
})

it.effect("a call that has asked for input, and is denied by now, is denied", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.memory
    const toolset = yield* Toolset.dynamic([
      { name: "pay", execute: () => new NeedsInput({ asks: "Which account?", accepts: { type: "string" } }) }
    ])
    const open = (policy: Policy.Policy) =>
      Effect.map(ToolRunner.make(toolset, { journal, ...policy }), (runner) => runner.forRun({ id: "order 12" }))
    expect((yield* (yield* open({})).run(pay))._tag).toBe("Deferred")
    expect((yield* (yield* open({ approval: () => Approval.deny("not any more") })).run(pay))._tag).toBe("Denied")
  })
)
