import { Tool, Toolkit } from "@effect/ai"
import { Hidden, type Outcome, Toolset } from "@wield/core"
import { Context, Effect, Layer, Schema } from "effect"
import { describe, expectTypeOf, it as test } from "vitest"
import { expectFailure, expectSuccess, it } from "./vitest.js"

class Orders extends Context.Tag("Orders")<Orders, ReadonlyArray<string>>() {}

const Find = Tool.make("find", {
  parameters: { customerId: Schema.String, since: Schema.Date },
  success: Schema.Array(Schema.Date),
  failure: Schema.Literal("closed")
}).pipe(Hidden.fields("customerId"))
const Ping = Tool.make("ping", { success: Schema.Void })
const Shop = Toolkit.make(Find, Ping)
const ShopLive = Shop.toLayer({ find: () => Effect.succeed([]), ping: () => Effect.void })
const options = { toolset: Toolset.fromToolkit(Shop), layer: ShopLive, context: { customerId: "c_1" } }

/** Never run: only the types are looked at. */
const typesOf = () => {
  it.tools("types", options, (tools) =>
    Effect.gen(function* () {
      const outcome = yield* tools.find({ since: "2026-01-01T00:00:00Z" })
      expectTypeOf(expectSuccess(outcome)).toEqualTypeOf<Outcome.Success<"find", ReadonlyArray<Date>>>()
      expectTypeOf(expectFailure(outcome).failure).toEqualTypeOf<"closed">()
      yield* tools.ping()
      // @ts-expect-error The day is missing.
      void tools.find({})
      // @ts-expect-error A model sends text, not a Date.
      void tools.find({ since: new Date() })
      // @ts-expect-error A hidden field is none of the arguments.
      void tools.find({ since: "2026-01-01T00:00:00Z", customerId: "c_2" })
      // @ts-expect-error There is no such tool.
      void tools.finds({})
    })
  )

  // @ts-expect-error The call context is missing.
  it.tools("context", { toolset: Toolset.fromToolkit(Shop), layer: ShopLive }, () => Effect.void)
  // @ts-expect-error The handlers are not provided.
  it.tools("layer", { toolset: Toolset.fromToolkit(Shop), context: { customerId: "c_1" } }, () => Effect.void)
  // @ts-expect-error The test requires what its Layer does not provide.
  it.tools("requirement", options, () => Orders)
  it.tools("requirement", { ...options, layer: Layer.mergeAll(ShopLive, Layer.succeed(Orders, [])) }, () => Orders)

  it.laws("laws", options)
  // @ts-expect-error The call context is missing.
  it.laws("laws", { toolset: Toolset.fromToolkit(Shop), layer: ShopLive })
}

describe("it.tools and it.laws", () => {
  test("are typed by the toolset", () => {
    expectTypeOf(typesOf).toBeFunction()
  })
})
