import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { CurrentCall, NeedsInput, Toolset } from "@wield/core"
import * as AiSdk from "@wield/interop/ai-sdk"
import { type } from "arktype"
import { Effect } from "effect"
import * as v from "valibot"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import {
  type AnyTool,
  Closed,
  failure,
  IncompleteContext,
  InvalidReply,
  InvalidTool,
  needsInput,
  StaleResponse,
  tool,
  ToolCallError,
  ToolFailure,
  type Waiting,
  WireError,
  wield
} from "wield"
import { fileStore } from "wield/file"
import { z } from "zod"
import * as mini from "zod/mini"
import { z as z3 } from "zod/v3"

/** A response of OpenAI's chat API with these calls; an argument that is a text is sent as it is. */
const response = (...calls: ReadonlyArray<readonly [name: string, args: unknown]>) => ({
  choices: [
    {
      message: {
        role: "assistant",
        content: null,
        tool_calls: calls.map(([name, args], index) => ({
          id: `call_${index}`,
          type: "function",
          function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) }
        }))
      }
    }
  ]
})

/** As a database gives it back that keeps JSON, but not the order of keys. */
const kept = <A>(value: A): A =>
  JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).reverse())
      : part
  ) as A

const refund = tool("refund", {
  description: "Pays money back",
  parameters: z.object({
    customerId: z.string(),
    orderId: z.string(),
    amount: z.number().refine((amount) => amount % 5 === 0, "must be a multiple of 5")
  }),
  hidden: ["customerId"],
  execute: async ({ amount, customerId, orderId }) => {
    if (orderId === "gone") return failure("There is no such order")
    if (orderId === "thrown") throw failure({ code: 7 })
    if (orderId === "bug") throw new Error("password=hunter2")
    return `${amount} to ${customerId} for ${orderId}`
  }
})

const context = { customerId: "c7" }

/** What the model reads of one call. */
const answerTo = async (args: unknown, name = "refund"): Promise<string> => {
  await using shop = await wield({ tools: [refund] })
  const { messages } = await shop.run({ context }).answer("openai-chat", response([name, args]))
  return (messages[1] as { readonly content: string }).content
}

describe("a response is answered", () => {
  it("with what the tool gives", async () => {
    expect(await answerTo({ orderId: "o1", amount: 5 })).toBe("5 to c7 for o1")
  })

  it("with everything that is wrong with its arguments, refinements of the schema too", async () => {
    expect(await answerTo({ orderId: 1 })).toMatch(/- amount: .* missing\n- orderId: expected a string, received 1/)
    expect(await answerTo({ orderId: "o1", amount: 7 })).toContain("- amount: must be a multiple of 5")
    expect(await answerTo('{"orderId": "o1", "amount": 5')).toContain("not valid JSON (it does not end with }")
    expect(await answerTo({}, "refnud")).toContain("refund")
  })

  it("with a failure that is returned or thrown, and with no text of another error", async () => {
    expect(await answerTo({ orderId: "gone", amount: 5 })).toContain("There is no such order")
    expect(await answerTo({ orderId: "thrown", amount: 5 })).toContain('{"code":7}')
    const text = await answerTo({ orderId: "bug", amount: 5 })
    expect(text).not.toContain("hunter2")
    expect(text).toMatch(/reference/i)
  })

  it("though the model sets a hidden parameter", async () => {
    expect(await answerTo({ orderId: "o1", amount: 5, customerId: "c8" })).toBe("5 to c7 for o1")
  })

  it("or rejected, where it is of another format", async () => {
    await using shop = await wield({ tools: [refund] })
    const run = shop.run({ context })
    await expect(run.answer("anthropic", response())).rejects.toBeInstanceOf(WireError)
    await expect(run.answer("openai" as never, response())).rejects.toThrow(
      /There is no format "openai"\. .*openai-chat/
    )
  })

  it("call by call, though every turn has the same ids", async () => {
    let count = 0
    await using shop = await wield({ tools: [tool("next", { execute: () => ++count })] })
    const run = shop.run()
    const first = { ...response(["next", {}]), id: "chatcmpl-1" }
    await run.answer("openai-chat", first)
    await run.answer("openai-chat", { ...first, id: "chatcmpl-2" })
    expect(count).toBe(2)
    await run.answer("openai-chat", first)
    expect(count).toBe(2)
  })
})

