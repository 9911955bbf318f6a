import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, DeferredCall } from "@wield/agent"
import { Approval, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Redacted } from "effect"

const paused = Effect.gen(function* () {
  const paid: Array<string> = []
  const model = yield* ScriptedModel.make([ScriptedModel.call("pay"), ScriptedModel.text("Paid.")])
  const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.sync(() => paid.push("pay")) }])
  const policy = { approval: () => Approval.ask("it costs") }
  const signing = { secrets: [Redacted.make("a secret of sixteen bytes and more")] } as const
  const agent = yield* Agent.make({ model, toolset, policy, signing })
  const result = yield* Agent.run(agent, "Pay")
  if (result._tag !== "Paused") return yield* Effect.dieMessage("nothing waits")
  return { agent, conversation: result.conversation, request: result.requests[0]!, paid }
})

describe("Agent.check", () => {
  it.effect("takes what a run would take, and changes nothing", () =>
    Effect.gen(function* () {
      const { agent, conversation, paid, request } = yield* paused
      const before = yield* conversation.entries
      const answers = [DeferredCall.approve(request)]
      yield* Agent.check(agent, { conversation, answers })
      yield* Agent.check(agent, { conversation, answers })
      expect(yield* conversation.entries).toEqual(before)
      expect(paid).toEqual([])
      yield* Agent.run(agent, { conversation, answers })
      // Delivered once more, and late.
      yield* Agent.check(agent, { conversation, answers })
      expect(paid).toEqual(["pay"])
    })
  )

  it.effect("fails as the run would", () =>
    Effect.gen(function* () {
      const { agent, conversation, request } = yield* paused
      const other = yield* Conversation.make()
      const wrong = [
        { conversation, answers: [DeferredCall.approve({ ...request, signature: undefined })] },
        { conversation, answers: [DeferredCall.approve({ ...request, digest: "another" })] },
        { conversation, answers: [DeferredCall.reply(request, "an input")] },
        { conversation: other, answers: [DeferredCall.approve(request)] }
      ]
      for (const input of wrong) {
        const [checked, ran] = [
          yield* Effect.flip(Agent.check(agent, input)),
          yield* Effect.flip(Agent.run(agent, input))
        ]
        expect([checked._tag, checked.message]).toEqual([ran._tag, ran.message])
      }
      yield* Agent.run(agent, { conversation, answers: [DeferredCall.approve(request)] })
      const late = { conversation, answers: [DeferredCall.deny(request, "too late")] }
      expect((yield* Effect.flip(Agent.check(agent, late)))._tag).toBe("AlreadyAnswered")
    })
  )
})
