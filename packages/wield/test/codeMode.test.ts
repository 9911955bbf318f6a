/** Programs that call tools, with promises. */
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { AlreadyAnswered, type Reply, StaleResponse, tool, wield } from "wield"
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

  it("gives out what its programs ask to a loop of one's own, and takes each answer once", async () => {
    const { programs } = await made
    paid.length = 0
    const code = `return await Promise.all([1, 2].map((n) => tools.pay({ n }).catch((error) => error.outcome)))`
    const call = { type: "tool_use", id: "toolu_1", name: "run_program", input: { code } }
    const response = { type: "message", role: "assistant", content: [call], stop_reason: "tool_use" }
    for (const id of ["order 7", undefined]) {
      paid.length = 0
      const run = programs.run(id === undefined ? {} : { id })
      const { waiting } = await run.answer("anthropic", response)
      expect(waiting).toMatchObject([
        { name: "pay", waitsFor: "approval", arguments: { n: 1 }, within: [{ name: "run_program" }] },
        { name: "pay", waitsFor: "approval", arguments: { n: 2 }, within: [{ call: { id: "toolu_1" } }] }
      ])
      // They come back from a browser.
      const [one, two] = JSON.parse(JSON.stringify(waiting)) as typeof waiting
      const deny = { to: two!, reply: { deny: "no" } } as const
      const half = await run.answer("anthropic", response, { answers: [deny] })
      expect(half.waiting).toMatchObject([{ arguments: { n: 1 } }])
      expect(paid).toEqual([])
      const otherwise = [{ to: two!, reply: "approve" as const }]
      const refused = run.answer("anthropic", response, { answers: otherwise })
      await expect(refused).rejects.toThrow(AlreadyAnswered)
      await expect(refused).rejects.toMatchObject({ response: "Deny" })
      const changed = { ...one!, arguments: { n: 900 }, call: { ...one!.call, arguments: { n: 900 } } }
      const still = await run.answer("anthropic", response, { answers: [{ to: changed, reply: "approve" }] })
      expect(still.waiting).toMatchObject([{ arguments: { n: 1 } }])
      expect(paid).toEqual([])
      const shown = { ...one!, arguments: { n: 900 } }
      const asked = await run.answer("anthropic", response, { answers: [{ to: shown, reply: "approve" }] })
      expect(asked.waiting).toMatchObject([{ arguments: { n: 1 } }])
      expect(paid).toEqual([])
      // The earlier answer comes again beside the last one.
      const [again] = still.waiting
      const answers = [deny, { to: again!, reply: "approve" as const }]
      const end = await run.answer("anthropic", response, { answers })
      expect(end.outcomes).toMatchObject([{ _tag: "Success", result: ["paid 1", "Denied"] }])
      expect((await run.answer("anthropic", response, { answers })).outcomes).toMatchObject([{ _tag: "Success" }])
      expect(paid).toEqual([1])
    }
  })

  it("takes answers that are given at the same time, and refuses one that another was taken before", async () => {
    const { programs } = await made
    const code = `return await Promise.all([1, 2, 3].map((n) => tools.pay({ n }).catch((error) => error.outcome)))`
    const call = { type: "tool_use", id: "toolu_1", name: "run_program", input: { code } }
    const response = { type: "message", role: "assistant", content: [call], stop_reason: "tool_use" }
    for (const id of ["order 8", undefined]) {
      paid.length = 0
      const run = programs.run(id === undefined ? {} : { id })
      const [one, two, three] = (await run.answer("anthropic", response)).waiting
      const give = (to: typeof one, reply: Reply) =>
        run.answer("anthropic", response, { answers: [{ to: to!, reply }] })
      await Promise.all([give(one, "approve"), give(two, "approve")])
      expect(paid).toEqual([1, 2])
      expect((await run.answer("anthropic", response)).waiting).toMatchObject([{ arguments: { n: 3 } }])
      await expect(give(one, { deny: "no" })).rejects.toThrow(AlreadyAnswered)
      const end = await give(three, { deny: "no" })
      expect(end.outcomes).toMatchObject([{ result: ["paid 1", "paid 2", "Denied"] }])
      await expect(give(two, { deny: "no" })).rejects.toThrow(AlreadyAnswered)
    }
  })

  it("says what an answer lacks whose calls around it are none", async () => {
    const { programs } = await made
    const code = "return await tools.pay({ n: 4 })"
    const call = { type: "tool_use", id: "toolu_1", name: "run_program", input: { code } }
    const response = { type: "message", role: "assistant", content: [call], stop_reason: "tool_use" }
    const run = programs.run()
    const [one] = (await run.answer("anthropic", response)).waiting
    for (const within of [{}, "x", 7, [null], [{}], [{ call: null }]]) {
      const to = { ...one!, within: within as never } // as a browser may send it
      const answered = run.answer("anthropic", response, { answers: [{ to, reply: "approve" }] })
      await expect(answered).rejects.toThrow("An answer lacks `to`")
    }
    for (const within of [[], null, [{ name: "run_program", call: { ...one!.call, id: "another" } }]]) {
      const to = { ...one!, within: within as never } // as a browser may send it
      const answered = run.answer("anthropic", response, { answers: [{ to, reply: "approve" }] })
      await expect(answered).rejects.toThrow(StaleResponse)
    }
  })

  it("takes no answer to the program in place of its calls, nor one of another run", async () => {
    const { programs } = await made
    paid.length = 0
    const call = {
      type: "tool_use",
      id: "toolu_1",
      name: "run_program",
      input: { code: "return await tools.pay({ n: 3 })" }
    }
    const response = { type: "message", role: "assistant", content: [call], stop_reason: "tool_use" }
    const run = programs.run()
    const { outcomes, waiting } = await run.answer("anthropic", response)
    const [outer] = outcomes
    if (outer?._tag !== "Deferred") throw new Error("The program waits")
    const { arguments: given, call: own, digest, input, name, requestId } = outer
    const to = { id: requestId, name, digest, call: own, arguments: given, input: input! }
    for (const reply of ["approve", { input: [] }, { deny: "no" }] as const)
      await expect(run.answer("anthropic", response, { answers: [{ to, reply }] })).rejects.toThrow(StaleResponse)
    const answers = waiting.map((one) => ({ to: one, reply: "approve" as const }))
    expect((await programs.run().answer("anthropic", response, { answers })).outcomes).toMatchObject([
      { _tag: "Uncertain" }
    ])
    expect(paid).toEqual([])
  })

  it("calls nothing of tools that are closed", async () => {
    const bank = await wield({ tools: [tool("look", { execute: () => "seen" })] })
    const programs = await wield({ toolsets: [codeMode(bank)] })
    const code = "return await tools.look()"
    expect(await programs.run().call("run_program", { code })).toBe("seen")
    await bank.close()
    await expect(programs.run().call("run_program", { code })).rejects.toThrow("failed internally")
    await programs.close()
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
