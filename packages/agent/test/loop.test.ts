import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, AgentResult, Conversation, type AgentEvent } from "@wield/agent"
import { type Policy, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { type Chunk, Deferred, Effect, Fiber, Ref, Schema, Stream } from "effect"

const Double = Tool.make("double", { parameters: { n: Schema.Number }, success: Schema.Number }).annotate(
  Tool.Readonly,
  true
)
const Pay = Tool.make("pay", {
  parameters: { amount: Schema.Number },
  success: Schema.String,
  failure: Schema.Struct({ reason: Schema.String }),
  failureMode: "return"
})
const Bank = Toolkit.make(Double, Pay)

/** Who pays what is written down. */
const bank = (paid: Array<number>) =>
  Effect.provide(
    Toolset.fromToolkit(Bank),
    Bank.toLayer({
      double: ({ n }) => Effect.succeed(n * 2),
      pay: ({ amount }) =>
        Effect.sync(() => {
          paid.push(amount)
          return `paid ${amount}`
        })
    })
  )

type Tools = typeof Bank.tools

const agentOf = (
  turns: ReadonlyArray<ScriptedModel.Part | ScriptedModel.ScriptedTurn>,
  paid: Array<number> = [],
  policy: Policy.Policy<Tools> = {}
) =>
  Effect.gen(function* () {
    const model = yield* ScriptedModel.make(turns)
    const agent = yield* Agent.make({ model, toolset: yield* bank(paid), policy, instructions: "Be brief." })
    return { agent, model }
  })

describe("Agent.run", () => {
  it.effect("asks the model, runs its calls, and ends with its answer", () =>
    Effect.gen(function* () {
      const { agent, model } = yield* agentOf([
        ScriptedModel.call("double", { n: 21 }),
        ScriptedModel.text("It is 42.")
      ])
      const result = yield* Agent.run(agent, "What is 21 doubled?")
      expect(yield* AgentResult.output(result)).toBe("It is 42.")
      expect(result.steps).toBe(2)
      const requests = yield* model.requests
      expect(requests.map((request) => request.messages.map((message) => message._tag))).toEqual([
        ["System", "User"],
        ["System", "User", "Assistant", "Results"]
      ])
      expect(result.entries.map(({ message }) => message._tag)).toEqual(["User", "Assistant", "Results", "Assistant"])
    })
  )
})

const tags = (events: Chunk.Chunk<AgentEvent.AgentEvent>) => Array.from(events, (event) => event._tag)

describe("Agent.stream", () => {
  it.effect("tells what happens, with the result at the end", () =>
    Effect.gen(function* () {
      const { agent } = yield* agentOf([ScriptedModel.call("double", { n: 1 }), ScriptedModel.text("Two.")])
      const events = yield* Stream.runCollect(Agent.stream(agent, "Double 1"))
      const seen = tags(events as Chunk.Chunk<AgentEvent.AgentEvent>)
      expect(seen.filter((tag) => tag !== "ArgumentsDelta" && tag !== "TextDelta")).toEqual([
        "TurnStarted",
        "CallAnnounced",
        "CallStarted",
        "CallFinished",
        "TurnFinished",
        "UsageKnown",
        "TurnStarted",
        "TurnFinished",
        "UsageKnown",
        "Done"
      ])
    })
  )

  it.effect("begins a call while the model still streams", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const Slow = Toolkit.make(Tool.make("slow", { success: Schema.String }))
      const toolset = yield* Effect.provide(
        Toolset.fromToolkit(Slow),
        Slow.toLayer({ slow: () => Effect.as(Deferred.succeed(started, undefined), "done") })
      )
      const model = yield* ScriptedModel.make([
        // The model ends its turn only when the call has begun.
        ScriptedModel.turn(
          ScriptedModel.call("slow"),
          ScriptedModel.wait(Deferred.await(started)),
          ScriptedModel.text("Meanwhile.")
        ),
        ScriptedModel.text("Done.")
      ])
      const agent = yield* Agent.make({ model, toolset })
      const result = yield* Agent.run(agent, "Go")
      expect(result.text).toBe("Done.")
    })
  )

  it.effect("gives results back in call order, whichever ends first", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const Two = Toolkit.make(
        Tool.make("first", { success: Schema.String }),
        Tool.make("second", { success: Schema.String })
      )
      const toolset = yield* Effect.provide(
        Toolset.fromToolkit(Two),
        Two.toLayer({
          first: () => Effect.as(Deferred.await(gate), "1"),
          second: () => Effect.as(Deferred.succeed(gate, undefined), "2")
        })
      )
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.call("first"), ScriptedModel.call("second")),
        ScriptedModel.text("Done.")
      ])
      const agent = yield* Agent.make({ model, toolset })
      const result = yield* Agent.run(agent, "Go")
      const results = result.entries.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))
      expect(results.map(({ name }) => name)).toEqual(["first", "second"])
    })
  )
})

describe("a run that is interrupted", () => {
  it.effect("leaves a conversation in which every call has a result", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Ref.make(false)
      const Slow = Toolkit.make(Tool.make("slow", { success: Schema.String }))
      const toolset = yield* Effect.provide(
        Toolset.fromToolkit(Slow),
        Slow.toLayer({
          slow: () =>
            Deferred.succeed(started, undefined).pipe(
              Effect.zipRight(Effect.never),
              Effect.onInterrupt(() => Ref.set(interrupted, true))
            )
        })
      )
      const conversation = yield* Conversation.make()
      const model = yield* ScriptedModel.make([ScriptedModel.call("slow"), ScriptedModel.text("I see.")])
      const agent = yield* Agent.make({ model, toolset })
      const fiber = yield* Effect.fork(Agent.run(agent, { prompt: "Go", conversation }))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(interrupted)).toBe(true)
      const entries = yield* conversation.entries
      expect(entries.map(({ message }) => message._tag)).toEqual(["User", "Assistant", "Results"])
      expect(Conversation.unanswered(entries)).toBeUndefined()
      const result = yield* Agent.run(agent, { conversation })
      expect(result.text).toBe("I see.")
    })
  )

  it.effect("records the calls that were begun before the turn was whole", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const { agent } = yield* agentOf(
        [ScriptedModel.turn(ScriptedModel.call("pay", { amount: 5 }), ScriptedModel.wait(Effect.never))],
        paid
      )
      const conversation = yield* Conversation.make()
      const events = Agent.stream(agent, { prompt: "Pay 5", conversation })
      yield* Stream.runDrain(Stream.takeUntil(events, (event) => event._tag === "CallFinished"))
      expect(paid).toEqual([5])
      const entries = yield* conversation.entries
      expect(entries.map(({ message }) => message._tag)).toEqual(["User", "Assistant", "Results"])
    })
  )
})
