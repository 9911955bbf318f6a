import { HttpAgent } from "@ag-ui/client"
import type { BaseEvent, Interrupt } from "@ag-ui/core"
import { EventSchemas } from "@ag-ui/core/schemas"
import { describe, expect, it } from "@effect/vitest"
import { Agent, ConversationStore } from "@wield/agent"
import { ApiError } from "@wield/providers"
import { AgUi, Chat } from "@wield/chat"
import { Approval, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"
import { makeShop, type Options, secrets, serve } from "./shop.js"

const { call, reasoning, text, turn } = ScriptedModel

/** A page of `@ag-ui/client`, which refuses events in a wrong order; each event is checked by its schema too. */
const openPage = (url: string, threadId = "thread 1", user = "ada") => {
  const events: Array<BaseEvent> = []
  const agent = new HttpAgent({ url: `${url}/agent`, threadId, headers: { "x-user": user } })
  const run = async (input: Parameters<HttpAgent["runAgent"]>[0] = {}) => {
    const { newMessages, result } = await agent.runAgent(input, {
      onEvent: ({ event }) => {
        EventSchemas.parse(event)
        events.push(event)
      }
    })
    return { newMessages, result }
  }
  return {
    agent,
    events,
    run,
    say: (content: string, id: string = crypto.randomUUID()) => {
      agent.addMessage({ id, role: "user", content })
      return run()
    },
    interrupts: (): ReadonlyArray<Interrupt> => agent.pendingInterrupts
  }
}

/** What a page sends that is not made of `@ag-ui/client`, which refuses some of it itself. */
const post = async (url: string, resume: unknown, messages: ReadonlyArray<unknown> = []) => {
  const response = await fetch(`${url}/agent`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-user": "ada" },
    body: JSON.stringify({ threadId: "thread 1", runId: "r", messages, tools: [], context: [], resume })
  })
  return { status: response.status, text: await response.text() }
}

const inShop = (
  options: Options,
  test: (
    page: ReturnType<typeof openPage>,
    shop: Effect.Effect.Success<ReturnType<typeof makeShop>> & { readonly url: string }
  ) => Promise<void>
) =>
  Effect.gen(function* () {
    const shop = yield* makeShop(options)
    const url = yield* serve(AgUi.handler(shop.chat))
    yield* Effect.promise(() => test(openPage(url), { ...shop, url }))
  }).pipe(Effect.scoped, Effect.provide(ConversationStore.layerMemory))

