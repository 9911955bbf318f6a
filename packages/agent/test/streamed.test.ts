import { describe, expect, it } from "@effect/vitest"
import { Agent, type Model } from "@wield/agent"
import { Turn, type TurnEvent } from "@wield/core"
import { Effect, Exit, Fiber, Stream } from "effect"

const text = (count: number) => Array.from({ length: count }, (_, index) => `${index} `)

const finished = (said: string): TurnEvent.TurnEvent => ({
  _tag: "Finished",
  turn: {
    format: "counted",
    id: undefined,
    model: "counted",
    parts: [{ _tag: "Text", text: said }],
    usage: Turn.unknownUsage,
    finish: "stop",
    nativeFinish: undefined,
    native: [],
    isComplete: true
  }
})

/** Tells how many of its pieces were asked for. */
const counted = (pieces: ReadonlyArray<string>) => {
  const model = { asked: 0, closed: 0 }
  const stream: Model.Model["stream"] = () =>
    Stream.fromIterable(pieces).pipe(
      Stream.rechunk(1),
      Stream.tap(() => Effect.sync(() => model.asked++)),
      Stream.map((piece) => ({ _tag: "TextDelta", text: piece }) as const),
      Stream.concat(Stream.make(finished(pieces.join("")))),
      Stream.ensuring(Effect.sync(() => model.closed++))
    )
  return { counts: model, model: { id: "counted", format: "counted", stream } satisfies Model.Model }
}

const aWhile = Effect.repeatN(Effect.yieldNow(), 500)

describe("the stream of a run", () => {
  it.effect("holds at most 64 events for a reader that has stopped, and closes the model when it leaves", () =>
    Effect.gen(function* () {
      const { counts, model } = counted(text(1000))
      const agent = yield* Agent.make({ model })
      let read = 0
      const stuck = Stream.runForEach(Agent.stream(agent, "Count"), ({ _tag }) =>
        _tag === "TextDelta" && ++read === 100 ? Effect.never : Effect.void
      )
      const reader = yield* Effect.fork(stuck)
      yield* aWhile
      expect(read).toBe(100)
      // Those held, and the one that waits to be.
      expect(counts.asked - read).toBeGreaterThan(0)
      expect(counts.asked - read).toBeLessThanOrEqual(65)
      expect(counts.closed).toBe(0)
      yield* Fiber.interrupt(reader)
      expect(counts.closed).toBe(1)
      expect(counts.asked - read).toBeLessThanOrEqual(65)
    })
  )

  it.effect("tells every piece in its order, however slow the reader is", () =>
    Effect.gen(function* () {
      const pieces = text(200)
      const { counts, model } = counted(pieces)
      const agent = yield* Agent.make({ model })
      const told: Array<string> = []
      yield* Stream.runForEach(Agent.stream(agent, "Count"), (event) =>
        event._tag === "TextDelta"
          ? Effect.zipRight(
              Effect.yieldNow(),
              Effect.sync(() => told.push(event.text))
            )
          : Effect.void
      )
      expect(told).toEqual(pieces)
      expect(counts.closed).toBe(1)
    })
  )
})

describe("a run that tells its events itself", () => {
  it.effect("tells those of the stream, and waits for what it is answered with", () =>
    Effect.gen(function* () {
      const pieces = text(200)
      const { counts, model } = counted(pieces)
      const agent = yield* Agent.make({ model })
      const told: Array<string> = []
      const run = yield* Effect.fork(
        Agent.run(agent, "Count", {
          onEvent: (event) => {
            told.push(event._tag === "TextDelta" ? event.text : event._tag)
            return told.length === 100 ? Effect.never : undefined
          }
        })
      )
      yield* aWhile
      expect(told.length).toBe(100)
      yield* Fiber.interrupt(run)
      expect(counts.closed).toBe(1)

      const streamed = yield* Stream.runCollect(Agent.stream(agent, "Count"))
      const all: Array<string> = []
      const hear: (event: { readonly _tag: string }) => void = ({ _tag }) => all.push(_tag)
      const { text: said } = yield* Agent.run(agent, "Count", { onEvent: hear })
      expect(all).toEqual([...streamed].map(({ _tag }) => _tag))
      expect(said).toBe(pieces.join(""))

      const mistake = new Error("a mistake of the program")
      const failed = Agent.run(agent, "Count", {
        onEvent: () => {
          throw mistake
        }
      })
      expect(yield* Effect.exit(failed)).toEqual(Exit.die(mistake))
    })
  )
})

describe("a run without a reader", () => {
  it.effect("that is interrupted closes the model's stream", () =>
    Effect.gen(function* () {
      let closed = 0
      const stream: Model.Model["stream"] = () =>
        Stream.concat(Stream.make({ _tag: "TextDelta", text: "Well" } as const), Stream.never).pipe(
          Stream.ensuring(Effect.sync(() => closed++))
        )
      const agent = yield* Agent.make({ model: { id: "silent", format: "counted", stream } })
      const run = yield* Effect.fork(Agent.run(agent, "Say something"))
      yield* aWhile
      expect(closed).toBe(0)
      yield* Fiber.interrupt(run)
      expect(closed).toBe(1)
    })
  )
})
