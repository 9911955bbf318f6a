import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, ConversationStore, DeferredCall } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Approval, Hidden, IncompleteContext, Journal, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Layer, Schema } from "effect"
import { temporaryFile } from "./store/temporaryFile.js"

const Bank = Toolkit.make(
  Tool.make("pay", {
    parameters: { amount: Schema.Number, account: Schema.String },
    success: Schema.String
  }).pipe(Hidden.fields("account"))
)

/** A run that waits for two approvals; whatever is forgotten, `go` is what goes on with it. */
const waiting = (hasJournal: boolean) =>
  Effect.gen(function* () {
    const paid: Array<string> = []
    const toolset = yield* Effect.provide(
      Toolset.fromToolkit(Bank),
      Bank.toLayer({ pay: ({ account, amount }) => Effect.sync(() => (paid.push(`${amount} of ${account}`), "paid")) })
    )
    const model = yield* ScriptedModel.make([
      ScriptedModel.turn(ScriptedModel.call("pay", { amount: 1 }), ScriptedModel.call("pay", { amount: 2 })),
      ScriptedModel.text("Done.")
    ])
    const journal = yield* Journal.Journal
    const agent = yield* Agent.make({
      model,
      toolset,
      policy: { approval: () => Approval.ask(), ...(hasJournal ? { journal } : {}) }
    })
    const conversation = yield* (yield* ConversationStore.ConversationStore).openOrCreate("c")
    const go = (input: object) => Agent.run(agent, { conversation, ...input } as never)
    const paused = yield* go({ prompt: "Pay", context })
    if (paused._tag !== "Paused") return expect.unreachable()
    const [first, second] = paused.requests
    if (first === undefined || second === undefined) return expect.unreachable()
    return { conversation, first, go, paid, second }
  })

const context = { account: "a_1" }

const memory = Layer.merge(ConversationStore.layerMemory, Journal.layerMemory)
const file = Layer.unwrapScoped(Effect.map(temporaryFile, (path) => FileStore.layer({ path })))

describe.each([
  ["memory", memory, true],
  ["memory, without a journal", memory, false],
  ["a file", file, true],
  ["a file, without a journal", file, false]
] as const)("A run that is given answers without the hidden values, over %s", (_, store, hasJournal) => {
  it.effect("fails with what is missing, and nothing is used up: the same answers go on with them", () =>
    Effect.gen(function* () {
      const { conversation, first, go, paid, second } = yield* waiting(hasJournal)
      const answers = [DeferredCall.approve(first), DeferredCall.approve(second)]
      const before = yield* conversation.entries
      const error = yield* Effect.flip(go({ answers }))
      expect(error).toBeInstanceOf(IncompleteContext)
      expect(error).toMatchObject({ call: "call_1", tool: "pay", fields: ["account"] })
      expect(yield* conversation.entries).toEqual(before)
      expect(paid).toEqual([])
      expect(yield* go({ answers, context })).toMatchObject({ _tag: "Finished", text: "Done." })
      expect(paid).toEqual(["1 of a_1", "2 of a_1"])
    }).pipe(Effect.provide(store))
  )

  it.effect("leaves open what no one has answered", () =>
    Effect.gen(function* () {
      const { conversation, first, go, paid, second } = yield* waiting(hasJournal)
      const before = yield* conversation.entries
      expect(yield* Effect.flip(go({}))).toMatchObject({ _tag: "IncompleteContext", fields: ["account"] })
      // A denial needs no context, and is taken. What it leaves open needs one.
      const answers = [DeferredCall.deny(first, "no")]
      expect(yield* conversation.entries).toEqual(before)
      expect(yield* Effect.flip(go({ answers }))).toMatchObject({ _tag: "IncompleteContext", call: "call_2" })
      expect(yield* go({ context, answers })).toMatchObject({ _tag: "Paused", requests: [second] })
      expect(yield* go({ context, answers: [DeferredCall.approve(second)] })).toMatchObject({ _tag: "Finished" })
      expect(paid).toEqual(["2 of a_1"])
    }).pipe(Effect.provide(store))
  )
})
