import { describe, expect, it } from "@effect/vitest"
import { Agent, ConversationStore, DeferredCall, WaitingCalls } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Approval, CurrentCall, Journal, type Json, NeedsInput, type Policy, Response, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Redacted, Schema } from "effect"
import { temporaryFile } from "./store/temporaryFile.js"

const accepts = { type: "object", properties: { seat: { enum: ["aisle", "window"] } }, required: ["seat"] }

const asks = (round: number) => new NeedsInput({ asks: `question ${round}`, accepts, state: ["sealed", round] })

/** Asks so many questions, and then books. */
const booking = (rounds: number, booked: Array<Json.Json>) =>
  Toolset.dynamic([
    {
      name: "book",
      execute: () =>
        Effect.flatMap(CurrentCall.CurrentCall, ({ input }) => {
          const round = input?.round ?? 0
          if (round < rounds) return Effect.fail(asks(round + 1))
          return Effect.sync(() => {
            booked.push(input?.reply ?? null)
            return "booked"
          })
        })
    }
  ])

const { call, text, turn } = ScriptedModel

const agentOf = (
  script: ReadonlyArray<ScriptedModel.Part | ScriptedModel.ScriptedTurn>,
  rounds: number,
  booked: Array<Json.Json>,
  options: {
    readonly policy?: Policy.Policy<Toolset.DynamicTools>
    readonly signing?: { readonly secrets: readonly [Redacted.Redacted] }
    readonly answer?: (request: DeferredCall.DeferredCall) => Effect.Effect<Response.Response | undefined>
  } = {}
) =>
  Effect.gen(function* () {
    return yield* Agent.make({
      model: yield* ScriptedModel.make(script),
      toolset: yield* booking(rounds, booked),
      ...options
    })
  })

const requestsOf = (result: { readonly _tag: string }): ReadonlyArray<DeferredCall.DeferredCall> =>
  "requests" in result ? (result.requests as ReadonlyArray<DeferredCall.DeferredCall>) : []

const json = Schema.parseJson(Schema.Array(DeferredCall.DeferredCall))

const seat = (where: string) => ({ seat: where })

describe("A call that asks for input, in a run of an agent", () => {
  it.scoped("goes on in other processes, round by round, over a file", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const booked: Array<Json.Json> = []
      const inProcess = <A, E>(
        script: Parameters<typeof agentOf>[0],
        use: (
          agent: Effect.Effect.Success<ReturnType<typeof agentOf>>,
          store: ConversationStore.Service
        ) => Effect.Effect<A, E>
      ) =>
        Effect.gen(function* () {
          const journal = yield* Journal.Journal
          const store = yield* ConversationStore.ConversationStore
          const policy: Policy.Policy<Toolset.DynamicTools> = { journal, approval: () => Approval.ask("it costs") }
          const signing = { secrets: [Redacted.make("of 32 random bytes, or more of them")] as const }
          return yield* use(yield* agentOf(script, 2, booked, { policy, signing }), store)
        }).pipe(Effect.provide(FileStore.layer({ path })))

      const answered = (answers: ReadonlyArray<DeferredCall.Answer>) =>
        inProcess([text("It is booked.")], (agent, store) =>
          Effect.gen(function* () {
            const result = yield* Agent.run(agent, { conversation: yield* store.open("trip"), answers })
            yield* WaitingCalls.remember(store, "trip", requestsOf(result))
            return { text: result.text, stored: yield* Schema.encode(json)(requestsOf(result)) }
          })
        )
      const only = (stored: string) =>
        Effect.flatMap(Schema.decode(json)(stored), ([request]) =>
          request === undefined ? Effect.dieMessage("nothing waits") : Effect.succeed(request)
        )

      yield* inProcess([call("book", {})], (agent, store) =>
        Effect.flatMap(store.create({ id: "trip" }), (conversation) =>
          Agent.run(agent, { conversation, prompt: "Book." })
        )
      )
      const asked = yield* only((yield* answered([])).stored)
      expect(asked.waitsFor).toBe("approval")
      const first = yield* only((yield* answered([DeferredCall.approve(asked)])).stored)
      expect(first).toMatchObject({ waitsFor: "input", input: { round: 1, asks: "question 1", state: ["sealed", 1] } })
      expect(yield* only((yield* answered([])).stored)).toMatchObject({ digest: first.digest, input: first.input })
      expect(yield* Effect.flip(answered([DeferredCall.reply(first, seat("roof"))]))).toMatchObject({
        _tag: "InvalidReply",
        issues: [{ path: ["seat"] }]
      })
      const second = yield* only((yield* answered([DeferredCall.reply(first, seat("aisle"))])).stored)
      expect(second.input).toMatchObject({ round: 2, asks: "question 2" })
      // A queue may deliver the same answer again; another one to the same question comes too late.
      expect(yield* only((yield* answered([DeferredCall.reply(first, seat("aisle"))])).stored)).toEqual(second)
      expect(yield* Effect.flip(answered([DeferredCall.reply(first, seat("window"))]))).toHaveProperty(
        "_tag",
        "StaleResponse"
      )
      const forged = { ...second, input: second.input && { ...second.input, asks: "something else" } }
      expect(yield* Effect.flip(answered([DeferredCall.reply(forged, seat("window"))]))).toHaveProperty(
        "_tag",
        "TamperedRequest"
      )
      expect((yield* answered([DeferredCall.reply(second, seat("window"))])).text).toBe("It is booked.")
      expect(yield* Effect.flip(answered([DeferredCall.reply(second, seat("aisle"))]))).toMatchObject({
        _tag: "AlreadyAnswered",
        response: "Reply"
      })
      expect((yield* answered([DeferredCall.reply(second, seat("window"))])).text).toBe("It is booked.")
      expect(booked).toEqual([seat("window")])
    })
  )

  it.effect("waits on while another call of its turn is answered, without a journal, too", () =>
    Effect.gen(function* () {
      const booked: Array<Json.Json> = []
      const agent = yield* agentOf([turn(call("book", {}), call("book", {})), text("Done.")], 1, booked)
      const paused = yield* Agent.run(agent, "Book twice.")
      const { conversation } = paused
      const [first, second] = requestsOf(paused)
      if (first === undefined || second === undefined) return expect.unreachable()
      const still = yield* Agent.run(agent, { conversation, answers: [DeferredCall.reply(second, seat("aisle"))] })
      expect(requestsOf(still)).toEqual([first])
      const denied = yield* Agent.run(agent, { conversation, answers: [DeferredCall.deny(first, "too dear")] })
      expect(denied.text).toBe("Done.")
      expect(booked).toEqual([seat("aisle")])
    })
  )

  it.effect("asks the person at hand, round by round, where the agent has one", () =>
    Effect.gen(function* () {
      const booked: Array<Json.Json> = []
      const questions: Array<unknown> = []
      const agent = yield* agentOf([call("book", {}), text("Done.")], 3, booked, {
        answer: ({ input }) =>
          Effect.sync(() => {
            questions.push(input?.asks)
            return Response.reply(seat("aisle"))
          })
      })
      expect((yield* Agent.run(agent, "Book.")).text).toBe("Done.")
      expect(questions).toEqual(["question 1", "question 2", "question 3"])
      expect(booked).toEqual([seat("aisle")])
    })
  )
})
