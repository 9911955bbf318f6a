/** What a developer decides about an agent beside its model and tools. */
import type { Model } from "@wield/agent"
import { ScriptedModel } from "@wield/testing"
import { Effect, Predicate } from "effect"
import { describe, expect, it } from "vitest"
import { type AgentOptions, ExpiredRequest, TamperedRequest, tool, wield } from "wield"
import { z } from "zod"

const scripted = (...turns: Parameters<typeof ScriptedModel.make>[0]) => Effect.runSync(ScriptedModel.make(turns))
const { call, text } = ScriptedModel

/** Keeps what the model is asked. */
const listening = (model: Model.Model) => {
  const heard: Array<Parameters<Model.Model["stream"]>[0]> = []
  return {
    heard,
    model: { ...model, stream: (request) => (heard.push(request), model.stream(request)) } as Model.Model
  }
}

const pay = tool("pay", {
  parameters: z.object({ account: z.string(), to: z.string() }),
  hidden: ["account"],
  execute: ({ account, to }) => `${account} paid ${to}`
})
const look = tool("look", { facts: { isReadOnly: true }, execute: () => "nothing is open" })
const context = { account: "a1" }
const secret = "0123456789abcdef"

describe("prepare", () => {
  it("chooses model, instructions, tools and settings of each step, asynchronously and by the context", async () => {
    await using bank = await wield({ tools: [pay, look] })
    const first = listening(scripted(call("look")))
    const second = listening(scripted(text("Nothing is open.")))
    const steps: Array<unknown> = []
    const agent = bank.agent({
      model: first.model,
      instructions: "Be brief.",
      prepare: async ({ context, entries, instructions, number, signal }) => {
        await Promise.resolve()
        steps.push([number, entries.length, instructions, context["account"], signal.aborted])
        return number === 1
          ? { offered: ["look"], settings: { temperature: 0 } }
          : { model: second.model, instructions: "Be kind." }
      }
    })
    expect((await agent.ask("What is open?", { context })).text).toBe("Nothing is open.")
    expect(steps).toEqual([
      [1, 1, "Be brief.", "a1", false],
      [2, 3, "Be brief.", "a1", false]
    ])
    expect(first.heard[0]?.definitions.map(({ name }) => name)).toEqual(["look"])
    expect(first.heard[0]?.settings).toEqual({ temperature: 0 })
    expect(second.heard[0]?.definitions.map(({ name }) => name)).toEqual(["pay", "look"])
    expect(second.heard[0]?.messages[0]).toMatchObject({ _tag: "System", text: "Be kind." })
  })

  it("runs no tool that it does not offer, rejects the run with its error, and is aborted with it", async () => {
    await using bank = await wield({ tools: [pay, look] })
    const model = () => scripted(call("pay", { to: "Eve" }), text("Not paid."))
    const { entries } = await bank
      .agent({ model: model(), prepare: () => ({ offered: ["look"] }) })
      .ask("Pay", { context })
    expect(JSON.stringify(entries)).not.toContain("a1 paid Eve")

    const error = new Error("the settings are gone")
    const failing = bank.agent({ model: model(), prepare: () => Promise.reject(error) })
    await expect(failing.ask("Pay", { context })).rejects.toBe(error)

    const controller = new AbortController()
    let aborted = 0
    const waiting = bank.agent({
      model: model(),
      prepare: ({ signal }) =>
        new Promise<never>(() => {
          signal.addEventListener("abort", () => aborted++)
          setImmediate(() => controller.abort(new Error("left")))
        })
    })
    await expect(waiting.ask("Pay", { context, signal: controller.signal })).rejects.toThrow("left")
    expect(aborted).toBe(1)
  })

  it("may give nothing, and a name that it does not know is refused", async () => {
    await using bank = await wield({ tools: [look] })
    expect((await bank.agent({ model: scripted(text("Hi.")), prepare: () => undefined }).ask("Hi")).text).toBe("Hi.")
    const prepare = () => ({ activeTools: ["look"] }) as never
    await expect(bank.agent({ model: scripted(text("Hi.")), prepare }).ask("Hi")).rejects.toThrow(
      "What `prepare` gives has no option `activeTools`: it is `offered` here"
    )
  })
})

