import * as Tool from "@effect/ai/Tool"
import { Outcome, type ToolRunner, type Toolset } from "@wield/core"
import * as Schema from "effect/Schema"
import { describe, expectTypeOf, it } from "vitest"

const FindOrder = Tool.make("FindOrder", {
  parameters: { number: Schema.Number },
  success: Schema.Struct({ placedAt: Schema.Date }),
  failure: Schema.Literal("NoSuchOrder")
})

describe("Outcome", () => {
  it("types the result and the failure of a tool by its schemas", () => {
    type FindOrderOutcome = Outcome.Of<{ readonly FindOrder: typeof FindOrder }>
    type Success = Extract<FindOrderOutcome, { readonly _tag: "Success" }>
    type Failure = Extract<FindOrderOutcome, { readonly _tag: "Failure" }>
    expectTypeOf<Success["name"]>().toEqualTypeOf<"FindOrder">()
    expectTypeOf<Success["result"]>().toEqualTypeOf<{ readonly placedAt: Date }>()
    expectTypeOf<Failure["failure"]>().toEqualTypeOf<"NoSuchOrder">()
  })

  it("types what a deferred call waits with by its tool", () => {
    const deferred = (outcome: Outcome.Of<{ readonly FindOrder: typeof FindOrder }>) =>
      Outcome.isDeferred(outcome) ? outcome : undefined
    expectTypeOf<ReturnType<typeof deferred>>().toEqualTypeOf<
      Outcome.Deferred<"FindOrder", { readonly number: number }> | undefined
    >()
  })

  it("has a deferred call among the outcomes of tools that only the run time knows", () => {
    const deferred = (outcome: ToolRunner.OutcomeOf<Toolset.DynamicTools>) =>
      Outcome.isDeferred(outcome) ? outcome : undefined
    expectTypeOf<ReturnType<typeof deferred>>().toEqualTypeOf<Outcome.Deferred | undefined>()
  })

  it("narrows to the mistakes of a model", () => {
    const mistake = (outcome: Outcome.Outcome) => (Outcome.isModelMistake(outcome) ? outcome : undefined)
    expectTypeOf<ReturnType<typeof mistake>>().toEqualTypeOf<
      Outcome.InvalidArguments | Outcome.UnknownTool | Outcome.Unavailable | undefined
    >()
  })
})
