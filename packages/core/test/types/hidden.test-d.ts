import { Tool, Toolkit } from "@effect/ai"
import { CallContext, Facts, Hidden, ToolCall, type ToolRunner, type Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import type { Shop } from "../tools/Shop.js"
import { type GetOrders, type Refund } from "../tools/Shop.js"

const Visit = Tool.make("visit", {
  parameters: { customerId: Schema.String, since: Schema.Date, page: Schema.String }
})

type ShopTools = Toolkit.Tools<typeof Shop>
declare const runner: ToolRunner.Runner<ShopTools>

describe("Hidden.fields", () => {
  it("takes the fields from what a model sees and asks for them, encoded, in the call context", () => {
    const tool = Visit.pipe(Hidden.fields("customerId", "since"))
    expectTypeOf<Hidden.Names<typeof tool>>().toEqualTypeOf<"customerId" | "since">()
    expectTypeOf<Hidden.VisibleParameters<typeof tool>>().toEqualTypeOf<{ readonly page: string }>()
    expectTypeOf<Hidden.ContextOf<typeof tool>>().toEqualTypeOf<{
      readonly customerId: string
      readonly since: string
    }>()
  })
  it("leaves the handler its typed parameters", () => {
    Toolkit.make(Visit.pipe(Hidden.fields("customerId", "since"))).toLayer({
      visit: (parameters) => {
        expectTypeOf(parameters).toEqualTypeOf<{
          readonly customerId: string
          readonly since: Date
          readonly page: string
        }>()
        return Effect.void
      }
    })
  })
  it("is not forgotten when more is stated afterwards", () => {
    const tool = Visit.pipe(Hidden.fields("customerId")).annotate(Tool.Readonly, true).pipe(Facts.sequential)
    expectTypeOf<Hidden.Names<typeof tool>>().toEqualTypeOf<"customerId">()
    const before = Visit.annotate(Tool.Readonly, true).pipe(Facts.sequential, Hidden.fields("customerId"))
    expectTypeOf<Hidden.Names<typeof before>>().toEqualTypeOf<"customerId">()
    const client = Visit.pipe(Hidden.fields("customerId"), Facts.client)
    expectTypeOf<Hidden.Names<typeof client>>().toEqualTypeOf<"customerId">()
  })
  it("lets examples be of what a model sends", () => {
    const tool = Visit.pipe(Hidden.fields("customerId", "since"))
    tool.pipe(Facts.examples({ page: "home" }, { page: "cart" }))
    Visit.pipe(Facts.examples({ page: "home", customerId: "c_1", since: "2026-01-01" }), Hidden.fields("customerId"))
    // @ts-expect-error the page is a string
    tool.pipe(Facts.examples({ page: 1 }))
    // @ts-expect-error the page is missing
    tool.pipe(Facts.examples({}))
    // @ts-expect-error nothing is hidden yet, so all parameters are wanted
    Visit.pipe(Facts.examples({ page: "home" }))
  })
  it("refuses a name that is not among the parameters", () => {
    // @ts-expect-error there is no parameter customerID
    Visit.pipe(Hidden.fields("customerID"))
    // @ts-expect-error the second is none
    Visit.pipe(Hidden.fields("customerId", "tenant"))
    // @ts-expect-error at least one is named
    Visit.pipe(Hidden.fields())
  })
  it("is nothing to a tool that has none", () => {
    expectTypeOf<Hidden.Names<typeof Refund>>().toEqualTypeOf<never>()
    expectTypeOf<Hidden.ContextOf<typeof Refund>>().toEqualTypeOf<{}>()
  })
})

describe("the call context of a run", () => {
  it("is all hidden fields of all tools", () => {
    expectTypeOf<Toolset.ContextOf<ShopTools>>().toEqualTypeOf<{ readonly customerId: string }>()
    type Two = { readonly a: typeof GetOrders; readonly b: Tool.Any }
    expectTypeOf<Toolset.ContextOf<Pick<Two, "a">>>().toEqualTypeOf<{ readonly customerId: string }>()
  })
  it("is required where there are any, and checked", () => {
    runner.forRun({ context: { customerId: "c_1" } })
    runner.forRun({ context: { customerId: "c_1", role: "clerk" }, offered: ["refund"], id: "run_1" })
    // @ts-expect-error the customer is a string
    runner.forRun({ context: { customerId: 42 } })
    // @ts-expect-error the customer is missing
    runner.forRun({ context: { role: "clerk" } })
    // @ts-expect-error the context is missing
    runner.forRun({ id: "run_1" })
    // @ts-expect-error no tool has the name
    runner.forRun({ context: { customerId: "c_1" }, offered: ["refunds"] })
  })
  it("need not be repeated in a run within a run, but stays checked", () => {
    const run = runner.forRun({ context: { customerId: "c_1" } })
    run.forRun({ offered: ["refund"] })
    run.forRun({ context: { role: "clerk" } })
    // @ts-expect-error the customer is a string
    run.forRun({ context: { customerId: 42 } })
  })
  it("is required of what is around a call that has no run", () => {
    const call = runner.run(ToolCall.make("c", "get_orders", {}))
    expectTypeOf<Effect.Effect.Context<typeof call>>().toEqualTypeOf<CallContext.CallContextWith<"customerId">>()
    // @ts-expect-error the customer is missing
    Effect.runSync(Effect.orDie(call))
    const given = call.pipe(CallContext.provide({ customerId: "c_1", role: "clerk" }))
    expectTypeOf<Effect.Effect.Context<typeof given>>().toEqualTypeOf<never>()
    const other = CallContext.provide(call, { role: "clerk" })
    expectTypeOf<Effect.Effect.Context<typeof other>>().toEqualTypeOf<CallContext.CallContextWith<"customerId">>()
    const run = runner.forRun({ context: { customerId: "c_1" } }).run(ToolCall.make("c", "get_orders", {}))
    expectTypeOf<Effect.Effect.Context<typeof run>>().toEqualTypeOf<never>()
  })
  it("is not required of fields that may be absent, nor where only the run time knows the tools", () => {
    const Search = Tool.make("search", { parameters: { text: Schema.String, tenant: Schema.optional(Schema.String) } })
    const tool = Search.pipe(Hidden.fields("tenant"))
    type Context<Tools> = Effect.Effect.Context<ReturnType<ToolRunner.Runner<Tools>["run"]>>
    expectTypeOf<Context<{ readonly search: typeof tool }>>().toEqualTypeOf<never>()
    expectTypeOf<Context<Toolset.DynamicTools>>().toEqualTypeOf<never>()
  })
})
