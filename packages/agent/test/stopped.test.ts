import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { temporaryFile } from "./store/temporaryFile.js"

const { call, reasoning, text, turn, wait } = ScriptedModel

/** Runs until the model is in the middle of its answer, and interrupts it there. */
const stopIn = (
  parts: ReadonlyArray<ScriptedModel.Part>,
  whenInterrupted: "keep" | "forget" | undefined,
  conversation: Conversation.Conversation<unknown>
) =>
  Effect.gen(function* () {
    const isSaid = yield* Deferred.make<void>()
    const model = yield* ScriptedModel.make([
      turn(...parts, wait(Effect.zipRight(Deferred.succeed(isSaid, undefined), Effect.never))),
      text("Four, five."),
      text("Six.")
    ])
    const toolset = yield* Toolset.dynamic([{ name: "look", execute: () => Effect.succeed("three") }])
    const agent = yield* Agent.make({ model, toolset, whenInterrupted })
    const fiber = yield* Effect.fork(Agent.run(agent, { conversation, prompt: "Count" }))
    yield* Deferred.await(isSaid)
    yield* Fiber.interrupt(fiber)
    return { agent, model }
  })

const mark = "[The user stopped this answer here.]"

describe("an answer that is stopped", () => {
  it.effect("stays in the conversation where the agent keeps it, and the model reads that it was stopped", () =>
    Effect.gen(function* () {
      const conversation = yield* Conversation.make()
      const { agent, model } = yield* stopIn([reasoning("Hm."), text("One, "), text("two, ")], "keep", conversation)
      const entries = yield* conversation.entries
      expect(entries.at(-1)).toMatchObject({
        message: { parts: [{ _tag: "Text", text: "One, two, " }] },
        turn: { isComplete: false, isStopped: true }
      })
      const over = yield* Agent.run(agent, { conversation })
      expect(over).toMatchObject({ _tag: "Stopped", by: "interruption", text: "One, two, " })
      yield* Agent.run(agent, { conversation, prompt: "Go on" })
      const request = (yield* model.requests).at(-1)
      expect(request?.messages.map((message) => ("parts" in message ? message.parts : message._tag))).toMatchObject([
        "User",
        [{ text: "One, two, " }, { text: `\n\n${mark}` }],
        "User"
      ])
      // What was sent before comes again as it was.
      yield* Agent.run(agent, { conversation, prompt: "And?" })
      expect((yield* model.requests).at(-1)?.messages.slice(0, 3)).toEqual(request?.messages)
    })
  )

  it.effect("is forgotten unless that is asked for, or nothing was said", () =>
    Effect.gen(function* () {
      for (const [parts, keeps] of [
        [[text("One, ")], undefined],
        [[text("One, ")], "forget"],
        [[reasoning("Hm.")], "keep"]
      ] as const) {
        const conversation = yield* Conversation.make()
        yield* stopIn(parts, keeps, conversation)
        expect((yield* conversation.entries).map(({ message }) => message._tag)).toEqual(["User"])
      }
    })
  )

  it.effect("keeps the calls that had begun with their results, as ever", () =>
    Effect.gen(function* () {
      const conversation = yield* Conversation.make()
      const { agent } = yield* stopIn([text("I look."), call("look")], "keep", conversation)
      const entries = yield* conversation.entries
      expect(entries.map(({ message }) => message._tag)).toEqual(["User", "Assistant", "Results"])
      expect((yield* Agent.run(agent, { conversation, prompt: "Go on" })).text).toBe("Four, five.")
    })
  )

  it.scopedLive("is kept for another process", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const open = Effect.flatMap(
        Layer.build(Layer.fresh(FileStore.layer({ path, synchronous: "normal" }))),
        (context) => Context.get(context, ConversationStore.ConversationStore).openOrCreate("talk")
      )
      yield* stopIn([text("One, ")], "keep", yield* open)
      const entries = yield* (yield* open).entries
      expect(JSON.stringify(Conversation.messages(entries))).toContain(mark)
    })
  )
})
