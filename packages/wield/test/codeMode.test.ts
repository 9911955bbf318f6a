/** Programs that call tools, with promises. */
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { tool, wield } from "wield"
import { codeMode } from "wield/code-mode"

const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const

describe("code mode with promises", () => {
  const paid: Array<unknown> = []
  const pay = tool("pay", { parameters, execute: ({ n }) => `paid ${paid.push(n)}` })
  const made = wield({ tools: [pay], approval: { pay: () => "ask" } }).then(async (shop) => ({
    shop,
    programs: await wield({ toolsets: [codeMode(shop)] })
  }))
  afterAll(async () => {
    const { programs, shop } = await made
    await programs.close()
    await shop.close()
  })

  it("pauses an agent for what its program asks, and goes on with each answer once", async () => {
    const { programs } = await made
    const code = `return await Promise.all([1, 2].map((n) => tools.pay({ n }).catch((error) => error.outcome)))`
    const model = await Effect.runPromise(
      ScriptedModel.make([ScriptedModel.call("run_program", { code }), ScriptedModel.text("Done.")])
    )
    const agent = programs.agent({ model })
    const paused = await agent.ask("Pay", { conversation: "c1" })
    const [one, two] = paused._tag === "Paused" ? paused.requests : []
    const half = await agent.ask(undefined, { conversation: "c1", answers: [{ to: two!, reply: { deny: "no" } }] })
    expect(half._tag).toBe("Paused")
    expect(paid).toEqual([])
    const end = await agent.ask(undefined, { conversation: "c1", answers: [{ to: one!, reply: "approve" }] })
    expect(end.text).toBe("Done.")
    expect(paid).toEqual([1])
  })

  it("says what is wrong with what it is given", async () => {
    const { shop } = await made
    // As a program without types may call it.
    const loose = codeMode as (shop: unknown, options?: unknown) => never
    expect(() => loose(wield({ tools: [pay] }))).toThrow("await it first")
    expect(() => loose([pay])).toThrow("await it first")
    expect(() => loose(shop, { policy: {} })).toThrow("no option `policy`")
    await expect(wield({ toolsets: [loose(shop, { limits: { time: "soon" } })] })).rejects.toThrow(
      "limits.time of code mode must be a duration"
    )
  })
})
