import { describe, expect, it } from "@effect/vitest"
import { CallContext, CurrentCall, ToolCall, ToolRunner } from "@wield/core"
import { Chunk, Deferred, Effect, Exit, Fiber, Queue, Ref, Stream, TestClock } from "effect"
import { jobCall, jobs } from "../../tools/Job.js"
import { NoSuchOrder, shop } from "../../tools/Shop.js"

const describeEvent = <Tools>(event: ToolRunner.RunEvent<Tools>): string => {
  switch (event._tag) {
    case "Started":
      return `${event.call.id} started`
    case "Progress":
      return `${event.call.id} ${String(event.value)}`
    case "Finished":
      return `${event.call.id} ${event.outcome._tag}`
  }
}

it.scoped("tells that a call starts, how far it has come, and how it ended", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(
      yield* jobs(() =>
        Effect.gen(function* () {
          const call = yield* CurrentCall.CurrentCall
          yield* call.progress("half")
          yield* call.progress("whole")
          return "done"
        })
      )
    )
    const events = yield* Stream.runCollect(runner.stream([jobCall("a")]))
    expect(Chunk.toReadonlyArray(events).map(describeEvent)).toEqual(["a started", "a half", "a whole", "a Success"])
  })
)

it.scoped("has a start and an end for every call, those that are not run too, and no start for one that waits", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop)
    const calls = [
      ToolCall.make("a", "nothing", {}),
      ToolCall.make("b", "refund", "{"),
      ToolCall.make("c", "show_chart", { title: "x" }),
      ToolCall.make("d", "refund", { amount: 1 })
    ]
    const events = Chunk.toReadonlyArray(yield* Stream.runCollect(runner.stream(calls))).map(describeEvent)
    expect([...events].sort()).toEqual([
      "a UnknownTool",
      "a started",
      "b InvalidArguments",
      "b started",
      "c Deferred",
      "d Success",
      "d started"
    ])
    for (const { id } of calls.filter(({ name }) => name !== "show_chart"))
      expect(events.findIndex((line) => line === `${id} started`)).toBeLessThan(
        events.findLastIndex((line) => line.startsWith(id))
      )
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("of no calls ends at once", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop)
    expect(Chunk.size(yield* Stream.runCollect(runner.stream([])))).toBe(0)
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("runs nothing until it is read, and everything again for another reader", () =>
  Effect.gen(function* () {
    let runs = 0
    const runner = yield* ToolRunner.make(yield* jobs(() => Effect.sync(() => ++runs)))
    const stream = runner.stream([jobCall("a")])
    expect(runs).toBe(0)
    yield* Stream.runDrain(stream)
    yield* Stream.runDrain(stream)
    expect(runs).toBe(2)
  })
)

it.scoped("ends with what was raised, after all calls have finished", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop)
    const events: Array<string> = []
    const failure = yield* runner
      .stream([
        ToolCall.make("a", "cancel", { number: 8 }),
        ToolCall.make("b", "refund", { amount: 1 }),
        ToolCall.make("c", "refund", { amount: 2 })
      ])
      .pipe(
        Stream.runForEach((event) => Effect.sync(() => void events.push(`${event.call.id} ${event._tag}`))),
        Effect.flip
      )
    expect(failure).toBeInstanceOf(NoSuchOrder)
    expect(events.filter((line) => line.endsWith("Finished")).sort()).toEqual([
      "a Finished",
      "b Finished",
      "c Finished"
    ])
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

