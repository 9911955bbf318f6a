import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, DeferredCall } from "@wield/agent"
import { Approval, Facts, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Redacted, Schema, TestClock } from "effect"

const Bank = Toolkit.make(
  Tool.make("pay", { parameters: { amount: Schema.Number }, success: Schema.String }),
  Tool.make("sign", { success: Schema.Struct({ signature: Schema.String }) }).pipe(Facts.client)
)

/** A run that waits for two approvals. */
const waiting = Effect.gen(function* () {
  const paid: Array<number> = []
  const toolset = yield* Effect.provide(
    Toolset.fromToolkit(Bank),
    Bank.toLayer({ pay: ({ amount }) => Effect.sync(() => (paid.push(amount), "paid")) })
  )
  const model = yield* ScriptedModel.make([
    ScriptedModel.turn(ScriptedModel.call("pay", { amount: 1 }), ScriptedModel.call("pay", { amount: 2 })),
    ScriptedModel.text("Done.")
  ])
  const agent = yield* Agent.make({ model, toolset, policy: { approval: { pay: () => Approval.ask() } } })
  const paused = yield* Agent.run(agent, "Pay")
  if (paused._tag !== "Paused") return expect.unreachable()
  const [first, second] = paused.requests
  if (first === undefined || second === undefined) return expect.unreachable()
  return { agent, conversation: paused.conversation, first, second, paid, model }
})

describe("answers to some of the calls that wait", () => {
  it.effect("settle those, and the run pauses again for the others before the model is asked", () =>
    Effect.gen(function* () {
      const { agent, conversation, first, model, paid, second } = yield* waiting
      const still = yield* Agent.run(agent, { conversation, answers: [DeferredCall.approve(second)] })
      expect(still._tag === "Paused" && still.requests).toEqual([first])
      expect(paid).toEqual([2])
      expect(yield* model.requests).toHaveLength(1)
      const result = yield* Agent.run(agent, { conversation, answers: [DeferredCall.deny(first, "no")] })
      expect(result.text).toBe("Done.")
      // The model reads the results in the order of its calls, whenever they were answered.
      const asked = (yield* model.requests)[1]?.messages.at(-1)
      expect(asked?._tag === "Results" && asked.results.map(({ id }) => id)).toEqual(["call_1", "call_2"])
    })
  )

  it.effect("are all refused with one that is wrong, and nothing is run", () =>
    Effect.gen(function* () {
      const { agent, conversation, first, paid, second } = yield* waiting
      const answers = [DeferredCall.approve(first), DeferredCall.result(second, "paid")]
      const error = yield* Effect.flip(Agent.run(agent, { conversation, answers }))
      expect(error._tag).toBe("WrongKindOfResponse")
      expect(paid).toEqual([])
      const twice = [DeferredCall.approve(first), DeferredCall.deny(first, "no")]
      const refusal = yield* Effect.flip(Agent.run(agent, { conversation, answers: twice }))
      expect(refusal._tag).toBe("InvalidAnswer")
      expect(refusal).toHaveProperty("message", expect.stringContaining("one answer to the call call_1"))
      expect(paid).toEqual([])
    })
  )
})

describe("a client's call that a person has to approve", () => {
  it.effect("waits for the person first, and then for the client", () =>
    Effect.gen(function* () {
      const toolset = yield* Effect.provide(
        Toolset.fromToolkit(Bank),
        Bank.toLayer({ pay: () => Effect.succeed("paid") })
      )
      const model = yield* ScriptedModel.make([ScriptedModel.call("sign"), ScriptedModel.text("Signed.")])
      const agent = yield* Agent.make({ model, toolset, policy: { approval: () => Approval.ask("it binds you") } })
      const paused = yield* Agent.run(agent, "Sign")
      if (paused._tag !== "Paused") return expect.unreachable()
      expect(paused.requests.map(({ waitsFor }) => waitsFor)).toEqual(["approval"])
      const { conversation } = paused
      const approved = yield* Agent.run(agent, { conversation, answers: paused.requests.map(DeferredCall.approve) })
      if (approved._tag !== "Paused") return expect.unreachable()
      expect(approved.requests.map(({ waitsFor }) => waitsFor)).toEqual(["client"])
      const answers = approved.requests.map((request) => DeferredCall.result(request, { signature: "A. L." }))
      const result = yield* Agent.run(agent, { conversation, answers })
      expect(result.text).toBe("Signed.")
      const results = result.entries.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))
      expect(results.map(({ structured }) => structured)).toEqual([{ signature: "A. L." }])
    })
  )
})

describe("a request that was altered on its way, without signing", () => {
  it.effect("is refused when it is answered, and nothing is run", () =>
    Effect.gen(function* () {
      const { agent, conversation, first, paid } = yield* waiting
      const altered: ReadonlyArray<DeferredCall.DeferredCall> = [
        { ...first, arguments: { amount: 0.01 } },
        { ...first, name: "look" },
        { ...first, call: { ...first.call, arguments: { amount: 0.01 } } },
        { ...first, call: { ...first.call, name: "look" } }
      ]
      for (const request of altered) {
        const answers = [DeferredCall.approve(request)]
        expect(yield* Effect.flip(Agent.run(agent, { conversation, answers }))).toHaveProperty("_tag", "StaleResponse")
      }
      expect(paid).toEqual([])
      yield* Agent.run(agent, { conversation, answers: [DeferredCall.approve(first)] })
      expect(paid).toEqual([1])
    })
  )
})

describe("a signed request that has expired", () => {
  it.effect("is approved no more, but takes what its client has done, and a denial", () =>
    Effect.gen(function* () {
      const layer = Bank.toLayer({ pay: () => Effect.succeed("paid") })
      const signing = { secrets: [Redacted.make("sixteen bytes or more")], timeToLive: "1 hour" } as const
      const run = (call: ScriptedModel.Part) =>
        Effect.gen(function* () {
          const model = yield* ScriptedModel.make([call, ScriptedModel.text("Done.")])
          const toolset = yield* Effect.provide(Toolset.fromToolkit(Bank), layer)
          const policy = { approval: { pay: () => Approval.ask() } }
          const agent = yield* Agent.make({ model, toolset, policy, signing })
          const paused = yield* Agent.run(agent, "Go on")
          const [request] = paused._tag === "Paused" ? paused.requests : []
          if (request === undefined) return expect.unreachable()
          yield* TestClock.adjust("2 hours")
          const { conversation } = paused
          return {
            request,
            answer: (...answers: ReadonlyArray<DeferredCall.Answer>) => Agent.run(agent, { conversation, answers })
          }
        })
      const { deny, failure, result } = DeferredCall
      const signs = yield* run(ScriptedModel.call("sign"))
      const tampered = { ...signs.request, expiresAt: Number.MAX_SAFE_INTEGER }
      const refusal = yield* Effect.flip(signs.answer(result(tampered, { signature: "A. L." })))
      expect(refusal._tag).toBe("TamperedRequest")
      expect((yield* signs.answer(result(signs.request, { signature: "A. L." }))).text).toBe("Done.")
      const fails = yield* run(ScriptedModel.call("sign"))
      expect((yield* fails.answer(failure(fails.request, "no pen"))).text).toBe("Done.")
      const pays = yield* run(ScriptedModel.call("pay", { amount: 1 }))
      expect((yield* Effect.flip(pays.answer(DeferredCall.approve(pays.request))))._tag).toBe("ExpiredRequest")
      expect((yield* pays.answer(deny(pays.request, "no"))).text).toBe("Done.")
    })
  )
})
