import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { CallContext, CurrentCall, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Context, Effect, Exit, Fiber, Layer, Schema, TestClock } from "effect"
import { Job, jobCall, type JobHandler, jobs, ReadOnlyJob } from "../../tools/Job.js"
import { expectOutcome } from "../../tools/outcomes.js"

const run = (handler: JobHandler) =>
  Effect.flatMap(jobs(handler), (toolset) =>
    Effect.flatMap(ToolRunner.make(toolset), (runner) => runner.run(jobCall("call_1", "x")))
  )

it.scoped("the handler has the current call: its id, its name, the attempt, an idempotency key", () =>
  Effect.gen(function* () {
    const calls: Array<CurrentCall.Call> = []
    yield* run(() => Effect.map(CurrentCall.CurrentCall, (call) => void calls.push(call)))
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ id: "call_1", name: "job", attempt: 1 })
    expect(calls[0]?.idempotencyKey).toMatch(/^[0-9a-f]{64}$/)
  })
)

it.scoped("the idempotency key is the same for the same call of a run after a restart, and no other's", () =>
  Effect.gen(function* () {
    const keyOf = (run: string, id: string, value: string) =>
      Effect.gen(function* () {
        // A new runner for each, as after a restart.
        const toolset = yield* jobs(() => Effect.map(CurrentCall.CurrentCall, (call) => call.idempotencyKey))
        const runner = (yield* ToolRunner.make(toolset)).forRun({ id: run })
        return expectOutcome(yield* runner.run(jobCall(id, value)), "Success").encoded
      })
    const key = yield* keyOf("run", "call", "x")
    expect(yield* keyOf("run", "call", "x")).toBe(key)
    expect(yield* keyOf("run_2", "call", "x")).not.toBe(key)
    expect(yield* keyOf("run", "call_2", "x")).not.toBe(key)
    expect(yield* keyOf("run", "call", "y")).not.toBe(key)
    expect(yield* keyOf("runcall", "", "x")).not.toBe(key)
  })
)

it.scoped("the calls of one run share an object that names the run, whatever runs within it change", () =>
  Effect.gen(function* () {
    const runs: Array<CurrentCall.Call["run"]> = []
    const toolset = yield* jobs(() => Effect.map(CurrentCall.CurrentCall, ({ run }) => void runs.push(run)))
    const runner = yield* ToolRunner.make(toolset)
    const first = runner.forRun({ id: "first" })
    yield* first.runAll([jobCall("call_1", "x"), jobCall("call_2", "y")])
    yield* first.forRun({ turn: "2", context: { more: true } }).run(jobCall("call_1", "x"))
    yield* runner.forRun({ id: "first" }).run(jobCall("call_3", "z"))
    yield* runner.run(jobCall("call_4", "z"))
    expect(runs.map(({ id }) => id)).toStrictEqual(["first", "first", "first", "first", runs[4]?.id])
    expect(runs[4]?.id).toMatch(/^[0-9a-z]+-[0-9a-f-]{36}$/)
    expect(new Set(runs.slice(0, 3)).size).toBe(1)
    expect(new Set(runs).size).toBe(3)
  })
)

it.scoped("the current call is the handler's only: whoever runs it never sees it, however it ends", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const see = Effect.map(CurrentCall.CurrentCall, ({ id }) => void seen.push(id))
    const ends: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      Effect.sleep(1),
      Effect.yieldNow(),
      Effect.zipRight(Effect.yieldNow(), Effect.fail("x")),
      Effect.zipRight(Effect.yieldNow(), Effect.die("x")),
      Effect.zipRight(Effect.yieldNow(), Effect.interrupt)
    ]
    for (const end of ends) {
      const fiber = yield* Effect.fork(
        Effect.zipRight(
          run(() => Effect.zipRight(see, end)),
          see
        )
      )
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
    }
    const waiting = run(() => Effect.onInterrupt(Effect.never, () => see))
    const fiber = yield* Effect.fork(Effect.onInterrupt(waiting, () => see))
    yield* TestClock.adjust(1)
    yield* Fiber.interrupt(fiber)
    expect(seen).toEqual([...ends, waiting].flatMap(() => ["call_1", ""]))
  })
)

