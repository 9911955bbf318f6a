import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Agent, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Journal, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Context, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { temporaryFile } from "../store/temporaryFile.js"

const { call, text, turn, wait } = ScriptedModel
const Bank = Toolkit.make(Tool.make("pay", { parameters: { amount: Schema.Number }, success: Schema.String }))

it.scopedLive(
  "a runner that others have taken for dead begins nothing, appends nothing, and stops by AppendConflict",
  () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const paid: Array<number> = []
      const handlers = Bank.toLayer({ pay: ({ amount }) => Effect.sync(() => `paid ${paid.push(amount)}`) })
      const runnerOf = (...script: Parameters<typeof ScriptedModel.make>[0]) =>
        Effect.gen(function* () {
          const context = yield* Layer.build(Layer.fresh(FileStore.layer({ path, synchronous: "normal" })))
          const agent = yield* Agent.make({
            model: yield* ScriptedModel.make(script),
            toolset: yield* Effect.provide(Toolset.fromToolkit(Bank), handlers),
            policy: { journal: Context.get(context, Journal.Journal) }
          })
          const store = Context.get(context, ConversationStore.ConversationStore)
          // Each takes the other for dead, as after ten seconds without a sign of life.
          return { agent, conversation: { ...(yield* store.openOrCreate("order 12")), isOfOneProcess: true } as const }
        })
      const asleep = yield* Deferred.make<void>()
      const awake = yield* Deferred.make<void>()
      const pause = wait(Effect.zipRight(Deferred.succeed(asleep, undefined), Deferred.await(awake)))
      const zombie = yield* runnerOf(turn(pause, call("pay", { amount: 1 })), text("Paid by the first."))
      const next = yield* runnerOf(call("pay", { amount: 2 }), text("Paid."), text("You are welcome."))

      const input = { prompt: "Pay", promptId: "p1" }
      const fiber = yield* Effect.fork(
        Effect.flip(Agent.run(zombie.agent, { ...input, conversation: zombie.conversation }))
      )
      yield* Deferred.await(asleep)
      expect((yield* Agent.run(next.agent, { ...input, conversation: next.conversation })).text).toBe("Paid.")
      yield* Agent.run(next.agent, { prompt: "Thanks", promptId: "p2", conversation: next.conversation })
      const entries = yield* next.conversation.entries
      yield* Deferred.succeed(awake, undefined)
      expect((yield* Fiber.join(fiber))._tag).toBe("AppendConflict")
      expect(yield* next.conversation.entries).toEqual(entries)
      expect(paid).toEqual([2])
    })
)
