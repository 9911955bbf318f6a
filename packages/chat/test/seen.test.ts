import { EventSchemas } from "@ag-ui/core/schemas"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, ConversationStore } from "@wield/agent"
import { AgUi, Chat, type Show, UiMessages } from "@wield/chat"
import { NeedsInput, Toolset } from "@wield/core"
import { ApiError } from "@wield/providers"
import { ScriptedModel } from "@wield/testing"
import { Effect, type Scope } from "effect"
import { Log } from "../src/internal/Log.js"
import { direct } from "./direct.js"
import { makeShop } from "./shop.js"

const { broken, call, reasoning, text, turn } = ScriptedModel

const scoped = <A, E>(effect: Effect.Effect<A, E, ConversationStore.ConversationStore | Scope.Scope>) =>
  effect.pipe(Effect.scoped, Effect.provide(ConversationStore.layerMemory))

/** The streams of both protocols, whole. */
const bothStreams = async (chat: Chat.Chat) => {
  const ui = await direct(UiMessages.handler(chat), "ada", "ui").say("m1", "Hello")
  const agUi = await AgUi.handler(chat)(
    new Request("http://localhost/agent", {
      method: "POST",
      headers: { "x-user": "ada", "content-type": "application/json" },
      body: JSON.stringify({
        threadId: "agUi",
        runId: "r",
        messages: [{ id: "m1", role: "user", content: "Hello" }],
        tools: [],
        context: []
      })
    })
  )
  return [await ui.text(), await agUi.text()]
}

describe("what `show` hides", () => {
  it.live("is hidden in what a sub-agent does too, and the words of its provider are in nothing", () =>
    scoped(
      Effect.gen(function* () {
        const once = [
          broken(text("Hm."), new ApiError.ProviderUnavailable({ format: "x", status: 529, detail: "PROVIDER" })),
          turn(reasoning("REASONING"), call("look", { in: "ARGUMENTS" }, { id: "i1" }), call("fail", {}, { id: "i2" })),
          text("Found.")
        ]
        const inner = yield* Agent.make({
          model: yield* ScriptedModel.make([...once, ...once]),
          retries: 1,
          toolset: yield* Toolset.dynamic([
            { name: "look", execute: () => Effect.succeed("OUTCOME") },
            { name: "fail", execute: () => Effect.fail("FAILURE"), isFailureReturned: true } as never
          ])
        } as never)
        const toolset = yield* Agent.toToolset(inner, { name: "seek", description: "Seeks" })
        const asked = turn(call("seek", { task: "Seek" }, { id: "c1" }))
        const model = yield* ScriptedModel.make([asked, text("Done."), asked, text("Done.")])
        const show: Show.Show = (item) => (item._tag === "Progress" ? item.value : undefined)
        const chat = yield* Chat.make({
          agent: yield* Agent.make({ model, toolset }),
          authorize: () => Effect.succeed({ user: "ada" }),
          show
        })
        for (const stream of yield* Effect.promise(() => bothStreams(chat))) {
          expect(stream).toContain("i1")
          expect(stream).toContain("Done.")
          expect(stream).not.toMatch(/PROVIDER|REASONING|ARGUMENTS|OUTCOME|FAILURE/)
        }
      })
    )
  )

  it.live("is hidden of an agent within a sub-agent, and what its call keeps for itself is in nothing", () =>
    scoped(
      Effect.gen(function* () {
        const asked = (name: string) => turn(call(name, name === "pay" ? { iban: "ARGUMENTS" } : { task: "Go" }))
        const inner = yield* Agent.make({
          model: yield* ScriptedModel.make([asked("pay"), asked("pay")]),
          toolset: yield* Toolset.dynamic([
            { name: "pay", execute: () => new NeedsInput({ asks: "Which account?", accepts: {}, state: "STATE" }) }
          ])
        })
        const within = <Tools>(agent: Agent.Agent<Tools>, name: string) =>
          Effect.gen(function* () {
            const toolset = yield* Agent.toToolset(agent, { name, description: name })
            return yield* Agent.make({ model: yield* ScriptedModel.make([asked(name), asked(name)]), toolset })
          })
        const given: Array<string> = []
        const chat = yield* Chat.make({
          agent: yield* within(yield* within(inner, "seek"), "find"),
          authorize: () => Effect.succeed({ user: "ada" }),
          show: (item) => {
            given.push(JSON.stringify(item))
            return item._tag === "Progress" ? item.value : undefined
          }
        })
        for (const stream of yield* Effect.promise(() => bothStreams(chat))) {
          expect(stream).toContain("Which account?")
          expect(stream).not.toMatch(/STATE|ARGUMENTS/)
        }
        expect(given.join("\n")).not.toContain("STATE")
      })
    )
  )

  it("is hidden in pieces of arguments, however deep, and of a model that gave way nothing is seen", () => {
    const { push } = UiMessages.encoder({ show: (item) => (item._tag === "Progress" ? item.value : undefined) })
    const [outer, inner] = ["outer", "inner"].map((name) => ({ id: name, name, arguments: {} }))
    const told = (value: unknown): Chat.Event => ({ _tag: "CallProgress", call: outer!, value })
    const within = (value: unknown) => told({ _tag: "CallProgress", call: inner, value })
    const gaveWay = { _tag: "ModelGaveWay", from: "a", to: "b", message: "401: key PROVIDER is wrong" }
    const pieces = { _tag: "ArgumentsDelta", index: 0, text: "ARGUMENTS" }
    const chunks = [told(gaveWay), within(gaveWay), told(pieces), within(pieces)].flatMap(push)
    expect(JSON.stringify(chunks)).not.toMatch(/PROVIDER|ARGUMENTS/)
  })

  it.live("is hidden where `show` fails or gives no JSON, and the page has the rest", () =>
    scoped(
      Effect.gen(function* () {
        const once = [turn(call("find", { text: "tea" }, { id: "c1" })), text("Here.")]
        const show: Show.Show = (item) => {
          if (item._tag === "Arguments") throw new Error("SHOW")
          return { never: 1n }
        }
        const { chat } = yield* makeShop({ script: [...once, ...once], chat: { show } })
        for (const stream of yield* Effect.promise(() => bothStreams(chat))) {
          expect(stream).toContain("Here.")
          expect(stream).not.toMatch(/SHOW|tea/)
        }
        const past = yield* Effect.promise(() => direct(UiMessages.handler(chat), "ada", "ui").past())
        expect(past.length).toBe(2)
      })
    )
  )
})

