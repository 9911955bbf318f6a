import { expect, it } from "@effect/vitest"
import { Agent, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Journal, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { temporaryFile } from "./store/temporaryFile.js"

const file = Layer.unwrapScoped(
  Effect.map(temporaryFile, (path) =>
    Layer.provideMerge(
      Layer.merge(SqlConversationStore.layer, SqlJournal.layer),
      FileStore.layerClient({ path, synchronous: "normal" })
    )
  )
)

const agentOf = (journal: Journal.Service, waitsFor: Effect.Effect<unknown> = Effect.void) =>
  Effect.gen(function* () {
    const model = yield* ScriptedModel.make([
      ScriptedModel.turn(ScriptedModel.wait(waitsFor), ScriptedModel.text("Hello"))
    ])
    return yield* Agent.make({ model, toolset: yield* Toolset.dynamic([]), policy: { journal } })
  })

it.scopedLive("runs of this process are not elsewhere, and the next process is told of none once they are over", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    const conversation = yield* (yield* ConversationStore.ConversationStore).create()
    const asked = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const agent = yield* agentOf(journal, Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(go)))
    const run = yield* Effect.fork(Agent.run(agent, { conversation, prompt: "Hi" }))
    yield* Deferred.await(asked)
    expect(yield* Agent.isRunElsewhere(agent, conversation)).toBe(false)
    // As a process would see it that has a client of its own.
    const other = yield* agentOf({ ...journal })
    expect(yield* Agent.isRunElsewhere(other, conversation)).toBe(true)
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(run)
    expect(yield* Agent.isRunElsewhere(other, conversation)).toBe(false)
    expect(yield* Agent.run(other, { conversation, prompt: "Again" })).toMatchObject({ output: "Hello" })
  }).pipe(Effect.provide(file))
)

it.scopedLive("a journal that does not answer holds up no run that is interrupted", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    const conversation = yield* (yield* ConversationStore.ConversationStore).create()
    const answers = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    const abandoned = yield* Deferred.make<void>()
    const silent: Journal.Service = {
      ...journal,
      begin: (key, tool) =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.zipRight(Deferred.await(answers)),
          Effect.zipRight(journal.begin(key, tool))
        ),
      abandon: (key) => Effect.zipRight(journal.abandon(key), Deferred.succeed(abandoned, undefined))
    }
    const agent = yield* agentOf(silent)
    const run = yield* Effect.fork(Agent.run(agent, { conversation, prompt: "Hi" }))
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(run)
    // What was asked for is given up once it is there.
    yield* Deferred.succeed(answers, undefined)
    yield* Deferred.await(abandoned)
    const other = yield* agentOf(journal)
    expect(yield* Agent.run(other, { conversation, prompt: "Hi" })).toMatchObject({ output: "Hello" })
  }).pipe(Effect.provide(file))
)