describe("the tools of a request", () => {
  it("are those of its format, without hidden parameters", async () => {
    await using shop = await wield({ tools: [refund] })
    const { tools } = await shop.run({ context }).tools("anthropic")
    expect(tools).toMatchObject([{ name: "refund", input_schema: { type: "object", required: ["orderId", "amount"] } }])
    expect(JSON.stringify(tools)).not.toContain("customerId")
  })

  it("have the settings of its format, and of no other", async () => {
    const stock = tool("stock", {
      providerSettings: {
        anthropic: { allowed_callers: ["code_execution_20260120"] },
        gemini: { behavior: "BLOCKING" }
      },
      execute: () => 5
    })
    await using shop = await wield({ tools: [stock] })
    const { tools } = await shop.run().tools("anthropic")
    expect(tools).toMatchObject([{ name: "stock", allowed_callers: ["code_execution_20260120"] }])
    expect(JSON.stringify(tools)).not.toContain("BLOCKING")
    expect(JSON.stringify(await shop.run().tools("gemini"))).toContain('"behavior":"BLOCKING"')
  })
})

describe("parameters", () => {
  const positive = "must be positive"
  const schemas = {
    zod: z.object({ n: z.number().refine((n) => n > 0, positive) }),
    valibot: toStandardJsonSchema(
      v.object({
        n: v.pipe(
          v.number(),
          v.check((n) => n > 0, positive)
        )
      })
    ),
    arktype: type({ n: type("number").narrow((n, about) => n > 0 || about.reject({ message: positive })) })
  }
  for (const [library, parameters] of Object.entries(schemas)) {
    it(`may be a schema of ${library}`, async () => {
      await using sums = await wield({
        tools: [tool("double", { parameters: parameters as typeof schemas.zod, execute: ({ n }) => 2 * n })]
      })
      const run = sums.run()
      expect((await run.tools("openai-chat"))["tools"]).toMatchObject([
        { function: { parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } } }
      ])
      const { messages } = await run.answer("openai-chat", response(["double", { n: 21 }], ["double", { n: -1 }]))
      expect(messages[1]).toMatchObject({ content: "42" })
      expect(JSON.stringify(messages[2])).toContain(positive)
    })
  }

  it("may be a JSON Schema, or none", async () => {
    const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const
    const execute = ({ n }: { readonly [name: string]: unknown }) => Number(n) * 2
    await using sums = await wield({
      tools: [tool("double", { parameters: inputSchema, execute }), tool("zero", { execute: () => undefined })]
    })
    const { outcomes } = await sums.run().answer("openai-chat", response(["double", { n: 2 }], ["zero", {}]))
    expect(outcomes).toMatchObject([{ encoded: 4 }, { encoded: null }])
  })

  it("are transformed by their schema once, before a rule and the tool see them", async () => {
    const seen: Array<unknown> = []
    const day = tool("day", {
      parameters: z.object({ at: z.string().transform((text) => new Date(text)), count: z.number().default(3) }),
      execute: ({ at, count }) => `${at.toISOString()} ${count}`
    })
    await using calendar = await wield({
      tools: [day],
      approval: {
        day: ({ at }) => {
          seen.push(at)
          return "allow"
        }
      }
    })
    expect(await calendar.run().call("day", { at: "2026-01-02" })).toBe("2026-01-02T00:00:00.000Z 3")
    expect(seen).toEqual([new Date("2026-01-02")])
  })

  it("that no model can be shown are refused, with what to do", async () => {
    const withDate = tool("a", { parameters: z.object({ at: z.date() }), execute: () => null })
    await expect(wield({ tools: [withDate] })).rejects.toBeInstanceOf(InvalidTool)
    await expect(wield({ tools: [withDate] })).rejects.toThrow(/zod cannot write its parameters as JSON Schema: .*Date/)
    const plain = tool("b", { parameters: v.object({}), execute: () => null })
    await expect(wield({ tools: [plain] })).rejects.toThrow(/toStandardJsonSchema of @valibot\/to-json-schema/)
    const shape = tool("c", { parameters: { n: z.number() } as never, execute: () => null })
    await expect(wield({ tools: [shape] })).rejects.toThrow(/wrap it: z\.object/)
    await expect(wield({ tools: [refund, refund] })).rejects.toThrow(/Two tools have the same name: refund/)
  })

  it("that are none are refused, where no compiler has said so", async () => {
    for (const given of [
      undefined,
      { tools: undefined },
      { tools: { refund } },
      { tools: [{ name: "x" }] },
      { tools: [null] }
    ]) {
      await expect(wield(given as never)).rejects.toThrow(/`tools` must be an array of what `tool\(/)
    }
    for (const toolsets of [{}, ["x"], [null]]) {
      await expect(wield({ tools: [refund], toolsets } as never)).rejects.toThrow(/`toolsets` must be an array/)
    }
  })
})

describe("a call that waits for a person", () => {
  const approval = {
    refund: ({ amount }: { readonly amount: number }) => (amount > 10 ? { ask: "over 10" } : "allow")
  } as const
  const asked = response(["refund", { orderId: "o1", amount: 20 }], ["refund", { orderId: "o2", amount: 5 }])

  it("is answered later, by way of JSON, and the other calls do not run again", async () => {
    let runs = 0
    const counted = tool("refund", {
      parameters: z.object({ orderId: z.string(), amount: z.number() }),
      execute: ({ orderId }) => `${orderId} ${++runs}`
    })
    await using shop = await wield({ tools: [counted], approval })
    const run = shop.run()
    const { outcomes, waiting } = await run.answer("openai-chat", asked)
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Deferred", "Success"])
    const [to] = JSON.parse(JSON.stringify(waiting)) as ReadonlyArray<Waiting>
    expect(to).toMatchObject({ name: "refund", arguments: { orderId: "o1", amount: 20 }, why: "over 10" })
    const answers = [{ to: to!, reply: "approve" as const }]
    for (let times = 0; times < 2; times++) {
      const { messages, waiting: rest } = await run.answer("openai-chat", asked, { answers })
      expect(rest).toEqual([])
      expect(messages.slice(1)).toMatchObject([{ content: "o1 2" }, { content: "o2 1" }])
    }
  })

  it("is answered with a response that was kept, though the keys of all that was kept are in another order", async () => {
    let paid = 0
    const parameters = z.object({ orderId: z.string(), amount: z.number() })
    const pay = tool("pay", { parameters, execute: () => `paid ${++paid}` })
    const refund = tool("refund", { parameters, execute: ({ amount }) => `refunded ${amount}` })
    await using shop = await wield({ tools: [pay, refund], approval: { refund: () => "ask" } })
    const call = (id: string, name: string) => ({ type: "tool_use", id, name, input: { orderId: "o1", amount: 5 } })
    const content = [call("t1", "pay"), call("t2", "refund")]
    const given = { type: "message", role: "assistant", content, stop_reason: "tool_use", usage: undefined }
    const { waiting } = await shop.run({ id: "order 7" }).answer("anthropic", given)
    const answers = [{ to: kept(waiting[0]!), reply: "approve" as const }]
    const { outcomes } = await shop.run({ id: "order 7" }).answer("anthropic", kept(given), { answers })
    expect(outcomes).toMatchObject([{ result: "paid 1" }, { result: "refunded 5" }])
    expect(paid).toBe(1)
  })

  it("may be approved with other arguments, or denied", async () => {
    await using shop = await wield({ tools: [refund], approval })
    for (const [reply, text] of [
      [{ approve: { orderId: "o1", amount: 15 } }, /^15 to c7 for o1\nA person changed the arguments/],
      [{ deny: "too much" }, /denied and not run: too much/]
    ] as const) {
      const run = shop.run({ context })
      const { waiting } = await run.answer("openai-chat", asked)
      const { messages } = await run.answer("openai-chat", asked, { answers: [{ to: waiting[0]!, reply }] })
      expect(messages[1]).toMatchObject({ content: expect.stringMatching(text) })
    }
  })

  it.each([undefined, "one"])(
    "waits for its client once it is approved, whatever is answered first (run %s)",
    async (id) => {
      const sign = tool("sign", { parameters: z.object({ of: z.number() }), outputSchema: z.string() })
      const pay = tool("pay", { execute: () => "paid" })
      const bank = await wield({
        tools: [sign, pay],
        approval: () => "ask",
        limits: { default: { rate: { calls: 1, window: "1 hour" } } }
      })
      const run = bank.run(id === undefined ? {} : { id })
      const both = response(["sign", { of: 1 }], ["pay", {}])
      const [toSign, toPay] = (await run.answer("openai-chat", both)).waiting
      const approved = await run.answer("openai-chat", both, {
        answers: [{ to: toSign!, reply: { approve: { of: 2 } } }]
      })
      const given = approved.waiting.find(({ call }) => call.id === toSign!.call.id)!
      expect(given).toMatchObject({ waitsFor: "client", arguments: { of: 2 } })
      for (const answers of [[], [{ to: toPay!, reply: "approve" as const }], []]) {
        const later = await run.answer("openai-chat", both, { answers })
        expect(later.waiting.find(({ call }) => call.id === toSign!.call.id)).toEqual(given)
      }
      const { outcomes, waiting } = await run.answer("openai-chat", both, {
        answers: [{ to: given, reply: { result: "A. L." } }]
      })
      expect(waiting).toEqual([])
      expect(outcomes).toMatchObject([
        { _tag: "Success", result: "A. L." },
        { _tag: "Success", result: "paid" }
      ])
      await bank.close()
    }
  )

  it("goes on with the reply to what it asks, by way of JSON", async () => {
    const why = { asks: "Why?", accepts: { type: "string" }, state: 7 }
    const book = Toolset.dynamic([
      {
        name: "refund",
        execute: () =>
          Effect.flatMap(CurrentCall.CurrentCall, ({ input }) =>
            input === undefined ? new NeedsInput(why) : Effect.succeed(`${String(input.reply)}, ${String(input.state)}`)
          )
      }
    ])
    const returned = tool("refund", {
      execute: async (_, { input }) =>
        input === undefined ? needsInput(why) : `${String(input.reply)}, ${String(input.state)}`
    })
    const thrown = tool("refund", {
      execute: async (_, { input }) => {
        if (input === undefined) throw needsInput(why)
        return `${String(input.reply)}, ${String(input.state)}`
      }
    })
    for (const options of [{ tools: [], toolsets: [book] }, { tools: [returned] }, { tools: [thrown] }]) {
      await using shop = await wield<ReadonlyArray<AnyTool>>(options)
      const run = shop.run()
      const { waiting } = await run.answer("openai-chat", response(["refund", {}]))
      const [to] = JSON.parse(JSON.stringify(waiting)) as ReadonlyArray<Waiting>
      expect(to?.input).toEqual({ round: 1, asks: "Why?", accepts: { type: "string" }, state: 7 })
      const reply = (input: string | number) =>
        run.answer("openai-chat", response(["refund", {}]), { answers: [{ to: to!, reply: { input } }] })
      await expect(reply(1)).rejects.toBeInstanceOf(InvalidReply)
      expect((await reply("It was broken")).messages[1]).toMatchObject({ content: "It was broken, 7" })
    }
  })

  it("is not run by an answer to another call", async () => {
    await using shop = await wield({ tools: [refund], approval })
    const run = shop.run({ context })
    const { waiting } = await run.answer("openai-chat", asked)
    const other = response(["refund", { orderId: "o1", amount: 2000 }])
    const answers = [{ to: waiting[0]!, reply: "approve" as const }]
    await expect(run.answer("openai-chat", other, { answers })).rejects.toBeInstanceOf(StaleResponse)
  })

  it("is not run under another id, nor is what the response does not have", async () => {
    let runs = 0
    const counted = tool("refund", {
      parameters: z.object({ orderId: z.string(), amount: z.number() }),
      execute: () => ++runs
    })
    await using shop = await wield({ tools: [counted], approval })
    for (const run of [shop.run(), shop.run({ id: "r" })]) {
      const [to] = (await run.answer("openai-chat", response(["refund", { orderId: "o1", amount: 20 }]))).waiting
      const { call } = to!
      // As a browser may change it.
      for (const made of [
        { ...to!, call: { ...call, id: "call_9" } },
        { ...to!, name: "look" },
        { ...to!, call: { ...call, name: "look" } },
        { ...to!, call: { ...call, arguments: { orderId: "o1", amount: 10 } } },
        { ...to!, within: [{ name: "refund", call: { ...call, id: "call_9" } }] }
      ]) {
        const answers = [{ to: made, reply: "approve" as const }]
        const answered = run.answer("openai-chat", response(["refund", { orderId: "o1", amount: 20 }]), { answers })
        await expect(answered).rejects.toBeInstanceOf(StaleResponse)
      }
    }
    expect(runs).toBe(0)
  })

  it("goes on with its answer alone, where its rule allows it by now", async () => {
    const paid: Array<number> = []
    let decision: "ask" | "allow" = "ask"
    const counted = tool("refund", {
      parameters: z.object({ amount: z.number() }),
      execute: ({ amount }) => paid.push(amount)
    })
    await using shop = await wield({ tools: [counted], approval: { refund: () => decision } })
    const two = response(["refund", { amount: 20 }], ["refund", { amount: 30 }])
    for (const [id, reply, ends, effects] of [
      ["denied", { deny: "no" }, ["Denied", "Success"], [30]],
      ["edited", { approve: { amount: 2 } }, ["Success", "Success"], [30, 2]],
      ["approved", "approve", ["Success", "Success"], [30, 20]]
    ] as const) {
      decision = "ask"
      paid.length = 0
      const { waiting } = await shop.run({ id }).answer("openai-chat", two)
      decision = "allow"
      const answers = [{ to: waiting[0]!, reply }]
      for (let times = 0; times < 2; times++) {
        const { outcomes } = await shop.run({ id }).answer("openai-chat", two, { answers })
        expect([id, outcomes.map(({ _tag }) => _tag), paid]).toEqual([id, ends, effects])
      }
    }
  })

  it("is answered by itself, though another call of the response has its id", async () => {
    const paid: Array<string> = []
    const counted = tool("refund", {
      parameters: z.object({ orderId: z.string(), amount: z.number() }),
      execute: ({ orderId }) => paid.push(orderId)
    })
    await using shop = await wield({ tools: [counted], approval })
    const input = (orderId: string) => ({ type: "tool_use", id: "t1", name: "refund", input: { orderId, amount: 20 } })
    const two = { type: "message", role: "assistant", content: [input("o1"), input("o2")], stop_reason: "tool_use" }
    const run = shop.run()
    const [first, second] = (await run.answer("anthropic", two)).waiting
    const answer = (
      ...answers: ReadonlyArray<{ readonly to: Waiting; readonly reply: "approve" | { deny: string } }>
    ) => run.answer("anthropic", two, { answers })
    const some = await answer({ to: second!, reply: "approve" })
    expect([some.waiting, paid]).toEqual([[first], ["o2"]])
    const { outcomes } = await answer({ to: first!, reply: { deny: "no" } }, { to: second!, reply: "approve" })
    expect([outcomes.map(({ _tag }) => _tag), paid]).toEqual([["Denied", "Success"], ["o2"]])
  })

  it("is not kept waiting by the answer to another call of its id, where its rule allows it by now", async () => {
    const paid: Array<string> = []
    let decision: "ask" | "allow" = "ask"
    const counted = tool("refund", {
      parameters: z.object({ orderId: z.string() }),
      execute: ({ orderId }) => paid.push(orderId)
    })
    await using shop = await wield({ tools: [counted], approval: { refund: () => decision } })
    const input = (orderId: string) => ({ type: "tool_use", id: "t1", name: "refund", input: { orderId } })
    const two = { type: "message", role: "assistant", content: [input("o1"), input("o2")], stop_reason: "tool_use" }
    const run = shop.run()
    const [, second] = (await run.answer("anthropic", two)).waiting
    decision = "allow"
    const answers = [{ to: second!, reply: { deny: "no" } }]
    const { outcomes } = await run.answer("anthropic", two, { answers })
    expect([outcomes.map(({ _tag }) => _tag), paid]).toEqual([["Success", "Denied"], ["o1"]])
  })

  it("waits on, where the run of the answer lacks a hidden parameter", async () => {
    await using shop = await wield({ tools: [refund], approval })
    const { waiting } = await shop.run({ context, id: "r" }).answer("openai-chat", asked)
    const answers = [{ to: waiting[0]!, reply: "approve" as const }]
    // A program without types may forget the context.
    const forgetful = shop.run({ id: "r" } as never).answer("openai-chat", asked, { answers })
    await expect(forgetful).rejects.toMatchObject({ fields: ["customerId"] })
    await expect(forgetful).rejects.toBeInstanceOf(IncompleteContext)
    const { messages } = await shop.run({ context, id: "r" }).answer("openai-chat", asked, { answers })
    expect(messages[1]).toMatchObject({ content: "20 to c7 for o1" })
  })

  it("waits on, where an answer from outside is none", async () => {
    await using shop = await wield({ tools: [refund], approval })
    const run = shop.run({ context })
    const { waiting } = await run.answer("openai-chat", asked)
    const answer = (answers: ReadonlyArray<unknown>) =>
      run.answer("openai-chat", asked, { answers: answers as ReadonlyArray<{ to: Waiting; reply: "approve" }> })
    await expect(answer([{ to: waiting[0], reply: "yes" }])).rejects.toThrow(/A reply is "approve", .* not "yes"/)
    await expect(answer([{ to: waiting[0] }])).rejects.toThrow(/A reply is "approve"/)
    // Of what a person has changed, or refused, nothing is lost.
    const edit = { approve: { orderId: "o1", amount: 15 } }
    for (const reply of [
      { ...edit, deny: "no" },
      { ...edit, input: 1 },
      { ...edit, reason: "" },
      Object.create(edit)
    ]) {
      await expect(answer([{ to: waiting[0], reply }])).rejects.toThrow(/A reply is "approve"/)
    }
    for (const more of [{ approve: edit.approve }, { arguments: edit.approve }, { editedArgs: edit.approve }]) {
      await expect(answer([{ to: waiting[0], reply: "approve", ...more }])).rejects.toThrow(/An answer has no option/)
    }
    await expect(answer(Object.assign([], { length: 1 }))).rejects.toThrow(/An answer lacks `to`/)
    for (const to of [undefined, null, {}, "call_1", { call: {} }, { digest: "d", call: { id: 1 } }]) {
      await expect(answer([{ to, reply: "approve" }])).rejects.toThrow(/An answer lacks `to`/)
    }
    for (const none of [undefined, null, "approve", Promise.resolve({ to: waiting[0], reply: "approve" })]) {
      await expect(answer([none])).rejects.toThrow(/An answer lacks `to`/)
    }
    expect((await run.answer("openai-chat", asked)).waiting).toEqual(waiting)
  })

  it("is decided by one rule for all, which may take its time; what is no decision allows nothing", async () => {
    await using shop = await wield({ tools: [refund], approval: async (_, { name }) => ({ deny: `not ${name}` }) })
    const { messages } = await shop.run({ context }).answer("openai-chat", asked)
    expect(messages[1]).toMatchObject({ content: expect.stringContaining("not refund") })
    const logged: Array<string> = []
    const printed = vi.spyOn(console, "log").mockImplementation((line: unknown) => void logged.push(String(line)))
    try {
      for (const word of [
        "user-approval",
        true,
        undefined,
        Promise.resolve("yes"),
        { ask: 5 },
        { ask: "", deny: "" }
      ]) {
        await using wrong = await wield({ tools: [refund], approval: { refund: () => word as never } })
        const { outcomes } = await wrong.run({ context }).answer("openai-chat", asked)
        expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Defect", "Defect"])
      }
    } finally {
      printed.mockRestore()
    }
    const words = logged.map(
      (line) => /rule for refund failed.*: it answered (.*), which is no decision/.exec(line)?.[1]
    )
    expect(words.filter((_, place) => place % 2 === 0)).toEqual([
      '\\"user-approval\\"',
      "true",
      "nothing",
      '\\"yes\\"',
      "an object with ask",
      "an object with ask, deny"
    ])
    expect(logged[0]).toMatch(/The decisions are .*allow.*ask.*deny/)
  })
})

describe("a call by the program", () => {
  it("rejects with the tool's failure, or with what became of the call", async () => {
    await using shop = await wield({ tools: [refund] })
    const run = shop.run({ context })
    expect(await run.call("refund", { orderId: "o1", amount: 5 })).toBe("5 to c7 for o1")
    const failed = run.call("refund", { orderId: "gone", amount: 5 })
    await expect(failed).rejects.toBeInstanceOf(ToolFailure)
    await expect(failed).rejects.toMatchObject({ value: "There is no such order" })
    await expect(run.call("refund", { orderId: "o1", amount: 6 })).rejects.toBeInstanceOf(ToolCallError)
  })
})

describe("limits", () => {
  it("run a failing call again, as often as they say, with one key", async () => {
    const keys: Array<string> = []
    const flaky = tool("flaky", {
      execute: (_, { attempt, idempotencyKey }) => {
        keys.push(idempotencyKey)
        return attempt < 3 ? failure("busy") : "done"
      }
    })
    await using shop = await wield({ tools: [flaky], limits: { tools: { flaky: { retries: 2 } } } })
    expect(await shop.run().call("flaky")).toBe("done")
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
  })

  it("abort a call that takes too long", async () => {
    let reason: unknown
    const slow = tool("slow", {
      execute: (_, { signal }) =>
        new Promise<string>(() => signal.addEventListener("abort", () => (reason = signal.reason)))
    })
    await using shop = await wield({ tools: [slow], limits: { default: { timeout: 10 } } })
    const { outcomes } = await shop.run().answer("openai-chat", response(["slow", {}]))
    expect(outcomes).toMatchObject([{ _tag: "TimedOut", limit: 10 }])
    expect(reason).toBeDefined()
  })
})

it("a limit by name holds for a tool of a toolset", async () => {
  const slow = Toolset.dynamic([{ name: "slow", execute: () => Effect.never }])
  await using shop = await wield({ tools: [refund], toolsets: [slow], limits: { dynamic: { slow: { timeout: 10 } } } })
  const { outcomes } = await shop.run({ context }).answer("openai-chat", response(["slow", {}]))
  expect(outcomes).toMatchObject([{ _tag: "TimedOut", limit: 10 }])
})

it("a signal aborts the handlers and rejects with its reason", async () => {
  const controller = new AbortController()
  const reason = new Error("the user left")
  let isAborted = false
  const slow = tool("slow", {
    execute: (_, { signal }) => {
      signal.addEventListener("abort", () => (isAborted = true))
      setImmediate(() => controller.abort(reason))
      return new Promise<never>(() => undefined)
    }
  })
  await using shop = await wield({ tools: [slow] })
  const run = shop.run()
  await expect(run.answer("openai-chat", response(["slow", {}]), { signal: controller.signal })).rejects.toBe(reason)
  expect(isAborted).toBe(true)
  await expect(run.call("slow", {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

it("closing aborts what runs, and what is asked after it rejects", async () => {
  let begun = () => {}
  const isRunning = new Promise<void>((resolve) => (begun = resolve))
  let isAborted = false
  const slow = tool("slow", {
    execute: (_, { signal }) => {
      signal.addEventListener("abort", () => (isAborted = true))
      begun()
      return new Promise<never>(() => undefined)
    }
  })
  const shop = await wield({ tools: [slow] })
  const call = shop.run().call("slow")
  await isRunning
  const closed = shop.close()
  await expect(call).rejects.toBeInstanceOf(Closed)
  await closed
  expect(isAborted).toBe(true)
  await expect(shop.run().call("slow")).rejects.toBeInstanceOf(Closed)
})

it("what another SDK calls after it is closed does not run", async () => {
  let ran = 0
  const pay = tool("pay", { execute: () => ++ran })
  const shop = await wield({ tools: [pay], logger: () => {} })
  const { tools } = await shop.run().to(AiSdk.fromRun)
  await shop.close()
  await expect(tools["pay"]?.execute?.({}, { toolCallId: "call_1", messages: [], context: {} })).rejects.toThrow(
    "The tools are closed"
  )
  expect(ran).toBe(0)
})

it("many calls at once keep no listener", async () => {
  const warnings: Array<string> = []
  const warned = (warning: Error) => void warnings.push(warning.name)
  process.on("warning", warned)
  const later = tool("later", { execute: () => new Promise<number>((resolve) => setImmediate(() => resolve(1))) })
  try {
    await using shop = await wield({ tools: [later] })
    const run = shop.run()
    const results = await Promise.all(Array.from({ length: 30 }, () => run.call("later")))
    expect(results).toHaveLength(30)
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off("warning", warned)
  }
  expect(warnings).toEqual([])
})

it("a name that no tool has is refused in rules and limits, also beside imported tools", async () => {
  const charge = tool("charge", { execute: () => "charged" })
  const foreign = AiSdk.toToolset({ lookup: { inputSchema: {}, execute: () => "found" } })
  const given = (rest: object) => wield({ tools: [charge], toolsets: [foreign], ...rest } as never)
  const ask = () => "ask"
  for (const rest of [
    { approval: { chrge: ask } },
    { approval: { charge: ask, "*": { lokup: ask } } },
    { limits: { tools: { chrge: { concurrency: 1 } } } },
    { aproval: { charge: ask } },
    { policy: { resultBond: { maxBytes: 1 } } }
  ]) {
    await expect(given(rest)).rejects.toThrow(/did you mean "(charge|lookup|approval|resultBound)"/)
  }
  expect(() => tool("pay", { hiden: ["account"], execute: () => 1 } as never).dynamic).not.toThrow()
  await expect(wield({ tools: [tool("pay", { hiden: ["account"], execute: () => 1 } as never)] })).rejects.toThrow(
    'The tool "pay" cannot be offered: it has no option `hiden` (did you mean "hidden"?)'
  )
})

it("rules of one's own tools and one of all others hold together, whatever imported tools ask themselves", async () => {
  const charge = tool("charge", { parameters: z.object({ amount: z.number() }), execute: () => "charged" })
  const foreign = AiSdk.toToolset({
    lookup: { inputSchema: {}, execute: () => "found" },
    erase: { inputSchema: {}, execute: () => "erased" },
    careful: { inputSchema: {}, needsApproval: true, execute: () => "done" }
  })
  const endings = async (approval: NonNullable<Parameters<typeof wield<[typeof charge]>>[0]["approval"]>) => {
    await using shop = await wield({ tools: [charge], toolsets: [foreign], approval })
    const calls = response(["charge", { amount: 5 }], ["lookup", {}], ["erase", {}], ["careful", {}])
    return (await shop.run().answer("openai-chat", calls)).outcomes.map(({ _tag }) => _tag)
  }
  const byAmount = ({ amount }: { amount: number }) => (amount > 1 ? "ask" : "allow")
  expect(await endings({ charge: byAmount })).toEqual(["Deferred", "Success", "Success", "Deferred"])
  expect(await endings({ charge: byAmount, "*": () => "deny" })).toEqual(["Deferred", "Denied", "Denied", "Denied"])
  expect(await endings({ "*": { erase: () => "ask", "*": () => "allow" } })).toEqual([
    "Success",
    "Success",
    "Deferred",
    "Deferred"
  ])
  expect(await endings(() => "ask")).toEqual(["Deferred", "Deferred", "Deferred", "Deferred"])
})

it("an asynchronous refinement is asked once, and what it throws is an internal error", async () => {
  let asked = 0
  const parameters = z.object({
    name: z.string().refine(async (name) => {
      asked++
      if (name === "bug") throw new Error("password=hunter2")
      return name !== "taken"
    }, "is taken")
  })
  await using shop = await wield({ tools: [tool("sign_up", { parameters, execute: ({ name }) => name })] })
  const names = ["Ada", "taken", "bug"]
  const { messages, outcomes } = await shop
    .run()
    .answer("openai-chat", response(...names.map((name) => ["sign_up", { name }] as const)))
  expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Success", "InvalidArguments", "Defect"])
  expect(JSON.stringify(messages)).not.toContain("hunter2")
  expect(asked).toBe(3)
})

it("toolsets of Effect run beside, and close with it", async () => {
  let isClosed = false
  const clock = Effect.acquireRelease(Toolset.dynamic([{ name: "now", execute: () => Effect.succeed(12) }]), () =>
    Effect.sync(() => (isClosed = true))
  )
  {
    await using shop = await wield({ tools: [refund], toolsets: [clock] })
    const { outcomes } = await shop.run({ context }).answer("openai-chat", response(["now", {}]))
    expect(outcomes).toMatchObject([{ encoded: 12 }])
    expect(isClosed).toBe(false)
  }
  expect(isClosed).toBe(true)
})

it("a file keeps what was done and what waits, for another process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wield-file-"))
  const asked = response(["pay", { to: "Ada" }], ["pay", { to: "Eve" }])
  const paid: Array<string> = []
  const begin = () =>
    wield({
      tools: [
        tool("pay", {
          parameters: z.object({ to: z.string() }),
          execute: ({ to }) => {
            paid.push(to)
            return "paid"
          }
        })
      ],
      approval: { pay: ({ to }) => (to === "Eve" ? "ask" : "allow") },
      store: fileStore({ path: join(folder, "shop.db") })
    })
  let waiting: ReadonlyArray<Waiting> = []
  {
    await using shop = await begin()
    waiting = (await shop.run({ id: "wages" }).answer("openai-chat", asked)).waiting
  }
  for (let times = 0; times < 2; times++) {
    await using shop = await begin()
    const answers = waiting.map((to) => ({ to, reply: "approve" as const }))
    const { outcomes } = await shop.run({ id: "wages" }).answer("openai-chat", asked, { answers })
    expect(outcomes).toMatchObject([{ encoded: "paid" }, { encoded: "paid" }])
  }
  expect(paid).toEqual(["Ada", "Eve"])
  rmSync(folder, { recursive: true })
})

it("a failure that is not JSON is an InvalidResult, and the model reads that it may have taken effect", async () => {
  const values: ReadonlyArray<unknown> = [1n, { of: new Map() }]
  for (const value of values) {
    await using shop = await wield({ tools: [tool("job", { execute: () => failure(value) })] })
    const { messages, outcomes } = await shop.run({ id: "r" }).answer("openai-chat", response(["job", {}]))
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["InvalidResult"])
    expect(JSON.stringify(messages)).toContain("It may have taken effect")
  }
})

describe("the parameters of a tool", () => {
  const jsonSchema = {
    input: () => ({ type: "object", properties: { a: { type: "string" } }, required: ["a"] }),
    output: () => ({})
  }
  // What TypeScript would refuse comes from JavaScript.
  const offer = (parameters: unknown) =>
    wield({ tools: [tool("job", { parameters: parameters as never, execute: (given) => Promise.resolve(given) })] })

  const validate = (value: unknown) => ({ value })
  class Zod323 {
    readonly _def = {}
    readonly parse = validate
  }
  const standard = (vendor: string) => ({ "~standard": { version: 1, vendor, validate } })
  const refused: ReadonlyArray<readonly [string, unknown, string]> = [
    ["of zod 3", z3.object({ a: z3.string() }), "zod 3 writes none: install zod@^4.2.0"],
    ["of zod 3.23", new Zod323(), "zod needs 4.2"],
    ["of zod 4.1", { ...standard("zod"), _zod: { version: { major: 4, minor: 1 } } }, "install zod@^4.2.0"],
    ["of zod/mini", mini.object({ a: mini.string() }), "give z.toJSONSchema(schema)"],
    ["of valibot", v.object({ a: v.string() }), "toStandardJsonSchema"],
    ["of an old arktype", standard("arktype"), "install arktype@^2.1.28"],
    ["of a library that writes no JSON Schema", standard("own"), "give a JSON Schema"],
    ["that check nothing", { "~standard": { version: 1, vendor: "own", jsonSchema } }, "no `validate`"],
    ["whose JSON Schema is none", { "~standard": { ...standard("own")["~standard"], jsonSchema: {} } }, "JSON Schema"],
    ["that are a function", () => ({}), "neither a JSON Schema nor a Standard Schema"]
  ]
  it.each(refused)("%s are refused at once, with what works", async (_, parameters, advice) => {
    await expect(offer(parameters)).rejects.toThrow(advice)
  })
})
