import { ModelError } from "@wield/agent"
import { Content, type Message, type TurnEvent, Turn } from "@wield/core"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import * as FunctionModel from "./FunctionModel.js"
import * as ScriptedModel from "./ScriptedModel.js"

const saying = (text: string) => {
  const message: Message.Message = { _tag: "User", content: [Content.text(text)], native: undefined }
  return { messages: [message], definitions: [] }
}

const turnOf = (events: Chunk.Chunk<TurnEvent.TurnEvent>): Turn.Turn => {
  const last = Chunk.unsafeLast(events)
  if (last._tag !== "Finished") throw new Error(`the last event is ${last._tag}`)
  return last.turn
}

describe("FunctionModel", () => {
  it.effect("answers each request by its content and its number", () =>
    Effect.gen(function* () {
      const model = yield* FunctionModel.make(({ messages }, index) =>
        index === 1
          ? [ScriptedModel.text("a"), ScriptedModel.call("b")]
          : Effect.succeed(ScriptedModel.text(JSON.stringify(messages[0])))
      )
      const ask = (text: string) => Effect.map(Stream.runCollect(model.stream(saying(text))), turnOf)
      expect(Turn.text(yield* ask("one"))).toContain("one")
      expect(Turn.calls(yield* ask("two"))).toEqual([{ id: "call_1", name: "b", arguments: {} }])
      expect(Turn.text(yield* ask("three"))).toContain("three")
    })
  )

  it.effect("hands on the events of a stream, and fails where the function fails", () =>
    Effect.gen(function* () {
      const error = new ModelError.Unreachable({ format: "function", url: "http://model", detail: "reset" })
      const events: ReadonlyArray<TurnEvent.TurnEvent> = [{ _tag: "TextDelta", text: "a" }]
      const model = yield* FunctionModel.make((_, index) =>
        index === 0 ? Stream.fromIterable(events) : index === 1 ? Effect.fail(error) : ScriptedModel.fail(error)
      )
      expect(Chunk.toReadonlyArray(yield* Stream.runCollect(model.stream(saying("a"))))).toEqual(events)
      expect(yield* Effect.flip(Stream.runDrain(model.stream(saying("b"))))).toBe(error)
      expect(yield* Effect.flip(Stream.runDrain(model.stream(saying("c"))))).toBe(error)
    })
  )

  it.effect("gives each of many requests at once a number and call ids of its own", () =>
    Effect.gen(function* () {
      const model = yield* FunctionModel.make((_, index) =>
        Effect.as(Effect.yieldNow(), [
          ScriptedModel.text(String(index)),
          ScriptedModel.call("a"),
          ScriptedModel.call("b")
        ])
      )
      const turns = yield* Effect.forEach(
        Array.from({ length: 50 }),
        () => Effect.map(Stream.runCollect(model.stream(saying("x"))), turnOf),
        { concurrency: "unbounded" }
      )
      expect(new Set(turns.map(Turn.text)).size).toBe(50)
      expect(new Set(turns.flatMap(Turn.calls).map((call) => call.id)).size).toBe(100)
    })
  )
})
