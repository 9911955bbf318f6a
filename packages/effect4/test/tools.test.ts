import { Outcome, ToolCall, ToolRunner, Toolset } from "@wield/effect4"
import { Effect, Schedule, Schema, Stream } from "effect"
import { Prompt, Tool, Toolkit } from "effect/ai"
import { expect, it } from "vitest"
import { only } from "./shop.js"

const Fragile = Tool.make("fragile", { success: Schema.String, failure: Schema.String })
const Chart = Tool.make("chart", {
  success: Schema.Struct({ points: Schema.Int }),
  toModelOutput: ({ points }) => [Prompt.textPart({ text: `a chart of ${points} points` })]
})
const Send = Tool.make("send", {
  parameters: Schema.Struct({ to: Schema.String }),
  success: Schema.String,
  needsApproval: ({ to }, { messages }) => to === "all" && messages.length > 0
})
const Maybe = Tool.make("maybe", {
  parameters: Schema.Struct({ amount: Schema.Finite }),
  success: Schema.String,
  needsApproval: ({ amount }) => Effect.succeed(amount > 10)
})
const Kit = Toolkit.make(Fragile, Chart, Send, Maybe)

const inKit = <A, E>(
  use: (runner: ToolRunner.Runner<Toolset.ToolsOf<typeof Kit>>, tries: { count: number }) => Effect.Effect<A, E>
): Promise<A> => {
  const tries = { count: 0 }
  const handlers = Kit.toLayer({
    fragile: () => Effect.suspend(() => (++tries.count < 3 ? Effect.fail("not yet") : Effect.succeed("at last"))),
    chart: (_, { preliminary }) => Effect.as(preliminary({ points: 1 }), { points: 7 }),
    send: ({ to }) => Effect.succeed(to),
    maybe: ({ amount }) => Effect.succeed(String(amount))
  })
  const program = Effect.gen(function* () {
    const limits = { tools: { fragile: { retry: Schedule.recurs(2) } } }
    return yield* use(yield* ToolRunner.make(yield* Toolset.fromToolkit(Kit), { limits }), tries)
  })
  return Effect.runPromise(Effect.provide(program, handlers))
}

it("a schedule of Effect 4 says when a handler runs again", () =>
  inKit((runner, tries) =>
    Effect.gen(function* () {
      const outcome = only(yield* runner.run(ToolCall.make("1", "fragile", {})), "Success")
      expect([outcome.result, tries.count, outcome.notes]).toEqual(["at last", 3, [{ _tag: "Retried", attempts: 3 }]])
    })
  ))

it("a failure of a tool of failureMode error is one of the run, and of a call of the program", () =>
  inKit((runner, tries) =>
    Effect.gen(function* () {
      tries.count = -10
      expect(yield* Effect.flip(runner.run(ToolCall.make("1", "fragile", {})))).toBe("not yet")
      expect(yield* runner.call("chart", {})).toEqual({ points: 7 })
      const [outcome] = yield* runner.settle([ToolCall.make("2", "fragile", {})])
      expect(outcome?._tag === "Failure" && outcome.isRaised).toBe(true)
    })
  ))

it("the model reads what toModelOutput says, and preliminary results are progress", () =>
  inKit((runner) =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(runner.stream([ToolCall.make("1", "chart", {})]))
      expect(events.map(({ _tag }) => _tag)).toEqual(["Started", "Progress", "Finished"])
      const outcome = yield* runner.run(ToolCall.make("2", "chart", {}))
      expect(Outcome.text(outcome)).toBe("a chart of 7 points")
    })
  ))

it("needsApproval that is an effect is asked, and one that looks at the conversation has a person asked", () =>
  inKit((runner) =>
    Effect.gen(function* () {
      const tagOf = (name: string, args: object) =>
        Effect.map(runner.run(ToolCall.make(JSON.stringify(args), name, args)), ({ _tag }) => _tag)
      expect(yield* tagOf("maybe", { amount: 5 })).toBe("Success")
      expect(yield* tagOf("maybe", { amount: 50 })).toBe("Deferred")
      expect(yield* tagOf("send", { to: "Ada" })).toBe("Deferred")
    })
  ))

it("are made at once by `Effect.runSync`, however long that takes", () => {
  const inputSchema = {
    type: "object",
    // It is read while the tool is made.
    get properties(): Record<string, never> {
      for (const since = performance.now(); performance.now() - since < 30;);
      return {}
    }
  }
  const named = (name: string) => ({ name, inputSchema, execute: () => Effect.succeed("noted") })
  const make = () => Effect.runSync(Toolset.dynamic([named("one"), named("two"), named("three")]))
  expect(make).not.toThrow()
})

it("are selected by their names, each by itself", () => {
  const toolset = Effect.runSync(Toolset.dynamic([{ name: "note", execute: () => Effect.succeed("noted") }]))
  // A program in JavaScript may give a list of them.
  const names = ["note"] as never
  expect(() => Toolset.select(toolset, names)).toThrow("What `Toolset.select` takes")
})
