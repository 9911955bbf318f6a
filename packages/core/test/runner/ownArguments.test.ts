import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { expectOutcome } from "../tools/outcomes.js"

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
