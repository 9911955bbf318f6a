/** The guarantees of the runner, as a web handler with promises comes to them: a new run for each request. */
import { describe, expect, it } from "vitest"
import * as AiSdk from "@wield/interop/ai-sdk"
import { ScriptedModel } from "@wield/testing"
import { AlreadyAnswered, InvalidAnswer, StaleResponse, type Reply, tool, wield, type Waiting } from "wield"
import { z } from "zod"

const open = async () => {
  const paid: Array<number> = []
  const pay = tool("pay", {
    parameters: z.object({ amount: z.number() }),
    execute: async ({ amount }) => {
      await Promise.resolve()
      paid.push(amount)
      return `paid ${amount}`
    }
  })
  const shop = await wield({ tools: [pay], approval: () => "ask" })
  return { paid, shop, [Symbol.asyncDispose]: () => shop.close() }
}

const responseOf = (...ids: ReadonlyArray<string>) => ({
  choices: [
    {
      message: {
        role: "assistant",
        content: null,
        tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "pay", arguments: '{"amount":450}' } }))
      }
    }
  ]
})

/** As it comes back from a browser or a table. */
const sent = <A>(value: A): A => JSON.parse(JSON.stringify(value))

const approved = (to: Waiting) => ({ to: sent(to), reply: "approve" as const })

