import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { CurrentCall, Journal, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { expectOutcome } from "../../tools/outcomes.js"

const spoil = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return
  for (const item of Object.values(value)) spoil(item)
  Reflect.set(value, "spoilt", true)
}

const Note = Tool.make("note", { parameters: { any: Schema.Unknown }, success: Schema.Boolean })
const Notes = Toolkit.make(Note)
const handle = (parameters: unknown) =>
  Effect.sync(() => {
    spoil(parameters)
    return true
  })

it.scoped("a handler that changes its parameters does not change the call as the model sent it", () =>
  Effect.gen(function* () {
    const toolset = Toolset.combine(
      yield* Toolset.fromLayer(Notes, Notes.toLayer({ note: handle })),
      yield* Toolset.dynamic([
        { name: "dynamic", inputSchema: { type: "object", properties: { any: {} } }, execute: handle }
      ])
    )
    const runner = yield* ToolRunner.make(toolset)
    for (const name of ["note", "dynamic"]) {
      const sent = { any: { a: [{ b: 1 }, [2]], c: null } }
      expectOutcome(yield* runner.run(ToolCall.make("c", name, sent)), "Success")
      expect(sent).toEqual({ any: { a: [{ b: 1 }, [2]], c: null } })
    }
  })
)

it.scoped("what is no JSON is handed on as it is", () =>
  Effect.gen(function* () {
    const received: Array<unknown> = []
    const toolset = yield* Toolset.fromLayer(
      Notes,
      Notes.toLayer({ note: ({ any }) => Effect.sync(() => received.push(any) > 0) })
    )
    const runner = yield* ToolRunner.make(toolset)
    const day = new Date(0)
    yield* runner.call("note", { any: day })
    expect(received[0]).toBe(day)
  })
)

const sentAs = { text: '{"any":{"a":[{"b":1}]}}', object: { any: { a: [{ b: 1 }] } } }

for (const [form, sent] of Object.entries(sentAs)) {
  it.scoped(`a handler that changes its parameters, sent as ${form}, keeps its idempotency key and is replayed`, () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const toolset = yield* Toolset.fromLayer(
        Notes,
        Notes.toLayer({
          note: (parameters) =>
            Effect.gen(function* () {
              const call = yield* CurrentCall.CurrentCall
              if (keys.length > 0) keys.push(call.idempotencyKey)
              spoil(parameters)
              keys.push(call.idempotencyKey)
              return true
            })
        })
      )
      const call = ToolCall.make("c", "note", sent)
      for (const policy of [{}, { journal: yield* Journal.memory }]) {
        const run = (yield* ToolRunner.make(toolset, policy)).forRun({ id: "run" })
        expectOutcome(yield* run.run(call), "Success")
        const again = expectOutcome(yield* run.run(call), "Success")
        expect(again.notes).toEqual([{ _tag: "Replayed" }])
      }
      expect(keys).toHaveLength(3)
      expect(new Set(keys).size).toBe(1)
    })
  )
}
