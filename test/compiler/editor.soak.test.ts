/**
 * What an editor shows of a program, and what the compiler does for it. All programs share one compiler, for most of its
 * time goes into what they import.
 */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { type Cost, type Editor, openEditor } from "./languageService.js"

const preamble = `
import { Tool, Toolkit } from "@effect/ai"
import { Hidden, ToolRunner, Toolset } from "@wield/core"
import { Schema } from "effect"
const GetOrders = Tool.make("get_orders", {
  parameters: { customerId: Schema.String, status: Schema.String },
  success: Schema.String
})
const Refund = Tool.make("refund", { parameters: { amount: Schema.Number }, success: Schema.String })
const Shop = Toolkit.make(GetOrders.pipe(Hidden.fields("customerId")), Refund)
declare const shop: Toolset.Toolset<Toolkit.Tools<typeof Shop>>
declare const dynamic: Toolset.DynamicToolset
declare const runner: ToolRunner.Runner<Toolkit.Tools<typeof Shop>>
`
const tools = ["get_orders", "refund"]

/** A program, cut where the name is proposed, and what is proposed. */
const places: ReadonlyArray<readonly [before: string, after: string, proposed: ReadonlyArray<string>]> = [
  [`GetOrders.pipe(Hidden.fields("status", "`, `"))`, ["customerId", "status"]],
  [`shop.pipe(Toolset.select("refund", "`, `"))`, tools],
  [`shop.pipe(Toolset.prefix("a_"), Toolset.select("`, `"))`, ["a_get_orders", "a_refund"]],
  [`shop.pipe(Toolset.describe({ `, ` }))`, tools],
  [`shop.pipe(Toolset.rename({ `, ` }))`, tools],
  [`Toolset.rename(shop, { `, ` })`, tools],
  [`ToolRunner.make(shop, { approval: { `, ` } })`, ['"*"', ...tools]],
  [`ToolRunner.make(Toolset.combine(shop, dynamic), { approval: { `, ` } })`, ['"*"', ...tools]],
  [`runner.call("`, `", {})`, tools],
  [`runner.forRun({ context: { customerId: "c_1" }, offered: ["`, `"] })`, ["get_orders", "read_result", "refund"]]
]

const toolOf = (index: number): string => `
const Tool${index} = Tool.make("tool_${index}", {
  description: "Tool number ${index}",
  parameters: {
    customerId: Schema.String,
    status: Schema.Literal("open", "paid_${index}"),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 100)))
  },
  success: Schema.Struct({ count${index}: Schema.Number, items: Schema.Array(Schema.Struct({ sku: Schema.String })) }),
  failure: Schema.Struct({ reason${index}: Schema.String }),
  failureMode: "return"
}).pipe(Hidden.fields("customerId"))`

/** A program with so many tools that uses what most programs use; the agent has more to read than core. */
const programOf = (size: number): string => {
  const indices = Array.from({ length: size }, (_, index) => index)
  return `
import { Tool, Toolkit } from "@effect/ai"
import * as Agent from "@wield/agent/Agent"
import type { Model } from "@wield/agent/Model"
import { Approval, Hidden, Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
declare const model: Model
${indices.map(toolOf).join("")}
class Shop extends Toolkit.make(${indices.map((index) => `Tool${index}`).join(", ")}) {}

export const program = Effect.gen(function* () {
  const toolset = yield* Toolset.fromToolkit(Shop)
  const few = Toolset.combine(toolset, toolset.pipe(Toolset.prefix("a_"))).pipe(
    Toolset.rename({ tool_0: "first" }),
    Toolset.describe({ first: "The first" }),
    Toolset.filter(() => true),
    Toolset.select("first", "a_tool_1")
  )
  const runner = yield* ToolRunner.make(toolset, {
    approval: { tool_0: ({ parameters }) => (parameters.status === "open" ? Approval.ask() : Approval.allow) }
  })
  const run = runner.forRun({ context: { customerId: "c_42" } })
  const outcome = yield* run.run(ToolCall.make("call_1", "tool_0", {}))
  const outcomes = yield* run.resumeAll([outcome], ({ name }) =>
    name === "tool_0" ? Response.approve : Response.deny("no")
  )
  const agent = yield* Agent.make({ model, toolset })
  yield* Agent.run(agent, { prompt: "go", context: { customerId: "c_42" } })
  const { count0 } = yield* run.call("tool_0", { status: "open" })
  if (outcome._tag === "Success" && outcome.name === "tool_1") return outcome.result.count1 + count0
  return [outcomes.map(Outcome.text), few]
})
`
}

const promises = `
import { tool, wield } from "wield"
import { z } from "zod"
const cancel = tool("cancel_order", {
  parameters: z.object({ customerId: z.string(), orderId: z.string() }),
  hidden: ["customerId"],
  execute: async () => "cancelled"
})
const now = tool("now", { execute: () => 0 })
export const program = async () => {
  const shop = await wield({ tools: [cancel, now] })
  const run = shop.run({ context: { customerId: "c_42" } })
  const agent = shop.agent({ model: { format: "anthropic", model: "claude" } })
  const answer = await run.answer("anthropic", {})
  return [agent, answer]
}`

