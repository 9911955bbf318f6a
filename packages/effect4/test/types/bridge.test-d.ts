import {
  Agent,
  Approval,
  CallContext,
  type Errors,
  Hidden,
  type Model,
  type Outcome,
  type Policy,
  Stop,
  ToolCall,
  ToolRunner,
  Toolset
} from "@wield/effect4"
import type * as SqlStore from "@wield/effect4/SqlStore"
import { Context, Effect, type Layer, Schema, type Stream } from "effect"
import { type AiError, LanguageModel, Tool, Toolkit } from "effect/ai"
import type { SqlClient } from "effect/sql"
import { describe, expectTypeOf, it } from "vitest"
import { type NotFound, type Refund, Shop, ShopLive, type Who } from "../shop.js"

type ShopTools = Toolset.ToolsOf<typeof Shop>

class Stock extends Context.Service<Stock, { readonly left: number }>()("Stock") {}

const Visit = Tool.make("visit", {
  parameters: Schema.Struct({ customerId: Schema.String, since: Schema.DateFromString, page: Schema.String })
})
const Count = Tool.make("count", {
  success: Schema.Finite,
  failure: Schema.Literals(["empty", "closed"]),
  dependencies: [Stock]
})
const Store = Toolkit.make(Visit, Count)
type StoreTools = Toolset.ToolsOf<typeof Store>

declare const shop: Toolset.Toolset<ShopTools, Who>
declare const store: Toolset.Toolset<StoreTools, Stock>
declare const dynamic: Toolset.Toolset<Toolset.DynamicTools>
declare const inShop: ToolRunner.Runner<ShopTools, Who>
declare const inStore: ToolRunner.Runner<StoreTools, Stock>
declare const model: Model.Model

type NamesOf<T> = T extends Toolset.Toolset<infer Tools, infer _R> ? keyof Tools : never
type RequirementsOf<T> = T extends Toolset.Toolset<infer _Tools, infer R> ? R : never
type Of<Tag extends string, Name extends string> = Extract<
  ToolRunner.OutcomeOf<ShopTools & StoreTools>,
  { readonly _tag: Tag; readonly name: Name }
>

describe("a toolset", () => {
  it("says of an answer that comes too late what the first one was", () => {
    expectTypeOf<Extract<Errors.AnswerError, { _tag: "AlreadyAnswered" }>["response"]>().toEqualTypeOf<
      "Approve" | "Deny" | "Result" | "Failure" | "Reply" | undefined
    >()
  })

  it("requires the handlers of its toolkit, and its Layer provides them", () => {
    const made = Toolset.fromToolkit(Shop)
    expectTypeOf<Effect.Services<typeof made>>().toEqualTypeOf<Layer.Success<typeof ShopLive>>()
    const provided = Effect.provide(made, ShopLive)
    expectTypeOf<Effect.Services<typeof provided>>().toEqualTypeOf<never>()
    expectTypeOf<Effect.Error<typeof made>>().toEqualTypeOf<Errors.InvalidTool | Errors.ToolNameCollision>()
    // @ts-expect-error nothing provides the handlers
    void Effect.runPromise(made)
  })
  it("keeps the names of its tools, and what their handlers require of each call", () => {
    const made = Toolset.fromToolkit(Shop)
    expectTypeOf<NamesOf<Effect.Success<typeof made>>>().toEqualTypeOf<"refund" | "pay" | "slow" | "broken">()
    expectTypeOf<RequirementsOf<Effect.Success<typeof made>>>().toEqualTypeOf<Who>()
    const layered = Toolset.fromLayer(Shop, ShopLive)
    expectTypeOf<RequirementsOf<Effect.Success<typeof layered>>>().toEqualTypeOf<Who>()
  })
  it("keeps them combined, with a prefix, and selected", () => {
    const both = Toolset.combine(shop, store)
    expectTypeOf<NamesOf<typeof both>>().toEqualTypeOf<"refund" | "pay" | "slow" | "broken" | "visit" | "count">()
    expectTypeOf<RequirementsOf<typeof both>>().toEqualTypeOf<Who | Stock>()
    expectTypeOf<NamesOf<ReturnType<typeof Toolset.prefix<StoreTools, Stock, "s_">>>>().toEqualTypeOf<
      "s_visit" | "s_count"
    >()
    const renamed = Toolset.rename(shop, { pay: "send" })
    expectTypeOf<NamesOf<typeof renamed>>().toEqualTypeOf<"refund" | "send" | "slow" | "broken">()
    expectTypeOf<RequirementsOf<typeof renamed>>().toEqualTypeOf<Who>()
    Toolset.rename(dynamic, { anything: "else" })
    // @ts-expect-error no tool has this name
    Toolset.rename(shop, { refunds: "send" })
    const some = Toolset.select(shop, "refund", "pay")
    expectTypeOf<NamesOf<typeof some>>().toEqualTypeOf<"refund" | "pay">()
    // @ts-expect-error no tool has this name
    Toolset.select(shop, "refunds")
  })
  it("requires what the handlers of dynamic tools do", () => {
    const made = Toolset.dynamic([{ name: "left", execute: () => Effect.map(Stock, ({ left }) => left) }])
    expectTypeOf<RequirementsOf<Effect.Success<typeof made>>>().toEqualTypeOf<Stock>()
  })
})

