import { describe, expect, it } from "@effect/vitest"
import { CallContext, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { expectOutcome } from "../tools/outcomes.js"
import { shop } from "../tools/Shop.js"

describe("Toolset.prepare", () => {
  const german = Effect.map(
    shop,
    Toolset.prepare((definition, context) =>
      context.language === "de" && definition.name === "refund" ? { description: "Erstattet Geld" } : {}
    )
  )
  it.scoped("changes definitions per request", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* german)
      const descriptions = Effect.map(runner.definitions, (all) => all.map(({ description }) => description))
      expect((yield* descriptions)[1]).toBe("Pays money back")
      const inGerman = yield* descriptions.pipe(CallContext.provide({ language: "de" }))
      expect(inGerman[1]).toBe("Erstattet Geld")
      expect(inGerman[0]).toBe("The orders of the customer")
    })
  )
  it.scoped("changes what is shown, not how a call is decoded and run", () =>
    Effect.gen(function* () {
      const toolset = (yield* shop).pipe(Toolset.prepare(() => ({ inputSchema: { type: "object", properties: {} } })))
      const runner = yield* ToolRunner.make(toolset)
      expect((yield* runner.definitions)[1]?.inputSchema).toEqual({ type: "object", properties: {} })
      expectOutcome(yield* runner.run(ToolCall.make("c", "refund", {})), "InvalidArguments")
      expectOutcome(yield* runner.run(ToolCall.make("c", "refund", { amount: 1 })), "Success")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("cannot change a name or a fact, though types were bypassed", () =>
    Effect.gen(function* () {
      const changed: Toolset.Prepared = Object.assign(
        { description: "x" },
        { name: "other", facts: { isReadOnly: true } }
      )
      const runner = yield* ToolRunner.make((yield* shop).pipe(Toolset.prepare(() => changed)))
      const definitions = yield* runner.definitions
      expect(definitions[1]).toMatchObject({ name: "refund", description: "x", facts: { isReadOnly: false } })
    })
  )
})

describe("Toolset.describe", () => {
  it.scoped("gives some tools other descriptions", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make((yield* shop).pipe(Toolset.describe({ refund: "Pays back, at most 1000" })))
      expect((yield* runner.definitions).map(({ description }) => description)).toEqual([
        "The orders of the customer",
        "Pays back, at most 1000",
        "Cancels an order",
        "Shows a chart to the customer"
      ])
    })
  )
  it.scoped("can take a description away by an empty one, and is not confused by names of Object", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([{ name: "toString", description: "mine", execute: () => Effect.void }])
      const other = yield* ToolRunner.make(toolset.pipe(Toolset.describe({ other: "x" })))
      expect((yield* other.definitions)[0]?.description).toBe("mine")
      const empty = yield* ToolRunner.make(toolset.pipe(Toolset.describe({ toString: "" })))
      expect((yield* empty.definitions)[0]?.description).toBe("")
    })
  )
})
