import { assert, it } from "@effect/vitest"
import { CurrentRun, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Chunk, Effect, Fiber, Ref, Stream } from "effect"

const two = Toolset.dynamic([
  { name: "one", execute: () => Effect.succeed(1) },
  { name: "other", execute: () => Effect.succeed(2) }
])

it.effect("A filter that is an effect decides anew for each request, and what it withholds is unavailable", () =>
  Effect.gen(function* () {
    const open = yield* Ref.make(new Set(["one"]))
    const decide = Effect.map(
      Ref.get(open),
      (names) =>
        ({ name }: { readonly name: string }) =>
          names.has(name)
    )
    const runner = yield* ToolRunner.make(Toolset.filterEffect(yield* two, decide))
    assert.strictEqual((yield* runner.run(ToolCall.make("a", "one", {})))._tag, "Success")
    yield* Ref.set(open, new Set(["other"]))
    assert.strictEqual((yield* runner.run(ToolCall.make("b", "one", {})))._tag, "Unavailable")
    assert.strictEqual((yield* runner.run(ToolCall.make("c", "other", {})))._tag, "Success")
    assert.strictEqual((yield* runner.run(ToolCall.make("d", "third", {})))._tag, "UnknownTool")
  })
)

it.effect("A filter that fails fails the offer with its own error", () =>
  Effect.gen(function* () {
    const toolset = (yield* two).pipe(Toolset.filterEffect(Effect.fail("the store is closed" as const)))
    assert.strictEqual(yield* Effect.flip(ToolRunner.make(toolset)), "the store is closed")
  })
)

it.effect("The same decision on the same offer gives the same definitions", () =>
  Effect.gen(function* () {
    const all = (): boolean => true
    const runner = yield* ToolRunner.make((yield* two).pipe(Toolset.filterEffect(Effect.succeed(all))))
    const run = runner.forRun({})
    assert.strictEqual(yield* run.definitions, yield* run.definitions)
  })
)

it.effect("What a filter announces can be other than what its toolset does", () =>
  Effect.gen(function* () {
    const change: Toolset.Change = { added: ["one"], removed: [], altered: [] }
    const toolset = Toolset.filterEffect(
      yield* two,
      Effect.succeed(() => true),
      { changes: () => Stream.make(change) }
    )
    const told = yield* Effect.fork(Stream.runCollect(toolset.changes))
    assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(told)), [change])
  })
)

it.effect("An offer knows the run and the turn that it is made to, for definitions and for calls", () =>
  Effect.gen(function* () {
    const seen: Array<unknown> = []
    const decide = Effect.map(CurrentRun.CurrentRun, (run) => {
      seen.push(run === undefined ? undefined : { id: run.id, turn: run.turn })
      return () => true
    })
    const runner = yield* ToolRunner.make(Toolset.filterEffect(yield* two, decide))
    yield* runner.run(ToolCall.make("a", "one", {}))
    const turn = runner.forRun({ id: "run", context: { customer: 7 } }).forRun({ turn: "first" })
    yield* turn.definitions
    yield* turn.runAll([ToolCall.make("a", "one", {})])
    assert.deepStrictEqual(seen, [undefined, undefined, { id: "run", turn: "first" }, { id: "run", turn: "first" }])
  })
)

it.effect("A run without a name has the same id in each of its offers", () =>
  Effect.gen(function* () {
    const seen = new Set<string | undefined>()
    const decide = Effect.map(CurrentRun.CurrentRun, (run) => {
      seen.add(run?.id)
      return () => true
    })
    const runner = yield* ToolRunner.make(Toolset.filterEffect(yield* two, decide))
    seen.clear()
    const run = runner.forRun({})
    yield* run.definitions
    yield* run.forRun({ turn: "first" }).definitions
    assert.strictEqual(seen.size, 1)
    assert.notInclude([...seen], undefined)
  })
)
