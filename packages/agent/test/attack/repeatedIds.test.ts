import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, type AgentResult, DeferredCall } from "@wield/agent"
import { Approval, ToolResult, Toolset, Turn } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema, Stream } from "effect"

const Bank = Toolkit.make(
  Tool.make("pay", { parameters: { amount: Schema.Number }, success: Schema.String }).annotate(Tool.Idempotent, true)
)

/** A server that calls every call of a turn `call_0`; what is over 10 has to be approved. */
const paying = (...amounts: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const paid: Array<number> = []
    const toolset = yield* Effect.provide(
      Toolset.fromToolkit(Bank),
      Bank.toLayer({
        pay: ({ amount }) =>
          Effect.sync(() => {
            paid.push(amount)
            return `paid ${amount}`
          })
      })
    )
    const calls = amounts.map((amount) => ScriptedModel.call("pay", { amount }, { id: "call_0" }))
    const model = yield* ScriptedModel.make([ScriptedModel.turn(...calls), ScriptedModel.text("Done.")])
    const agent = yield* Agent.make({
      model,
      toolset,
      policy: {
        approval: { pay: ({ parameters }) => (parameters.amount > 10 ? Approval.ask("much") : Approval.allow) }
      }
    })
    return { agent, model, paid, paused: yield* Agent.run(agent, "Pay") }
  })

const requestsOf = (result: AgentResult.AgentResult) =>
  result._tag === "Paused" ? result.requests : expect.unreachable(result._tag)

const read = (model: ScriptedModel.ScriptedModel) =>
  Effect.map(model.requests, (requests) => {
    const last = requests.at(-1)?.messages.at(-1)
    return last?._tag === "Results" ? last.results.map(({ content }) => content) : []
  })

describe("calls of one turn that share an id", () => {
  it.effect("are each answered by the answer to their own request", () =>
    Effect.gen(function* () {
      const { agent, model, paid, paused } = yield* paying(20, 30)
      const [first, second] = requestsOf(paused)
      const answers = [DeferredCall.approve(second!), DeferredCall.deny(first!, "too soon")]
      const result = yield* Agent.run(agent, { conversation: paused.conversation, answers })
      expect(result.text).toBe("Done.")
      expect(paid).toEqual([30])
      expect(JSON.stringify(yield* read(model))).toMatch(/too soon.*paid 30/)
    })
  )

  it.effect("are each answered one after the other, the last one first", () =>
    Effect.gen(function* () {
      const { agent, model, paid, paused } = yield* paying(20, 30)
      const { conversation } = paused
      const [first, second] = requestsOf(paused)
      const still = yield* Agent.run(agent, { conversation, answers: [DeferredCall.approve(second!)] })
      expect(requestsOf(still).map((request) => request.arguments)).toEqual([{ amount: 20 }])
      const result = yield* Agent.run(agent, { conversation, answers: [DeferredCall.approve(first!)] })
      expect(result.text).toBe("Done.")
      expect(paid).toEqual([30, 20])
      expect(JSON.stringify(yield* read(model))).toMatch(/paid 20.*paid 30/)
    })
  )

  it.effect("are not taken for one another where only one of them waits", () =>
    Effect.gen(function* () {
      const { agent, model, paid, paused } = yield* paying(20, 3)
      expect(paid).toEqual([3])
      const answers = requestsOf(paused).map((request) => DeferredCall.approve(request))
      const result = yield* Agent.run(agent, { conversation: paused.conversation, answers })
      expect(result.text).toBe("Done.")
      expect(paid).toEqual([3, 20])
      expect(JSON.stringify(yield* read(model))).toMatch(/paid 20.*paid 3/)
    })
  )
})

describe("a server that counts its ids anew in each response", () => {
  const Shop = Toolkit.make(Tool.make("look", { parameters: { at: Schema.Number }, success: Schema.Number }))

  it.effect("has in one conversation no two calls of one id, in events neither", () =>
    Effect.gen(function* () {
      const toolset = yield* Effect.provide(
        Toolset.fromToolkit(Shop),
        Shop.toLayer({ look: ({ at }) => Effect.succeed(at) })
      )
      const look = (at: number) => ScriptedModel.call("look", { at }, { id: "functions.look:0" })
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(look(1), look(2)),
        ScriptedModel.turn(look(3)),
        ScriptedModel.text("Done."),
        ScriptedModel.turn(look(4)),
        ScriptedModel.text("Done.")
      ])
      const agent = yield* Agent.make({ model, toolset })
      const announced: Array<string> = []
      const finished: Array<string> = []
      const result = yield* Agent.run(agent, "Look")
      yield* Stream.runForEach(Agent.stream(agent, { conversation: result.conversation, prompt: "Again" }), (event) =>
        Effect.sync(() => {
          if (event._tag === "CallAnnounced") announced.push(event.id)
          if (event._tag === "CallFinished") finished.push(event.call.id)
        })
      )
      const messages = (yield* model.requests).at(-1)?.messages ?? []
      const calls = messages.flatMap((message) => (message._tag === "Assistant" ? Turn.calls(message) : []))
      const results = messages.flatMap((message) => (message._tag === "Results" ? message.results : []))
      expect(calls.map(({ arguments: sent }) => sent)).toEqual([{ at: 1 }, { at: 2 }, { at: 3 }, { at: 4 }])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(4)
      expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
      expect(results.map((each) => ToolResult.toText(each))).toEqual(["1", "2", "3", "4"])
      expect(announced).toEqual([calls[3]?.id])
      expect(finished).toEqual([calls[3]?.id])
    })
  )
})
