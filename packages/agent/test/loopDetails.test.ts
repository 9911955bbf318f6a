import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, ConversationStore, DeferredCall } from "@wield/agent"
import { Approval, ToolResult, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Ref, TestClock } from "effect"

const resultsOf = (entries: ReadonlyArray<Conversation.Entry>) =>
  entries.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))

/** `read` is read-only, `alone` is sequential. */
const toolsetOf = (handlers: { readonly [name: string]: Effect.Effect<string> }) =>
  Toolset.dynamic(
    Object.entries(handlers).map(([name, handler]) => ({
      name,
      facts: { isReadOnly: name === "read", isSequential: name === "alone" },
      execute: () => handler
    }))
  )

describe("calls of one turn", () => {
  it.effect("that are the same in three turns are told so", () =>
    Effect.gen(function* () {
      const toolset = yield* toolsetOf({ read: Effect.succeed("the same") })
      const call = ScriptedModel.call("read", {})
      const model = yield* ScriptedModel.make([call, call, call, ScriptedModel.text("I see.")])
      const result = yield* Agent.run(yield* Agent.make({ model, toolset }), "Read")
      const texts = resultsOf(result.entries).map(ToolResult.toText)
      expect(texts.slice(0, 2)).toEqual(["the same", "the same"])
      expect(texts[2]).toContain("3 times")
    })
  )

  it.effect("wait for those of sequential tools, and these for them", () =>
    Effect.gen(function* () {
      const log = yield* Ref.make<ReadonlyArray<string>>([])
      const slowly = (name: string) =>
        Ref.update(log, (lines) => [...lines, `${name} begins`]).pipe(
          Effect.zipRight(Effect.sleep("1 second")),
          Effect.zipRight(Ref.update(log, (lines) => [...lines, `${name} ends`])),
          Effect.as(name)
        )
      const toolset = yield* toolsetOf({ a: slowly("a"), alone: slowly("alone"), b: slowly("b") })
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.call("a"), ScriptedModel.call("alone"), ScriptedModel.call("b")),
        ScriptedModel.text("Done.")
      ])
      const fiber = yield* Effect.fork(Agent.run(yield* Agent.make({ model, toolset }), "Go"))
      yield* TestClock.adjust("10 seconds")
      yield* fiber
      expect(yield* Ref.get(log)).toEqual(["a begins", "a ends", "alone begins", "alone ends", "b begins", "b ends"])
    })
  )

  it.effect("that wait are answered each for itself", () =>
    Effect.gen(function* () {
      const paid: Array<string> = []
      const toolset = yield* Toolset.dynamic([
        {
          name: "pay",
          inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
          execute: ({ to }) =>
            Effect.as(
              Effect.sync(() => paid.push(String(to))),
              `paid ${String(to)}`
            )
        }
      ])
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(
          ScriptedModel.call("pay", { to: "ada" }, { id: "call_1" }),
          ScriptedModel.call("pay", { to: "bob" }, { id: "call_2" })
        ),
        ScriptedModel.text("Done.")
      ])
      const agent = yield* Agent.make({ model, toolset, policy: { approval: () => Approval.ask() } })
      const paused = yield* Agent.run(agent, "Pay both")
      if (paused._tag !== "Paused") return expect.unreachable()
      const { conversation } = paused
      const [ada, bob] = paused.requests
      if (ada === undefined || bob === undefined) return expect.unreachable()
      // The digest of the one under the id of the other.
      const mixed = yield* Effect.flip(
        Agent.run(agent, { conversation, answers: [DeferredCall.approve({ ...ada, digest: bob.digest })] })
      )
      expect(mixed._tag).toBe("StaleResponse")
      const half = yield* Agent.run(agent, { conversation, answers: [DeferredCall.deny(bob, "not bob")] })
      expect(half._tag === "Paused" && half.requests.map((request) => request.call.id)).toEqual(["call_1"])
      const done = yield* Agent.run(agent, { conversation, answers: [DeferredCall.approve(ada)] })
      expect(done._tag).toBe("Finished")
      expect(paid).toEqual(["ada"])
      const last = (yield* model.requests).at(-1)?.messages.at(-1)
      expect(last?._tag === "Results" && last.results.map(({ id, isError }) => [id, isError])).toEqual([
        ["call_1", false],
        ["call_2", true]
      ])
    })
  )

  it.effect("that are approved twice at the same moment run once, though it be by two agents", () =>
    Effect.gen(function* () {
      const paid: Array<string> = []
      const toolset = yield* toolsetOf({
        pay: Effect.zipRight(
          Effect.sleep("1 second"),
          Effect.sync(() => {
            paid.push("paid")
            return "paid"
          })
        )
      })
      const model = yield* ScriptedModel.make([ScriptedModel.call("pay"), ScriptedModel.text("Paid.")])
      const agent = yield* Agent.make({ model, toolset, policy: { approval: () => Approval.ask() } })
      const paused = yield* Agent.run(agent, "Pay")
      if (paused._tag !== "Paused") return expect.unreachable()
      const answers = paused.requests.map(DeferredCall.approve)
      // As a server has them that makes an agent for each request.
      const other = yield* Agent.make({ model, toolset, policy: { approval: () => Approval.ask() } })
      const approved = (by: typeof agent) =>
        Effect.either(Agent.run(by, { conversation: paused.conversation, answers }))
      const fiber = yield* Effect.fork(Effect.all([approved(agent), approved(other)], { concurrency: "unbounded" }))
      yield* TestClock.adjust("5 seconds")
      const results = yield* fiber
      expect(paid).toEqual(["paid"])
      expect(results.map((result) => (result._tag === "Left" ? result.left._tag : result.right._tag))).toEqual([
        "Finished",
        "Finished"
      ])
    })
  )

  it.effect("of a client are answered by its results", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        { name: "show_chart", facts: { kind: "client" }, execute: () => Effect.die("a client runs it") }
      ])
      const model = yield* ScriptedModel.make([ScriptedModel.call("show_chart"), ScriptedModel.text("There it is.")])
      const agent = yield* Agent.make({ model, toolset })
      const paused = yield* Agent.run(agent, "Show it")
      if (paused._tag !== "Paused") return expect.unreachable()
      expect(paused.requests.map(({ waitsFor }) => waitsFor)).toEqual(["client"])
      const answers = paused.requests.map((request) => DeferredCall.result(request, { shown: true }))
      const result = yield* Agent.run(agent, { conversation: paused.conversation, answers })
      expect(resultsOf(result.entries).map(({ structured }) => structured)).toEqual([{ shown: true }])
      expect(result.text).toBe("There it is.")
    })
  )
})

