import { describe, expect, it } from "@effect/vitest"
import { Agent, Audit, Conversation, ConversationStore, DeferredCall } from "@wield/agent"
import { Approval, Journal, Response, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Fiber, Schema, Stream } from "effect"

const { call, text, turn } = ScriptedModel

const ada = { who: "ada", way: "page" }
const bob = { who: "bob", way: "queue" }

const ask = { approval: () => Approval.ask("it costs") }

const bank = Toolset.dynamic([{ name: "pay", execute: () => Effect.succeed("paid") }])

describe("an audit", () => {
  it.effect("tells of each call what was shown, who decided and what came of it", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([
        turn(call("pay", { n: 1 }, { id: "a" }), call("pay", { n: 2 }, { id: "b" }), call("none", {}, { id: "c" })),
        text("One is paid.")
      ])
      const agent = yield* Agent.make({ model, toolset: yield* bank, policy: ask })
      const store = yield* ConversationStore.ConversationStore
      const conversation = yield* store.create({ id: "wages" })
      const paused = yield* Agent.run(agent, { conversation, prompt: "Pay" })
      const [one, two] = paused._tag === "Paused" ? paused.requests : []
      if (one === undefined || two === undefined) return expect.unreachable()
      const answers = [
        DeferredCall.withBy(DeferredCall.approveWith(one, { n: 3 }), ada),
        DeferredCall.withBy(DeferredCall.deny(two, "Too much."), bob)
      ]
      yield* Agent.run(agent, { conversation, answers })
      const rows = [...(yield* Stream.runCollect(Audit.ofStore(store)))]
      expect(rows.map(Audit.toLine).map((line) => JSON.parse(line))).toMatchObject([
        {
          conversation: "wages",
          call: "a",
          tool: "pay",
          arguments: { n: 1 },
          decisions: [
            { request: one.id, shown: { n: 1 }, why: "it costs", response: "Approve", arguments: { n: 3 }, by: ada }
          ],
          outcome: "Success",
          isUncertain: false
        },
        { call: "b", decisions: [{ response: "Deny", reason: "Too much.", by: bob }], outcome: "Denied" },
        { call: "c", decisions: [], outcome: "UnknownTool" }
      ])
    }).pipe(Effect.provide(ConversationStore.layerMemory))
  )

  it.effect("passes over a conversation that is deleted while the store is read", () =>
    Effect.gen(function* () {
      const store = yield* ConversationStore.ConversationStore
      const toolset = yield* bank
      for (const id of ["a", "b", "c"]) {
        const model = yield* ScriptedModel.make([call("pay"), text("Done.")])
        const conversation = yield* store.create({ id })
        yield* Agent.run(yield* Agent.make({ model, toolset }), { conversation, prompt: "Pay" })
      }
      const listed = { ...store, list: () => Effect.zipLeft(store.list(), store.delete("b")) }
      const rows = [...(yield* Stream.runCollect(Audit.ofStore(listed)))]
      expect(rows.map(({ conversation }) => conversation).toSorted()).toEqual(["a", "c"])
    }).pipe(Effect.provide(ConversationStore.layerMemory))
  )

  it.effect("has what was decided within sub-agents, by several persons at several times", () =>
    Effect.gen(function* () {
      const inner = yield* Agent.make({
        model: yield* ScriptedModel.make([
          turn(call("pay", { n: 1 }, { id: "a" }), call("pay", { n: 2 }, { id: "b" })),
          text("Paid.")
        ]),
        toolset: yield* bank,
        policy: ask
      })
      const agent = yield* Agent.make({
        model: yield* ScriptedModel.make([turn(call("clerk", { task: "Pay" }, { id: "c" })), text("Done.")]),
        toolset: yield* Agent.toToolset(inner, { name: "clerk", description: "Pays" })
      })
      const first = yield* Agent.run(agent, "Pay")
      const [one, two] = first._tag === "Paused" ? first.requests : []
      if (one === undefined || two === undefined) return expect.unreachable()
      const { conversation } = first
      const answerOf = (request: DeferredCall.DeferredCall, by: DeferredCall.By) =>
        DeferredCall.withBy(DeferredCall.approve(request), by)
      yield* Agent.run(agent, { conversation, answers: [answerOf(two, bob)] })
      const { entries } = yield* Agent.run(agent, { conversation, answers: [answerOf(one, ada)] })
      expect(Audit.ofEntries(conversation.id, entries)).toMatchObject([
        {
          tool: "clerk",
          outcome: "Success",
          decisions: [
            { call: "c/b", name: "pay", by: bob },
            { call: "c/a", name: "pay", by: ada }
          ]
        }
      ])
      // Both are known when they come again, whoever sends them.
      yield* Agent.check(agent, { conversation, answers: [answerOf(two, ada), answerOf(one, bob)] })
    })
  )

  it.effect("names the calls that a person has to look after, and those that have not ended", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const model = yield* ScriptedModel.make([turn(call("pay", {}, { id: "a" })), text("Done.")])
      const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.interrupt }])
      const agent = yield* Agent.make({ model, toolset, policy: { journal } })
      const { conversation, entries } = yield* Agent.run(agent, "Pay")
      const asked = entries.slice(0, 2)
      expect(Audit.ofEntries("c", asked)).toMatchObject([{ outcome: "Open", endedAt: undefined }])
      // As a process leaves it that was killed before the result was recorded.
      const copy = yield* Conversation.make({ id: conversation.id, entries: asked })
      const next = yield* Agent.make({ model: yield* ScriptedModel.make([text("Hm.")]), toolset, policy: { journal } })
      const { entries: all } = yield* Agent.run(next, { conversation: copy })
      expect(Audit.ofEntries("c", all)).toMatchObject([{ outcome: "Uncertain", isUncertain: true }])
    })
  )

  it.effect("has both the approval and the result of a call that a client executes, given at once", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        { name: "scan", facts: { kind: "client" }, execute: () => Effect.die("a client runs it") }
      ])
      const agent = yield* Agent.make({
        model: yield* ScriptedModel.make([call("scan"), text("Done.")]),
        toolset,
        policy: ask,
        answer: ({ waitsFor }) =>
          Effect.succeed(waitsFor === "approval" ? Response.approve : Response.result("a parcel"))
      })
      const { entries } = yield* Agent.run(agent, "Scan it")
      const [row] = Audit.ofEntries("c", entries)
      expect(row?.decisions.map(({ response }) => response)).toEqual(["Approve", "Result"])
    })
  )

  it.effect.each([{ isJournaled: true }, { isJournaled: false }])(
    "keeps an approval whose call then waits for its client, over runs, however often it comes: %j",
    ({ isJournaled }) =>
      Effect.gen(function* () {
        const toolset = yield* Toolset.dynamic([
          { name: "scan", facts: { kind: "client" }, execute: () => Effect.die("a client runs it") }
        ])
        const policy = isJournaled ? { ...ask, journal: yield* Journal.memory } : ask
        const model = yield* ScriptedModel.make([call("scan"), text("Done.")])
        const agent = yield* Agent.make({ model, toolset, policy })
        const asked = yield* Agent.run(agent, "Scan it")
        const { conversation } = asked
        const [request] = asked._tag === "Paused" ? asked.requests : []
        if (request === undefined) return expect.unreachable()
        const approval = DeferredCall.withBy(DeferredCall.approve(request), ada)
        const rows = Effect.map(conversation.entries, (entries) => Audit.ofEntries("c", entries))
        const next = yield* Agent.run(agent, { conversation, answers: [approval] })
        expect(yield* rows).toMatchObject([{ outcome: "Open", decisions: [{ response: "Approve", by: ada }] }])
        const again = yield* Agent.run(agent, { conversation, answers: [approval] })
        expect(again._tag === "Paused" ? again.requests : []).toMatchObject([{ waitsFor: "client" }])
        const [scan] = next._tag === "Paused" ? next.requests : []
        if (scan === undefined) return expect.unreachable()
        const answers = [DeferredCall.withBy(DeferredCall.result(scan, "a parcel"), bob)]
        yield* Agent.run(agent, { conversation, answers })
        const expected = [
          { response: "Approve", by: ada },
          { response: "Result", by: bob }
        ]
        expect(yield* rows).toMatchObject([{ outcome: "Success", decisions: expected }])
        // Both come too late, and are known.
        expect((yield* Agent.run(agent, { conversation, answers: [approval, ...answers] }))._tag).toBe("Finished")
        expect(yield* rows).toMatchObject([{ decisions: expected }])
        expect((yield* model.requests).at(-1)?.messages.map(({ _tag }) => _tag)).toEqual([
          "User",
          "Assistant",
          "Results"
        ])
      })
  )

  it.effect("knows who approved a call whose process ended before its handler did", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const conversation = yield* Conversation.make()
      const policy = { ...ask, journal }
      const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.never }])
      const agent = yield* Agent.make({ model: yield* ScriptedModel.make([call("pay")]), toolset, policy })
      const paused = yield* Agent.run(agent, { conversation, prompt: "Pay" })
      const [request] = paused._tag === "Paused" ? paused.requests : []
      if (request === undefined) return expect.unreachable()
      const answers = [DeferredCall.withBy(DeferredCall.approve(request), ada)]
      const fiber = yield* Effect.fork(Agent.run(agent, { conversation, answers }))
      yield* Effect.repeat(Effect.zipRight(Effect.yieldNow(), conversation.entries), {
        until: (entries) => entries.some(({ decisions }) => decisions !== undefined)
      })
      // As a process leaves it that was killed.
      const entries = yield* conversation.entries
      yield* Fiber.interrupt(fiber)
      expect(Audit.ofEntries("c", entries)).toMatchObject([{ outcome: "Open", decisions: [{ by: ada }] }])
    })
  )

  it("takes a decision for the call with the longest name that fits", () => {
    const at = 0
    const turnOf = Effect.runSync(
      Conversation.entry({
        _tag: "Assistant",
        parts: ["c", "c/a"].map((id) => ({
          _tag: "Call" as const,
          call: { id, name: "clerk", arguments: {} },
          executedBy: "application" as const,
          nativeName: "clerk",
          nativeId: undefined
        })),
        native: undefined
      })
    )
    const decision = { request: "r", name: "pay", shown: {}, response: "Approve" as const, at }
    const answered = Effect.runSync(
      Conversation.entry(
        { _tag: "Results", results: [], native: undefined },
        { decisions: ["c/a/b", "c/b", "c/a"].map((id) => ({ ...decision, call: id })) }
      )
    )
    const rows = Audit.ofEntries("c", [turnOf, answered])
    expect(rows.map((row) => row.decisions.map((one) => one.call))).toEqual([["c/b"], ["c/a/b", "c/a"]])
  })

  it.effect("takes who decided from the program, and from no client", () =>
    Effect.gen(function* () {
      const agent = yield* Agent.make({
        model: yield* ScriptedModel.make([call("pay"), text("Paid.")]),
        toolset: yield* bank,
        policy: ask
      })
      const paused = yield* Agent.run(agent, "Pay")
      const [request] = paused._tag === "Paused" ? paused.requests : []
      if (request === undefined) return expect.unreachable()
      const json = yield* Schema.encode(DeferredCall.Answer)(
        DeferredCall.withBy(DeferredCall.approve(request), { who: "root" })
      )
      expect(json.by).toEqual({ who: "root" })
      expect((yield* DeferredCall.decodeAnswer(json)).by).toBeUndefined()
    })
  )
})
