import { Tool, Toolkit } from "@effect/ai"
import { Approval, Toolset, type ToolNameCollision, ToolRunner } from "@wield/core"
import { Context, Effect, type Layer, Schema } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import type { Cancel } from "../tools/Shop.js"
import { type GetOrders, Refund, Shop, type ShowChart } from "../tools/Shop.js"

class User extends Context.Tag("test/User")<User, { readonly name: string }>() {}

const Clock = Toolkit.make(Tool.make("now", { success: Schema.Number }))
const Other = Toolkit.make(Refund, Tool.make("other"))

type ShopTools = Toolkit.Tools<typeof Shop>
type ClockTools = Toolkit.Tools<typeof Clock>

declare const shop: Toolset.Toolset<ShopTools>
declare const clock: Toolset.Toolset<ClockTools>
declare const other: Toolset.Toolset<Toolkit.Tools<typeof Other>>
declare const dynamic: Toolset.DynamicToolset

type ToolsOf<T> = T extends Toolset.Toolset<infer Tools, infer _R, infer _E> ? Tools : never
type NamesOf<T> = keyof ToolsOf<T> & string
type ErrorOf<T> = T extends Toolset.Toolset<infer _Tools, infer _R, infer E> ? E : never

describe("fromToolkit", () => {
  it("requires the handlers of every tool, and their Layer provides them", () => {
    const toolset = Toolset.fromToolkit(Clock)
    expectTypeOf<Effect.Effect.Context<typeof toolset>>().toEqualTypeOf<Tool.HandlersFor<ClockTools>>()
    const provided = toolset.pipe(Effect.provide(Clock.toLayer({ now: () => Effect.succeed(1) })))
    expectTypeOf<Effect.Effect.Context<typeof provided>>().toEqualTypeOf<never>()
  })
  it("does not run without the Layer of its handlers", () => {
    // @ts-expect-error the handler of now is not provided
    Effect.runSync(Toolset.fromToolkit(Clock))
    const others = Other.toLayer({ refund: () => Effect.succeed(""), other: () => Effect.void })
    const misprovided = Toolset.fromToolkit(Clock).pipe(Effect.provide(others))
    // @ts-expect-error what the other Layer provides is not the clock
    Effect.runSync(misprovided)
  })
  it("refuses a toolkit in which two tools have one name", () => {
    const Twice = Toolkit.make(Refund, Tool.make("refund", { success: Schema.Number }))
    // @ts-expect-error the toolkit has forgotten the first of them
    Toolset.fromToolkit(Twice)
  })
  it("keeps what a request must provide", () => {
    const Kit = Toolkit.make(Tool.make("who", { success: Schema.String, dependencies: [User] }))
    const toolset = Toolset.fromLayer(Kit, Kit.toLayer({ who: () => Effect.map(User, ({ name }) => name) }))
    expectTypeOf<Effect.Effect.Success<typeof toolset>>().toExtend<Toolset.Toolset<Toolkit.Tools<typeof Kit>, User>>()
  })
  it("asks for no handler of a tool that a client executes", () => {
    const layer = Shop.toLayer
    type Handlers = Extract<Parameters<typeof layer>[0], { readonly refund: unknown }>
    expectTypeOf<keyof Handlers>().toEqualTypeOf<"get_orders" | "refund" | "cancel">()
  })
})