describe("a run stops", () => {
  const stops: ReadonlyArray<readonly [string, AgentOptions<string>["stop"]]> = [
    ["when(1)", { when: ({ outcomes }) => outcomes.some(({ name }) => name === "pay") }],
    ["when, asynchronously", { when: async ({ steps }) => steps >= 1 }],
    ["by the tool that has answered", { call: "pay" }],
    ["by tokens", { tokens: 2 }],
    ["by cost", { cost: { limit: 1, prices: {}, other: { input: 1e6, output: 1e6 } } }]
  ]
  it.each(stops)("%s", async (_, stop) => {
    await using bank = await wield({ tools: [pay] })
    const turns = [call("pay", { to: "Ada" }), call("pay", { to: "Bob" })].map((one) =>
      ScriptedModel.turn(one, ScriptedModel.usage({ input: 1, output: 1 }))
    )
    const result = await bank.agent({ model: scripted(...turns), stop: stop! }).ask("Pay all", { context })
    expect(result).toMatchObject({ _tag: "Stopped", steps: 1 })
    expect(result._tag === "Stopped" && result.by).toMatch(/^any\(steps\(20\), /)
  })

  it("with the error of a condition that throws", async () => {
    await using bank = await wield({ tools: [pay] })
    const error = new Error("no prices")
    const model = () => scripted(call("pay", { to: "Ada" }))
    const refuse = () => {
      throw error
    }
    for (const when of [refuse, async () => refuse()]) {
      await expect(bank.agent({ model: model(), stop: { when } }).ask("Pay", { context })).rejects.toBe(error)
    }
  })

  it("at a tool that there is, or not at all", async () => {
    await using bank = await wield({ tools: [pay] })
    const agent = bank.agent({ model: scripted(text("?")), stop: { tokens: 0 } })
    await expect(agent.ask("Pay", { context })).rejects.toThrow(/tokens/)
  })
})

describe("signing by a text", () => {
  const ask = async (signing: NonNullable<AgentOptions<string>["signing"]>) => {
    const bank = await wield({ tools: [pay], approval: () => "ask" })
    const agent = bank.agent({ model: scripted(call("pay", { to: "Ada" }), text("Paid.")), signing })
    const paused = await agent.ask("Pay Ada", { context })
    if (paused._tag !== "Paused") throw new Error(paused._tag)
    // As a browser sends it back.
    const [request] = JSON.parse(JSON.stringify(paused.requests)) as typeof paused.requests
    const answer = (to: unknown) =>
      agent
        .ask(undefined, {
          context,
          conversation: paused.conversation,
          answers: [{ to: to as NonNullable<typeof request>, reply: "approve" }]
        })
        .finally(() => bank.close())
    return { request: request!, answer }
  }

  it("takes what it has signed, also under an older secret", async () => {
    for (const signing of [secret, { secrets: secret }, { secrets: [secret, "another of 16 bytes"] }]) {
      const { answer, request } = await ask(signing)
      expect((await answer(request)).text).toBe("Paid.")
    }
  })

  it("refuses what was changed, what was not signed, and what comes too late", async () => {
    const changed = await ask(secret)
    await expect(changed.answer({ ...changed.request, arguments: { to: "Eve" } })).rejects.toBeInstanceOf(
      TamperedRequest
    )
    const unsigned = await ask(secret)
    const { signature: _, ...bare } = unsigned.request as typeof unsigned.request & { readonly signature?: unknown }
    await expect(unsigned.answer(bare)).rejects.toBeInstanceOf(TamperedRequest)
    const late = await ask({ secrets: secret, timeToLive: 0 })
    await expect(late.answer(late.request)).rejects.toBeInstanceOf(ExpiredRequest)
  })

  it.each([["short"], [""], [["short", secret]], [{ secrets: [] }], [{ secrets: 7 }], [{ secret }]])(
    "is refused at once with %o",
    async (signing) => {
      await using bank = await wield({ tools: [pay] })
      expect(() => bank.agent({ model: scripted(), signing: signing as never })).toThrow(
        "secret" in Object(signing) ? /no option `secret`: it is `secrets` here/ : /at least 16 bytes/
      )
    }
  )
})

describe("an approval rule that is asynchronous", () => {
  const run = async (rule: () => unknown) => {
    let paid = 0
    const pay = tool("pay", { execute: () => ++paid })
    await using bank = await wield({ tools: [pay], approval: { pay: rule as never } })
    const response = { content: [{ type: "tool_use", id: "t1", name: "pay", input: {} }], role: "assistant" }
    const { messages, outcomes } = await bank
      .run()
      .answer("anthropic", { ...response, type: "message", stop_reason: "tool_use" })
    return { paid, tag: outcomes[0]?._tag, texts: JSON.stringify(messages) }
  }

  it("decides once it has answered", async () => {
    expect(await run(async () => "allow")).toMatchObject({ paid: 1, tag: "Success" })
    expect(await run(async () => "deny")).toMatchObject({ paid: 0, tag: "Denied" })
    expect(await run(async () => ({ ask: "why not" }))).toMatchObject({ paid: 0, tag: "Deferred" })
  })

  const failing: ReadonlyArray<readonly [string, () => unknown]> = [
    ["throws", () => Promise.reject(new Error("the password is hunter2"))],
    [
      "throws at once",
      () => {
        throw new Error("the password is hunter2")
      }
    ],
    ["throws undefined", () => Promise.reject(undefined)],
    ["gives undefined", async () => undefined],
    ["gives true", async () => true],
    ["gives a promise of a rule", async () => () => "allow"],
    [
      "gives a thenable that fails",
      () => ({ then: (_: unknown, no: (error: unknown) => void) => no(new Error("hunter2")) })
    ],
    ["gives Allow as @wield/core has it", async () => ({ _tag: "Allow" })]
  ]
  it.each(failing)("runs nothing where it %s", async (_, rule) => {
    const { paid, tag, texts } = await run(rule)
    expect([paid, tag]).toEqual([0, "Defect"])
    expect(texts).not.toContain("hunter2")
  })

  it.each([true, false])("is told when the call is aborted, and nothing runs (at once: %s)", async (isAtOnce) => {
    const controller = new AbortController()
    const abort = () => controller.abort(new Error("left"))
    let aborted = 0
    let paid = 0
    await using bank = await wield({
      tools: [tool("pay", { execute: () => ++paid })],
      approval: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => (aborted++, resolve("allow")))
          if (isAtOnce) abort()
          else setImmediate(abort)
        })
    })
    await expect(bank.run().call("pay", {}, { signal: controller.signal })).rejects.toThrow("left")
    expect([aborted, paid]).toEqual([1, 0])
  })

  it("ends with `close`, also where the rule itself closes the tools", async () => {
    const all = Array.from({ length: 2 }, async (_, index) => {
      const bank: AsyncDisposable & { close(): Promise<void>; run(): { call(name: "pay"): Promise<unknown> } } =
        await wield({
          tools: [tool("pay", { execute: () => "paid" })],
          approval: () =>
            new Promise(() => {
              if (index === 0) void bank.close()
              else setImmediate(() => void bank.close())
            })
        })
      return bank.run().call("pay")
    })
    for (const ended of await Promise.allSettled(all)) expect(String(Object(ended).reason)).toContain("Closed")
  })
})

