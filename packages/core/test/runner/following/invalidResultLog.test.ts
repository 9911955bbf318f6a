import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { type Policy, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Logger, Schema } from "effect"

const Price = Toolkit.make(Tool.make("price", { success: Schema.Struct({ cents: Schema.Number.pipe(Schema.int()) }) }))
const PriceLive = Price.toLayer({ price: () => Effect.succeed({ cents: 1.5 }) })

/** The messages that are logged while a price that is no whole number is made into a result. */
const logged = (observe: NonNullable<Policy.Policy["observe"]>) =>
  Effect.gen(function* () {
    const messages: Array<unknown> = []
    const recorder = Logger.make(({ message }) => void messages.push(message))
    const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Price), { observe })
    yield* runner
      .run(ToolCall.make("call_1", "price", {}))
      .pipe(Effect.provide(Logger.replace(Logger.defaultLogger, recorder)))
    return JSON.stringify(messages)
  }).pipe(Effect.provide(PriceLive))

describe("the log of a result that does not fit its schema", () => {
  it.effect("says what does not fit where causes are asked for", () =>
    Effect.gen(function* () {
      expect(yield* logged({ causes: true })).toContain("cents: expected an integer, received 1.5")
    })
  )

  it.effect("says nothing of the result otherwise", () =>
    Effect.gen(function* () {
      const text = yield* logged({})
      expect(text).toContain("price")
      expect(text).not.toContain("cents")
    })
  )
})
