/**
 * What the compiler says of the mistakes that are easily made with agents: the
 * message has to name what is wrong.
 */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { messagesOf } from "../../../../test/compiler/messages.js"

const preamble = `
import { Tool, Toolkit } from "@effect/ai"
import { Agent, DeferredCall, Model, Stop } from "@wield/agent"
import { Approval, Hidden, Toolset } from "@wield/core"
import { OpenAiChat } from "@wield/providers"
import { Context, Effect, Schema } from "effect"
class Clerk extends Context.Tag("Clerk")<Clerk, { readonly name: string }>() {}
const Search = Tool.make("search", { parameters: { text: Schema.String }, success: Schema.String })
const Refund = Tool.make("refund", {
  parameters: { customerId: Schema.String, amount: Schema.Number },
  success: Schema.String,
  dependencies: [Clerk]
}).pipe(Hidden.fields("customerId"))
const Shop = Toolkit.make(Search, Refund)
type Tools = Toolkit.Tools<typeof Shop>
declare const model: Model.Model
declare const shop: Toolset.Toolset<Tools, Clerk>
declare const agent: Agent.Agent<Tools, string, Clerk>
declare const request: DeferredCall.DeferredCall
const context = { customerId: "c_1" }
`

interface Mistake {
  readonly what: string
  readonly program: string
  /** Each has to occur in what the compiler says. */
  readonly says: ReadonlyArray<string>
}

const mistakes: ReadonlyArray<Mistake> = [
  {
    what: "a prompt alone where the context is needed",
    program: `Agent.run(agent, "Refund it")`,
    says: ["Type 'string' is not assignable", "context", "customerId"]
  },
  {
    what: "a run without a call context",
    program: `Agent.run(agent, { prompt: "Refund it" })`,
    says: ["'context' is missing", "customerId"]
  },
  {
    what: "a call context without a hidden field",
    program: `Agent.run(agent, { prompt: "Refund it", context: { tenant: "t" } })`,
    says: ["'customerId' is missing"]
  },
  {
    what: "a call context of the wrong type",
    program: `Agent.stream(agent, { prompt: "Refund it", context: { customerId: 42 } })`,
    says: ["'number' is not assignable to type 'string'"]
  },
  {
    what: "a stop condition on a tool that does not exist",
    program: `Agent.make({ model, toolset: shop, stop: Stop.call("refunds") })`,
    says: [`'"refunds"' is not assignable to type '"`, '"search"', '"refund"']
  },
  {
    what: "a number where a stop condition is wanted",
    program: `Agent.make({ model, toolset: shop, stop: 20 })`,
    says: ["'number' is not assignable to type 'Stop<"]
  },
  {
    what: "an offer of a tool that does not exist",
    program: `Agent.make({ model, toolset: shop, prepare: (step) => Effect.succeed({ offered: ["refunds"] }) })`,
    says: ['"refunds"', '"search"', '"refund"']
  },
  {
    what: "an approval rule for a tool that does not exist",
    program: `Agent.make({ model, toolset: shop, policy: { approval: { refunds: () => Approval.ask() } } })`,
    says: ["'refunds' does not exist"]
  },
  {
    what: "a toolkit where a toolset is wanted",
    program: `Agent.make({ model, toolset: Shop })`,
    says: ["Type 'Toolkit<", "from type 'Toolset<"]
  },
  {
    what: "a name where a model is wanted",
    program: `Agent.make({ model: "gpt-5-mini", toolset: shop })`,
    says: ["Type 'string' is not assignable to type 'Model'"]
  },
  {
    what: "an effect of a model where a model is wanted",
    program: `Agent.make({ model: Model.fromWire(OpenAiChat.format, { model: "gpt-5-mini" }) })`,
    says: ["Type 'Effect<Model,", "from type 'Model'"]
  },
  {
    what: "an answer that is none",
    program: `Agent.make({ model, answer: () => Effect.succeed(true) })`,
    says: ["'boolean' is not assignable to type 'Response<"]
  },
  {
    what: "an approval where answers are wanted",
    program: `Agent.run(agent, { context, answers: [true] })`,
    says: ["'boolean' is not assignable to type 'Answer'"]
  },
  {
    what: "edited arguments that are no JSON",
    program: `DeferredCall.approveWith(request, { at: new Date(0) })`,
    says: ["'Date' is not assignable to type"]
  },
  {
    what: "a service that nobody provides",
    program: `Effect.runPromise(Agent.run(agent, { prompt: "Refund it", context }))`,
    says: ["Type 'Clerk' is not assignable to type 'never'"]
  },
  {
    what: "a sub-agent that nobody describes",
    program: `Agent.toToolset(agent, { name: "clerk" })`,
    says: ["'description' is missing"]
  }
]

describe("the compiler's message names what is wrong", () => {
  let messages: ReadonlyArray<ReadonlyArray<string>> = []
  beforeAll(async () => {
    messages = await messagesOf(mistakes.map(({ program }) => `${preamble}\n${program}\n`))
  })
  for (const [index, { says, what }] of mistakes.entries()) {
    it(`with ${what}`, () => {
      const message = messages[index]?.join("\n") ?? ""
      expect(message).not.toBe("")
      for (const text of says) expect(message).toContain(text)
    })
  }
})