describe("back-pressure", () => {
  it.scoped("a handler waits with its progress when 16 events are unread, throughout the stream", () =>
    Effect.gen(function* () {
      let told = 0
      const runner = yield* ToolRunner.make(
        yield* jobs(() =>
          Effect.flatMap(CurrentCall.CurrentCall, ({ progress }) =>
            Effect.forEach(
              Array.from({ length: 100 }, (_, index) => index),
              (index) =>
                Effect.zipRight(
                  progress(index),
                  Effect.sync(() => told++)
                ),
              { discard: true }
            )
          )
        )
      )
      let read = 0
      let mostUnread = 0
      yield* runner.stream([jobCall("a")]).pipe(
        Stream.runForEach(() =>
          Effect.gen(function* () {
            read++
            // Gives the handler every chance to run ahead.
            for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow()
            // The first event read is the start, which the handler did not tell.
            mostUnread = Math.max(mostUnread, told - (read - 1))
          })
        )
      )
      expect(read).toBe(102)
      expect(told).toBe(100)
      expect(mostUnread).toBe(16)
    })
  )

  it.scoped("a reader who stops reading stops the calls, and may go on later", () =>
    Effect.gen(function* () {
      const told = yield* Ref.make(0)
      const runner = yield* ToolRunner.make(
        yield* jobs(() =>
          Effect.flatMap(CurrentCall.CurrentCall, ({ progress }) =>
            Effect.forever(
              Effect.zipRight(
                progress("x"),
                Ref.update(told, (count) => count + 1)
              )
            )
          )
        )
      )
      const permission = yield* Queue.unbounded<void>()
      const fiber = yield* Effect.fork(
        runner.stream([jobCall("a")]).pipe(Stream.runForEach(() => Queue.take(permission)))
      )
      yield* TestClock.adjust("1 hour")
      const first = yield* Ref.get(told)
      yield* TestClock.adjust("1 hour")
      expect(yield* Ref.get(told)).toBe(first)
      yield* Queue.offerAll(
        permission,
        Array.from({ length: 10 }, () => undefined)
      )
      yield* TestClock.adjust("1 hour")
      expect(yield* Ref.get(told)).toBe(first + 10)
      yield* Fiber.interrupt(fiber)
    })
  )
})

describe("a reader who leaves", () => {
  const stream = (journaled: boolean) =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Ref.make<ReadonlyArray<unknown>>([])
      const made = yield* ToolRunner.make(
        yield* jobs(({ value }) =>
          Effect.zipRight(Deferred.succeed(started, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Ref.update(interrupted, (all) => [...all, value]))
          )
        )
      )
      const runner = journaled ? made.forRun({}) : made
      return { events: runner.stream([jobCall("a", 1), jobCall("b", 2)]), interrupted, started }
    })

  for (const journaled of [false, true]) {
    const how = journaled ? ", with a journal" : ""
    it.scoped(`by interruption interrupts the handlers${how}`, () =>
      Effect.gen(function* () {
        const { events, interrupted, started } = yield* stream(journaled)
        const fiber = yield* Effect.fork(Stream.runDrain(events))
        yield* Deferred.await(started)
        yield* Effect.yieldNow()
        const exit = yield* Fiber.interrupt(fiber)
        expect(Exit.isInterrupted(exit)).toBe(true)
        expect([...(yield* Ref.get(interrupted))].sort()).toEqual([1, 2])
      })
    )
    it.scoped(`because it has enough interrupts the handlers${how}`, () =>
      Effect.gen(function* () {
        const { events, interrupted } = yield* stream(journaled)
        const taken = yield* Stream.runCollect(Stream.take(events, 2))
        expect(Chunk.toReadonlyArray(taken).map(describeEvent)).toEqual(["a started", "b started"])
        expect([...(yield* Ref.get(interrupted))].sort()).toEqual([1, 2])
      })
    )
  }

  it.scoped(
    "does not wait for ever for a handler that cannot be interrupted, nor does the handler for the reader",
    () =>
      Effect.gen(function* () {
        let told = 0
        const runner = yield* ToolRunner.make(
          yield* jobs(() =>
            Effect.flatMap(CurrentCall.CurrentCall, (call) =>
              Effect.uninterruptible(
                Effect.repeatN(
                  Effect.tap(call.progress("more"), () => Effect.sync(() => ++told)),
                  99
                )
              )
            )
          )
        )
        yield* Stream.runCollect(Stream.take(runner.stream([jobCall("a")]), 3))
        expect(told).toBe(100)
      })
  )
})
