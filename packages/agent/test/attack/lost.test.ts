import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, DeferredCall } from "@wield/agent"
import { Approval, Journal, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Fiber, Schema, Stream } from "effect"

const Bank = Toolkit.make(Tool.make("pay", { success: Schema.String }))

describe("what a call came to", () => {
  it.effect("is recorded, though its reader had stopped reading and left", () =>
    Effect.gen(function* () {
      let paid = 0
      const toolset = yield* Effect.provide(
        Toolset.fromToolkit(Bank),
        Bank.toLayer({ pay: () => Effect.sync(() => (paid++, `paid ${paid}`)) })
      )
      // More events than the stream holds: the run waits for its reader at the end of some call.
      const calls = Array.from({ length: 30 }, () => ScriptedModel.call("pay"))
      const model = yield* ScriptedModel.make([ScriptedModel.turn(...calls)])
      const agent = yield* Agent.make({ model, toolset, startEarly: "never" })
      const conversation = yield* Conversation.make()
      let read = 0
      const reader = yield* Effect.fork(
        Stream.runForEach(Agent.stream(agent, { conversation, prompt: "Pay" }), ({ _tag }) =>
          _tag === "CallStarted" && ++read > 3 ? Effect.never : Effect.void
        )
      )
      yield* Effect.repeatN(Effect.yieldNow(), 500)
      yield* Fiber.interrupt(reader)
      const last = (yield* conversation.entries).at(-1)?.message
      const results = last?._tag === "Results" ? last.results : []
      expect(results).toHaveLength(30)
      expect(paid).toBeGreaterThan(0)
      expect(results.filter(({ isError }) => !isError)).toHaveLength(paid)
    })
  )
})

describe("an answer whose process was killed before it was carried out", () => {
  const answers = {
    "a denial": (request: DeferredCall.DeferredCall) => DeferredCall.deny(request, "too much"),
    "an approval of other arguments": (request: DeferredCall.DeferredCall) =>
      DeferredCall.approveWith(request, { euros: 1 })
  }
  it.effect.each(Object.entries(answers))(
    "is asked for again where the rule allows the call by now: %s",
    ([, answer]) =>
      Effect.gen(function* () {
        const paid: Array<unknown> = []
        const inputSchema = { type: "object", properties: { euros: { type: "number" } } } as const
        const toolset = yield* Toolset.dynamic([
          { name: "pay", inputSchema, execute: ({ euros }) => Effect.sync(() => `paid ${paid.push(euros)}`) }
        ])
        const agentThat = (rule: Approval.Decision, turns: Parameters<typeof ScriptedModel.make>[0]) =>
          Effect.gen(function* () {
            const journal = yield* Journal.memory
            const model = yield* ScriptedModel.make(turns)
            return yield* Agent.make({ model, toolset, policy: { journal, approval: () => rule } })
          })
        const done = ScriptedModel.text("Done.")
        const asking = yield* agentThat(Approval.ask("it costs"), [ScriptedModel.call("pay", { euros: 1_000 }), done])
        const paused = yield* Agent.run(asking, "Pay")
        const [request] = paused._tag === "Paused" ? paused.requests : []
        if (request === undefined) throw new Error(`it is ${paused._tag}`)
        const { entries } = yield* Agent.run(asking, { conversation: paused.conversation, answers: [answer(request)] })
        paid.length = 0
        // Its result was not recorded, and its journal knows nothing of the call.
        const recorded = entries.slice(0, 1 + entries.findIndex(({ responses = [] }) => responses.length > 0))
        const conversation = yield* Conversation.make({ id: paused.conversation.id, entries: recorded })
        const allowing = yield* agentThat(Approval.allow, [done])
        const again = yield* Agent.run(allowing, { conversation })
        expect([again._tag, paid]).toEqual(["Paused", []])
        yield* Agent.run(allowing, { conversation, answers: [answer(request)] })
        expect(paid).toEqual(answer(request).response._tag === "Deny" ? [] : [1])
      })
  )
})

describe("a prompt", () => {
  it.effect("under the id of another one is refused, and not left out in silence", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([ScriptedModel.text("One."), ScriptedModel.text("Two.")])
      const agent = yield* Agent.make({ model })
      const conversation = yield* Conversation.make()
      yield* Agent.run(agent, { conversation, prompt: "First", promptId: "prompt" })
      const second = yield* Effect.either(Agent.run(agent, { conversation, prompt: "Second", promptId: "prompt" }))
      expect(second._tag === "Left" ? second.left._tag : second.right._tag).toBe("EntryIdTaken")
      expect(yield* conversation.entries).toHaveLength(2)
      // The same one again, after a crash, is the same.
      expect((yield* Agent.run(agent, { conversation, prompt: "First", promptId: "prompt" })).text).toBe("One.")
    })
  )
})

describe("a run whose model was cut off", () => {
  // `other` is a word of the provider's that nobody here knows: whether the answer is whole, it does not say.
  it.effect.each(["length", "filter", "background", "error", "other"] as const)("is not finished after %s", (word) =>
    Effect.gen(function* () {
      const cut = ScriptedModel.turn(ScriptedModel.text("The first of three"), ScriptedModel.finish(word))
      const model = yield* ScriptedModel.make([cut])
      const agent = yield* Agent.make({ model })
      const first = yield* Agent.run(agent, "Tell me three things")
      const again = yield* Agent.run(agent, { conversation: first.conversation })
      expect([first, again].map((result) => (result._tag === "Stopped" ? result.by : result._tag))).toEqual([
        word,
        word
      ])
    })
  )
})

describe("a final output", () => {
  it.effect("has the keys that its schema only describes", () =>
    Effect.gen(function* () {
      const output = Schema.Struct({ total: Schema.Number }, { key: Schema.String, value: Schema.Number })
      const value = { total: 3, tea: 1, cake: 2 }
      const model = yield* ScriptedModel.make([ScriptedModel.call("final_answer", { answer: value })])
      const agent = yield* Agent.make({ model, output })
      const result = yield* Agent.run(agent, "What does it cost?")
      expect(result._tag === "Finished" && result.output).toEqual(value)
    })
  )
})