describe("a program's mistake in a request", () => {
  it.live("is a refusal with a reference", () =>
    scoped(
      Effect.gen(function* () {
        const { chat } = yield* makeShop({ script: [] })
        const broken = { ...chat, past: () => Effect.die(new Error("INSIDE")) }
        yield* Effect.promise(async () => {
          const response = await UiMessages.handler(broken)(new Request("http://localhost/api/chat/chat%201"))
          expect(response.status).toBe(500)
          expect(await response.text()).toMatch(/^(?!.*INSIDE).*reference/)
        })
      })
    )
  )
})

describe("the past", () => {
  it.effect("is read once, however long it is", () =>
    Effect.gen(function* () {
      const readsOf = (messages: number) =>
        Effect.gen(function* () {
          let reads = 0
          const entries: Array<Conversation.Entry> = []
          for (let place = 0; place < messages; place++) {
            const entry = yield* Conversation.entry(Conversation.user("Hello"), { id: `m${place}` })
            const counted = { ...entry }
            Object.defineProperty(counted, "message", { get: () => (reads++, entry.message) })
            entries.push(counted)
          }
          expect(UiMessages.fromPast({ entries, requests: [] }).length).toBe(messages)
          expect(AgUi.fromPast({ entries, requests: [] }).length).toBe(messages)
          return reads
        })
      expect(yield* readsOf(400)).toBeLessThan(3 * (yield* readsOf(200)))
    })
  )
})

describe("the log of a run", () => {
  it("keeps no more than its limit, whatever the sizes, and the last event at least", () => {
    const log = new Log<number>()
    const sizes = [
      ...Array.from({ length: 2_000 }, () => 10),
      ...Array.from({ length: 30 }, () => 3_000_000),
      9_000_000
    ]
    for (const [place, size] of sizes.entries()) {
      log.push(place, size)
      expect(log.read(place)).toBe(place)
      const kept = sizes.slice(0, place).reduce((sum, each, other) => sum + (log.read(other) === "gone" ? 0 : each), 0)
      expect(kept).toBeLessThanOrEqual(8_000_000)
    }
  })

  it("is hidden of what a model cites, and what `show` makes of it has to be of the web, too", () => {
    const urls = ["https://example.com/a", "https://intranet.example.com/b", "https://example.com/c"]
    const show: Show.Show = (item) =>
      item._tag !== "Source"
        ? item.value
        : item.value.url.includes("intranet")
          ? undefined
          : item.value.url.endsWith("c")
            ? { url: "javascript:alert(1)" }
            : { ...item.value, title: "A" }
    const events: ReadonlyArray<Chat.Event> = [
      { _tag: "TurnStarted", step: 1, entry: "e1", model: "m" },
      { _tag: "TextDelta", text: "It rains." },
      { _tag: "TurnFinished", entry: "e1", text: "It rains.", sources: urls.map((url) => ({ url })) }
    ]
    const ui = events.flatMap(UiMessages.encoder({ show }).push)
    expect(ui.filter(({ type }) => type === "source-url")).toEqual([
      { type: "source-url", sourceId: "e1-1", url: urls[0], title: "A" }
    ])
    const agUi = events.flatMap(AgUi.encoder({ threadId: "t", runId: "r", show }).push)
    for (const line of agUi) EventSchemas.parse(line)
    expect(agUi.filter(({ type }) => type === "CUSTOM")).toEqual([
      { type: "CUSTOM", name: "sources", value: [{ url: urls[0], title: "A" }] }
    ])
  })
})
