import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { text as textOf } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { AlreadyAnswered, tool, Unreachable, wield } from "wield"
import { z } from "zod"

const scripted = (...turns: Parameters<typeof ScriptedModel.make>[0]) => Effect.runSync(ScriptedModel.make(turns))

const pay = tool("pay", {
  parameters: z.object({ account: z.string(), to: z.string() }),
  hidden: ["account"],
  execute: ({ account, to }) => `${account} paid ${to}`
})
const context = { account: "a1" }

describe("an agent", () => {
  it("answers with the text of its model, after the calls", async () => {
    await using bank = await wield({ tools: [pay] })
    const model = scripted(ScriptedModel.call("pay", { to: "Ada" }), ScriptedModel.text("Ada has it."))
    const events: Array<string> = []
    const result = await bank.agent({ model }).ask("Pay Ada", { context, onEvent: ({ _tag }) => events.push(_tag) })
    expect(result).toMatchObject({ _tag: "Finished", text: "Ada has it.", output: "Ada has it.", steps: 2 })
    expect(events.at(-1)).toBe("Done")
    expect(JSON.stringify(result.entries)).toContain("a1 paid Ada")
  })

  it("goes on with a conversation by its id", async () => {
    await using bank = await wield({ tools: [pay] })
    const agent = bank.agent({ model: scripted(ScriptedModel.text("Hello."), ScriptedModel.text("Still here.")) })
    const { conversation } = await agent.ask("Hello?", { context, conversation: "c1" })
    expect(conversation).toBe("c1")
    expect((await agent.ask("And now?", { context, conversation })).entries).toHaveLength(4)
  })

  it("pauses for a person, and goes on with the answer, which is JSON", async () => {
    await using bank = await wield({ tools: [pay], approval: { pay: ({ account }) => ({ ask: `from ${account}` }) } })
    const model = scripted(ScriptedModel.call("pay", { to: "Eve" }), ScriptedModel.text("Not paid."))
    const agent = bank.agent({ model })
    const paused = await agent.ask("Pay Eve", { context })
    if (paused._tag !== "Paused") throw new Error(paused._tag)
    expect(paused.requests).toMatchObject([{ name: "pay", arguments: { to: "Eve" }, why: "from a1" }])
    const requests = JSON.parse(JSON.stringify(paused.requests)) as typeof paused.requests
    const answers = requests.map((to) => ({ to, reply: { deny: "she has left" } }))
    const result = await agent.ask(undefined, { context, conversation: paused.conversation, answers })
    const again = await agent.ask(undefined, { context, conversation: paused.conversation, answers })
    expect(again.entries).toEqual(result.entries)
    const others = requests.map((to) => ({ to, reply: { deny: "she is away" } }))
    const other = agent.ask(undefined, { context, conversation: paused.conversation, answers: others })
    await expect(other).rejects.toBeInstanceOf(AlreadyAnswered)
    expect(result.text).toBe("Not paid.")
    expect(JSON.stringify(result.entries)).toContain("she has left")
  })

  it("may ask a person at once", async () => {
    await using bank = await wield({ tools: [pay], approval: () => "ask" })
    const model = scripted(ScriptedModel.call("pay", { to: "Ada" }), ScriptedModel.text("Done."))
    const agent = bank.agent({ model, answer: async ({ name }) => (name === "pay" ? "approve" : undefined) })
    const { entries } = await agent.ask("Pay Ada", { context })
    expect(JSON.stringify(entries)).toContain("a1 paid Ada")
  })

  it("gives the output that its schema describes, and lets the model correct one that does not fit", async () => {
    await using shop = await wield({ tools: [] })
    const output = z.object({ city: z.string(), degrees: z.number().max(60, "is too hot") })
    const model = scripted(
      ScriptedModel.call("final_answer", { answer: { city: "Vienna", degrees: 90 } }),
      ScriptedModel.call("final_answer", { answer: { city: "Vienna", degrees: 21 } })
    )
    const result = await shop.agent({ model, output }).ask("How warm is it in Vienna?")
    if (result._tag !== "Finished") throw new Error(result._tag)
    const { city, degrees }: { city: string; degrees: number } = result.output
    expect([city, degrees]).toEqual(["Vienna", 21])
    expect(JSON.stringify(result.entries)).toContain("is too hot")
  })

  it("stops after so many steps", async () => {
    await using bank = await wield({ tools: [pay] })
    const calls = Array.from({ length: 3 }, (_, index) => ScriptedModel.call("pay", { to: `p${index}` }))
    const result = await bank.agent({ model: scripted(...calls), steps: 2 }).ask("Pay all", { context })
    expect(result).toMatchObject({ _tag: "Stopped", steps: 2 })
  })

  it("rejects with the error itself", async () => {
    await using bank = await wield({ tools: [pay] })
    // Without a wait, it is sent again at once.
    for (const retry of [false, { times: 1, delay: 0, maxRetryAfter: "0 seconds" }] as const) {
      const agent = bank.agent({ model: { format: "openai-chat", model: "m", url: "http://127.0.0.1:1", retry } })
      await expect(agent.ask("Hello?", { context })).rejects.toBeInstanceOf(Unreachable)
    }
  })
})