describe("the output while it is written", () => {
  const output = z.object({ city: z.string(), days: z.array(z.object({ degrees: z.number() })) })
  const answer = { city: "Wien", days: [{ degrees: 20 }, { degrees: 21 }] }

  it("comes as events, each with more than the one before", async () => {
    await using shop = await wield({ tools: [] })
    const seen: Array<unknown> = []
    const model = scripted(call("final_answer", { answer }))
    for await (const event of shop.agent({ model, output }).stream("How is the weather?")) {
      if (event._tag === "PartialOutput")
        seen.push(
          event.output.city,
          event.output.days?.map((day) => day?.degrees)
        )
      if (event._tag === "Done") seen.push(event.result._tag)
    }
    expect(seen.slice(-3)).toEqual(["Wien", [20, 21], "Finished"])
  })

  it("is of the tool that is named so, and of no other", async () => {
    await using shop = await wield({ tools: [look] })
    const model = scripted(call("look"), call("report", { answer }))
    const seen: Array<string> = []
    await shop.agent({ model, output, outputTool: { name: "report" } }).ask("?", {
      onEvent: (event) => event._tag === "PartialOutput" && seen.push(JSON.stringify(event.output))
    })
    expect(seen.at(-1)).toBe(JSON.stringify(answer))
  })
})