describe("a loop of one's own, with a new run of the same id for each request", () => {
  const ask = async ({ shop }: Awaited<ReturnType<typeof open>>, id: string, ...ids: ReadonlyArray<string>) =>
    (await shop.run({ id }).answer("openai-chat", responseOf(...ids))).waiting

  it("carries an approval out once, however often and with whom at once it comes", async () => {
    await using it = await open()
    const [to] = await ask(it, "order 7", "call_1")
    const answer = () =>
      it.shop.run({ id: "order 7" }).answer("openai-chat", responseOf("call_1"), { answers: [approved(to!)] })
    const all = [...(await Promise.all([answer(), answer()])), await answer()]
    for (const { messages, waiting } of all) {
      expect(waiting).toEqual([])
      expect(JSON.stringify(messages)).toContain("paid 450")
    }
    expect(it.paid).toEqual([450])
  })

  it("gives each request an id of its own: of two equal calls one can be approved, and the other waits on", async () => {
    await using it = await open()
    const ofA = await ask(it, "a", "call_1", "call_2")
    const ofB = await ask(it, "b", "call_1", "call_2")
    expect(new Set([...ofA, ...ofB].map(({ id }) => id)).size).toBe(4)
    expect(new Set([...ofA, ...ofB].map(({ digest }) => digest)).size).toBe(1)
    const answers = [approved(ofA[0]!)]
    const { waiting } = await it.shop
      .run({ id: "a" })
      .answer("openai-chat", responseOf("call_1", "call_2"), { answers })
    expect(waiting.map(({ id }) => id)).toEqual([ofA[1]!.id])
    expect(it.paid).toEqual([450])
  })

  it("refuses an answer to another run's request, or to none", async () => {
    await using it = await open()
    const [ofA] = await ask(it, "a", "call_1")
    await ask(it, "b", "call_1")
    const give = (id: string | undefined, to: Waiting, reply: "approve" | { deny: string } = "approve") =>
      it.shop
        .run(id === undefined ? {} : { id })
        .answer("openai-chat", responseOf("call_1"), { answers: [{ to: sent(to), reply }] })
    await expect(give("b", ofA!)).rejects.toBeInstanceOf(StaleResponse)
    await expect(give("b", ofA!, { deny: "no" })).rejects.toBeInstanceOf(StaleResponse)
    await expect(give(undefined, ofA!)).rejects.toBeInstanceOf(StaleResponse)
    const { id: _, ...without } = ofA!
    await expect(give("a", without as never)).rejects.toThrow(/An answer lacks `to`/)
    expect(it.paid).toEqual([])
    expect((await give("a", ofA!)).waiting).toEqual([])
    expect(it.paid).toEqual([450])
  })

  it("refuses another answer than the one that was taken, and takes that one again", async () => {
    await using it = await open()
    const [to, other] = await ask(it, "a", "call_1", "call_2")
    const give = (
      ...answers: ReadonlyArray<readonly [Waiting, "approve" | { deny: string } | { approve: { amount: number } }]>
    ) =>
      it.shop.run({ id: "a" }).answer("openai-chat", responseOf("call_1", "call_2"), {
        answers: answers.map(([of, reply]) => ({ to: sent(of), reply }))
      })
    await give([to!, { approve: { amount: 400 } }], [other!, { deny: "no" }])
    expect(it.paid).toEqual([400])
    for (const [late, response] of [
      [[to!, { deny: "stop" }], "Approve"],
      [[to!, "approve"], "Approve"],
      [[to!, { approve: { amount: 4 } }], "Approve"],
      [[other!, "approve"], "Deny"]
    ] as const) {
      const refused = give(late)
      await expect(refused).rejects.toBeInstanceOf(AlreadyAnswered)
      await expect(refused).rejects.toMatchObject({ response })
    }
    const again = await give([to!, { approve: { amount: 400 } }], [other!, { deny: "no" }])
    expect(JSON.stringify(again.messages)).toMatch(/paid 400.*denied/)
    expect(it.paid).toEqual([400])
  })

  it("says to a second answer that the first one stands, and what to do", async () => {
    await using it = await open()
    const run = it.shop.run()
    const { waiting } = await run.answer("openai-chat", responseOf("call_1"))
    const give = (reply: Reply) =>
      run.answer("openai-chat", responseOf("call_1"), { answers: waiting.map((to) => ({ to, reply })) })
    await give("approve")
    await expect(give({ deny: "no" })).rejects.toThrow(
      /^The call call_1 in the entry \w+ has been answered already, by an approval: the first answer counts, and this one was not taken\. Go on without this one: the result of the call says what was decided$/
    )
  })

  it("takes one of two answers that are given at once, and says so to the other", async () => {
    await using it = await open()
    const [to] = await ask(it, "a", "call_1")
    const give = (reply: "approve" | { deny: string }) =>
      it.shop.run({ id: "a" }).answer("openai-chat", responseOf("call_1"), { answers: [{ to: sent(to!), reply }] })
    const both = await Promise.allSettled([give("approve"), give({ deny: "no" })])
    const refused = both.flatMap((one): ReadonlyArray<unknown> => (one.status === "rejected" ? [one.reason] : []))
    expect(refused).toEqual([expect.any(AlreadyAnswered)])
    expect(refused).toMatchObject([{ response: both[0].status === "fulfilled" ? "Approve" : "Deny" }])
    expect(it.paid.length).toBe(both[0].status === "fulfilled" ? 1 : 0)
  })

  it("takes none of two answers that contradict each other", async () => {
    await using it = await open()
    const [to] = await ask(it, "a", "call_1")
    const answers = [approved(to!), { to: to!, reply: { deny: "no" } }]
    const given = it.shop.run({ id: "a" }).answer("openai-chat", responseOf("call_1"), { answers })
    await expect(given).rejects.toBeInstanceOf(InvalidAnswer)
    await expect(given).rejects.toThrow("one answer to the call call_1; none was taken")
    expect(it.paid).toEqual([])
  })

  it("takes no result or reply for a call that a person has approved, and says so", async () => {
    await using it = await open()
    const [to] = await ask(it, "a", "call_1")
    const give = (reply: Reply) =>
      it.shop.run({ id: "a" }).answer("openai-chat", responseOf("call_1"), { answers: [{ to: sent(to!), reply }] })
    await give("approve")
    for (const late of [{ result: "paid" }, { failure: "no" }, { input: "yes" }]) {
      await expect(give(late)).rejects.toMatchObject({ _tag: "AlreadyAnswered", response: "Approve" })
    }
    expect(it.paid.length).toBe(1)
  })
})

