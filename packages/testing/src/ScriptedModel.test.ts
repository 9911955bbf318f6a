import { describe, expect, it } from "@effect/vitest"
import { Content, type Message, Turn } from "@wield/core"
import { ModelError } from "@wield/agent"
import { Cause, Chunk, Deferred, Effect, Exit, Fiber, Stream, TestClock } from "effect"
import * as ScriptedModel from "./ScriptedModel.js"

const said: Message.Message = { _tag: "User", content: [Content.text("Where is my order?")], native: undefined }
const request = { messages: [said], definitions: [] }
const unreachable = new ModelError.Unreachable({ format: "scripted", url: "http://model", detail: "reset" })

const ask = (model: ScriptedModel.ScriptedModel) =>
  Effect.map(Stream.runCollect(model.stream(request)), Chunk.toReadonlyArray)

const turnOf = (events: ReadonlyArray<{ readonly _tag: string }>): Turn.Turn => {
  const last = events.at(-1)
  expect(last?._tag).toBe("Finished")
  return (last as { readonly turn: Turn.Turn } & typeof last).turn
}

describe("ScriptedModel", () => {
  it.effect("streams text in deltas that together are the text, and finishes with the whole turn", () =>
    Effect.gen(function* () {
      const text = "Grüße 👩‍👩‍👧, it is noon"
      const model = yield* ScriptedModel.make(
        [ScriptedModel.turn(ScriptedModel.reasoning("hm, well"), ScriptedModel.text(text))],
        { deltaCharacters: 3 }
      )
      const events = yield* ask(model)
      const deltas = events.flatMap((event) => (event._tag === "TextDelta" ? [event.text] : []))
      expect(deltas.length).toBeGreaterThan(3)
      expect(deltas.join("")).toBe(text)
      expect(deltas.some((delta) => /\p{Surrogate}/u.test(delta))).toBe(false)
      const turn = turnOf(events)
      expect(turn.parts).toEqual([
        { _tag: "Reasoning", text: "hm, well" },
        { _tag: "Text", text }
      ])
      expect(turn).toMatchObject({ finish: "stop", isComplete: true, usage: { input: 100, output: 10 } })
    })
  )

  it.effect("numbers the calls of the whole script, and completes each before the turn is finished", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.call("a", { x: 1 }), ScriptedModel.call("b", "{broken", { id: "own" })),
        ScriptedModel.call("c")
      ])
      const events = yield* ask(model)
      const tags = events.map((event) => event._tag)
      expect(tags.lastIndexOf("CallComplete")).toBeLessThan(tags.indexOf("Finished"))
      const argumentsOf = (index: number) =>
        events
          .flatMap((event) => (event._tag === "ArgumentsDelta" && event.index === index ? [event.text] : []))
          .join("")
      expect([argumentsOf(0), argumentsOf(1)]).toEqual(['{"x":1}', "{broken"])
      expect(Turn.calls(turnOf(events))).toEqual([
        { id: "call_1", name: "a", arguments: { x: 1 } },
        { id: "own", name: "b", arguments: "{broken" }
      ])
      expect(turnOf(events).finish).toBe("calls")
      expect(Turn.calls(turnOf(yield* ask(model))).map((call) => call.id)).toEqual(["call_3"])
    })
  )

  it.effect("has no events of a call that the provider runs, but the call in the turn", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([ScriptedModel.call("search", {}, { executedBy: "provider" })])
      const events = yield* ask(model)
      expect(events.map((event) => event._tag)).toEqual(["UsageKnown", "Finished"])
      expect(turnOf(events)).toMatchObject({ finish: "stop", parts: [{ executedBy: "provider" }] })
    })
  )

  it.effect("says the usage and the end that are written in the turn", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.text("a"), ScriptedModel.usage({ output: 7 }), ScriptedModel.finish("length"))
      ])
      expect(turnOf(yield* ask(model))).toMatchObject({
        finish: "length",
        usage: { ...Turn.unknownUsage, output: 7 }
      })
    })
  )

  it.effect("fails without an event, or after an incomplete turn without the call that broke off", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([
        ScriptedModel.fail(unreachable),
        ScriptedModel.broken(
          ScriptedModel.text("I am"),
          ScriptedModel.call("a"),
          ScriptedModel.partialCall("b", '{"x":'),
          unreachable
        ),
        ScriptedModel.text("again")
      ])
      const outcome = yield* Effect.all([collect(model), collect(model), collect(model)])
      expect(outcome[0]).toEqual({ events: [], error: unreachable })
      expect(outcome[1].error).toBe(unreachable)
      expect(turnOf(outcome[1].events)).toMatchObject({
        isComplete: false,
        finish: "error",
        parts: [{ text: "I am" }, { call: { name: "a" } }]
      })
      expect(outcome[1].events.filter((event) => event._tag === "CallStarted").length).toBe(2)
      expect(outcome[2].error).toBeUndefined()
    })
  )

  it.effect("waits between parts, so that what came before can be acted on", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(
          ScriptedModel.call("a"),
          ScriptedModel.wait(Deferred.await(started)),
          ScriptedModel.delay("1 second"),
          ScriptedModel.text("b")
        )
      ])
      const seen: Array<string> = []
      const fiber = yield* Effect.fork(
        Stream.runForEach(model.stream(request), (event) => {
          seen.push(event._tag)
          return event._tag === "CallComplete" ? Deferred.succeed(started, undefined) : Effect.void
        })
      )
      yield* TestClock.adjust("999 millis")
      expect(seen).toEqual(["CallStarted", "ArgumentsDelta", "CallComplete"])
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(fiber)
      expect(seen.at(-1)).toBe("Finished")
    })
  )

  it.effect("keeps the requests, and dies of one without a turn saying which it was", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([ScriptedModel.text("a")], { id: "model-x" })
      yield* ask(model)
      const exit = yield* Effect.exit(ask(model))
      expect(yield* model.requests).toEqual([request, request])
      const defect = Exit.isFailure(exit) ? Chunk.toReadonlyArray(Cause.defects(exit.cause))[0] : undefined
      expect(String(defect)).toMatch(/model-x has 1 turn, but request 2 came .*Where is my order\?/)
    })
  )

  it.effect("dies of turns left over, and not when every one was asked for", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([ScriptedModel.text("a"), ScriptedModel.call("get_orders")])
      yield* ask(model)
      const exit = yield* Effect.exit(ScriptedModel.assertDone(model))
      expect(String(Exit.isFailure(exit) ? Cause.squash(exit.cause) : "")).toMatch(/1 turn left .*call of get_orders/)
      yield* ask(model)
      yield* ScriptedModel.assertDone(model)
    })
  )
})

const collect = (model: ScriptedModel.ScriptedModel) =>
  Effect.gen(function* () {
    const events: Array<{ readonly _tag: string }> = []
    const error = yield* Stream.runForEach(model.stream(request), (event) =>
      Effect.sync(() => events.push(event))
    ).pipe(Effect.match({ onFailure: (error) => error, onSuccess: () => undefined }))
    return { events, error }
  })
