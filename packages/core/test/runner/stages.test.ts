import { expect, it } from "@effect/vitest"
import { Approval, Stage, ToolCall, ToolRunner } from "@wield/core"
import { Deferred, Effect, Fiber } from "effect"
import { jobCall, jobs } from "../tools/Job.js"

const heard = () => {
  const stages: Array<string> = []
  const hear: Stage.Hear = (call, stage) => void stages.push(`${call.id} ${stage}`)
  return { stages, listen: Effect.provideService(Stage.Listener, hear) }
}

const all = ["find", "parse", "strip", "decode", "inject", "authorize", "begin", "limit", "handle", "encode"]

it.scoped("are heard in their order, by call, also where a call has to wait", () =>
  Effect.gen(function* () {
    const { listen, stages } = heard()
    const runner = yield* ToolRunner.make(yield* jobs(() => Effect.as(Effect.yieldNow(), "done")))
    yield* listen(runner.runAll([jobCall("a"), jobCall("b")]))
    const of = (id: string) => stages.filter((line) => line.startsWith(id)).map((line) => line.slice(2))
    expect(of("a")).toEqual(all)
    expect(of("b")).toEqual(all)
  })
)

it.scoped("say where a call is while it waits", () =>
  Effect.gen(function* () {
    const { listen, stages } = heard()
    const entered = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const runner = yield* ToolRunner.make(
      yield* jobs(() => Effect.as(Effect.zipRight(Deferred.succeed(entered, undefined), Deferred.await(go)), "done"))
    )
    const running = yield* Effect.fork(listen(runner.run(jobCall("a"))))
    yield* Deferred.await(entered)
    expect(stages.at(-1)).toBe("a handle")
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(running)
    expect(stages.map((line) => line.slice(2))).toEqual(all)
  })
)

it.scoped("end with the one that ended the call", () =>
  Effect.gen(function* () {
    const { listen, stages } = heard()
    const runner = yield* ToolRunner.make(yield* jobs(() => Effect.succeed("done")))
    yield* listen(runner.run(ToolCall.make("a", "nothing", {})))
    yield* listen(runner.run(ToolCall.make("b", "job", "{")))
    expect(stages).toEqual(["a find", "b find", "b parse"])
  })
)

it.scoped("of a deferred call are those before the answer and those after it", () =>
  Effect.gen(function* () {
    const { listen, stages } = heard()
    const runner = yield* ToolRunner.make(yield* jobs(() => Effect.succeed("done")), {
      approval: () => Approval.ask()
    })
    const run = runner.forRun({})
    const waiting = yield* listen(run.run(jobCall("a")))
    if (waiting._tag !== "Deferred") return expect.fail(waiting._tag)
    expect(stages.map((line) => line.slice(2))).toEqual(all.slice(0, all.indexOf("authorize") + 1))
    stages.length = 0
    yield* listen(run.resume(waiting, { _tag: "Approve" }))
    expect(stages.map((line) => line.slice(2))).toEqual(all)
  })
)

it.scoped("that a listener throws at end their own call as Defect", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* jobs(() => Effect.succeed("done")))
    const outcomes = yield* runner.runAll([jobCall("a"), jobCall("b")]).pipe(
      Effect.provideService(Stage.Listener, (call) => {
        if (call.id === "a") throw new Error("no paper left")
      })
    )
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Defect", "Success"])
  })
)