describe("its events", () => {
  it("are a loop, the last one with the result", async () => {
    await using bank = await wield({ tools: [pay] })
    let text = ""
    let ended = ""
    for await (const event of bank
      .agent({ model: scripted(ScriptedModel.text("Good morning.")) })
      .stream("Hi", { context })) {
      if (event._tag === "TextDelta") text += event.text
      if (event._tag === "Done") ended = event.result.text
    }
    expect([text, ended]).toEqual(["Good morning.", "Good morning."])
  })

  it("end the run where the loop is left, and where it is aborted, which throws the reason", async () => {
    let aborted = 0
    const wait = tool("wait", {
      execute: (_, { signal }) => new Promise<never>(() => signal.addEventListener("abort", () => aborted++))
    })
    await using bank = await wield({ tools: [wait] })
    const agentOf = () => bank.agent({ model: scripted(ScriptedModel.call("wait", {}), ScriptedModel.text("?")) })
    for await (const { _tag } of agentOf().stream("Wait")) if (_tag === "CallStarted") break
    expect(aborted).toBe(1)

    const reason = new Error("the user left")
    const controller = new AbortController()
    const read = async () => {
      for await (const { _tag } of agentOf().stream("Wait", { signal: controller.signal })) {
        if (_tag === "CallStarted") controller.abort(reason)
      }
    }
    await expect(read()).rejects.toBe(reason)
    expect(aborted).toBe(2)
  })

  it.each(["aborted", "closed"])("end the run where it is %s while the loop's body waits", async (how) => {
    const reason = new Error("the user left")
    const controller = new AbortController()
    let hear = () => {}
    const heard = new Promise<void>((resolve) => (hear = resolve))
    const wait = tool("wait", {
      execute: async (_, { progress, signal }) => {
        signal.addEventListener("abort", hear)
        // The next event is there while the body waits.
        for (let percent = 1; percent < 5; percent++) await progress(percent)
        return new Promise<never>(() => {})
      }
    })
    const bank = await wield({ tools: [wait] })
    const agent = bank.agent({ model: scripted(ScriptedModel.call("wait", {}), ScriptedModel.text("?")) })
    const read = async () => {
      for await (const { _tag } of agent.stream("Wait", { signal: controller.signal })) {
        if (_tag !== "CallProgress") continue
        await new Promise((resolve) => setTimeout(resolve, 10))
        if (how === "aborted") controller.abort(reason)
        else void bank.close()
        await heard
      }
    }
    await expect(read()).rejects.toThrow(how === "aborted" ? reason : "The tools are closed")
    await bank.close()
  })
})

it("a model over HTTP gets the key, the instructions and the settings", async () => {
  const requests: Array<{ readonly headers: IncomingMessage["headers"]; readonly body: unknown }> = []
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: JSON.parse(await textOf(request)) as unknown })
    response.setHeader("content-type", "application/json")
    response.end(
      JSON.stringify({ choices: [{ message: { role: "assistant", content: "Grüß Gott." }, finish_reason: "stop" }] })
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  try {
    await using shop = await wield({ tools: [] })
    const agent = shop.agent({
      model: {
        format: "openai-chat",
        model: "gpt-5-mini",
        key: "sk-1",
        url,
        headers: { "x-team": "t" },
        isStreaming: false
      },
      instructions: async ({ language }) => `Answer in ${String(language)}.`,
      settings: { temperature: 0 }
    })
    expect((await agent.ask("Hello?", { context: { language: "German" } })).text).toBe("Grüß Gott.")
    expect(requests[0]!.headers).toMatchObject({ authorization: "Bearer sk-1", "x-team": "t" })
    expect(requests[0]!.body).toMatchObject({
      model: "gpt-5-mini",
      temperature: 0,
      messages: [{ content: "Answer in German." }, { content: "Hello?" }]
    })
  } finally {
    server.close()
  }
})
