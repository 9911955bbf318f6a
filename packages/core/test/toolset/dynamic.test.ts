import { describe, expect, it } from "@effect/vitest"
import {
  Approval,
  type InvalidTool,
  Outcome,
  Response,
  ToolCall,
  type ToolNameCollision,
  ToolRunner,
  Toolset
} from "@wield/core"
import { Chunk, Context, Effect, Fiber, Stream } from "effect"
import { expectOutcome } from "../tools/outcomes.js"

const tool = (name: string, description?: string): Toolset.DynamicTool => ({
  name,
  description,
  execute: () => Effect.succeed(name)
})

const namesOf = <Tools, R, E>(runner: ToolRunner.Runner<Tools, R, E>) =>
  Effect.map(runner.definitions, (definitions) => definitions.map(({ name }) => name))

/** Lets forked fibers come to where they wait. */
const settle = Effect.repeatN(Effect.yieldNow(), 20)

/** The changes that a toolset announces while the effect runs. */
const announcedDuring = (toolset: Toolset.Any, effect: Effect.Effect<void, unknown>) =>
  Effect.gen(function* () {
    const changes: Array<Toolset.Change> = []
    const fiber = yield* Effect.fork(
      Stream.runForEach(toolset.changes, (change) => Effect.sync(() => changes.push(change)))
    )
    yield* settle
    yield* effect
    yield* settle
    yield* Fiber.interrupt(fiber)
    return changes
  })

it.effect("a tool without a schema has no parameters; unstated facts are unstated", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      tool("a"),
      { ...tool("b"), inputSchema: {} },
      { ...tool("c"), inputSchema: { type: "object" }, facts: { isReadOnly: true } }
    ])
    const definitions = yield* (yield* ToolRunner.make(toolset)).definitions
    for (const { inputSchema } of definitions) {
      expect(inputSchema).toEqual({ type: "object", properties: {}, additionalProperties: false })
    }
    expect(definitions.map(({ facts }) => facts.isReadOnly)).toEqual([false, false, true])
    expect(definitions.map(({ facts }) => facts.isDestructive)).toEqual([true, true, true])
  })
)

describe("what cannot be offered is refused where the toolset is made", () => {
  it.effect("two tools of one name", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Toolset.dynamic([tool("a"), tool("b"), tool("a")]))
      expect(error._tag).toBe("ToolNameCollision")
      expect((error as ToolNameCollision).names).toEqual(["a"])
    })
  )
  it.effect("a root that is no object", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Toolset.dynamic([{ ...tool("a"), inputSchema: { type: "string" } }]))
      expect((error as InvalidTool).message).toContain('must have "type": "object", but has "string"')
    })
  )
  it.effect("a schema that cannot be compiled", () =>
    Effect.gen(function* () {
      const broken = { type: "object", properties: { a: { type: "nonsense" } } }
      const error = yield* Effect.flip(Toolset.dynamic([{ ...tool("a"), inputSchema: broken }]))
      expect(error._tag).toBe("InvalidTool")
      expect(error.message).toContain('The tool "a" cannot be offered')
    })
  )
})

describe("a change", () => {
  it.effect("is seen by a runner that exists already", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([tool("a")])
      const runner = yield* ToolRunner.make(toolset)
      yield* toolset.put(tool("b"))
      expect(yield* namesOf(runner)).toEqual(["a", "b"])
      yield* toolset.remove("a")
      expect(yield* namesOf(runner)).toEqual(["b"])
      expectOutcome(yield* runner.run(ToolCall.make("c", "a", {})), "UnknownTool")
      yield* toolset.replace([tool("c"), tool("d")])
      expect(yield* namesOf(runner)).toEqual(["c", "d"])
    })
  )
  it.effect("costs nothing for tools that are the same objects as before", () =>
    Effect.gen(function* () {
      let read = 0
      const kept = {
        ...tool("a"),
        get inputSchema() {
          read += 1
          return { type: "object", properties: { x: { type: "string" } } }
        }
      }
      const toolset = yield* Toolset.dynamic([kept])
      expect(read).toBeGreaterThan(0)
      const before = read
      yield* toolset.replace([kept, tool("b")])
      yield* toolset.replace([tool("b")])
      yield* toolset.replace([kept])
      expect(read).toBe(before)
      expect(yield* namesOf(yield* ToolRunner.make(toolset))).toEqual(["a"])
      yield* toolset.put(kept)
      expect(read).toBeGreaterThan(before)
    })
  )
  it.effect("is announced by what was added, removed and altered", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([tool("a"), tool("b")])
      const changes = yield* announcedDuring(
        toolset,
        Effect.gen(function* () {
          yield* toolset.put(tool("c"))
          yield* toolset.put(tool("a", "another description"))
          yield* toolset.remove("b")
          yield* toolset.replace([tool("c", "changed"), tool("d")])
        })
      )
      expect(changes).toEqual([
        { added: ["c"], removed: [], altered: [] },
        { added: [], removed: [], altered: ["a"] },
        { added: [], removed: ["b"], altered: [] },
        { added: ["d"], removed: ["a"], altered: ["c"] }
      ])
    })
  )
  it.effect("that changes no definition is not announced, but takes effect", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([tool("a")])
      const changes = yield* announcedDuring(
        toolset,
        Effect.gen(function* () {
          yield* toolset.put({ ...tool("a"), execute: () => Effect.succeed("new") })
          yield* toolset.remove("nobody")
          yield* toolset.replace([{ ...tool("a"), execute: () => Effect.succeed("newer") }])
        })
      )
      expect(changes).toEqual([])
      const runner = yield* ToolRunner.make(toolset)
      expect(expectOutcome(yield* runner.run(ToolCall.make("c", "a", {})), "Success").encoded).toBe("newer")
    })
  )
  it.effect("that is refused leaves everything as it was", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([tool("a")])
      const changes = yield* announcedDuring(
        toolset,
        Effect.gen(function* () {
          yield* Effect.flip(toolset.put({ ...tool("b"), inputSchema: { type: "array" } }))
          yield* Effect.flip(toolset.replace([tool("x"), tool("x")]))
        })
      )
      expect(changes).toEqual([])
      expect(yield* namesOf(yield* ToolRunner.make(toolset))).toEqual(["a"])
    })
  )
  it.effect("goes through combinators under the names they give, and not at all where it is not selected", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([])
      const view = toolset.pipe(Toolset.select("a", "b"), Toolset.rename({ b: "c" }), Toolset.prefix("x_"))
      const changes = yield* announcedDuring(
        view,
        Effect.forEach(["a", "b", "other"], (name) => toolset.put(tool(name)), { discard: true })
      )
      expect(changes).toEqual([
        { added: ["x_a"], removed: [], altered: [] },
        { added: ["x_c"], removed: [], altered: [] }
      ])
    })
  )
  it.effect("is told to everybody who listens", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([])
      const listeners = yield* Effect.forEach([1, 2, 3], () =>
        Effect.fork(Stream.runCollect(Stream.take(toolset.changes, 1)))
      )
      yield* settle
      yield* toolset.put(tool("a"))
      for (const listener of listeners) expect(Chunk.size(yield* Fiber.join(listener))).toBe(1)
    })
  )
  it.effect("made at the same time as another is not lost", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 60 }, (_, index) => `t${index}`)
      const toolset = yield* Toolset.dynamic([])
      // Each fiber gives way after another step of its change, as a busy one does now and then.
      const afterSteps = (steps: number) => Effect.repeatN(Effect.void, steps)
      yield* Effect.forEach(names, (name, index) => Effect.zipRight(afterSteps(index), toolset.put(tool(name))), {
        concurrency: "unbounded"
      }).pipe(Effect.withMaxOpsBeforeYield(50))
      expect([...(yield* namesOf(yield* ToolRunner.make(toolset)))].sort()).toEqual([...names].sort())
    })
  )
})

