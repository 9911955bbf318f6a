import { describe, expect, it } from "@effect/vitest"
import { ScriptedModel } from "@wield/testing"
import * as RecordStore from "@wield/agent/RecordStore"
import { content, image, tool, wield } from "wield"
import { storeOf } from "wield/store"
import { Effect } from "effect"
import { z } from "zod"

const { call, text, turn, wait } = ScriptedModel

const post = (body: unknown, signal?: AbortSignal) =>
  new Request("http://localhost/api/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal })
  })

const say = (words: string, id = "m1") =>
  post({ id: "chat 1", messages: [{ id, role: "user", parts: [{ type: "text", text: words }] }] })

const makeShop = async (script: Parameters<typeof ScriptedModel.make>[0], options: object = {}) => {
  const paid: Array<string> = []
  const pay = tool("pay", {
    parameters: z.object({ to: z.string(), account: z.string() }),
    hidden: ["account"],
    execute: ({ account, to }) => {
      paid.push(`${account} to ${to}`)
      return "paid"
    }
  })
  const shop = await wield({ tools: [pay], approval: { pay: () => ({ ask: "it costs money" }) } })
  return { shop, paid, agent: shop.agent({ model: ScriptedModel.make(script), ...options }) }
}

const context = { account: "a_1" }

describe("agent.chat", () => {
  it("answers a page of the AI SDK, and one of AG-UI, in the same conversation", async () => {
    const { agent, paid, shop } = await makeShop([turn(call("pay", { to: "Ada" }, { id: "c1" })), text("Paid.")])
    const first = await agent.chat(say("Pay Ada"), { user: "u1", context })
    expect(first.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1")
    const stream = await first.text()
    expect(stream).toContain('"reason":"it costs money"')
    const interruptId = /"approvalId":"([^"]+)"/.exec(stream)?.[1]
    const resume = [{ interruptId, status: "resolved", payload: { approved: true } }]
    const input = { threadId: "chat 1", runId: "r1", messages: [], tools: [], context: [], resume }
    expect((await agent.chat(post(input), { user: "u2", context })).status).toBe(404)
    expect((await agent.chat(post(input), { user: undefined, context })).status).toBe(401)
    expect(paid).toEqual([])
    const answered = await agent.chat(post(input), { user: "u1", context })
    expect(await answered.text()).toContain('"type":"RUN_FINISHED"')
    expect(paid).toEqual(["a_1 to Ada"])
    await shop.close()
  })

  it.each([undefined, "another secret of it"])(
    "asks again about what was signed by %s before, and takes the answer to that",
    async (signing) => {
      const store = storeOf(RecordStore.memory())
      const paid: Array<string> = []
      const pay = tool("pay", {
        parameters: z.object({ to: z.string() }),
        execute: ({ to }) => `paid ${paid.push(to)}`
      })
      const open = async (secret: string | undefined) => {
        const shop = await wield({ tools: [pay], approval: { pay: () => "ask" }, store })
        const model = ScriptedModel.make([text("Paid.")])
        const first = ScriptedModel.make([call("pay", { to: "Ada" }, { id: "c1" })])
        const options = secret === undefined ? {} : { signing: secret }
        return { shop, asks: shop.agent({ model: first, ...options }), agent: shop.agent({ model, ...options }) }
      }
      const before = await open(signing)
      const stream = await (await before.asks.chat(say("Pay Ada"), { user: "u1" })).text()
      await before.shop.close()
      const { agent, shop } = await open("the secret of today")
      const answer = async (from: string) => {
        const id = /"approvalId":"([^"]+)"/.exec(from)?.[1]
        const body = { id: "chat 1", messages: [], answers: [{ id, reply: "approve" }] }
        return (await agent.chat(post(body), { user: "u1" })).text()
      }
      const again = await answer(stream)
      expect(again).toContain('"type":"tool-approval-request"')
      expect(paid).toEqual([])
      expect(await answer(again)).toContain("Paid.")
      expect(paid).toEqual(["Ada"])
      await shop.close()
    }
  )

  it("shows the texts of content, and its images by themselves, as after a reload", async () => {
    const draw = tool("draw", { execute: () => content("A cat", image("image/png", new Uint8Array([137, 80]))) })
    await using shop = await wield({ tools: [draw] })
    const agent = shop.agent({ model: ScriptedModel.make([call("draw"), text("There.")]) })
    const stream = await (await agent.chat(say("Draw"), { user: "u1" })).text()
    expect(stream).toContain('"output":"A cat"')
    expect(stream.split("iVA=")).toHaveLength(2)
    const past = await agent.chat(new Request("http://localhost/api/chat/chat%201"), { user: "u1" })
    expect(await past.text()).toContain('"output":"A cat"')
  })

  it("shows what `show` gives, and takes the tools of a page", async () => {
    const { agent, shop } = await makeShop([turn(text("Look: "), call("paint", { colour: "red" }, { id: "c1" }))], {
      chat: {
        show: (item: { readonly _tag: string; readonly value: unknown }) =>
          item._tag === "Arguments" ? {} : item.value
      }
    })
    const tools = [
      {
        name: "paint",
        description: "Paints",
        parameters: { type: "object", properties: { colour: { type: "string" } } }
      }
    ]
    const messages = [{ id: "m1", role: "user", content: "Paint" }]
    const response = await agent.chat(post({ threadId: "t", runId: "r", messages, tools, context: [] }), {
      user: "u1",
      context
    })
    const stream = await response.text()
    expect(stream).toContain('"pendingToolCallIds":["c1"]')
    expect(stream).not.toContain("red")
    await shop.close()
  })

  it("ends what still runs when the tools are closed", async () => {
    let isStopped = false
    const { agent, shop } = await makeShop([
      turn(text("One, "), wait(Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (isStopped = true)))))
    ])
    const reader = (await agent.chat(say("Count"), { user: "u1", context })).body!.getReader()
    await reader.read()
    await shop.close()
    expect(isStopped).toBe(true)
    await expect(agent.chat(say("More"), { user: "u1", context })).rejects.toThrow(/closed/)
  })

  it("says at once what a program without types has forgotten", async () => {
    const { agent, shop } = await makeShop([text("Hi.")])
    const ask = agent.chat as unknown as (...given: ReadonlyArray<unknown>) => Promise<Response>
    await expect(ask(say("Hi"))).rejects.toThrow(/agent\.chat\(request, \{ user \}\)/)
    await expect(ask(say("Hi"), { userId: "u1" })).rejects.toThrow(/userId/)
    await expect(ask(say("Hi"), { user: 7 })).rejects.toThrow(/String\(id\)/)
    expect((await ask(say("Hi"), { user: null })).status).toBe(401)
    await shop.close()
  })
})
