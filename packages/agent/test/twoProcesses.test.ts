import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, ConversationStore, DeferredCall } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Approval, Journal, Toolset, ToolResult } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Context, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { temporaryFile } from "./store/temporaryFile.js"

const { call, text, turn } = ScriptedModel

const Bank = Toolkit.make(Tool.make("pay", { parameters: { amount: Schema.Number }, success: Schema.String }))

/** Connections, locks and a runner of its own, as another process has them. */
const processOf = (
  path: string,
  pay: (amount: number) => Effect.Effect<string>,
  script: ReadonlyArray<ScriptedModel.Part | ScriptedModel.ScriptedTurn>
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.fresh(FileStore.layer({ path, synchronous: "normal" })))
    const store = Context.get(context, ConversationStore.ConversationStore)
    const journal = Context.get(context, Journal.Journal)
    const handlers = Bank.toLayer({ pay: ({ amount }) => pay(amount) })
    const toolset = yield* Effect.provide(Toolset.fromToolkit(Bank), handlers)
    const model = yield* ScriptedModel.make(script)
    const policy = { journal, approval: { pay: () => Approval.ask() } }
    return { agent: yield* Agent.make({ model, toolset, policy }), conversation: yield* store.openOrCreate("wages") }
  })

const resultsOf = (entries: ReadonlyArray<Conversation.Entry>) =>
  entries.flatMap(({ message }) => (message._tag === "Results" ? message.results.map(ToolResult.toText) : []))

const setUp = (...calls: ReadonlyArray<ScriptedModel.Part>) =>
  Effect.gen(function* () {
    const path = yield* temporaryFile
    const paid: Array<number> = []
    const begun = yield* Deferred.make<void>()
    const released = yield* Deferred.make<void>()
    const pay = (amount: number) =>
      Effect.gen(function* () {
        paid.push(amount)
        yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(released)
        return `paid ${amount}`
      })
    const asking = yield* processOf(path, pay, [turn(...calls)])
    const paused = yield* Agent.run(asking.agent, { conversation: asking.conversation, prompt: "Pay" })
    if (paused._tag !== "Paused") return expect.unreachable()
    const one = yield* processOf(path, pay, [text("Done.")])
    const other = yield* processOf(path, pay, [text("Done.")])
    const answer = ({ agent, conversation }: typeof one, ...answers: ReadonlyArray<DeferredCall.Answer>) =>
      Agent.run(agent, { conversation, answers })
    return { requests: paused.requests, one, other, answer, paid, begun, released }
  })

it.scopedLive("a call whose result another process has recorded meanwhile keeps that one", () =>
  Effect.gen(function* () {
    const path = yield* temporaryFile
    const believing = yield* processOf(path, () => Effect.succeed(""), [])
    const pay = () =>
      Effect.gen(function* () {
        const { conversation } = believing
        const result = {
          id: "c1",
          name: "pay",
          isError: false,
          content: [{ _tag: "Text" as const, text: "of another" }]
        }
        const entry = yield* Conversation.entry({ _tag: "Results", results: [result], native: undefined })
        yield* conversation.append([entry], (yield* conversation.entries).at(-1)?.id)
        return "of this one"
      }).pipe(Effect.orDie)
    const { agent, conversation } = yield* processOf(path, pay, [
      call("pay", { amount: 7 }, { id: "c1" }),
      text("Done.")
    ])
    const paused = yield* Agent.run(agent, { conversation, prompt: "Pay" })
    const answers = paused._tag === "Paused" ? paused.requests.map((request) => DeferredCall.approve(request)) : []
    expect((yield* Agent.run(agent, { conversation, answers }))._tag).toBe("Finished")
    expect(resultsOf(yield* conversation.entries)).toEqual(["of another"])
  })
)