it.scoped("the current call carries the name that was offered, not the tool's own", () =>
  Effect.gen(function* () {
    const toolset = yield* jobs(() => Effect.map(CurrentCall.CurrentCall, ({ name }) => name))
    const runner = yield* ToolRunner.make(toolset.pipe(Toolset.prefix("my_")))
    expect(expectOutcome(yield* runner.run(ToolCall.make("c", "my_job", {})), "Success").encoded).toBe("my_job")
  })
)

it.scoped("progress does nothing when nobody watches, and outside of a runner", () =>
  Effect.gen(function* () {
    const tell = Effect.flatMap(CurrentCall.CurrentCall, ({ progress }) => progress("half"))
    expectOutcome(yield* run(() => tell), "Success")
    yield* tell
    expect((yield* CurrentCall.CurrentCall).id).toBe("")
  })
)

it.scoped("progress is heard until the call has ended", () =>
  Effect.gen(function* () {
    let kept: CurrentCall.Call | undefined
    const toolset = yield* jobs(() =>
      Effect.flatMap(CurrentCall.CurrentCall, (call) => {
        kept = call
        return call.progress("half")
      })
    )
    const runner = yield* ToolRunner.make(toolset)
    const heard: Array<unknown> = []
    const watcher: ToolRunner.Watcher = {
      started: () => undefined,
      progress: () => (value) => Effect.sync(() => void heard.push(value)),
      finished: () => void heard.push("finished")
    }
    yield* runner.forRun({ id: "r" }).settle([jobCall("c")], watcher)
    yield* kept?.progress("too late") ?? Effect.void
    expect(heard).toEqual(["half", "finished"])
  })
)

it.scoped("a handler can read the call context", () =>
  Effect.gen(function* () {
    const toolset = yield* jobs(() => Effect.map(CallContext.CallContext, (values) => values.customerId))
    const runner = yield* ToolRunner.make(toolset)
    const around = runner.run(jobCall("c")).pipe(CallContext.provide({ customerId: "around" }))
    expect(expectOutcome(yield* around, "Success").encoded).toBe("around")
    const own = runner.forRun({ context: { customerId: "own" } }).run(jobCall("c"))
    expect(expectOutcome(yield* own, "Success").encoded).toBe("own")
  })
)

describe("a handler that goes wrong ends its call as a Defect", () => {
  const wrong: ReadonlyArray<readonly [what: string, handler: JobHandler]> = [
    ["dies", () => Effect.die(new Error("secret"))],
    ["dies later", () => Effect.zipRight(Effect.yieldNow(), Effect.die(new Error("secret")))],
    [
      "throws before it returns an effect",
      () => {
        throw new Error("secret")
      }
    ],
    [
      "throws within its effect",
      () =>
        Effect.sync(() => {
          throw new Error("secret")
        })
    ],
    ["dies of what is no error", () => Effect.die(undefined)],
    [
      "throws nothing",
      () => {
        throw undefined
      }
    ],
    // @ts-expect-error a handler returns an effect; a program without types can forget it
    ["returns no effect", () => "secret"],
    // @ts-expect-error a handler returns an effect; a program without types can forget it
    ["returns nothing", () => undefined],
    // @ts-expect-error a handler is no async function; a program without types can write one
    ["returns a promise", () => Promise.resolve("secret")],
    ["fails and dies", () => Effect.ensuring(Effect.die(new Error("secret")), Effect.die(new Error("again")))]
  ]
  for (const [what, handler] of wrong) {
    it.scoped(`when it ${what}`, () =>
      Effect.gen(function* () {
        const outcome = expectOutcome(yield* run(handler), "Defect")
        expect(outcome.reference).toMatch(/^[0-9a-f]{8}$/)
        expect(outcome.name).toBe("job")
      })
    )
  }
})

