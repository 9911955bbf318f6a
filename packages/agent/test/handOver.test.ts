import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Facts, Journal, type Message, ToolResult, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Fiber, Schema, TestClock } from "effect"
import { temporaryFile } from "./store/temporaryFile.js"

const success = Schema.String
const Shop = Toolkit.make(
  Tool.make("pay", { success }),
  Tool.make("charge", { success }),
  Tool.make("reserve", { success }).annotate(Tool.Idempotent, true),
  Tool.make("ship", { success }).pipe(Facts.sequential)
)

/** How a handler of each tool goes on once it has begun, and which were begun. */
const shop = (handlers: { readonly [Name in keyof typeof Shop.tools]?: Effect.Effect<string> }) =>
  Effect.gen(function* () {
    const begun: Array<string> = []
    const act = (name: keyof typeof Shop.tools) => () =>
      Effect.zipRight(
        Effect.sync(() => begun.push(name)),
        handlers[name] ?? Effect.succeed(`${name} done`)
      )
    const live = Shop.toLayer({ pay: act("pay"), charge: act("charge"), reserve: act("reserve"), ship: act("ship") })
    return { begun, toolset: yield* Effect.provide(Toolset.fromToolkit(Shop), live) }
  })

const resultsOf = (messages: ReadonlyArray<Message.Message>) =>
  messages.flatMap((message) =>
    message._tag === "Results" ? message.results.map((result) => [result.name, ToolResult.toText(result)]) : []
  )

const call = (name: string) => ScriptedModel.call(name, {}, { id: `${name}_1` })

describe("a run that is handed over", () => {
  it.effect("ends when its call has ended, and the next run asks the model for the next turn", () =>
    Effect.gen(function* () {
      const { begun, toolset } = yield* shop({ pay: Effect.delay(Effect.succeed("paid"), "5 seconds") })
      const model = yield* ScriptedModel.make([call("pay"), ScriptedModel.text("Paid.")])
      const agent = yield* Agent.make({ model, toolset })
      const conversation = yield* Conversation.make()
      const handOver = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(Agent.run(agent, { conversation, prompt: "Pay", handOver }))
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(handOver, undefined)
      yield* TestClock.adjust("4 seconds")
      const result = yield* Fiber.join(fiber)
      expect(result._tag === "Stopped" && result.by).toBe("handOver")
      expect((yield* model.requests).length).toBe(1)
      expect(resultsOf(Conversation.messages(result.entries))).toEqual([["pay", "paid"]])
      expect((yield* Agent.run(agent, { conversation })).text).toBe("Paid.")
      expect(begun).toEqual(["pay"])
    })
  )

  it.effect("begins no call of a turn that comes after", () =>
    Effect.gen(function* () {
      const { begun, toolset } = yield* shop({})
      const handOver = yield* Deferred.make<void>()
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.wait(Deferred.succeed(handOver, undefined)), call("pay")),
        ScriptedModel.text("Paid.")
      ])
      const agent = yield* Agent.make({
        model,
        toolset,
        startEarly: "never",
        policy: { journal: yield* Journal.memory }
      })
      const conversation = yield* Conversation.make()
      const input = { conversation, prompt: "Pay", promptId: "p" }
      const result = yield* Agent.run(agent, { ...input, handOver })
      expect(result._tag === "Stopped" && result.by).toBe("handOver")
      expect(begun).toEqual([])
      expect((yield* Agent.run(agent, input)).text).toBe("Paid.")
      expect(begun).toEqual(["pay"])
    })
  )

  it.scopedLive("leaves calls that are interrupted after it to the journal of the next process", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const input = { prompt: "Buy it", promptId: "p" }
      const process = <A, E>(use: (agent: Process) => Effect.Effect<A, E>, handlers: Parameters<typeof shop>[0]) =>
        Effect.gen(function* () {
          const { begun, toolset } = yield* shop(handlers)
          const store = yield* ConversationStore.ConversationStore
          const conversation = yield* store.openOrCreate("order 12")
          return yield* use({ begun, toolset, conversation, journal: yield* Journal.Journal })
        }).pipe(Effect.provide(FileStore.layer({ path, synchronous: "normal" })))

      yield* process(
        ({ begun, conversation, journal, toolset }) =>
          Effect.gen(function* () {
            const turn = ScriptedModel.turn(call("pay"), call("charge"), call("reserve"), call("ship"))
            const model = yield* ScriptedModel.make([turn])
            const agent = yield* Agent.make({ model, toolset, policy: { journal } })
            const handOver = yield* Deferred.make<void>()
            const fiber = yield* Effect.fork(Agent.run(agent, { ...input, conversation, handOver }))
            while (begun.length < 3) yield* Effect.yieldNow()
            yield* Deferred.succeed(handOver, undefined)
            yield* Fiber.interrupt(fiber)
            expect(begun).toEqual(["pay", "charge", "reserve"])
          }),
        { charge: Effect.never, reserve: Effect.never }
      )
      yield* process(
        ({ begun, conversation, journal, toolset }) =>
          Effect.gen(function* () {
            const model = yield* ScriptedModel.make([ScriptedModel.text("Bought.")])
            const agent = yield* Agent.make({ model, toolset, policy: { journal } })
            const result = yield* Agent.run(agent, { ...input, conversation })
            expect(result.text).toBe("Bought.")
            expect(begun).toEqual(["reserve", "ship"])
            expect(resultsOf(Conversation.messages(result.entries))).toEqual([
              ["pay", "pay done"],
              ["charge", expect.stringContaining("its end is not known")],
              ["reserve", "reserve done"],
              ["ship", "ship done"]
            ])
          }),
        {}
      )
    })
  )
})

interface Process {
  readonly begun: ReadonlyArray<string>
  readonly toolset: Toolset.Toolset<typeof Shop.tools>
  readonly conversation: Conversation.Conversation<unknown>
  readonly journal: Journal.Service
}
