import { expect, it } from "@effect/vitest"
import { CallContext, ToolCall, type ToolNameCollision, ToolRunner, Toolset } from "@wield/core"
import { Chunk, Effect, Fiber, Stream } from "effect"
import { expectOutcome } from "../tools/outcomes.js"
import { jobs } from "../tools/Job.js"
import { shop } from "../tools/Shop.js"

const named = (...names: ReadonlyArray<string>) =>
  Toolset.dynamic(names.map((name) => ({ name, execute: () => Effect.succeed(name) })))

it.scoped("several toolsets are one, their tools in order", () =>
  Effect.gen(function* () {
    const all = Toolset.combine(yield* shop, yield* jobs(Effect.succeed), yield* named("a", "b"))
    const runner = yield* ToolRunner.make(all)
    expect((yield* runner.definitions).map(({ name }) => name)).toEqual([
      "get_orders",
      "refund",
      "cancel",
      "show_chart",
      "job",
      "a",
      "b"
    ])
    expect(yield* runner.call("refund", { amount: 1 })).toBe("refunded 1")
    expect(expectOutcome(yield* runner.run(ToolCall.make("c", "b", {})), "Success").encoded).toBe("b")
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("names that collide at run time are an error where the runner is made, all of them named", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(
      ToolRunner.make(Toolset.combine(yield* named("a", "b", "c"), yield* named("b", "c")))
    )
    expect(error._tag).toBe("ToolNameCollision")
    expect((error as ToolNameCollision).names).toEqual(["b", "c"])
    expect(error.message).toBe(
      "Two tools have the same name: b, c. Rename one of them, give the names of one toolset a prefix, or leave one out"
    )
  })
)

it.scoped("a dynamic tool that takes the name of a static one is an error, not an overwrite", () =>
  Effect.gen(function* () {
    const dynamic = yield* named("other")
    const runner = yield* ToolRunner.make(Toolset.combine(yield* shop, dynamic))
    yield* dynamic.put({ name: "refund", execute: () => Effect.succeed("stolen") })
    expect((yield* Effect.flip(runner.run(ToolCall.make("c", "refund", { amount: 1 }))))._tag).toBe("ToolNameCollision")
    expect((yield* Effect.flip(runner.definitions))._tag).toBe("ToolNameCollision")
    yield* dynamic.remove("refund")
    expectOutcome(yield* runner.run(ToolCall.make("c", "refund", { amount: 1 })), "Success")
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("what collides can be renamed or left out", () =>
  Effect.gen(function* () {
    const both = Toolset.combine(
      (yield* named("a", "b")).pipe(Toolset.prefix("x_")),
      (yield* named("a", "b")).pipe(Toolset.select("a")),
      (yield* named("b", "a")).pipe(Toolset.rename({ a: "c" }))
    )
    const definitions = yield* (yield* ToolRunner.make(both)).definitions
    expect(definitions.map(({ name }) => name)).toEqual(["x_a", "x_b", "a", "b", "c"])
  })
)

it.scoped("the changes of each toolset are changes of all", () =>
  Effect.gen(function* () {
    const [one, two] = [yield* named("a"), yield* named("b")]
    const all = Toolset.combine(one.pipe(Toolset.prefix("one_")), two, yield* shop)
    const fiber = yield* Effect.fork(Stream.runCollect(Stream.take(all.changes, 2)))
    yield* settle
    yield* one.put({ name: "c", execute: () => Effect.void })
    yield* two.remove("b")
    expect(Chunk.toReadonlyArray(yield* Fiber.join(fiber))).toEqual([
      { added: ["one_c"], removed: [], altered: [] },
      { added: [], removed: ["b"], altered: [] }
    ])
  })
)

it.scoped("the changes of toolsets that cannot change end at once", () =>
  Effect.gen(function* () {
    const all = Toolset.combine(yield* shop, yield* jobs(Effect.succeed))
    expect(Chunk.size(yield* Stream.runCollect(all.changes))).toBe(0)
  })
)

/** Lets forked fibers come to where they wait. */
const settle = Effect.repeatN(Effect.yieldNow(), 20)