describe("hidden fields", () => {
  it("are gone from what a model sends, and are asked for, encoded, in the call context", () => {
    const tool = Hidden.fields(Visit, "customerId", "since")
    expectTypeOf<Hidden.Names<typeof tool>>().toEqualTypeOf<"customerId" | "since">()
    expectTypeOf<Hidden.VisibleParameters<typeof tool>>().toEqualTypeOf<{ readonly page: string }>()
    expectTypeOf<Hidden.VisibleArguments<typeof tool>>().toEqualTypeOf<{ readonly page: string }>()
    expectTypeOf<Hidden.ContextOf<typeof tool>>().toEqualTypeOf<{
      readonly customerId: string
      readonly since: string
    }>()
    expectTypeOf<Toolset.ContextOf<ShopTools>>().toEqualTypeOf<{ readonly customerId: string }>()
    // @ts-expect-error it is no parameter
    Hidden.fields(Visit, "customer")
  })
  it("reach the handler with their types", () => {
    Toolkit.make(Hidden.fields(Visit, "customerId", "since")).toLayer({
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
  it("have to be given where a run begins", () => {
    inShop.forRun({ context: { customerId: "c_42", more: true } })
    // @ts-expect-error the customer is missing
    inShop.forRun({})
    // @ts-expect-error it is a string
    inShop.forRun({ context: { customerId: 42 } })
    inStore.forRun({})
    // @ts-expect-error the customer is missing
    void Toolset.toToolkit(shop)
    void Toolset.toToolkit(shop, {}, { context: { customerId: "c_42" } })
  })
})

describe("an outcome", () => {
  it("has the result, the failure and the visible arguments of its tool", () => {
    expectTypeOf<Of<"Success", "refund">["result"]>().toEqualTypeOf<{ readonly text: string; readonly at: Date }>()
    expectTypeOf<Of<"Failure", "refund">["failure"]>().toEqualTypeOf<NotFound | AiError.AiError>()
    expectTypeOf<Of<"Deferred", "refund">["arguments"]>().toEqualTypeOf<{
      readonly orderId: string
      readonly amount: number
      readonly on?: string
    }>()
    expectTypeOf<Of<"Success", "count">["result"]>().toEqualTypeOf<number>()
    expectTypeOf<Of<"Failure", "count">["failure"]>().toEqualTypeOf<"empty" | "closed" | AiError.AiError>()
  })
  it("that may have changed something says whether the tool changes nothing, and whether it was begun", () => {
    expectTypeOf<
      (Outcome.TimedOut | Outcome.Interrupted | Outcome.InvalidResult)["isReadOnly"]
    >().toEqualTypeOf<boolean>()
    expectTypeOf<Outcome.Interrupted["hasBegun"]>().toEqualTypeOf<boolean>()
  })
  it("is of unknown values where only the run time knows the tools", () => {
    expectTypeOf<
      Extract<ToolRunner.OutcomeOf<Toolset.DynamicTools>, { readonly _tag: "Success" }>
    >().toEqualTypeOf<Outcome.Success>()
  })
})

describe("a runner", () => {
  it("fails with what its tools raise, and requires what their handlers do", () => {
    const call = ToolCall.make("1", "count", {})
    expectTypeOf(inStore.run(call)).toEqualTypeOf<
      Effect.Effect<ToolRunner.OutcomeOf<StoreTools>, "empty" | "closed" | AiError.AiError | Errors.ToolsetError, Stock>
    >()
    expectTypeOf(inStore.settle([call])).toEqualTypeOf<
      Effect.Effect<ReadonlyArray<ToolRunner.OutcomeOf<StoreTools>>, Errors.ToolsetError, Stock>
    >()
    const run = inShop.forRun({ context: { customerId: "c_42" } })
    // What fails is a result there: only errors of `effect/ai` are raised.
    expectTypeOf<Extract<Effect.Error<ReturnType<typeof run.run>>, NotFound>>().toEqualTypeOf<never>()
    expectTypeOf<Effect.Services<ReturnType<typeof run.run>>>().toEqualTypeOf<Who>()
    expectTypeOf<Stream.Services<ReturnType<typeof run.stream>>>().toEqualTypeOf<Who>()
    // @ts-expect-error the clerk is missing
    void Effect.runPromise(run.settle([]))
  })
  it("calls a tool of the program by its visible parameters, decoded", () => {
    const called = inShop.call("refund", { orderId: "o_1", amount: 5, on: new Date(0) })
    expectTypeOf<Effect.Success<typeof called>>().toEqualTypeOf<{ readonly text: string; readonly at: Date }>()
    expectTypeOf<Effect.Error<typeof called>>().toEqualTypeOf<
      NotFound | AiError.AiError | Errors.ToolCallError | Errors.ToolsetError
    >()
    // @ts-expect-error the amount is a number
    inShop.call("refund", { orderId: "o_1", amount: "5" })
    // @ts-expect-error no program gives what is hidden
    inShop.call("refund", { orderId: "o_1", amount: 5, customerId: "c_42" })
    // @ts-expect-error no tool has this name
    inShop.call("refunds", {})
  })
})

describe("a policy", () => {
  it("has rules by name, over decoded parameters", () => {
    void ToolRunner.make(shop, {
      approval: {
        refund: ({ name, parameters }) => {
          expectTypeOf(name).toEqualTypeOf<"refund">()
          expectTypeOf(parameters).toEqualTypeOf<Tool.Parameters<typeof Refund>>()
          return Effect.succeed(Approval.allow)
        },
        "*": () => Approval.ask()
      },
      limits: { tools: { refund: { cache: { timeToLive: "1 minute", key: ({ orderId }) => orderId } } } }
    })
    // @ts-expect-error no tool has this name
    void ToolRunner.make(shop, { approval: { refunds: () => Approval.allow } })
    // @ts-expect-error no tool has this name
    void ToolRunner.make(shop, { limits: { tools: { refunds: { timeout: "1 second" } } } })
    // @ts-expect-error a rule may require nothing: give it what it asks beforehand
    void ToolRunner.make(shop, { approval: () => Effect.as(Stock, Approval.allow) })
    void ToolRunner.make(dynamic, { approval: { anything: () => Approval.deny("no") } })
  })
  it("of any tools is none of these", () => {
    expectTypeOf<Policy.Policy>().toExtend<Policy.Policy<ShopTools>>()
  })
})

describe("a toolkit for a LanguageModel", () => {
  it("keeps names, results, failures and requirements", () => {
    const program = Effect.gen(function* () {
      const toolkit = yield* Toolset.toToolkit(store)
      return yield* LanguageModel.generateText({ prompt: "hi", toolkit })
    })
    expectTypeOf<Effect.Services<typeof program>>().toEqualTypeOf<LanguageModel.LanguageModel | Stock>()
    type Result = Effect.Success<typeof program>["toolResults"][number]
    expectTypeOf<Result["name"]>().toEqualTypeOf<"visit" | "count">()
    type Counted = Extract<Result, { readonly name: "count"; readonly isFailure: false }>["result"]
    expectTypeOf<Counted>().toEqualTypeOf<number>()
  })
})

describe("an agent", () => {
  it("answers with its output, fails with what its tools raise, and requires what all of it does", () => {
    const output = Schema.Struct({ on: Schema.DateFromString })
    const made = Agent.make({
      model,
      toolset: store,
      output,
      instructions: Effect.map(CallContext.CallContext, String)
    })
    expectTypeOf<Effect.Success<typeof made>>().toEqualTypeOf<Agent.Agent<StoreTools, { readonly on: Date }, Stock>>()
    const run = Effect.flatMap(made, (agent) => Agent.run(agent, "Hello"))
    expectTypeOf<Effect.Services<typeof run>>().toEqualTypeOf<Stock>()
    expectTypeOf<"empty" | "closed">().toExtend<Effect.Error<typeof run>>()
    type Finished = Extract<Effect.Success<typeof run>, { readonly _tag: "Finished" }>
    expectTypeOf<Finished["output"]>().toEqualTypeOf<{ readonly on: Date }>()
  })
  it("stops and prepares by the names of its tools, and requires what these effects do", () => {
    const made = Agent.make({
      model,
      toolset: shop,
      stop: Stop.any(Stop.call("refund"), Stop.steps(5)),
      prepare: () => Effect.map(Stock, () => ({ offered: ["pay" as const] }))
    })
    expectTypeOf<Effect.Success<typeof made>>().toEqualTypeOf<Agent.Agent<ShopTools, string, Who | Stock>>()
    // @ts-expect-error no tool has this name
    Agent.make({ model, toolset: shop, stop: Stop.call("refunds") })
    // @ts-expect-error no tool has this name
    Agent.make({ model, toolset: shop, prepare: () => Effect.succeed({ offered: ["refunds"] }) })
    Agent.make({ model, toolset: dynamic, stop: Stop.call("anything") })
  })
  it("is a tool with its output and its requirements", () => {
    const agent = {} as Agent.Agent<StoreTools, { readonly on: Date }, Stock>
    const made = Agent.toToolset(agent, { name: "clerk", description: "Works" })
    type Made = Effect.Success<typeof made>
    expectTypeOf<RequirementsOf<Made>>().toEqualTypeOf<Stock>()
    type Tools = Made extends Toolset.Toolset<infer Tools, infer _R> ? Tools : never
    type Answer = Extract<ToolRunner.OutcomeOf<Tools>, { readonly _tag: "Success" }>
    expectTypeOf<Answer["name"]>().toEqualTypeOf<"clerk">()
    expectTypeOf<Answer["result"]>().toEqualTypeOf<{ readonly on: Date }>()
    type Failed = Extract<ToolRunner.OutcomeOf<Tools>, { readonly _tag: "Failure" }>["failure"]
    expectTypeOf<Agent.SubAgentFailed>().toExtend<Failed>()
  })
  it("asks for hidden fields where it runs", () => {
    const made = Agent.make({ model, toolset: shop })
    Effect.map(made, (agent) => {
      void Agent.run(agent, { prompt: "Hello", context: { customerId: "c_42" } })
      // @ts-expect-error the customer is missing
      void Agent.run(agent, { prompt: "Hello" })
      // @ts-expect-error the customer is missing
      void Agent.run(agent, "Hello")
    })
  })
})

describe("a database", () => {
  it("is that of Effect 4", () => {
    expectTypeOf<Layer.Services<typeof SqlStore.layer>>().toEqualTypeOf<SqlClient.SqlClient>()
  })
})