const five = `
import { tool, wield } from "wield"
import { z } from "zod"
const search = tool("search", {
  parameters: z.object({ from: z.string(), to: z.string() }),
  execute: async () => [{ flight: "W1", price: 90 }]
})
const hold = tool("hold", {
  parameters: z.object({ traveller: z.string(), flight: z.string() }),
  hidden: ["traveller"],
  execute: async () => ({ until: 17 })
})
const book = tool("book", {
  parameters: z.object({ traveller: z.string(), flight: z.string(), price: z.number() }),
  hidden: ["traveller"],
  execute: async () => "b1"
})
const weather = tool("weather", { parameters: z.object({ city: z.string() }), execute: async () => 21 })
const cancel = tool("cancel", {
  parameters: z.object({ tenant: z.string(), booking: z.string() }),
  hidden: ["tenant"],
  execute: async () => true
})
const context = { traveller: "Ada", tenant: "t_1" }
export const program = async () => {
  const shop = await wield({ tools: [search, hold, book, weather, cancel] })
  const run = shop.run({ context })
  const answer = await run.answer("anthropic", {})
  const agent = shop.agent({ model: { format: "anthropic", model: "claude" } })
  const asked = await agent.ask("Hello", { context })
  const events = agent.stream("Hello", { context })
  const booked = await run.call("book", { flight: "W1", price: 90 })
  return [answer, asked, events, booked]
}`

const smaller = 10
const larger = 50

const unchecked: Cost = { instantiations: Number.NaN, types: Number.NaN }

let editors: ReadonlyArray<Editor> = []
let [warming, ofSmaller, ofLarger, ofPromises, ofFive]: ReadonlyArray<Editor> = []
beforeAll(() => {
  const programs = [programOf(2), programOf(smaller), programOf(larger), promises, five]
  const opened = openEditor([...programs, ...places.map(([before, after]) => `${preamble}${before}${after}\n`)])
  ;[warming, ofSmaller, ofLarger, ofPromises, ofFive] = opened.slice(0, programs.length)
  editors = opened.slice(programs.length)
})

describe("the compiler", () => {
  it("does a bounded amount of work for a tool, however many tools there are", () => {
    warming?.hoverAt("Toolkit")
    // What all programs share.
    warming?.check()
    const small = ofSmaller?.check() ?? unchecked
    const large = ofLarger?.check() ?? unchecked
    // Twice what it was when this was written.
    expect(small.instantiations / smaller).toBeLessThan(8_000)
    expect(small.types / smaller).toBeLessThan(1_200)
    for (const cost of ["instantiations", "types"] as const) {
      const perFurther = (large[cost] - small[cost]) / (larger - smaller)
      expect(perFurther, `${cost} of a further tool`).toBeLessThan(small[cost] / smaller)
    }
  })
})

describe("a toolkit that is a class", () => {
  it.each(["toolset", "few", "runner", "run", "outcome", "outcomes", "agent"])(
    "is named in what an editor shows of %s, instead of its tools",
    (name) => {
      const hover = ofSmaller?.hoverAt(`${name} =`) ?? ""
      expect(hover).toContain("typeof Shop")
      expect(hover.length).toBeLessThanOrEqual(200)
    }
  )
})

describe("tools of the package wield", () => {
  it.each(["cancel", "shop", "run", "agent", "answer"])("keep what an editor shows of %s short", (name) => {
    const hover = ofPromises?.hoverAt(`${name} =`) ?? ""
    expect(hover).toContain(name)
    expect(hover.length).toBeLessThanOrEqual(200)
  })
})

describe("five tools of the package wield", () => {
  it("are a program without a mistake", () => {
    expect(ofFive?.check().types).toBeGreaterThan(0)
  })

  it.each(["search", "hold", "book", "answer", "agent", "asked", "events", "booked"])(
    "keep what an editor shows of %s short, without the other tools",
    (name) => {
      const hover = ofFive?.hoverAt(`${name} =`) ?? ""
      expect(hover).toContain(name)
      expect(hover.length).toBeLessThanOrEqual(200)
      expect(hover).not.toContain("weather")
    }
  )

  it("have an agent that shows which context it needs, and nothing that made it", () => {
    expect(ofFive?.hoverAt("agent =").replaceAll(/\s+/g, " ")).toBe(
      "const agent: Agent<{ readonly traveller: string; readonly tenant: string; }, string>"
    )
  })
})

describe("an editor proposes the names", () => {
  for (const [index, [before, after, proposed]] of places.entries()) {
    it(`at … in ${before}…${after}`, () => {
      expect(editors[index]?.completionsAfter(before).toSorted()).toEqual(proposed)
    })
  }
})
