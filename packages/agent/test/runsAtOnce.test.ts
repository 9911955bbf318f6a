import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { ScriptedModel } from "@wield/testing"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { temporaryFile } from "./store/temporaryFile.js"

const { text, turn, wait } = ScriptedModel

const textsOf = (entries: ReadonlyArray<Conversation.Entry>) =>
  entries.map(({ message }) =>
    message._tag === "User" || message._tag === "Assistant"
      ? (message._tag === "User" ? message.content : message.parts).map((part) => ("text" in part ? part.text : ""))[0]
      : message._tag
  )

const inFile = Effect.gen(function* () {
  const path = yield* temporaryFile
  const stores = yield* Layer.build(FileStore.layer({ path }))
  return yield* Context.get(stores, ConversationStore.ConversationStore).create()
})

const kinds = { memory: Conversation.make(), file: inFile }

describe("two prompts at once", () => {
  for (const kind of ["memory", "file"] as const) {
    it.scoped(`to one conversation in ${kind === "file" ? "a file" : kind} are answered one after the other`, () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const released = yield* Deferred.make<void>()
        const model = yield* ScriptedModel.make([
          turn(wait(Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(released))), text("One.")),
          text("Two.")
        ])
        const agent = yield* Agent.make({ model })
        const conversation: Conversation.Conversation<unknown> = yield* kinds[kind]
        const first = yield* Effect.fork(Agent.run(agent, { conversation, prompt: "First?" }))
        yield* Deferred.await(asked)
        const second = yield* Effect.fork(Agent.run(agent, { conversation, prompt: "Second?" }))
        // It has come as far as it can before the first one is answered.
        yield* Effect.repeatN(Effect.yieldNow(), 1_000)
        yield* Deferred.succeed(released, undefined)
        expect((yield* Fiber.join(first)).text).toBe("One.")
        expect((yield* Fiber.join(second)).text).toBe("Two.")
        expect(textsOf(yield* conversation.entries)).toEqual(["First?", "One.", "Second?", "Two."])
      })
    )
  }

  it.effect("of one id are one prompt with one answer", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([turn(wait(Effect.yieldNow()), text("One."))])
      const agent = yield* Agent.make({ model })
      const conversation = yield* Conversation.make()
      const run = Agent.run(agent, { conversation, prompt: "First?", promptId: "first" })
      const results = yield* Effect.all([run, run], { concurrency: "unbounded" })
      expect(results.map((result) => result.text)).toEqual(["One.", "One."])
      expect(yield* model.requests).toHaveLength(1)
    })
  )

  it.effect("do not wait for each other where one is within the other, which is told of it", () =>
    Effect.gen(function* () {
      const inner = yield* Agent.make({ model: yield* ScriptedModel.make([text("Inner.")]) })
      const conversation = yield* Conversation.make()
      const outer = yield* Agent.make({
        model: yield* ScriptedModel.make([text("Outer.")]),
        prepare: () => Effect.as(Agent.run(inner, { conversation, prompt: "Inner?" }), {})
      })
      const error = yield* Effect.flip(Agent.run(outer, { conversation, prompt: "Outer?" }))
      expect(error).toHaveProperty("_tag", "AppendConflict")
      expect(textsOf(yield* conversation.entries)).toEqual(["Outer?", "Inner?", "Inner."])
    })
  )
})
