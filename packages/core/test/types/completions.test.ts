/** What an editor proposes where a name is written: a name that need not be remembered is not misspelt. */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { type Editor, openEditor } from "../../../../test/compiler/languageService.js"

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
  [`ToolRunner.make(shop, { approval: { `, ` } })`, tools],
  [`ToolRunner.make(Toolset.combine(shop, dynamic), { approval: { `, ` } })`, tools],
  [`runner.call("`, `", {})`, tools],
  [`runner.forRun({ context: { customerId: "c_1" }, offered: ["`, `"] })`, ["get_orders", "read_result", "refund"]]
]

describe("an editor proposes the names", () => {
  let editors: ReadonlyArray<Editor> = []
  beforeAll(() => {
    editors = openEditor(places.map(([before, after]) => `${preamble}${before}${after}\n`))
  })
  for (const [index, [before, after, proposed]] of places.entries()) {
    it(`at … in ${before}…${after}`, () => {
      expect(editors[index]?.completionsAfter(before).toSorted()).toEqual(proposed)
    })
  }
})