describe("steering", () => {
  it("tells a run that goes on, which answers it", async () => {
    await using bank = await wield({ tools: [look] })
    const { heard, model } = listening(scripted(call("look"), text("Only the red ones.")))
    const agent = bank.agent({ model })
    let taken: Promise<boolean> | undefined
    const result = await agent.ask("Which are open?", {
      conversation: "c1",
      onEvent: ({ _tag }) => {
        if (_tag === "CallFinished") taken = agent.steer("c1", "Only the red ones, please")
      }
    })
    expect(await taken).toBe(true)
    expect(result.text).toBe("Only the red ones.")
    expect(JSON.stringify(heard[1]?.messages)).toContain("Only the red ones, please")
  })

  it("tells a run that has only just been asked for", async () => {
    await using bank = await wield({ tools: [look] })
    const { heard, model } = listening(scripted(call("look"), text("Only the red ones.")))
    const agent = bank.agent({ model })
    const asked = agent.ask("Which are open?", { conversation: "c1" })
    expect(await agent.steer("c1", "Only the red ones, please")).toBe(true)
    await asked
    expect(JSON.stringify(heard.map(({ messages }) => messages))).toContain("Only the red ones, please")
  })

  it("says so where nothing goes on, or it ends before", async () => {
    await using bank = await wield({ tools: [pay], approval: () => "ask" })
    const agent = bank.agent({ model: scripted(call("pay", { to: "Ada" })) })
    expect(await agent.steer("c1", "Hello?")).toBe(false)
    let taken: Promise<boolean> | undefined
    await agent.ask("Pay Ada", {
      context,
      conversation: "c1",
      onEvent: ({ _tag }) => {
        if (_tag === "CallFinished") taken = agent.steer("c1", "No, Bob")
      }
    })
    expect(await taken).toBe(false)
  })

  it("comes from an inbox of the application, too, each message once", async () => {
    await using bank = await wield({ tools: [look] })
    const { heard, model } = listening(scripted(call("look"), text("Red.")))
    const inbox = async () => [{ id: "m1", content: "Red ones" }]
    const { entries } = await bank.agent({ model }).ask("Which?", { inbox })
    expect(entries.filter(({ id }) => id === "m1")).toHaveLength(1)
    expect(JSON.stringify(heard.at(-1)?.messages)).toContain("Red ones")
  })
})

describe("an answer that a signal stops", () => {
  it("is kept where the program wants it", async () => {
    await using shop = await wield({ tools: [] })
    const model = scripted(ScriptedModel.turn(text("One, "), ScriptedModel.wait(Effect.never)), text("Two."))
    const agent = shop.agent({ model, whenInterrupted: "keep" })
    const stop = new AbortController()
    const onEvent = ({ _tag }: { readonly _tag: string }) => (_tag === "TextDelta" ? stop.abort() : undefined)
    await expect(agent.ask("Count", { conversation: "talk", signal: stop.signal, onEvent })).rejects.toThrow(/abort/i)
    const { entries } = await agent.ask("Go on", { conversation: "talk" })
    expect(entries.map(({ message }) => message._tag)).toEqual(["User", "Assistant", "User", "Assistant"])
    expect(entries[1]).toMatchObject({ turn: { isStopped: true } })
  })
})

it("an agent whose first run is aborted while it loads answers the next one", async () => {
  await using shop = await wield({ tools: [look] })
  const agent = shop.agent({ model: scripted(text("Here.")) })
  const gone = new AbortController()
  const first = agent.ask("Hello?", { signal: gone.signal })
  gone.abort()
  await expect(first).rejects.toThrow(/abort/i)
  expect((await agent.ask("Hello?")).text).toBe("Here.")
})