describe("one approval that reaches two processes", () => {
  it.scopedLive("is of one effect, and both go on with its outcome", () =>
    Effect.gen(function* () {
      const { answer, begun, one, other, paid, released, requests } = yield* setUp(call("pay", { amount: 7 }))
      const answers = requests.map(DeferredCall.approve)
      const first = yield* Effect.fork(answer(one, ...answers))
      yield* Deferred.await(begun)
      // Has to wait for what the first one is at.
      const second = yield* Effect.fork(answer(other, ...answers))
      yield* Effect.sleep("200 millis")
      yield* Deferred.succeed(released, undefined)
      const results = [yield* Fiber.join(first), yield* Fiber.join(second)]
      expect(paid).toEqual([7])
      expect(results.map((result) => result.text)).toEqual(["Done.", "Done."])
      const entries = yield* one.conversation.entries
      expect(resultsOf(entries)).toEqual(["paid 7"])
      expect(entries.map(({ message }) => message._tag)).toEqual([
        "User",
        "Assistant",
        "Results",
        "Results",
        "Assistant"
      ])
      expect(entries.flatMap(({ decisions }) => decisions ?? [])).toHaveLength(1)
    })
  )
})

describe("an approval and a denial that reach two processes", () => {
  it.scopedLive("are of one effect, and the second is refused, however often it comes", () =>
    Effect.gen(function* () {
      const { answer, begun, one, other, paid, released, requests } = yield* setUp(call("pay", { amount: 7 }))
      const first = yield* Effect.fork(answer(one, ...requests.map(DeferredCall.approve)))
      yield* Deferred.await(begun)
      const denials = requests.map((request) => DeferredCall.deny(request, "no"))
      const second = yield* Effect.fork(Effect.flip(answer(other, ...denials)))
      yield* Effect.sleep("200 millis")
      yield* Deferred.succeed(released, undefined)
      expect((yield* Fiber.join(first)).text).toBe("Done.")
      expect(yield* Fiber.join(second)).toMatchObject({ _tag: "AlreadyAnswered", response: "Approve" })
      const refused = yield* Effect.flip(answer(other, ...denials))
      expect(refused).toMatchObject({ _tag: "AlreadyAnswered", response: "Approve" })
      expect(refused).toMatchObject({ message: expect.stringContaining("answered already, by an approval") })
      expect(paid).toEqual([7])
      const entries = yield* one.conversation.entries
      expect(resultsOf(entries)).toEqual(["paid 7"])
      expect(entries.flatMap(({ decisions = [] }) => decisions).map(({ response }) => response)).toEqual(["Approve"])
    })
  )
})

describe("two approvals of one turn that reach two processes at once", () => {
  it.scopedLive("are both recorded, and one of the runs has the model's answer", () =>
    Effect.gen(function* () {
      const { answer, begun, one, other, paid, released, requests } = yield* setUp(
        call("pay", { amount: 1 }),
        call("pay", { amount: 2 })
      )
      const [left, right] = requests.map(DeferredCall.approve)
      const first = yield* Effect.fork(answer(one, left!))
      yield* Deferred.await(begun)
      const second = yield* Effect.fork(answer(other, right!))
      yield* Effect.sleep("200 millis")
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      expect([...paid].sort()).toEqual([1, 2])
      expect(resultsOf(yield* one.conversation.entries).sort()).toEqual(["paid 1", "paid 2"])
    })
  )
})

describe("one prompt that reaches two processes", () => {
  it.scopedLive("under one id has one answer, which both have", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const pay = () => Effect.succeed("paid")
      const sides = [yield* processOf(path, pay, [text("One.")]), yield* processOf(path, pay, [text("Two.")])]
      const results = yield* Effect.forEach(
        sides,
        ({ agent, conversation }) => Agent.run(agent, { conversation, prompt: "Hi", promptId: "prompt" }),
        { concurrency: "unbounded" }
      )
      expect(new Set(results.map((result) => result.text)).size).toBe(1)
      const entries = yield* sides[0]!.conversation.entries
      expect(entries.map(({ message }) => message._tag)).toEqual(["User", "Assistant"])
    })
  )
})