it("says of an answer of the wrong kind to a call that ended without one what was waited for, and of no approval", async () => {
  let isBroken = false
  const pay = tool("pay", { parameters: z.object({ amount: z.number() }), execute: () => "paid" })
  const approval = () => {
    if (isBroken) throw new Error("the rules are not there")
    return "ask" as const
  }
  await using shop = await wield({ tools: [pay], approval })
  for (const id of ["a", undefined]) {
    isBroken = false
    const run = shop.run(id === undefined ? {} : { id })
    const [to] = (await run.answer("openai-chat", responseOf("call_1"))).waiting
    isBroken = true
    const give = (reply: Reply) =>
      run.answer("openai-chat", responseOf("call_1"), { answers: [{ to: sent(to!), reply }] })
    for (const wrong of [{ result: "paid" }, { failure: "no" }, { input: "yes" }]) {
      await expect(give(wrong)).rejects.toMatchObject({ _tag: "WrongKindOfResponse", expected: ["Approve", "Deny"] })
    }
    expect((await give("approve")).outcomes).toMatchObject([{ _tag: "Defect" }])
  }
})

it("takes no approval of a call that a page has answered, and says so", async () => {
  await using shop = await wield({ tools: [tool("sign", {})] })
  const calls = [{ id: "call_1", type: "function", function: { name: "sign", arguments: "{}" } }]
  const response = { choices: [{ message: { role: "assistant", content: null, tool_calls: calls } }] }
  const run = shop.run({ id: "a" })
  const [to] = (await run.answer("openai-chat", response)).waiting
  const give = (reply: Reply) => run.answer("openai-chat", response, { answers: [{ to: to!, reply }] })
  await give({ result: "A. Lovelace" })
  for (const late of ["approve", { input: "A. Lovelace" }, { failure: "no" }] as const) {
    await expect(give(late)).rejects.toMatchObject({ _tag: "AlreadyAnswered", response: "Result" })
  }
  expect((await give({ result: "A. Lovelace" })).outcomes).toMatchObject([{ _tag: "Success" }])
})

it("says how a run is given to an SDK", async () => {
  await using it = await open()
  // As plain JavaScript may give it: the effect that came of it had no tools in it.
  const run = it.shop.run({ id: "a" }) as never
  expect(() => AiSdk.fromRun(run)).toThrow("give `await run.to(fromRun)`")
  const convert = async () => ({})
  await expect(it.shop.run().to(convert as never)).rejects.toThrow(
    "What the function of `to` gives must be an effect, as `AiSdk.fromRun` gives it, but is a promise that was not awaited"
  )
})

it("the AI SDK's loop, with a new run of the same id for each request, carries an approval out once", async () => {
  await using it = await open()
  const input = { amount: 450 }
  const history = [
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "call_1", toolName: "pay", input },
        { type: "tool-approval-request", approvalId: "approval_1", toolCallId: "call_1" }
      ]
    },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "approval_1", approved: true }] }
  ]
  const request = () => it.shop.run({ id: "chat 7" }).to(AiSdk.fromRun)
  await (await request()).toolApproval["pay"]?.(input, { toolCallId: "call_1", messages: [] })
  const execute = async () =>
    (await request()).tools["pay"]?.execute?.(input, {
      toolCallId: "call_1",
      messages: history,
      context: undefined
    } as never)
  const results = [...(await Promise.all([execute(), execute()])), await execute()]
  expect(results).toEqual(["paid 450", "paid 450", "paid 450"])
  expect(it.paid).toEqual([450])
})

it("an agent that is given the same answers again tells the events of its end again", async () => {
  await using it = await open()
  const agent = it.shop.agent({
    model: ScriptedModel.make([ScriptedModel.call("pay", { amount: 450 }), ScriptedModel.text("Done.")])
  })
  const paused = await agent.ask("Pay.")
  if (paused._tag !== "Paused") throw new Error("not paused")
  const answers = paused.requests.map((to) => ({ to: sent(to), reply: "approve" as const }))
  const read = async () => {
    const tags: Array<string> = []
    let text = ""
    for await (const event of agent.stream(undefined, { conversation: paused.conversation, answers })) {
      tags.push(event._tag)
      if (event._tag === "TextDelta") text += event.text
      if (event._tag === "Done") text += ` / ${event.result._tag}`
    }
    return { tags, text }
  }
  const first = await read()
  expect(first.text).toBe("Done. / Finished")
  for (let time = 0; time < 2; time++) {
    const { tags, text } = await read()
    expect(text).toBe(first.text)
    expect(tags).toEqual(first.tags.filter((tag) => tag !== "UsageKnown"))
  }
  expect(it.paid).toEqual([450])
})