it.effect("a call that is running goes on though its tool is removed", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ name: "a", execute: () => Effect.as(settle, "done") }])
    const runner = yield* ToolRunner.make(toolset)
    const fiber = yield* Effect.fork(runner.run(ToolCall.make("c", "a", {})))
    yield* Effect.yieldNow()
    yield* toolset.remove("a")
    expect(expectOutcome(yield* Fiber.join(fiber), "Success").encoded).toBe("done")
  })
)

it.effect("what a dynamic tool needs is provided by the request", () =>
  Effect.gen(function* () {
    class User extends Context.Tag("test/User")<User, string>() {}
    const toolset = yield* Toolset.dynamic<User>([{ name: "who", execute: () => User }])
    const runner = yield* ToolRunner.make(toolset)
    const outcome = yield* Effect.provideService(runner.run(ToolCall.make("c", "who", {})), User, "Ada")
    expect(expectOutcome(outcome, "Success").encoded).toBe("Ada")
  })
)

it.effect("a dynamic tool for the client is deferred", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ ...tool("a"), facts: { kind: "client" } }])
    const runner = (yield* ToolRunner.make(toolset)).forRun({})
    const deferred = expectOutcome(yield* runner.run(ToolCall.make("c", "a", {})), "Deferred")
    const outcome = yield* runner.resume(deferred, Response.result("shown"))
    expect(expectOutcome(outcome, "Success").encoded).toBe("shown")
  })
)

describe("a tool that validates its parameters as a whole", () => {
  const pay: Toolset.DynamicTool = {
    name: "pay",
    inputSchema: {
      type: "object",
      properties: { amount: { type: "string" }, limit: { type: "number" } },
      required: ["amount", "limit"]
    },
    hidden: ["limit"],
    validate: ({ amount, limit }) => {
      if (Number(limit) < 0) return Effect.fail([{ path: ["limit"], expected: "no debt", received: undefined }])
      const wanted = Number(amount)
      return wanted <= Number(limit)
        ? Effect.delay(Effect.succeed({ wanted }), "1 milli")
        : Effect.fail([{ path: ["amount"], expected: "less", received: "too much", message: "is over your limit" }])
    },
    execute: (parameters) => Effect.succeed(parameters)
  }
  const asked: Array<unknown> = []
  const run = (amount: unknown, limit: number) =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* Toolset.dynamic([pay]), {
        approval: ({ parameters }) => {
          asked.push(parameters)
          return Approval.allow
        }
      })
      return yield* runner.forRun({ context: { limit } }).run(ToolCall.make("c", "pay", { amount }))
    })

  it.live("gets what it made of them, and so does the approval rule", () =>
    Effect.gen(function* () {
      expect(expectOutcome(yield* run("20", 100), "Success").encoded).toEqual({ wanted: 20 })
      expect(asked.at(-1)).toEqual({ wanted: 20 })
    })
  )
  it.effect("ends with its issues as with those of its schema, and is not run", () =>
    Effect.gen(function* () {
      const outcome = expectOutcome(yield* run("200", 100), "InvalidArguments")
      expect(Outcome.text(outcome)).toContain("- amount: is over your limit")
      expect(expectOutcome(yield* run(20, 100), "InvalidArguments").issues).toMatchObject([{ path: ["amount"] }])
    })
  )
  it.effect("blames the program for its hidden fields", () =>
    Effect.gen(function* () {
      expect(expectOutcome(yield* run("20", -1), "MissingContext").issues).toMatchObject([{ path: ["limit"] }])
    })
  )
})
