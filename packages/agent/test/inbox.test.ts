import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, type AgentEvent, Conversation, DeferredCall } from "@wield/agent"
import { Approval, Content, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema, Stream } from "effect"

const Shop = Toolkit.make(Tool.make("look", { success: Schema.String }))

/** What the tool finds is followed by what the user says meanwhile. */
const shop = (messages: Array<Agent.InboxMessage>) =>
  Effect.provide(
    Toolset.fromToolkit(Shop),
    Shop.toLayer({
      look: () =>
        Effect.sync(() => {
          messages.push({ id: "m1", content: "Only the open ones." })
          return "12 orders"
        })
    })
  )

const kindsOf = (entries: ReadonlyArray<Conversation.Entry>) => entries.map(({ message }) => message._tag)

describe("an inbox", () => {
  it.effect("is read between the steps: the model reads the message behind the results, once", () =>
    Effect.gen(function* () {
      const messages: Array<Agent.InboxMessage> = []
      const model = yield* ScriptedModel.make([
        ScriptedModel.call("look"),
        ScriptedModel.call("look"),
        ScriptedModel.text("Two.")
      ])
      const agent = yield* Agent.make({ model, toolset: yield* shop(messages) })
      const events = Array.from(
        yield* Stream.runCollect(
          Agent.stream(agent, { prompt: "My orders?", inbox: Effect.sync(() => messages.slice(0, 1)) })
        )
      )
      const taken = events.filter(({ _tag }) => _tag === "MessageTaken")
      expect(taken).toEqual([{ _tag: "MessageTaken", entry: "m1" } satisfies AgentEvent.AgentEvent])
      const [, second, third] = yield* model.requests
      expect(second?.messages.map(({ _tag }) => _tag)).toEqual(["User", "Assistant", "Results", "User"])
      expect(second?.messages.at(-1)).toEqual(Conversation.user("Only the open ones."))
      expect(third?.messages.map(({ _tag }) => _tag).slice(4)).toEqual(["Assistant", "Results"])
    })
  )

  it.effect("makes a run go on that would have ended", () =>
    Effect.gen(function* () {
      const messages: Array<Agent.InboxMessage> = []
      const late = Effect.sync(() => messages.push({ id: "m1", content: [Content.text("And closed ones?")] }))
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.text("Two are open."), ScriptedModel.wait(late)),
        ScriptedModel.text("Ten.")
      ])
      const agent = yield* Agent.make({ model })
      const result = yield* Agent.run(agent, { prompt: "My orders?", inbox: Effect.sync(() => messages) })
      expect(result.text).toBe("Ten.")
      expect(kindsOf(result.entries)).toEqual(["User", "Assistant", "User", "Assistant"])
    })
  )

  it.effect("goes on with a conversation that was over, and begins one", () =>
    Effect.gen(function* () {
      const messages: Array<Agent.InboxMessage> = [{ id: "m1", content: "Hello?" }]
      const inbox = Effect.sync(() => messages)
      const agent = yield* Agent.make({
        model: yield* ScriptedModel.make([ScriptedModel.text("Hello."), ScriptedModel.text("Still here.")])
      })
      const { conversation, text } = yield* Agent.run(agent, { inbox })
      expect(text).toBe("Hello.")
      expect((yield* Agent.run(agent, { conversation, inbox })).text).toBe("Hello.")
      messages.push({ id: "m2", content: "And now?" })
      expect((yield* Agent.run(agent, { conversation, inbox })).text).toBe("Still here.")
    })
  )

  it.effect("waits while calls wait for a person", () =>
    Effect.gen(function* () {
      const messages: Array<Agent.InboxMessage> = []
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.call("look", {}, { id: "a" }), ScriptedModel.call("look", {}, { id: "b" })),
        ScriptedModel.text("Done.")
      ])
      const agent = yield* Agent.make({
        model,
        toolset: yield* shop(messages),
        policy: { approval: ({ call }) => (call.id === "b" ? Approval.ask() : Approval.allow) }
      })
      const inbox = Effect.sync(() => messages.slice(0, 1))
      const paused = yield* Agent.run(agent, { prompt: "My orders?", inbox })
      if (paused._tag !== "Paused") return expect(paused._tag).toBe("Paused")
      expect(kindsOf(paused.entries)).toEqual(["User", "Assistant", "Results"])
      const answers = paused.requests.map((request) => DeferredCall.approve(request))
      const result = yield* Agent.run(agent, { conversation: paused.conversation, answers, inbox })
      // The approval, and what came of it.
      const results = ["Results", "Results", "Results"]
      expect(kindsOf(result.entries)).toEqual(["User", "Assistant", ...results, "User", "Assistant"])
    })
  )

  it.effect("refuses another message under an id that is taken", () =>
    Effect.gen(function* () {
      const agent = yield* Agent.make({ model: yield* ScriptedModel.make([]) })
      const inbox = Effect.succeed([
        { id: "m1", content: "Hello?" },
        { id: "m1", content: "Goodbye." }
      ])
      expect((yield* Effect.flip(Agent.run(agent, { inbox })))._tag).toBe("EntryIdTaken")
    })
  )
})
