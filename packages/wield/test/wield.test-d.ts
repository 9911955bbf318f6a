import { describe, expectTypeOf, it } from "vitest"
import { type AnyTool, content, failure, needsInput, type Result, tool, wield } from "wield"
import { z } from "zod"

const refund = tool("refund", {
  parameters: z.object({ customerId: z.string(), amount: z.string().transform(Number), note: z.string().optional() }),
  hidden: ["customerId"],
  execute: async ({ amount, customerId }) => (amount > 0 ? { customerId, amount } : failure("nothing to pay"))
})
const now = tool("now", { execute: () => new Date().toISOString() })
const book = tool("book", {
  execute: (_, { input }) => (input === undefined ? needsInput({ asks: "Seat?", accepts: {} }) : 7)
})
const shop = await wield({ tools: [refund, now, book] })

describe("wield", () => {
  it("needs a context where a tool has hidden parameters, and none otherwise", async () => {
    expectTypeOf(shop.run).parameter(0).toExtend<{ readonly context: { readonly customerId: string } }>()
    // @ts-expect-error Without its hidden parameters refund cannot run.
    shop.run()
    // @ts-expect-error customerId is a text.
    shop.run({ context: { customerId: 7 } })
    const clock = await wield({ tools: [now] })
    clock.run()
  })

  it("calls tools by name, with what goes into their schema, and gives what they return but failures and questions", () => {
    const run = shop.run({ context: { customerId: "c7" } })
    expectTypeOf(run.call("refund", { amount: "20" })).resolves.toEqualTypeOf<{ customerId: string; amount: number }>()
    expectTypeOf(run.call("now")).resolves.toBeString()
    expectTypeOf(run.call("book")).resolves.toBeNumber()
    // @ts-expect-error There is no such tool.
    void run.call("refnud", { amount: "20" })
    // @ts-expect-error The schema takes a text, and makes a number of it.
    void run.call("refund", { amount: 20 })
    // @ts-expect-error The context gives it.
    void run.call("refund", { amount: "20", customerId: "c8" })
  })

  it("gives a rule the parameters as the tool gets them", () => {
    void wield({
      tools: [refund, now],
      approval: {
        refund: ({ amount, customerId }) => {
          expectTypeOf(amount).toBeNumber()
          expectTypeOf(customerId).toBeString()
          return "ask"
        }
      }
    })
    void wield({
      tools: [now],
      // @ts-expect-error There is no such tool.
      approval: { refund: () => "ask" }
    })
    // @ts-expect-error That is no decision.
    void wield({ tools: [now], approval: { now: () => "perhaps" } })
  })

  it("knows the output of an agent", () => {
    const model = { format: "anthropic", model: "claude-sonnet-4-5" } as const
    const agent = shop.agent({ model, output: z.object({ city: z.string() }) })
    expectTypeOf(agent.ask("Where?", { context: { customerId: "c7" } })).resolves.toEqualTypeOf<
      Result<{ city: string }>
    >()
    void agent.ask("Where?", {
      context: { customerId: "c7" },
      onEvent: (event) => {
        if (event._tag === "PartialOutput") expectTypeOf(event.output).toEqualTypeOf<{ readonly city?: string }>()
      }
    })
    // @ts-expect-error Without its hidden parameters refund cannot run.
    void agent.ask("Where?")
    // @ts-expect-error There is no such format.
    shop.agent({ model: { format: "claude", model: "claude-sonnet-4-5" } })
  })

  it("knows tools that are declared where they are given", async () => {
    const pay = { parameters: z.object({ to: z.string() }), execute: () => "paid" }
    const clock = await wield({ tools: [tool("now", { execute: () => 0 }), tool("pay", pay)] })
    const run = clock.run()
    expectTypeOf(run.call("now")).resolves.toBeNumber()
    expectTypeOf(run.call("pay", { to: "Ada" })).resolves.toBeString()
    const hiding = await wield({ tools: [tool("pay", { ...pay, hidden: ["to"] })] })
    // @ts-expect-error Without its hidden parameters pay cannot run.
    hiding.run()
    expectTypeOf(hiding.run({ context: { to: "Ada" } }).call("pay")).resolves.toBeString()
  })

  it("takes tools that only the run time knows, by any name and with any parameters", async () => {
    const loaded: ReadonlyArray<AnyTool> = [refund, now]
    const run = (await wield({ tools: loaded, approval: { anything: () => "ask" } })).run()
    expectTypeOf(run.call("refund", { amount: "20" })).resolves.toBeUnknown()
  })

  it("hides only parameters that there are", () => {
    // @ts-expect-error There is no parameter of this name.
    tool("pay", { parameters: z.object({ to: z.string() }), hidden: ["from"], execute: () => null })
  })
})

it("a result has to be what its schema reads, a failure, a question or content", () => {
  const outputSchema = z.object({ id: z.string() })
  tool("a", { outputSchema, execute: () => ({ id: "o_1" }) })
  tool("b", { outputSchema, execute: async () => failure("There is none") })
  tool("c", { outputSchema, execute: () => content("Paid.") })
  // @ts-expect-error the id is a text
  tool("d", { outputSchema, execute: () => ({ id: 7 }) })
})
