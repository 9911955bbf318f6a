import { Tool, Toolkit } from "@effect/ai"
import {
  Agent,
  type AgentError,
  type AgentEvent,
  type AgentResult,
  type AnswerError,
  type Conversation,
  type ConversationError,
  type Model,
  type ModelError,
  Stop
} from "@wield/agent"
import { Approval, Hidden, Response, type ToolRunner, type Toolset, type ToolsetError } from "@wield/core"
import { Context, Effect, Schema, type Stream } from "effect"
import { describe, expectTypeOf, it } from "vitest"

class Bank extends Context.Tag("test/Bank")<Bank, { readonly name: string }>() {}
class Clerk extends Context.Tag("test/Clerk")<Clerk, { readonly name: string }>() {}
class Season extends Context.Tag("test/Season")<Season, { readonly name: string }>() {}
class NoPaper extends Schema.TaggedError<NoPaper>()("NoPaper", {}) {}
class Closed extends Schema.TaggedError<Closed>()("Closed", {}) {}

const Search = Tool.make("search", { parameters: { text: Schema.String }, success: Schema.Array(Schema.String) })
const Refund = Tool.make("refund", {
  parameters: { customerId: Schema.String, amount: Schema.Number },
  success: Schema.String
}).pipe(Hidden.fields("customerId"))
const Print = Tool.make("print", { failure: NoPaper, dependencies: [Bank] })

const Plain = Toolkit.make(Search)
const Shop = Toolkit.make(Search, Refund)
const Office = Toolkit.make(Search, Print)

declare const model: Model.Model
declare const plain: Toolset.Toolset<Toolkit.Tools<typeof Plain>>
declare const shop: Toolset.Toolset<Toolkit.Tools<typeof Shop>>
declare const office: Toolset.Toolset<Toolkit.Tools<typeof Office>, Bank>
declare const dynamic: Toolset.DynamicToolset

type AgentOf<T> = T extends Effect.Effect<infer A, infer _E, infer _R> ? A : never

const plainAgent = Agent.make({ model, toolset: plain })
const shopAgent = Agent.make({ model, toolset: shop })
const officeAgent = Agent.make({ model, toolset: office })
declare const ofPlain: AgentOf<typeof plainAgent>
declare const ofShop: AgentOf<typeof shopAgent>
declare const ofOffice: AgentOf<typeof officeAgent>

/** What every run of a conversation in memory can fail with. */
type Always =
  | AgentError.AgentError
  | AnswerError.AnswerError
  | ConversationError.AppendConflict
  | ConversationError.EntryIdTaken
  | ModelError.ModelError

describe("the context of a run", () => {
  it("is not wanted where no tool has hidden fields: a prompt is enough", () => {
    Agent.run(ofPlain, "Find it")
    Agent.run(ofPlain, { prompt: "Find it" })
    Agent.run(ofPlain, { prompt: "Find it", context: { tenant: "t" } })
    Agent.stream(ofPlain, "Find it")
  })
  it("is required where they have, and its fields are checked", () => {
    Agent.run(ofShop, { prompt: "Refund it", context: { customerId: "c_1" } })
    Agent.run(ofShop, { prompt: "Refund it", context: { customerId: "c_1", tenant: "t" } })
    // @ts-expect-error a prompt alone does not say whose customer it is
    Agent.run(ofShop, "Refund it")
    // @ts-expect-error nor does this one
    Agent.stream(ofShop, "Refund it")
    // @ts-expect-error the context is missing
    Agent.run(ofShop, { prompt: "Refund it" })
    // @ts-expect-error the customer is missing
    Agent.run(ofShop, { prompt: "Refund it", context: { tenant: "t" } })
    // @ts-expect-error the customer is a string
    Agent.run(ofShop, { prompt: "Refund it", context: { customerId: 42 } })
  })
})

describe("what is decided about an agent", () => {
  it("names tools that there are", () => {
    Agent.make({ model, toolset: shop, stop: Stop.any(Stop.steps(5), Stop.call("refund")) })
    Agent.make({ model, toolset: dynamic, stop: Stop.call("whatever") })
    // @ts-expect-error there is no such tool
    Agent.make({ model, toolset: shop, stop: Stop.call("refunds") })
    // @ts-expect-error nor within another condition
    Agent.make({ model, toolset: shop, stop: Stop.any(Stop.steps(5), Stop.call("refunds")) })
    // @ts-expect-error an agent without tools waits for none
    Agent.make({ model, stop: Stop.call("refund") })
    // @ts-expect-error there is no such tool to offer
    Agent.make({ model, toolset: shop, prepare: () => Effect.succeed({ offered: ["refunds"] }) })
    Agent.make({ model, toolset: shop, prepare: () => Effect.succeed({ offered: ["refund" as const] }) })
    Agent.make({
      model,
      toolset: shop,
      prepare: ({ number }) => Effect.succeed(number === 1 ? { offered: ["search"], instructions: "Search." } : {})
    })
  })
  it("has rules with the parameters of their tools", () => {
    Agent.make({
      model,
      toolset: shop,
      policy: {
        approval: {
          refund: ({ parameters }) => {
            expectTypeOf(parameters).toEqualTypeOf<{ readonly customerId: string; readonly amount: number }>()
            return Approval.ask()
          }
        }
      }
    })
    // @ts-expect-error there is no such tool
    Agent.make({ model, toolset: shop, policy: { approval: { refunds: () => Approval.ask() } } })
  })
  it("may need services, and fail, each in its own way", () => {
    const agent = Agent.make({
      model,
      toolset: office,
      instructions: Effect.map(Season, ({ name }) => `It is ${name}.`),
      prepare: () => Effect.as(Clerk, {}),
      answer: () => Effect.fail(new Closed())
    })
    type Made = AgentOf<typeof agent>
    expectTypeOf<Effect.Effect.Context<typeof agent>>().toEqualTypeOf<never>()
    const run = (made: Made) => Agent.run(made, "Print it")
    expectTypeOf<Effect.Effect.Context<ReturnType<typeof run>>>().toEqualTypeOf<Bank | Season | Clerk>()
    expectTypeOf<Effect.Effect.Error<ReturnType<typeof run>>>().toEqualTypeOf<Always | NoPaper | Closed>()
  })
})

