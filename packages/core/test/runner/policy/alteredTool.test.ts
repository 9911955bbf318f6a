/**
 * A tool that changes while a runner holds state for it: what its old form was
 * allowed does not hold for the new one.
 */
import { expect, it } from "@effect/vitest"
import { ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schedule } from "effect"
import { expectOutcome, tagsOf } from "../../tools/outcomes.js"

const inputSchema = { type: "object", properties: { all: { type: "boolean" } } }

const call = (id: string) => ToolCall.make(id, "tidy", {})

it.effect("a result of the tool's old form is not given for its new one", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      { name: "tidy", inputSchema, facts: { isReadOnly: true }, execute: () => Effect.succeed("listed") }
    ])
    const runner = yield* ToolRunner.make(toolset, { limits: { default: { cache: { timeToLive: "1 hour" } } } })
    yield* runner.run(call("a"))
    yield* toolset.put({ name: "tidy", inputSchema, execute: () => Effect.succeed("deleted") })
    const outcome = expectOutcome(yield* runner.run(call("b")), "Success")
    expect(outcome.encoded).toBe("deleted")
    expect(outcome.notes).toEqual([])
    expect(expectOutcome(yield* runner.run(call("c")), "Success").notes).toEqual([])
  })
)

it.effect("a default retry ends with the facts that allowed it", () =>
  Effect.gen(function* () {
    let runs = 0
    const failing = { name: "tidy", inputSchema, execute: () => Effect.suspend(() => Effect.fail(`failure ${++runs}`)) }
    const toolset = yield* Toolset.dynamic([{ ...failing, facts: { isIdempotent: true } }])
    const runner = yield* ToolRunner.make(toolset, { limits: { default: { retry: Schedule.recurs(2) } } })
    yield* runner.run(call("a"))
    expect(runs).toBe(3)
    yield* toolset.put(failing)
    yield* runner.run(call("b"))
    expect(runs).toBe(4)
  })
)

it.effect("a tool does not get calls beyond its rate by being altered", () =>
  Effect.gen(function* () {
    const tool = { name: "tidy", inputSchema, execute: () => Effect.succeed("done") }
    const toolset = yield* Toolset.dynamic([tool])
    const runner = yield* ToolRunner.make(toolset, {
      limits: { default: { rate: { calls: 1, window: "1 minute" } } }
    })
    const first = yield* runner.run(call("a"))
    yield* toolset.put({ ...tool, description: "altered" })
    expect(tagsOf([first, yield* runner.run(call("b"))])).toEqual(["Success", "Limited"])
  })
)
