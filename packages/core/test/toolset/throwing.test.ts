import { expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { ToolCall, ToolRunner, Toolset } from "@wield/core"

const echo = { name: "echo", execute: () => Effect.succeed("hello") }

it.effect("gives each call an outcome when a filter throws while a call is run", () =>
  Effect.gen(function* () {
    let isBroken = false
    const toolset = (yield* Toolset.dynamic([echo])).pipe(
      Toolset.filter(() => {
        if (isBroken) throw new Error("secret")
        return true
      })
    )
    const runner = yield* ToolRunner.make(toolset)
    isBroken = true
    const outcomes = yield* runner.runAll([ToolCall.make("1", "echo", {}), ToolCall.make("2", "echo", {})])
    expect(outcomes.map((outcome) => [outcome.id, outcome._tag])).toEqual([
      ["1", "Defect"],
      ["2", "Defect"]
    ])
    expect((yield* runner.run(ToolCall.make("3", "echo", {})))._tag).toBe("Defect")
  }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
)