describe("an agent as a tool", () => {
  it("is given a task and its tools' hidden parameters, and its answer is the result", async () => {
    await using desk = await wield({ tools: [pay] })
    const clerk = desk.agent({ model: scripted(call("pay", { to: "Ada" }), text("Ada is paid.")) })
    const askClerk = clerk.toTool("ask_clerk", { description: "Pays" })
    await using bank = await wield({ tools: [askClerk, look] })
    const agent = bank.agent({ model: scripted(call("ask_clerk", { task: "Pay Ada" }), text("Done.")) })
    const events: Array<string> = []
    const result = await agent.ask("Pay Ada", { context, onEvent: ({ _tag }) => events.push(_tag) })
    expect(result.text).toBe("Done.")
    expect(JSON.stringify(result.entries)).toContain("Ada is paid.")
    expect(events).toContain("CallProgress")
  })

  it("ends with its own tools, also within a call of another's", async () => {
    let paid = 0
    const desk = await wield({ tools: [tool("pay", { execute: () => ++paid })] })
    const clerk = desk.agent({ model: scripted(call("pay"), text("Paid.")) })
    await using bank = await wield({ tools: [clerk.toTool("ask_clerk", { description: "Pays" })], logger: () => {} })
    await desk.close()
    await expect(bank.run().call("ask_clerk", { task: "Pay" })).rejects.toThrow("The tools are closed")
    expect(paid).toBe(0)
    const late = wield({ tools: [clerk.toTool("ask_clerk", { description: "Pays" })] })
    await expect(late).rejects.toThrow("The tools are closed")
  })

  it("ends with its own tools in the middle of a call of another's, and what it runs is aborted", async () => {
    let paid = 0
    const ended: Array<unknown> = []
    let begin = () => {}
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const look = tool("look", {
      execute: (_, { signal }) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error(String(ended.push("aborted")))))
          begin()
        })
    })
    const desk = await wield({ tools: [look, tool("pay", { execute: () => ++paid })], logger: () => {} })
    const clerk = desk.agent({ model: scripted(call("look"), call("pay"), text("Paid.")) })
    await using bank = await wield({ tools: [clerk.toTool("ask_clerk", { description: "Pays" })], logger: () => {} })
    const asked = bank.run().call("ask_clerk", { task: "Pay" })
    asked.catch(() => {})
    await begun
    await desk.close()
    await expect(asked).rejects.toThrow("failed internally")
    expect(ended).toEqual(["aborted"])
    expect(paid).toBe(0)
  })

  it("reports its events as they are here, at any depth: the conversation is an id", async () => {
    await using desk = await wield({ tools: [] })
    const clerk = desk.agent({ model: scripted(text("None.")) })
    await using office = await wield({ tools: [clerk.toTool("ask_clerk", { description: "Knows" })] })
    const head = office.agent({ model: scripted(call("ask_clerk", { task: "Which?" }), text("None, he says.")) })
    await using bank = await wield({ tools: [head.toTool("ask_head", { description: "Knows whom to ask" })] })
    const agent = bank.agent({ model: scripted(call("ask_head", { task: "Which?" }), text("None.")) })
    const ends: Array<unknown> = []
    const endsOf = (value: unknown): void => {
      if (!Predicate.hasProperty(value, "_tag")) return
      if (value._tag === "CallProgress" && "value" in value) endsOf(value.value)
      if (value._tag === "Done" && Predicate.hasProperty(value, "result")) ends.push(value.result)
    }
    await agent.ask("Which?", { onEvent: endsOf })
    expect(ends).toMatchObject([{ text: "None." }, { text: "None, he says." }, { text: "None." }])
    expect(ends).toMatchObject(ends.map(() => ({ conversation: expect.any(String) })))
  })

  it("waits with the other where nobody is asked at once, and goes on with the answers", async () => {
    await using desk = await wield({ tools: [pay], approval: () => "ask" })
    const clerk = desk.agent({ model: scripted(call("pay", { to: "Ada" }), text("Ada is paid.")) })
    await using bank = await wield({ tools: [clerk.toTool("ask_clerk", { description: "Pays" })] })
    const agent = bank.agent({ model: scripted(call("ask_clerk", { task: "Pay" }), text("Done.")) })
    const paused = await agent.ask("Pay Ada", { context })
    if (paused._tag !== "Paused") throw new Error(paused._tag)
    expect(paused.requests).toMatchObject([{ name: "pay", within: [{ name: "ask_clerk" }] }])
    const { conversation, requests } = paused
    const answers = requests.map((to) => ({ to, reply: "approve" as const }))
    expect((await agent.ask(undefined, { conversation, answers, context })).text).toBe("Done.")
  })

  it("asks whom the other asks, ends with it, and is refused with a name that is there already", async () => {
    await using desk = await wield({ tools: [pay], approval: () => "ask" })
    const clerk = () => desk.agent({ model: scripted(call("pay", { to: "Ada" }), text("Ada is paid.")) })
    await using bank = await wield({ tools: [clerk().toTool("ask_clerk", { description: "Pays" })] })
    const asked: Array<string> = []
    const agent = bank.agent({
      model: scripted(call("ask_clerk", { task: "Pay" }), text("Done.")),
      answer: async ({ name }) => (asked.push(name), "approve" as const)
    })
    expect((await agent.ask("Pay Ada", { context })).text).toBe("Done.")
    expect(asked).toEqual(["pay"])
    const twice = [clerk().toTool("look", { description: "Looks" }), look]
    await expect(wield({ tools: twice })).rejects.toThrow(/look/)
  })
})