describe("a page of AG-UI", () => {
  it.live("shows every ending of a call, and what is secret in none", () =>
    inShop(
      {
        script: [
          turn(
            reasoning("They want tea."),
            text("Let me look."),
            call("find", { text: "tea" }, { id: "c1" }),
            call("fail", {}, { id: "c2" }),
            call("bug", {}, { id: "c3" }),
            call("slow", {}, { id: "c4" }),
            call("receipt", {}, { id: "c5" }),
            call("find", { wrong: 1 }, { id: "c6" }),
            call("fnd", { text: "tea" }, { id: "c7" })
          ),
          text("Here it is.")
        ]
      },
      async (page) => {
        await page.say("Tea?", "m1")
        const { messages } = page.agent
        expect(messages.map(({ role }) => role)).toEqual([
          "user",
          "reasoning",
          "assistant",
          ...Array.from({ length: 7 }, () => "tool"),
          "assistant"
        ])
        const results = messages.flatMap((message) => (message.role === "tool" ? [message] : []))
        expect(new Map(results.map(({ content, toolCallId }) => [toolCallId, content])).get("c1")).toBe(
          '["tea 1","tea 2"]'
        )
        expect(results.find(({ toolCallId }) => toolCallId === "c5")?.content).toMatchObject([
          { type: "text", text: "The receipt" },
          { type: "image", source: { type: "data", mimeType: "image/png" } }
        ])
        expect(page.events.filter(({ type }) => type === "CUSTOM").length).toBe(2)
        for (const secret of Object.values(secrets)) expect(JSON.stringify(page.events)).not.toContain(secret)
      }
    )
  )

  it.live("approves one call with changes and denies another, at once", () =>
    inShop(
      {
        script: [
          turn(
            call("refund", { order: "o1", amount: 5 }, { id: "c1" }),
            call("refund", { order: "o2", amount: 7 }, { id: "c2" })
          ),
          text("Done.")
        ]
      },
      async (page, { paid, url }) => {
        await page.say("Pay me back")
        const [one, other] = page.interrupts()
        expect(one).toMatchObject({ reason: "tool_call", toolCallId: "c1", message: "it costs money" })
        const approve = { interruptId: one?.id ?? "", status: "resolved" } as const
        // One alone leaves the other open, which the protocol forbids.
        expect(await post(url, [{ ...approve, payload: { approved: true } }])).toMatchObject({ status: 422 })
        // Under another name, the change would be lost.
        const misspelt = { ...approve, payload: { approved: true, editedargs: { order: "o1", amount: 4 } } }
        const no = { interruptId: other?.id ?? "", status: "resolved", payload: { approved: false } }
        expect(await post(url, [misspelt, no])).toMatchObject({ status: 422 })
        const resume = [
          { ...approve, payload: { approved: true, editedArgs: { order: "o1", amount: 4 } } },
          {
            interruptId: other?.id ?? "",
            status: "resolved",
            payload: { approved: false, reason: "not this one" }
          } as const
        ]
        await page.run({ resume })
        expect(paid).toEqual([[secrets.customer, 4]])
        expect(page.events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } })
        const again = page.events.filter(({ type }) => type === "TOOL_CALL_START")
        expect(again.length).toBe(2)
      }
    )
  )

  it.live("takes the same answer twice and pays once, and refuses another one", () =>
    inShop(
      { script: [turn(call("refund", { order: "o1", amount: 5 }, { id: "c1" })), text("Done.")] },
      async (page, { paid, url }) => {
        await page.say("Pay me back")
        const interruptId = page.interrupts()[0]?.id ?? ""
        const ask = (payload: unknown) => post(url, [{ interruptId, status: "resolved", payload }])
        const both = await Promise.all([ask({ approved: true }), ask({ approved: true })])
        expect(both.map(({ status }) => status)).toEqual([200, 200])
        const later = await ask({ approved: true })
        expect(later.text).toContain("Done.")
        expect(paid.length).toBe(1)
        expect((await ask({ approved: false })).status).toBe(409)
        expect((await ask("yes")).status).toBe(422)
      }
    )
  )

  it.live("that repeats a message which had no answer, with another one, has each of them once", () =>
    inShop(
      { script: [ScriptedModel.fail(new ApiError.NotAuthorized({ format: "x", detail: "no key" })), text("Yes.")] },
      async ({ agent, say }, { model }) => {
        await say("Refund order A.").catch(() => {})
        await say("And order B?")
        expect(agent.messages.at(-1)?.content).toBe("Yes.")
        const words = JSON.stringify(Effect.runSync(model.requests).at(-1)?.messages)
        expect(words.match(/Refund order A/g)?.length).toBe(1)
      }
    )
  )

  it.live("takes answers that come with a message, and does not lose the message", () =>
    inShop(
      { script: [turn(call("refund", { order: "o1", amount: 4 }, { id: "c1" })), text("Paid."), text("Sunny.")] },
      async (page, { model, paid, url }) => {
        await page.say("Refund")
        const [asked] = page.interrupts()
        const messages = [...page.agent.messages, { id: "m2", role: "user", content: "And the weather?" }]
        const resume = [{ interruptId: asked?.id, status: "resolved", payload: { approved: true } }]
        const { status } = await post(url, resume, messages)
        expect([status, paid.length]).toEqual([200, 1])
        expect(JSON.stringify(Effect.runSync(model.requests).at(-1)?.messages)).toContain("And the weather?")
        // Nothing goes on that could be stopped, by either of the addresses.
        for (const end of ["", "/stream"]) {
          const stopped = await fetch(`${url}/agent/thread%201${end}`, {
            method: "DELETE",
            headers: { "x-user": "ada" }
          })
          expect(stopped.status).toBe(204)
        }
      }
    )
  )

  it.live("asks for input with its schema, and takes only what fits", () =>
    inShop({ script: [turn(call("wish", {}, { id: "c1" })), text("Granted.")] }, async (page) => {
      await page.say("A wish")
      const [interrupt] = page.interrupts()
      expect(interrupt).toMatchObject({ reason: "input_required", message: "Which colour?", toolCallId: "c1" })
      expect(interrupt?.responseSchema).toMatchObject({ type: "object", required: ["colour"] })
      const answer = { interruptId: interrupt?.id ?? "", status: "resolved" } as const
      await expect(page.run({ resume: [{ ...answer, payload: { colour: 1 } }] })).rejects.toThrow(/422/)
      expect(JSON.stringify(page.events)).not.toContain(secrets.state)
      await page.run({ resume: [{ ...answer, payload: { colour: "red" } }] })
      expect(JSON.stringify(page.agent.messages)).toContain("a red one")
    })
  )

  it.live("takes back what a turn had said that broke", () =>
    inShop(
      {
        script: [
          ScriptedModel.broken(
            text("Half an ans"),
            new ApiError.ProviderUnavailable({ format: "scripted", status: 529, detail: "overloaded" })
          ),
          text("A whole answer.")
        ]
      },
      async (page) => {
        await page.say("Tea?", "m1")
        expect(page.agent.messages.map(({ content }) => content)).toEqual(["Tea?", "A whole answer."])
        expect(page.events.some(({ type }) => type === "MESSAGES_SNAPSHOT")).toBe(true)
      }
    )
  )

  it.live("draws a thread again, with what waits in it", () =>
    inShop(
      { script: [turn(text("Soon."), call("refund", { order: "o1", amount: 5 }, { id: "c1" })), text("Done.")] },
      async (page, { paid, url }) => {
        await page.say("Pay me back", "m1")
        const other = openPage(url)
        await other.run()
        expect(other.agent.messages).toEqual(page.agent.messages)
        const [interrupt] = other.interrupts()
        expect(interrupt?.id).toBe(page.interrupts()[0]?.id)
        await other.run({
          resume: [{ interruptId: interrupt?.id ?? "", status: "resolved", payload: { approved: true } }]
        })
        expect(paid.length).toBe(1)
        const stranger = openPage(url, "thread 1", "eve")
        await stranger.run()
        expect(stranger.agent.messages).toEqual([])
        expect(stranger.interrupts()).toEqual([])
      }
    )
  )

  it.live("offers the model the tools of the page, and tells the events of a sub-agent as its own", () =>
    Effect.gen(function* () {
      const inner = yield* Agent.make({
        model: yield* ScriptedModel.make([turn(text("I look."), call("now", {}, { id: "i1" })), text("Noon.")]),
        toolset: yield* Toolset.dynamic([{ name: "now", execute: () => Effect.succeed("12:00") }])
      })
      const clock = yield* Agent.toToolset(inner, { name: "clock", description: "Knows the time" })
      const model = yield* ScriptedModel.make([
        turn(call("clock", { task: "What time is it?" }, { id: "c1" })),
        turn(call("paint", { colour: "red" }, { id: "c2" })),
        text("Painted.")
      ])
      const chat = yield* Chat.make({
        agent: ({ tools }) =>
          Agent.make({ model, toolset: Toolset.combine(clock, tools), policy: { approval: () => Approval.allow } }),
        authorize: () => Effect.succeed({ user: "ada" })
      })
      const url = yield* serve(AgUi.handler(chat))
      const page = openPage(url)
      const tools = [
        {
          name: "paint",
          description: "Paints the page",
          parameters: { type: "object", properties: { colour: { type: "string" } } }
        }
      ]
      yield* Effect.promise(async () => {
        page.agent.addMessage({ id: "m1", role: "user", content: "Paint it" })
        await page.run({ tools })
        expect(page.events.at(-1)).toMatchObject({ outcome: { type: "success", pendingToolCallIds: ["c2"] } })
        page.agent.addMessage({ id: "t1", role: "tool", toolCallId: "c2", content: '{"ok":true}' })
        await page.run({ tools })
      })
      expect(page.agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Painted." })
      expect(
        page.agent.messages.filter((message) => message.role === "tool" && message.toolCallId === "c2").length
      ).toBe(1)
      const ofInner = page.events.filter((event) => event["subagentRunId"] === "c1").map(({ type }) => type)
      expect(ofInner[0]).toBe("SUBAGENT_STARTED")
      expect(ofInner.at(-1)).toBe("SUBAGENT_FINISHED")
      expect(ofInner).toContain("TOOL_CALL_RESULT")
      const own = { name: "clock", description: "mine" }
      yield* Effect.promise(async () => {
        page.agent.addMessage({ id: "m2", role: "user", content: "Again" })
        await expect(page.run({ tools: [own] })).rejects.toThrow(/400/)
      })
    }).pipe(Effect.scoped, Effect.provide(ConversationStore.layerMemory))
  )

  it.live.each(["refuse", "deny"] as const)(
    "tells the model the result of the page's own tool that a message follows, where a shop would %s",
    (whenWaiting) =>
      inShop(
        {
          chat: { whenWaiting },
          script: [turn(call("map", { place: "Rome" }, { id: "c1" })), text("There it is."), text("Yes.")]
        },
        async (page, { model }) => {
          await page.say("Where is Rome?")
          page.agent.addMessage({ id: "t1", role: "tool", toolCallId: "c1", content: "shown" })
          await page.say("Well?")
          expect(page.agent.messages.map(({ role }) => role)).toEqual([
            "user",
            "assistant",
            "tool",
            "user",
            "assistant"
          ])
          await page.say("Really?")
          expect(page.agent.messages.at(-1)).toMatchObject({ content: "Yes." })
          const messages = JSON.stringify(Effect.runSync(model.requests).at(-1)?.messages)
          expect([messages.includes("shown"), messages.includes("not run")]).toEqual([true, false])
        }
      )
  )
})