describe("a conversation", () => {
  it.effect("has a prompt once, however often it is given under one id", () =>
    Effect.gen(function* () {
      const conversation = yield* Conversation.make()
      const model = yield* ScriptedModel.make([ScriptedModel.text("Hello.")])
      const agent = yield* Agent.make({ model })
      yield* Agent.run(agent, { conversation, prompt: "Hi", promptId: "prompt_1" })
      const again = yield* Agent.run(agent, { conversation, prompt: "Hi", promptId: "prompt_1" })
      expect(again.text).toBe("Hello.")
      expect(again.entries.map(({ message }) => message._tag)).toEqual(["User", "Assistant"])
    })
  )

  it.effect("has one writer: of two runs in two processes one is told that it came too late", () =>
    Effect.gen(function* () {
      // Two processes wait for each other's runs as little as two handles that cannot.
      const conversation = { ...(yield* Conversation.make()), exclusively: undefined }
      const slow = () =>
        Effect.flatMap(
          ScriptedModel.make([ScriptedModel.turn(ScriptedModel.delay("1 second"), ScriptedModel.text("Hello."))]),
          (model) => Agent.make({ model })
        )
      const [one, other] = [yield* slow(), yield* slow()]
      const fiber = yield* Effect.fork(
        Effect.all(
          [Agent.run(one, { conversation, prompt: "a" }), Agent.run(other, { conversation, prompt: "b" })].map(
            Effect.either
          ),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("5 seconds")
      const results = yield* fiber
      expect(results.map((result) => (result._tag === "Left" ? result.left._tag : result._tag)).sort()).toEqual([
        "AppendConflict",
        "Right"
      ])
    })
  )

  it.effect("that outlives the process has its turn before anything unsafe is run", () =>
    Effect.gen(function* () {
      const store = yield* ConversationStore.ConversationStore
      const stored = yield* store.create()
      const conversation = { ...stored, isDurable: true }
      const seen: Array<[string, number]> = []
      const look = (name: string) =>
        Effect.flatMap(Effect.orDie(conversation.entries), (entries) =>
          Effect.sync(() => {
            seen.push([name, entries.length])
            return name
          })
        )
      const toolset = yield* toolsetOf({ read: look("read"), pay: look("pay") })
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.call("pay"), ScriptedModel.call("read"), ScriptedModel.delay("1 second")),
        ScriptedModel.text("Done.")
      ])
      const agent = yield* Agent.make({ model, toolset })
      const fiber = yield* Effect.fork(Agent.run(agent, { conversation, prompt: "Go" }))
      yield* TestClock.adjust("5 seconds")
      const result = yield* fiber
      expect(seen).toEqual([
        ["read", 1],
        ["pay", 2]
      ])
      expect(resultsOf(result.entries).map(({ name }) => name)).toEqual(["pay", "read"])
    }).pipe(Effect.provide(ConversationStore.layerMemory))
  )
})