describe("a run", () => {
  it("requires what its tools require", () => {
    const run = Agent.run(ofOffice, "Print it")
    expectTypeOf<Effect.Effect.Context<typeof run>>().toEqualTypeOf<Bank>()
    const events = Agent.stream(ofOffice, "Print it")
    expectTypeOf<Stream.Stream.Context<typeof events>>().toEqualTypeOf<Bank>()
  })
  it("fails as every run can, with what its tools raise, and with what its store fails with", () => {
    const run = Agent.run(ofOffice, "Print it")
    expectTypeOf<Effect.Effect.Error<typeof run>>().toEqualTypeOf<Always | NoPaper>()
    const plainRun = Agent.run(ofPlain, "Find it")
    expectTypeOf<Effect.Effect.Error<typeof plainRun>>().toEqualTypeOf<Always>()
    const stored = (conversation: Conversation.Conversation<ConversationError.StoreError>) =>
      Agent.run(ofPlain, { prompt: "Find it", conversation })
    expectTypeOf<Effect.Effect.Error<ReturnType<typeof stored>>>().toEqualTypeOf<
      Always | ConversationError.StoreError
    >()
    expectTypeOf<Effect.Effect.Success<ReturnType<typeof stored>>>().toEqualTypeOf<
      AgentResult.AgentResult<string, ConversationError.StoreError>
    >()
  })
  it("answers with text, or with what the schema of its output says", () => {
    const run = Agent.run(ofPlain, "Find it")
    expectTypeOf<Effect.Effect.Success<typeof run>>().toEqualTypeOf<AgentResult.AgentResult>()
    const weather = Agent.make({ model, output: Schema.Struct({ celsius: Schema.NumberFromString }) })
    const result = Effect.flatMap(weather, (agent) => Agent.run(agent, "How warm is it?"))
    expectTypeOf<Effect.Effect.Success<typeof result>>().toEqualTypeOf<
      AgentResult.AgentResult<{ readonly celsius: number }>
    >()
  })
  it("tells of outcomes with the types of its tools, and of the result at the end", () => {
    type Event = Stream.Stream.Success<
      ReturnType<typeof Agent.stream<Toolkit.Tools<typeof Plain>, string, never, never>>
    >
    expectTypeOf<Event>().toEqualTypeOf<AgentEvent.AgentEvent<Toolkit.Tools<typeof Plain>, string, never>>()
    const onEvent = (event: Event) => {
      if (event._tag === "CallFinished" && event.outcome._tag === "Success") {
        expectTypeOf(event.outcome.result).toEqualTypeOf<ReadonlyArray<string>>()
      }
      if (event._tag === "Done" && event.result._tag === "Finished") {
        expectTypeOf(event.result.output).toEqualTypeOf<string>()
      }
    }
    expectTypeOf(onEvent).returns.toEqualTypeOf<void>()
  })
})

describe("an agent as a tool", () => {
  it("keeps its name and its output", () => {
    const output = Schema.Struct({ celsius: Schema.Number })
    const toolset = Effect.flatMap(Agent.make({ model, output }), (agent) =>
      Agent.toToolset(agent, { name: "meteorologist", description: "Knows the weather" })
    )
    type Tools = Effect.Effect.Success<typeof toolset> extends Toolset.Toolset<infer T, infer _R, infer _E> ? T : never
    expectTypeOf<keyof Tools>().toEqualTypeOf<"meteorologist">()
    type Outcome = ToolRunner.OutcomeOf<Tools>
    expectTypeOf<Extract<Outcome, { readonly _tag: "Success" }>["result"]>().toEqualTypeOf<{
      readonly celsius: number
    }>()
    expectTypeOf<Extract<Outcome, { readonly _tag: "Failure" }>["failure"]>().toEqualTypeOf<Agent.SubAgentFailed>()
    expectTypeOf<Effect.Effect.Error<typeof toolset>>().toEqualTypeOf<ToolsetError | AgentError.InvalidAgent>()
  })
  it("raises nothing in the run that calls it, and takes what it requires where it is made", () => {
    const toolset = Agent.toToolset(ofOffice, { name: "printer", description: "Prints" })
    expectTypeOf<Effect.Effect.Context<typeof toolset>>().toEqualTypeOf<Bank>()
    const outer = Effect.flatMap(toolset, (tools) => Agent.make({ model, toolset: tools }))
    const run = Effect.flatMap(Effect.provideService(outer, Bank, { name: "b" }), (agent) => Agent.run(agent, "Print"))
    expectTypeOf<Effect.Effect.Context<typeof run>>().toEqualTypeOf<never>()
    expectTypeOf<Effect.Effect.Error<typeof run>>().toEqualTypeOf<Always | ToolsetError | AgentError.InvalidAgent>()
  })
})

describe("answering at once", () => {
  it("gives an answer of the core, or none", () => {
    Agent.make({ model, answer: (request) => Effect.succeed(request.why === undefined ? undefined : Response.approve) })
    // @ts-expect-error a boolean is no answer
    Agent.make({ model, answer: () => Effect.succeed(true) })
  })
})
