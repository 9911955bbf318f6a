import { describe, expect, it } from "@effect/vitest"
import { Agent, Audit, Conversation, ConversationStore, DeferredCall } from "@wield/agent"
import { Approval, Journal, Response, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema, Stream } from "effect"

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