describe("combine", () => {
  it("keeps the names and tools of all", () => {
    const all = Toolset.combine(shop, clock)
    expectTypeOf<NamesOf<typeof all>>().toEqualTypeOf<"get_orders" | "refund" | "cancel" | "show_chart" | "now">()
    expectTypeOf<ToolsOf<typeof all>["refund"]>().toEqualTypeOf<typeof Refund>()
    expectTypeOf<ErrorOf<typeof all>>().toEqualTypeOf<never>()
  })
  it("refuses a name that stands in more than one", () => {
    // @ts-expect-error both have a tool refund
    Toolset.combine(shop, other)
    // @ts-expect-error the first and the third
    Toolset.combine(shop, clock, shop)
  })
  it("keeps static names beside dynamic ones, whose collisions are an error", () => {
    const all = Toolset.combine(shop, dynamic)
    expectTypeOf<NamesOf<typeof all>>().toEqualTypeOf<keyof ShopTools & string>()
    expectTypeOf<ErrorOf<typeof all>>().toEqualTypeOf<ToolNameCollision>()
    const runner = ToolRunner.make(all)
    const call = Effect.flatMap(runner, ({ call }) => call("refund", { amount: 1 }))
    expectTypeOf<Effect.Effect.Success<typeof call>>().toEqualTypeOf<string>()
  })
})

describe("prefix and rename", () => {
  it("are known to the compiler", () => {
    const prefixed = Toolset.prefix(clock, "clock_")
    expectTypeOf<ToolsOf<typeof prefixed>["clock_now"]>().toEqualTypeOf<ClockTools["now"]>()
    expectTypeOf<NamesOf<typeof prefixed>>().toEqualTypeOf<"clock_now">()
    const renamed = shop.pipe(Toolset.rename({ refund: "pay_back" }))
    expectTypeOf<NamesOf<typeof renamed>>().toEqualTypeOf<"get_orders" | "pay_back" | "cancel" | "show_chart">()
    expectTypeOf<ToolsOf<typeof renamed>["pay_back"]>().toEqualTypeOf<typeof Refund>()
    const swapped = Toolset.rename(shop, { refund: "cancel", cancel: "refund" })
    expectTypeOf<ToolsOf<typeof swapped>["refund"]>().toEqualTypeOf<typeof Cancel>()
  })
  it("refuse names that are taken, given twice, or that no tool has", () => {
    // @ts-expect-error cancel is taken
    shop.pipe(Toolset.rename({ refund: "cancel" }))
    // @ts-expect-error x is given twice
    shop.pipe(Toolset.rename({ refund: "x", cancel: "x" }))
    // @ts-expect-error no tool is named refunds
    shop.pipe(Toolset.rename({ refunds: "x" }))
    // @ts-expect-error cancel is taken, data-first
    Toolset.rename(shop, { refund: "cancel" })
  })
  it("make toolsets that can stand side by side", () => {
    const both = Toolset.combine(shop, other.pipe(Toolset.prefix("other_")))
    expectTypeOf<"refund" | "other_refund">().toExtend<NamesOf<typeof both>>()
  })
  it("take names that only the run time knows for dynamic tools only", () => {
    const names: { readonly [old: string]: string } = { a: "b" }
    const renamed = dynamic.pipe(Toolset.rename(names))
    expectTypeOf<ErrorOf<typeof renamed>>().toEqualTypeOf<ToolNameCollision>()
    // @ts-expect-error the names of the shop would be lost to the compiler
    shop.pipe(Toolset.rename(names))
  })
})

describe("select, describe, filter and prepare", () => {
  it("select keeps the named tools", () => {
    const selected = shop.pipe(Toolset.select("refund", "show_chart"))
    expectTypeOf<ToolsOf<typeof selected>>().toEqualTypeOf<{
      readonly refund: typeof Refund
      readonly show_chart: typeof ShowChart
    }>()
    const mixed = Toolset.combine(shop, dynamic).pipe(Toolset.select("refund", "whatever"))
    expectTypeOf<NamesOf<typeof mixed>>().toEqualTypeOf<"refund">()
    expectTypeOf<ToolsOf<typeof mixed>>().toExtend<Toolset.DynamicTools>()
    const dynamicOnes = dynamic.pipe(Toolset.select("whatever"))
    expectTypeOf<ToolsOf<typeof dynamicOnes>>().toEqualTypeOf<Toolset.DynamicTools>()
  })
  it("refuse names that no tool has", () => {
    // @ts-expect-error no tool is named refunds
    shop.pipe(Toolset.select("refunds"))
    // @ts-expect-error no tool is named refunds
    shop.pipe(Toolset.describe({ refunds: "x" }))
  })
  it("describe, filter and prepare change nothing of the type", () => {
    const same = shop.pipe(
      Toolset.describe({ refund: "x" }),
      Toolset.filter(() => true),
      Toolset.prepare(() => ({ description: "x" }))
    )
    expectTypeOf<ToolsOf<typeof same>>().toEqualTypeOf<ShopTools>()
    // @ts-expect-error a name is not prepared
    shop.pipe(Toolset.prepare(() => ({ name: "x" })))
  })
})

