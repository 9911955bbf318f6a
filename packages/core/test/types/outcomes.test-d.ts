import { Tool, Toolkit } from "@effect/ai"
import { type Outcome, Response, type ResponseError, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Context, Effect, Schema } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import { type Cancel, type NoSuchOrder, type Order, Shop, ShopLive, type TooMuch } from "../tools/Shop.js"

class Database extends Context.Tag("test/Database")<Database, { readonly name: string }>() {}
class User extends Context.Tag("test/User")<User, { readonly name: string }>() {}

const WhoAmI = Tool.make("who_am_i", { success: Schema.String, dependencies: [User] })
const Later = Tool.make("later", { success: Schema.String, dependencies: [User] }).addDependency(Database)

type ShopTools = Toolkit.Tools<typeof Shop>

declare const runner: ToolRunner.Runner<ShopTools>
declare const shopRun: ToolRunner.Run<ShopTools>
declare const outcome: ToolRunner.OutcomeOf<ShopTools>

describe("the outcome of a toolset", () => {
  it("is narrowed by tag and name to the value of one tool", () => {
    if (outcome._tag === "Success" && outcome.name === "get_orders") {
      expectTypeOf(outcome.result).toEqualTypeOf<{ readonly customer: string; readonly orders: ReadonlyArray<Order> }>()
    }
    if (outcome._tag === "Success" && outcome.name === "refund") expectTypeOf(outcome.result).toEqualTypeOf<string>()
    if (outcome._tag === "Success" && outcome.name === "cancel") expectTypeOf(outcome.result).toEqualTypeOf<void>()
    if (outcome._tag === "Failure" && outcome.name === "refund") expectTypeOf(outcome.failure).toEqualTypeOf<TooMuch>()
    if (outcome._tag === "Failure" && outcome.name === "cancel") {
      expectTypeOf(outcome.failure).toEqualTypeOf<NoSuchOrder>()
    }
  })
  it("has the visible arguments of what waits", () => {
    if (outcome._tag === "Deferred" && outcome.name === "get_orders") {
      expectTypeOf(outcome.arguments).toEqualTypeOf<{ readonly status: "open" | "shipped" }>()
    }
    if (outcome._tag === "Deferred" && outcome.name === "show_chart") {
      expectTypeOf(outcome.arguments).toEqualTypeOf<{ readonly title: string }>()
    }
  })
  it("can be matched exhaustively by tag", () => {
    expectTypeOf<(typeof outcome)["_tag"]>().toEqualTypeOf<Outcome.Outcome["_tag"]>()
  })
  it("of unknown tools has unknown values, and those of known tools beside them keep theirs", () => {
    type Mixed = ToolRunner.OutcomeOf<{ readonly cancel: typeof Cancel } & Toolset.DynamicTools>
    const mixed = (ended: Mixed) => {
      if (ended._tag === "Success") expectTypeOf(ended.result).toEqualTypeOf<unknown>()
    }
    expectTypeOf(mixed).returns.toEqualTypeOf<void>()
  })
})

describe("the effect of a call", () => {
  it("raises the failures of tools with failureMode error, and no other", () => {
    expectTypeOf(shopRun.run(ToolCall.make("c", "x", {}))).toEqualTypeOf<
      Effect.Effect<ToolRunner.OutcomeOf<ShopTools>, NoSuchOrder>
    >()
    expectTypeOf(shopRun.runAll([])).toEqualTypeOf<
      Effect.Effect<ReadonlyArray<ToolRunner.OutcomeOf<ShopTools>>, NoSuchOrder>
    >()
    expectTypeOf(shopRun.settle([])).toEqualTypeOf<Effect.Effect<ReadonlyArray<ToolRunner.OutcomeOf<ShopTools>>>>()
  })
  it("has no error where all failures are told to the model", () => {
    const toolset = Toolset.fromLayer(Shop, ShopLive).pipe(Effect.map(Toolset.select("refund", "show_chart")))
    const made = Effect.flatMap(toolset, (each) => ToolRunner.make(each))
    expectTypeOf<Effect.Effect.Success<typeof made>["run"]>().returns.toEqualTypeOf<
      Effect.Effect<ToolRunner.OutcomeOf<Pick<ShopTools, "refund" | "show_chart">>>
    >()
  })
  it("requires what the tools depend on, and nothing of what their Layer was built with", () => {
    const Kit = Toolkit.make(WhoAmI, Later)
    const made = Effect.flatMap(Toolset.fromToolkit(Kit), (toolset) => ToolRunner.make(toolset))
    type Made = Effect.Effect.Success<typeof made>
    expectTypeOf<Effect.Effect.Context<ReturnType<Made["run"]>>>().toEqualTypeOf<User | Database>()
    expectTypeOf<Effect.Effect.Context<ReturnType<Made["runAll"]>>>().toEqualTypeOf<User | Database>()
    expectTypeOf<Effect.Effect.Context<ReturnType<Made["settle"]>>>().toEqualTypeOf<User | Database>()
    expectTypeOf<Effect.Effect.Context<Made["definitions"]>>().toEqualTypeOf<never>()
    expectTypeOf<Effect.Effect.Context<typeof made>>().toEqualTypeOf<Tool.HandlersFor<Toolkit.Tools<typeof Kit>>>()
  })
  it("of a handler that reads CurrentCall and CallContext requires nothing", () => {
    expectTypeOf<Effect.Effect.Context<ReturnType<typeof shopRun.run>>>().toEqualTypeOf<never>()
  })
})

