import { Tool, Toolkit } from "@effect/ai"
import { Hidden, type ToolsetError, Toolset } from "@wield/core"
import { Context, Effect, Schema } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import * as Laws from "./Laws.js"

class Orders extends Context.Tag("Orders")<Orders, { readonly all: ReadonlyArray<string> }>() {}

const Plain = Toolkit.make(Tool.make("ping", { success: Schema.Void }))
const Private = Toolkit.make(
  Tool.make("find", { parameters: { customerId: Schema.String }, success: Schema.Void }).pipe(
    Hidden.fields("customerId")
  )
)
const Needing = Toolkit.make(Tool.make("list", { success: Schema.Void }).addDependency(Orders))

describe("Laws.check", () => {
  it("needs no options where no tool has hidden fields", () => {
    const program = Effect.flatMap(Toolset.fromToolkit(Plain), (toolset) => Laws.check(toolset))
    expectTypeOf<Effect.Effect.Success<typeof program>>().toEqualTypeOf<Laws.Report>()
  })

  it("demands the call context where a tool has hidden fields", () => {
    Effect.flatMap(Toolset.fromToolkit(Private), (toolset) => {
      // @ts-expect-error The call context is missing.
      void Laws.check(toolset)
      // @ts-expect-error The hidden field is a string.
      void Laws.check(toolset, { context: { customerId: 1 } })
      return Laws.check(toolset, { context: { customerId: "c_1" } })
    })
  })

  it("requires what the tools require, and can fail only as the toolset can", () => {
    Effect.map(Toolset.fromToolkit(Needing), (toolset) => {
      const checked = Laws.check(toolset)
      expectTypeOf<Effect.Effect.Context<typeof checked>>().toEqualTypeOf<Orders>()
      expectTypeOf<Effect.Effect.Error<typeof checked>>().toEqualTypeOf<ToolsetError>()
    })
  })
})