describe("a policy", () => {
  it("knows the names, the parameters and what is decided on", () => {
    ToolRunner.make(shop, {
      approval: {
        get_orders: ({ name, parameters }) => {
          expectTypeOf(name).toEqualTypeOf<"get_orders">()
          expectTypeOf(parameters).toEqualTypeOf<Tool.Parameters<typeof GetOrders>>()
          return { _tag: "Allow" }
        }
      },
      limits: {
        tools: {
          refund: {
            cache: {
              timeToLive: "1 minute",
              key: (parameters) => {
                expectTypeOf(parameters.amount).toEqualTypeOf<number>()
                return ""
              }
            }
          }
        }
      }
    })
  })
  it("gates tools that only the run time knows by name, beside typed ones", () => {
    ToolRunner.make(Toolset.combine(shop, dynamic), {
      approval: {
        refund: ({ name, parameters }) => {
          expectTypeOf(name).toEqualTypeOf<"refund">()
          expectTypeOf(parameters.amount).toEqualTypeOf<number>()
          return Approval.allow
        },
        "*": {
          delete_all: ({ name, parameters }) => {
            expectTypeOf(parameters).toEqualTypeOf<unknown>()
            return Approval.ask(name)
          }
        }
      }
    })
    ToolRunner.make(Toolset.combine(shop, dynamic), { approval: { "*": Approval.cautious } })
    // @ts-expect-error a typed tool's name stays checked beside dynamic ones
    ToolRunner.make(Toolset.combine(shop, dynamic), { approval: { refnd: () => Approval.ask() } })
    ToolRunner.make(dynamic, { approval: { delete_all: () => Approval.ask() } })
    // @ts-expect-error a rule is no text
    ToolRunner.make(dynamic, { approval: { delete_all: "ask" } })
  })
  it("refuses names that no tool has, and answers that are no decision", () => {
    // @ts-expect-error no tool is named refunds
    ToolRunner.make(shop, { limits: { tools: { refunds: { timeout: "1 second" } } } })
    // @ts-expect-error no tool is named refunds
    ToolRunner.make(shop, { approval: { refunds: () => ({ _tag: "Allow" }) } })
    // @ts-expect-error a denial gives its reason
    ToolRunner.make(shop, { approval: { refund: () => ({ _tag: "Deny" }) } })
    // @ts-expect-error a rule is no async function
    ToolRunner.make(shop, { approval: async () => ({ _tag: "Allow" }) })
    // @ts-expect-error a rule may not fail: what would happen to the call?
    ToolRunner.make(shop, { approval: () => Effect.fail("unreachable") })
  })
})

describe("ToolRunner.layer", () => {
  it("requires handlers and what requests need, and can fail as toolsets and policies can", () => {
    const Kit = Toolkit.make(Tool.make("who", { success: Schema.String, dependencies: [User] }))
    const layer = ToolRunner.layer(Toolset.fromToolkit(Kit))
    expectTypeOf<Layer.Layer.Context<typeof layer>>().toEqualTypeOf<
      User | Tool.HandlersFor<Toolkit.Tools<typeof Kit>>
    >()
    expectTypeOf<Layer.Layer.Error<typeof layer>["_tag"]>().toEqualTypeOf<
      "ToolNameCollision" | "InvalidTool" | "InvalidPolicy"
    >()
    expectTypeOf<Layer.Layer.Success<typeof layer>>().toEqualTypeOf<ToolRunner.ToolRunner>()
  })
})