describe("Runner.call", () => {
  it("takes the visible parameters of a name and gives the tool's value or failure", () => {
    const orders = runner.call("get_orders", { status: "open" })
    expectTypeOf<Effect.Effect.Success<typeof orders>>().toEqualTypeOf<{
      readonly customer: string
      readonly orders: ReadonlyArray<Order>
    }>()
    const refund = runner.call("refund", { amount: 1 })
    expectTypeOf<Extract<Effect.Effect.Error<typeof refund>, TooMuch>>().toEqualTypeOf<TooMuch>()
    expectTypeOf<Exclude<Effect.Effect.Error<typeof refund>, TooMuch>["_tag"]>().toEqualTypeOf<"ToolCallError">()
  })
  it("refuses unknown names and wrong parameters", () => {
    // @ts-expect-error no tool has the name
    runner.call("get_order", {})
    // @ts-expect-error the amount is a number
    runner.call("refund", { amount: "1" })
    // @ts-expect-error the amount is required
    runner.call("refund", {})
    // @ts-expect-error the status is one of two
    runner.call("get_orders", { status: "lost" })
  })
})

describe("Run.resume", () => {
  it("takes the answers that fit the tool that waits", () => {
    const run = runner.forRun({ context: { customerId: "c_1" } })
    if (outcome._tag !== "Deferred" || outcome.name !== "show_chart") return
    run.resume(outcome, { _tag: "Approve" })
    run.resume(outcome, { _tag: "Deny", reason: "no" })
    run.resume(outcome, { _tag: "Result", encoded: { shown: true } })
    run.resume(outcome, { _tag: "Failure", encoded: { problem: "no screen" } })
    // @ts-expect-error the success is { shown: boolean }
    run.resume(outcome, { _tag: "Result", encoded: "shown" })
    // @ts-expect-error the failure is { problem: string }
    run.resume(outcome, { _tag: "Failure", encoded: { shown: true } })
    // @ts-expect-error a denial gives its reason
    run.resume(outcome, { _tag: "Deny" })
    run.resume(outcome, Response.approveWith({ title: "Orders" }))
    // @ts-expect-error edited arguments are an object of JSON values
    run.resume(outcome, Response.approveWith({ at: new Date(0) }))
  })
  it("has the refusals of a response in its error channel, beside what the tools raise", () => {
    const run = runner.forRun({ context: { customerId: "c_1" } })
    if (outcome._tag !== "Deferred") return
    const resumed = run.resume(outcome, Response.approve)
    expectTypeOf<Effect.Effect.Error<typeof resumed>>().toEqualTypeOf<NoSuchOrder | ResponseError>()
    const all = run.resumeAll([outcome], () => Response.approve)
    expectTypeOf<Effect.Effect.Error<typeof all>>().toEqualTypeOf<NoSuchOrder | ResponseError>()
    expectTypeOf(run.check(outcome, Response.approve)).toEqualTypeOf<Effect.Effect<void, ResponseError>>()
    expectTypeOf<ResponseError["_tag"]>().toEqualTypeOf<
      "StaleResponse" | "WrongKindOfResponse" | "NotWaiting" | "InvalidEdit" | "InvalidReply" | "IncompleteContext"
    >()
  })
  it("takes what was stored of a deferred call, with its arguments or without", () => {
    const run = runner.forRun({ context: { customerId: "c_1" } })
    const stored = { call: ToolCall.make("c", "refund", {}), name: "refund", digest: "d" } as const
    run.resume(stored, Response.approve)
    run.check({ ...stored, arguments: { amount: 5 } }, Response.approve)
    // @ts-expect-error without a digest nobody knows what was approved
    run.resume({ call: stored.call, name: stored.name }, Response.approve)
  })
  it("exists in a run only, since what was deferred belongs to one", () => {
    expectTypeOf(runner).not.toHaveProperty("resume")
    expectTypeOf(runner).not.toHaveProperty("check")
  })
})
