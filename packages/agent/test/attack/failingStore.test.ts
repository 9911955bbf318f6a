import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, ConversationError, DeferredCall } from "@wield/agent"
import { Approval, Journal, JournalError, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema } from "effect"

const Bank = Toolkit.make(Tool.make("pay", { success: Schema.String }), Tool.make("sign", { success: Schema.String }))

/** The operation of this number fails, before or after it was done; those before and after it do not. */
const failing = (at: number, isDone: boolean) => {
  let count = 0
  return <A, E, F>(operation: Effect.Effect<A, E>, error: F): Effect.Effect<A, E | F> =>
    Effect.suspend(() => {
      count++
      if (count !== at) return operation
      return isDone ? Effect.zipRight(operation, Effect.fail(error)) : Effect.fail(error)
    })
}

const storeError = new ConversationError.StoreError({ operation: "append", detail: "the disk is full" })
const journalError = (operation: string) => new JournalError({ operation, cause: "the disk is full" })

/** A paying and a signing turn, whose every step is repeated with the same input after a failure. */
const outcomeOf = (at: number, isDone: boolean, isWithin: boolean) =>
  Effect.gen(function* () {
    const made: Array<string> = []
    const act = (tool: string) => () => Effect.sync(() => (made.push(tool), tool))
    const toolset = yield* Effect.provide(
      Toolset.fromToolkit(Bank),
      Bank.toLayer({ pay: act("pay"), sign: act("sign") })
    )
    const faulty = failing(at, isDone)
    const memory = yield* Journal.memory
    const journal: Journal.Service = {
      look: (key) => faulty(memory.look(key), journalError("look")),
      begin: (key, tool) => faulty(memory.begin(key, tool), journalError("begin")),
      finish: (key, ending) => faulty(memory.finish(key, ending), journalError("finish")),
      interrupt: memory.interrupt,
      abandon: memory.abandon,
      forget: memory.forget
    }
    const kept = yield* Conversation.make()
    const conversation: Conversation.Conversation<ConversationError.StoreError> = {
      id: kept.id,
      isDurable: true,
      entries: faulty(kept.entries, storeError),
      append: (entries, after) => faulty(kept.append(entries, after), storeError)
    }
    const turns = [
      ScriptedModel.turn(ScriptedModel.call("pay"), ScriptedModel.call("sign")),
      ScriptedModel.text("Done."),
      // Where a turn was not recorded, the model is asked again.
      ScriptedModel.text("Done.")
    ]
    const model = yield* ScriptedModel.make(turns)
    const policy = { journal, approval: { sign: () => Approval.ask() } }
    const own = yield* Agent.make({ model, toolset, policy })
    const agent = isWithin ? yield* callerOf(own, journal) : own
    const retried = (input: Agent.Input<{}, ConversationError.StoreError>) =>
      Effect.retry(Agent.run(agent, input), { times: 1, while: ({ _tag }) => _tag === "StoreError" })
    let result = yield* retried({ conversation, prompt: "Go", promptId: "p" })
    while (result._tag === "Paused") {
      const answers = result.requests.map(DeferredCall.approve)
      result = yield* retried({ conversation, answers })
    }
    const entries = yield* kept.entries
    return { made, text: result.text, open: Conversation.unanswered(entries), ids: entries.map(({ id }) => id) }
  })

/** An agent that leaves all to a sub-agent. */
const callerOf = <R, E>(
  own: Agent.Agent<typeof Bank extends Toolkit.Toolkit<infer Tools> ? Tools : never, string, R, E>,
  journal: Journal.Service
) =>
  Effect.gen(function* () {
    const call = ScriptedModel.call("clerk", { task: "Go" })
    const model = yield* ScriptedModel.make([call, ScriptedModel.text("Done."), ScriptedModel.text("Done.")])
    const toolset = yield* Agent.toToolset(own, { name: "clerk", description: "Pays and signs" })
    return yield* Agent.make({ model, toolset, policy: { journal } })
  })

describe("a store that fails once, wherever", () => {
  for (const isDone of [false, true]) {
    it.effect(`${isDone ? "after" : "before"} it did what it was asked, makes nothing happen twice`, () =>
      Effect.gen(function* () {
        for (let at = 1; at <= 18; at++) {
          const { ids, made, open, text } = yield* outcomeOf(at, isDone, false)
          expect([at, text, open]).toEqual([at, "Done.", undefined])
          expect([at, new Set(made).size]).toEqual([at, made.length])
          expect([at, new Set(ids).size]).toEqual([at, ids.length])
        }
      })
    )

    it.effect(
      `${isDone ? "after" : "before"} it did what it was asked, makes nothing happen twice within a sub-agent`,
      () =>
        Effect.gen(function* () {
          const whole = yield* outcomeOf(0, isDone, true)
          expect(whole.made).toEqual(["pay", "sign"])
          for (let at = 1; at <= 30; at++) {
            const { ids, made, open, text } = yield* outcomeOf(at, isDone, true)
            expect([at, text, open]).toEqual([at, "Done.", undefined])
            expect([at, new Set(made).size]).toEqual([at, made.length])
            expect([at, new Set(ids).size]).toEqual([at, ids.length])
          }
        })
    )
  }
})

it.effect("an approval that is given again, of a call that has run, does not say that it was not run", () =>
  Effect.gen(function* () {
    const made: Array<string> = []
    const act = (tool: string) => () => Effect.sync(() => (made.push(tool), tool))
    const toolset = yield* Effect.provide(
      Toolset.fromToolkit(Bank),
      Bank.toLayer({ pay: act("pay"), sign: act("sign") })
    )
    const memory = yield* Journal.memory
    const kept = yield* Conversation.make()
    let isDown = false
    const conversation: Conversation.Conversation<ConversationError.StoreError> = {
      id: kept.id,
      isDurable: true,
      entries: kept.entries,
      // It is there for the answer, and not for what came of it.
      append: (entries, after) => (made.length > 0 && !isDown ? storeError : kept.append(entries, after))
    }
    const open = Effect.gen(function* () {
      const script = [ScriptedModel.call("sign"), ScriptedModel.text("Done.")]
      const model = yield* ScriptedModel.make(script.slice(made.length))
      const begin: Journal.Service["begin"] = (key, tool) => (isDown ? journalError("begin") : memory.begin(key, tool))
      const policy = { journal: { ...memory, begin }, approval: { sign: () => Approval.ask() } }
      return yield* Agent.make({ model, toolset, policy })
    })
    const paused = yield* Agent.run(yield* open, { conversation, prompt: "Go" })
    if (paused._tag !== "Paused") return expect.unreachable()
    const answers = paused.requests.map(DeferredCall.approve)
    expect(yield* Effect.flip(Agent.run(yield* open, { conversation, answers }))).toBe(storeError)
    expect(made).toEqual(["sign"])
    isDown = true
    yield* Agent.run(yield* open, { conversation, answers })
    const ends = (yield* kept.entries).flatMap((entry) => entry.ends ?? [])
    expect([made, ends]).toEqual([["sign"], ["Uncertain"]])
  })
)
