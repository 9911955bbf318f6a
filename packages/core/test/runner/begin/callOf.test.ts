import { expect, it } from "@effect/vitest"
import { CurrentCall, Journal, NeedsInput, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"

it.effect("of an entry of a journal, the call's id is known, and whether it is of a call at all", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.memory
    const keys: Array<Journal.Key> = []
    const toolset = yield* Toolset.dynamic([
      {
        name: "pay",
        execute: () =>
          Effect.flatMap(CurrentCall.CurrentCall, ({ input }) =>
            input === undefined ? new NeedsInput({ asks: "Which?", accepts: {} }) : Effect.succeed("paid")
          )
      }
    ])
    const runner = yield* ToolRunner.make(toolset, {
      journal: { ...journal, begin: (key, tool) => (keys.push(key), journal.begin(key, tool)) }
    })
    for (const turn of [undefined, "", "turn:1"]) {
      const run = runner.forRun({ id: "run", ...(turn === undefined ? {} : { turn }) })
      for (const id of ["call_1", "", "turn:2:ab:c"]) {
        keys.length = 0
        const [asked] = yield* run.settle([ToolCall.make(id, "pay", {})])
        expect(asked?._tag).toBe("Deferred")
        yield* run.resumeAll(asked === undefined ? [] : [asked], () => Response.reply(1))
        expect(keys.map(Journal.callOf)).toEqual(keys.map(() => id))
        expect(new Set(keys.map(({ call }) => call)).size).toBe(2)
      }
    }
    expect(Journal.callOf(Journal.keyOf("run", "run"))).toBeUndefined()
  })
)
