/**
 * What the compiler says of the mistakes that are easily made: the message has
 * to name what is wrong, since a type of forty lines helps nobody.
 */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { messagesOf } from "../../../../test/compiler/messages.js"

const preamble = `
import { Tool, Toolkit } from "@effect/ai"
import { Approval, Facts, Hidden, type ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
const GetOrders = Tool.make("get_orders", {
  parameters: { customerId: Schema.String, status: Schema.String },
  success: Schema.String
})
const Refund = Tool.make("refund", { parameters: { amount: Schema.Number }, success: Schema.String })
const Shop = Toolkit.make(GetOrders.pipe(Hidden.fields("customerId")), Refund)
const Bank = Toolkit.make(Refund)
declare const shop: Toolset.Toolset<Toolkit.Tools<typeof Shop>>
declare const bank: Toolset.Toolset<Toolkit.Tools<typeof Bank>>
declare const runner: ToolRunner.Runner<Toolkit.Tools<typeof Shop>>
`

interface Mistake {
  readonly what: string
  readonly program: string
  /** Each has to occur in what the compiler says; in its first line, where a name is wrong. */
  readonly says: ReadonlyArray<string>
  readonly isOfName?: boolean
}

const mistakes: ReadonlyArray<Mistake> = [
  {
    what: "a hidden field that is no parameter",
    isOfName: true,
    program: `GetOrders.pipe(Hidden.fields("customerID"))`,
    says: ['"customerID"', '"customerId" | "status"']
  },
  {
    what: "two toolsets with a tool of one name",
    isOfName: true,
    program: `Toolset.combine(shop, bank)`,
    says: ["more than one toolset has a tool named", 'MoreThanOneToolsetHas<"refund">']
  },
  {
    what: "two tools of one name in a toolkit",
    program: `Toolset.fromToolkit(Toolkit.make(Refund, Tool.make("refund", { success: Schema.Number })))`,
    says: ["Two tools of this toolkit have the same name", '"refund"']
  },
  {
    what: "selecting a tool that does not exist",
    isOfName: true,
    program: `shop.pipe(Toolset.select("refund", "get_order"))`,
    says: ['"get_order"', '"get_orders" | "refund"']
  },
  {
    what: "describing a tool that does not exist",
    isOfName: true,
    program: `shop.pipe(Toolset.describe({ get_order: "x" }))`,
    says: ["'get_order'", "get_orders?: string; readonly refund?: string", "Did you mean to write 'get_orders'?"]
  },
  {
    what: "renaming a tool that does not exist",
    isOfName: true,
    program: `shop.pipe(Toolset.rename({ get_order: "x" }))`,
    says: ["'get_order'", "get_orders?: string; readonly refund?: string", "Did you mean to write 'get_orders'?"]
  },
  {
    what: "renaming a tool that does not exist beside one that does",
    isOfName: true,
    program: `shop.pipe(Toolset.rename({ refund: "pay_back", get_order: "x" }))`,
    says: ['NoSuchTool<"get_order", "get_orders" | "refund">']
  },
  {
    what: "renaming a tool to a name that is taken",
    isOfName: true,
    program: `shop.pipe(Toolset.rename({ refund: "get_orders" }))`,
    says: ['NewNameTaken<"get_orders">']
  },
  {
    what: "a limit for a tool that does not exist",
    isOfName: true,
    program: `ToolRunner.make(shop, { limits: { tools: { refunds: { timeout: "1 second" } } } })`,
    says: ["'refunds' does not exist", "get_orders?: ", "refund?: "]
  },
  {
    what: "an approval rule for a tool that does not exist",
    isOfName: true,
    program: `ToolRunner.make(shop, { approval: { refunds: () => Approval.allow } })`,
    says: ["'refunds' does not exist", "get_orders?: ", "refund?: "]
  },
  {
    what: "offering a tool that does not exist in a run",
    isOfName: true,
    program: `runner.forRun({ context: { customerId: "c_1" }, offered: ["get_orders", "refunds"] })`,
    says: ['"refunds"', '"get_orders" | "read_result" | "refund"', "Did you mean '\"refund\"'?"]
  },
  {
    what: "a call outside of a run without its call context",
    program: `declare const call: ToolCall.ToolCall; Effect.runPromise(Effect.orDie(runner.run(call)))`,
    says: ['CallContextWith<"customerId">']
  },
  {
    what: "a call context of the wrong type",
    program: `runner.forRun({ context: { customerId: 42 } })`,
    says: ["'number' is not assignable to type 'string'"]
  },
  {
    what: "a call context without a hidden field",
    program: `runner.forRun({ context: { tenant: "t" } })`,
    says: ["customerId", "missing"]
  },
  {
    what: "a run without a call context",
    program: `runner.forRun({ id: "run_1" })`,
    says: ["context", "missing"]
  },
  {
    what: "a hidden field that a program tries to set",
    program: `runner.call("get_orders", { status: "open", customerId: "c_1" })`,
    says: ["'customerId' does not exist"]
  },
  {
    what: "a call of a tool that does not exist",
    isOfName: true,
    program: `runner.call("get_order", {})`,
    says: ['"get_order"', '"get_orders"']
  },
  {
    what: "a handler Layer that is missing",
    program: `Effect.runSync(Toolset.fromToolkit(Bank))`,
    says: ['Handler<"refund">']
  },
  {
    what: "an example that does not fit",
    program: `Refund.pipe(Facts.examples({ amount: "ten" }))`,
    says: ["'string' is not assignable to type 'number'"]
  }
]

describe("the compiler's message names what is wrong", () => {
  let messages: ReadonlyArray<ReadonlyArray<string>> = []
  beforeAll(async () => {
    messages = await messagesOf(mistakes.map(({ program }) => `${preamble}\n${program}\n`))
  })
  for (const [index, { isOfName, says, what }] of mistakes.entries()) {
    it(`with ${what}`, () => {
      const message = messages[index]?.join("\n") ?? ""
      const read = isOfName ? firstLineOf(message) : message
      for (const text of says) expect(read).toContain(text)
    })
  }
  it("in at most 300 characters where it is a name", () => {
    const ofNames = messages.filter((_, index) => mistakes[index]?.isOfName).map((all) => all.join("\n"))
    expect(ofNames.length).toBeGreaterThan(0)
    expect(ofNames.filter((message) => withoutFolders(message).length > 300)).toEqual([])
  })
})

const firstLineOf = (message: string): string => message.split("\n")[0] ?? ""

/** Where the repository lies makes no message longer. */
const withoutFolders = (message: string): string => message.replaceAll(/import\("[^"]*"\)/g, "import")