describe("a run", () => {
  it("is handed over once a signal aborts, and another process goes on", async () => {
    await using bank = await wield({ tools: [look] })
    const controller = new AbortController()
    const agent = bank.agent({ model: scripted(call("look"), text("None.")) })
    const ended = await agent.ask("Which?", {
      conversation: "c1",
      promptId: "p1",
      handOver: controller.signal,
      onEvent: ({ _tag }) => _tag === "CallStarted" && controller.abort()
    })
    expect(ended).toMatchObject({ _tag: "Stopped", by: "handOver" })
    const result = await agent.ask("Which?", { conversation: "c1", promptId: "p1" })
    expect([result.text, result.entries.length]).toEqual(["None.", 4])
  })

  it("shows the model as much of a conversation as fits its window, with a summary if that is wanted", async () => {
    await using bank = await wield({ tools: [] })
    const summary = listening(scripted(...Array.from({ length: 3 }, () => text("They talked of tea."))))
    const { heard, model } = listening(scripted(text("Tea. ".repeat(320)), text("Yes. ".repeat(160)), text("No.")))
    const agent = bank.agent({ model, window: { budget: 600, overflow: { model: summary.model } } })
    for (const prompt of ["What do you like?", "Really?", "Nothing else?"])
      await agent.ask(prompt, { conversation: "c1" })
    expect(JSON.stringify(heard[2]?.messages)).toContain("They talked of tea.")
  })
})

describe("search", () => {
  it("shows the pinned tools and two more; what is found is called by them, under its own name", async () => {
    await using bank = await wield({ tools: [pay, look] })
    const { heard, model } = listening(
      scripted(
        call("search_tools", { query: "settle a bill" }),
        call("call_tool", { name: "pay", arguments: { to: "Ada" } }),
        text("Paid.")
      )
    )
    const embed = () => Promise.reject(new Error("no embeddings today"))
    const search = { pinned: ["look"], requests: { pay: ["Settle my bill with Ada"] }, embed }
    const events: Array<string> = []
    const result = await bank.agent({ model, search }).ask("Settle it", {
      context,
      onEvent: (event) => void (event._tag === "CallFinished" && events.push(event.call.name))
    })
    expect(result).toMatchObject({ _tag: "Finished", text: "Paid." })
    expect(events).toEqual(["search_tools", "pay"])
    expect(heard.map(({ definitions }) => definitions.map(({ name }) => name))).toEqual(
      Array(3).fill(["look", "search_tools", "call_tool"])
    )
    expect(JSON.stringify(result.entries)).toContain("a1 paid Ada")
  })

  it("finds by what was learnt from conversations, and shows what it finds in the form that is asked for", async () => {
    await using bank = await wield({ tools: [pay, look] })
    await bank.agent({ model: scripted(call("look"), text("Nothing.")) }).ask("Anything in the post?", { context })
    const learnt = await bank.conversations.learnRequests()
    expect(learnt).toEqual({ look: ["Anything in the post?"] })
    await expect(bank.conversations.learnRequests({ perTol: 1 } as {})).rejects.toThrow(/perTol/)
    await expect(bank.conversations.learnRequests({ perTool: "3" } as {})).rejects.toThrow(/`perTool`/)
    const { heard, model } = listening(scripted(call("search_tools", { query: "any post" }), call("look"), text("No.")))
    await bank.agent({ model, search: { learnt, form: "activation" } }).ask("Go", { context })
    expect(heard.map(({ definitions }) => definitions.map(({ name }) => name))).toEqual([
      ["search_tools"],
      ["search_tools", "look"],
      ["search_tools", "look"]
    ])
    expect(JSON.stringify(heard)).not.toContain("in the post")
  })

  it.each([
    [{ pined: [] }, /pined/],
    [{ embed: "yes" }, /`embed` of `search`/],
    [7, /`search`/]
  ])("refuses %j", async (search, message) => {
    await using bank = await wield({ tools: [look] })
    expect(() => bank.agent({ model: scripted(), search: search as {} })).toThrow(message)
  })
})