it.scoped("a handler that interrupts itself ends its call as Interrupted, and the others go on", () =>
  Effect.gen(function* () {
    const toolset = yield* jobs(({ value }) =>
      value === "stop" ? Effect.interrupt : Effect.delay(Effect.succeed("done"), 0)
    )
    const runner = yield* ToolRunner.make(toolset)
    const fiber = yield* Effect.fork(runner.runAll([jobCall("a", "stop"), jobCall("b")]))
    yield* TestClock.adjust(1)
    const outcomes = yield* Fiber.join(fiber)
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Interrupted", "Success"])
  })
)

it.scoped("an interrupted call may have taken effect in part, unless its tool changes nothing", () =>
  Effect.gen(function* () {
    const texts = yield* Effect.forEach([Job, ReadOnlyJob], (tool) =>
      Effect.gen(function* () {
        const runner = yield* ToolRunner.make(yield* jobs(() => Effect.interrupt, tool))
        return Outcome.text(yield* runner.run(jobCall("c")))
      })
    )
    expect(texts).toEqual([
      "The call of job was interrupted. It may have taken effect in part.",
      "The call of job was interrupted."
    ])
  })
)

it.scoped("a handler that joins an interrupted fiber ends its call as Interrupted", () =>
  Effect.gen(function* () {
    const outcome = yield* run(() =>
      Effect.gen(function* () {
        const fiber = yield* Effect.fork(Effect.never)
        yield* Fiber.interrupt(fiber)
        return yield* Fiber.join(fiber)
      })
    )
    expectOutcome(outcome, "Interrupted")
  })
)

describe("services", () => {
  class Database extends Context.Tag("test/Database")<Database, { readonly name: string }>() {}
  class User extends Context.Tag("test/User")<User, { readonly name: string }>() {}
  const WhoAmI = Tool.make("who_am_i", { success: Schema.String, dependencies: [User] })
  const Kit = Toolkit.make(WhoAmI)
  const KitLive = Kit.toLayer(
    Effect.map(Database, (database) => ({
      who_am_i: () => Effect.map(User, (user) => `${user.name} of ${database.name}`)
    }))
  )

  it.scoped("a handler has what its Layer was built with and what the request provides", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.fromLayer(
        Kit,
        KitLive.pipe(Layer.provide(Layer.succeed(Database, { name: "main" })))
      )
      const runner = yield* ToolRunner.make(toolset)
      for (const name of ["Ada", "Bob"]) {
        const outcome = yield* runner
          .run(ToolCall.make("c", "who_am_i", {}))
          .pipe(Effect.provideService(User, { name }))
        expect(expectOutcome(outcome, "Success").encoded).toBe(`${name} of main`)
      }
    })
  )

  it.scoped("a toolset from a Layer holds the Layer's resources until its scope closes", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const Acquired = Layer.scoped(
        Database,
        Effect.acquireRelease(
          Effect.sync(() => {
            events.push("opened")
            return { name: "main" }
          }),
          () => Effect.sync(() => void events.push("closed"))
        )
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const runner = yield* ToolRunner.make(yield* Toolset.fromLayer(Kit, KitLive.pipe(Layer.provide(Acquired))))
          yield* runner.call("who_am_i", {}).pipe(Effect.provideService(User, { name: "Ada" }))
          events.push("called")
        })
      )
      expect(events).toEqual(["opened", "called", "closed"])
    })
  )
})

it.scoped("interrupting the caller interrupts the handler, and the caller waits for its finalizers", () =>
  Effect.gen(function* () {
    const events: Array<string> = []
    const runner = yield* ToolRunner.make(
      yield* jobs(() =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.zipRight(
            Effect.yieldNow(),
            Effect.sync(() => void events.push("cleaned"))
          )
        )
      )
    )
    const fiber = yield* Effect.fork(runner.run(jobCall("c")))
    yield* Effect.yieldNow()
    const exit = yield* Fiber.interrupt(fiber)
    expect(Exit.isInterrupted(exit)).toBe(true)
    expect(events).toEqual(["cleaned"])
  })
)
