/**
 * What nobody sends on purpose: each case has exactly one outcome, in time, and
 * changes nothing outside of its call. Kept in one file, so that what is covered
 * can be seen at a glance.
 */
import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Content, Journal, Outcome, type Policy, ToolCall, ToolResult, ToolRunner, Toolset } from "@wield/core"
import { Effect, Fiber, ParseResult, Schedule, Schema, TestClock } from "effect"
import type { Job } from "./tools/Job.js"
import { jobCall, type JobHandler, jobs } from "./tools/Job.js"
import { expectOutcome, tagsOf } from "./tools/outcomes.js"

const runnerOf = (handler: JobHandler, policy: Policy.Policy<{ readonly job: typeof Job }> = {}) =>
  Effect.flatMap(jobs(handler), (toolset) => ToolRunner.make(toolset, policy))

const echo = runnerOf(({ value }) => Effect.succeed(value))

const send = (args: unknown) => Effect.flatMap(echo, (runner) => runner.run(ToolCall.make("c", "job", args)))

const give = (result: unknown) =>
  Effect.flatMap(
    runnerOf(() => Effect.succeed(result)),
    (runner) => runner.run(jobCall("c"))
  )

const textOf = (outcome: Outcome.Outcome): string => {
  const result = Outcome.render(outcome)
  return result === undefined ? "" : ToolResult.toText(result)
}

const memberNames = [
  "__proto__",
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "prototype",
  "__defineGetter__"
]

describe("names of Object's members", () => {
  for (const name of memberNames) {
    it.scoped(`${name} is no tool unless there is one`, () =>
      Effect.gen(function* () {
        const runner = yield* echo
        expectOutcome(yield* runner.run(ToolCall.make("c", name, {})), "UnknownTool")
        const policed = yield* runnerOf(Effect.succeed, {
          approval: { job: () => ({ _tag: "Allow" }) },
          limits: { tools: { job: { timeout: "1 second" } } }
        })
        expectOutcome(yield* policed.run(ToolCall.make("c", name, {})), "UnknownTool")
      })
    )
    it.effect(`${name} is a tool like any other where there is one, under a policy too`, () =>
      Effect.gen(function* () {
        const toolset = yield* Toolset.dynamic([{ name, execute: () => Effect.succeed("ran") }])
        const runner = yield* ToolRunner.make(toolset, {
          approval: {},
          limits: { default: { concurrency: 1 }, tools: {} }
        })
        expect(expectOutcome(yield* runner.run(ToolCall.make(name, name, {})), "Success").encoded).toBe("ran")
        const run = runner.forRun({ id: name, offered: [name] })
        expect((yield* run.definitions).map((definition) => definition.name)).toEqual([name])
        expectOutcome(yield* run.run(ToolCall.make(name, name, {})), "Success")
      })
    )
  }
  it.scoped("as ids of calls are ids like any other", () =>
    Effect.gen(function* () {
      const run = (yield* echo).forRun({})
      const outcomes = yield* run.runAll(memberNames.map((id) => jobCall(id, id)))
      expect(outcomes.map(({ id }) => id)).toEqual(memberNames)
      expect(outcomes.map((outcome) => expectOutcome(outcome, "Success").encoded)).toEqual(memberNames)
    })
  )
})

describe("a key by which a prototype could be replaced", () => {
  const texts = [
    '{"__proto__":{"isAdmin":true}}',
    '{"\\u005f\\u005fproto__":{"isAdmin":true}}',
    '{"__pr\\u006fto__":1}',
    '{"value":{"__proto__":{"isAdmin":true}}}',
    '{"value":[{"deep":[{"\\u005f_proto__":null}]}]}',
    '{"value":{"constructor":{"prototype":{"isAdmin":true}}}}',
    '{"value":{"c\\u006fnstructor":{"pr\\u006ftotype":{"isAdmin":true}}}}',
    '{"__proto__":{"isAdmin":true},}',
    '```json\n{"__proto__":{"isAdmin":true}}\n```'
  ]
  for (const text of texts) {
    it.scoped(`${JSON.stringify(text)} is refused`, () =>
      Effect.gen(function* () {
        const outcome = expectOutcome(yield* send(text), "InvalidArguments")
        expect(outcome.issues).toMatchObject([{ expected: "no key of this name" }])
        expect(Object.prototype).not.toHaveProperty("isAdmin")
        expect({}).not.toHaveProperty("isAdmin")
      })
    )
  }
  it.scoped("is refused in a parsed value, too", () =>
    Effect.gen(function* () {
      const parsed: unknown = JSON.parse('{"value":{"__proto__":{"isAdmin":true}}}')
      expect(expectOutcome(yield* send(parsed), "InvalidArguments").issues[0]?.path).toEqual(["value", "__proto__"])
    })
  )
  it.scoped("is refused where a dynamic tool takes anything", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        { name: "job", inputSchema: { type: "object", additionalProperties: true }, execute: Effect.succeed }
      ])
      const runner = yield* ToolRunner.make(toolset)
      for (const text of texts) {
        expectOutcome(yield* runner.run(ToolCall.make("c", "job", text)), "InvalidArguments")
      }
    })
  )
  it.scoped("is not taken for one where it is harmless", () =>
    Effect.gen(function* () {
      for (const value of [
        "__proto__",
        { constructor: "Frank Gehry" },
        { prototype: 1 },
        { toString: "x", valueOf: 1 }
      ]) {
        expect(expectOutcome(yield* send(JSON.stringify({ value })), "Success").encoded).toEqual(value)
      }
    })
  )
})

describe("size", () => {
  it.scoped("arguments of 10 MB are read, as text and as a value", () =>
    Effect.gen(function* () {
      const value = "x".repeat(10 * 1024 * 1024)
      expect(expectOutcome(yield* send(JSON.stringify({ value })), "Success").encoded).toBe(value)
      expect(expectOutcome(yield* send({ value }), "Success").encoded).toBe(value)
      const many = Array.from({ length: 500_000 }, (_, index) => index)
      expect(expectOutcome(yield* send(JSON.stringify({ value: many })), "Success").encoded).toHaveLength(500_000)
    })
  )
  it.scoped("arguments over the bound of 16 Mi characters are refused, by a text of a few lines", () =>
    Effect.gen(function* () {
      const outcome = yield* send(`{"value":"${"x".repeat(16 * 1024 * 1024)}"}`)
      expectOutcome(outcome, "InvalidArguments")
      expect(textOf(outcome).length).toBeLessThan(300)
    })
  )
  it.scoped("what is wrong with 10 MB is said in a few lines", () =>
    Effect.gen(function* () {
      const Strict = Toolkit.make(
        Tool.make("strict", { parameters: { n: Schema.Number, list: Schema.Array(Schema.Int) } })
      )
      const runner = yield* ToolRunner.make(
        yield* Toolset.fromLayer(Strict, Strict.toLayer({ strict: () => Effect.void }))
      )
      const args = { n: "x".repeat(10 * 1024 * 1024), list: Array.from({ length: 100_000 }, () => "wrong") }
      const outcome = yield* runner.run(ToolCall.make("c", "strict", JSON.stringify(args)))
      expectOutcome(outcome, "InvalidArguments")
      expect(textOf(outcome).length).toBeLessThan(2000)
    })
  )
  it.scoped("nesting of 10,000 is refused, as text and as a value, and no stack overflows", () =>
    Effect.gen(function* () {
      for (const [open, close] of [
        ["[", "]"],
        ['{"a":', "}"]
      ] as const) {
        const text = `{"value":${open.repeat(10_000)}1${close.repeat(10_000)}}`
        for (const sent of [text, JSON.parse(text) as unknown]) {
          const outcome = expectOutcome(yield* send(sent), "InvalidArguments")
          expect(outcome.issues).toMatchObject([{ expected: "arguments nested at most 200 deep" }])
        }
        // Cut off in the middle.
        expectOutcome(yield* send(text.slice(0, text.length / 2)), "InvalidArguments")
        // A comma too many in the innermost.
        expectOutcome(yield* send(`{"value":${"[".repeat(10_000)}1,${"]".repeat(10_000)}}`), "InvalidArguments")
      }
    })
  )
  it.scoped("a value in a circle is refused", () =>
    Effect.gen(function* () {
      const circle: { value?: unknown } = {}
      circle.value = [circle]
      expectOutcome(yield* send(circle), "InvalidArguments")
    })
  )
  it.scoped("a name of megabytes is answered in a few lines", () =>
    Effect.gen(function* () {
      const outcome = yield* (yield* echo).run(ToolCall.make("c", "x".repeat(5_000_000), {}))
      expect(textOf(outcome).length).toBeLessThan(300)
    })
  )
  it.scoped("ten thousand parameters have their issues told at once", () =>
    Effect.gen(function* () {
      const args = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`unknown_${index}`, index]))
      const runner = yield* runnerOf(Effect.succeed, { unknownArguments: "reject" })
      const outcome = yield* runner.run(ToolCall.make("c", "job", args))
      expect(expectOutcome(outcome, "InvalidArguments").issues).toHaveLength(10_000)
      expect(textOf(outcome).split("\n")).toHaveLength(12)
    })
  )
})

describe("characters", () => {
  it.scoped("half a surrogate pair passes through arguments, ids, digests and results", () =>
    Effect.gen(function* () {
      const lone = "\ud83d"
      const run = (yield* echo).forRun({})
      for (const [id, args] of [
        [`a${lone}`, { value: lone }],
        [`b${lone}`, `{"value":"${lone}"}`],
        [`c${lone}`, '{"value":"\\ud83d"}']
      ] as const) {
        const outcome = expectOutcome(yield* run.run(ToolCall.make(id, "job", args)), "Success")
        expect(outcome.id).toBe(id)
        expect(outcome.encoded).toBe(lone)
        expect(JSON.parse(outcome.text)).toBe(lone)
        expect((yield* run.run(ToolCall.make(id, "job", args))).notes).toEqual([{ _tag: "Replayed" }])
      }
      expectOutcome(yield* run.run(ToolCall.make("d", lone, {})), "UnknownTool")
    })
  )
  it.scoped("control characters, line separators and NUL pass through", () =>
    Effect.gen(function* () {
      const value = "\u0000\u0007\u2028\u2029\u200b\ufeff\u202e"
      expect(expectOutcome(yield* send(JSON.stringify({ value })), "Success").encoded).toBe(value)
    })
  )
  it.scoped("a byte order mark before the object is told, not dropped in silence", () =>
    Effect.gen(function* () {
      expectOutcome(yield* send('\ufeff{"value":1}'), "InvalidArguments")
    })
  )
})

describe("arguments that are no object", () => {
  for (const sent of [[], [1], "text", '"text"', "[]", "1", 1, true, "true", Number.NaN, 1n, Symbol("s"), () => 1]) {
    it.scoped(`${typeof sent} ${String(sent)} is refused`, () =>
      Effect.gen(function* () {
        const outcome = yield* send(sent)
        expectOutcome(outcome, "InvalidArguments")
        expect(textOf(outcome)).toContain("The arguments of job are invalid")
      })
    )
  }
  it.scoped("an object without a prototype is one", () =>
    Effect.gen(function* () {
      const bare: Record<string, unknown> = Object.create(null)
      bare.value = Object.assign(Object.create(null), { inner: 1 })
      expect(expectOutcome(yield* send(bare), "Success").text).toBe('{"inner":1}')
    })
  )
  it.scoped("what an object inherits is no argument", () =>
    Effect.gen(function* () {
      const outcome = expectOutcome(yield* send(Object.create({ value: "inherited" })), "Success")
      expect(outcome.encoded).toBeNull()
    })
  )
})

describe("results", () => {
  it.scoped("undefined inside of a result is left out of what the model reads, as JSON does", () =>
    Effect.gen(function* () {
      const outcome = expectOutcome(yield* give({ a: undefined, b: [undefined, 1] }), "Success")
      expect(outcome.text).toBe('{"b":[null,1]}')
    })
  )
  it.scoped("undefined as a whole is null", () =>
    Effect.gen(function* () {
      expect(expectOutcome(yield* give(undefined), "Success").text).toBe("null")
    })
  )
  const circle: { self?: unknown } = {}
  circle.self = circle
  const deep = () => {
    let value: unknown = 1
    for (let level = 0; level < 100_000; level++) value = [value]
    return value
  }
  const invalid: ReadonlyArray<readonly [what: string, result: unknown]> = [
    ["a BigInt", 1n],
    ["a BigInt inside", { a: [1n] }],
    ["a circle", circle],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["nesting of 100,000", deep()],
    [
      "an object whose toJSON throws",
      {
        toJSON: () => {
          throw new Error("secret")
        }
      }
    ],
    [
      "an object with a getter that throws",
      {
        get a() {
          throw new Error("secret")
        }
      }
    ]
  ]
  for (const [what, result] of invalid) {
    it.scoped(`${what} is an InvalidResult, of which the model reads a reference`, () =>
      Effect.gen(function* () {
        const outcome = expectOutcome(yield* give(result), "InvalidResult")
        expect(outcome.issues.length).toBeGreaterThan(0)
        expect(textOf(outcome)).toBe(
          `The tool job ran, but what it gave is no valid result (reference ${outcome.reference}). It may have taken effect. Check its effect before you repeat it.`
        )
      })
    )
    it.scoped(`${what} is an InvalidResult as a failure, and under a journal, a bound and a cache, too`, () =>
      Effect.gen(function* () {
        const failing = yield* runnerOf(() => Effect.fail(result))
        expectOutcome(yield* failing.run(jobCall("c")), "InvalidResult")
        const equipped = yield* runnerOf(() => Effect.succeed(result), {
          journal: yield* Journal.memory,
          resultBound: { maxBytes: 1 },
          limits: { default: { timeout: "1 second" }, tools: { job: { cache: { timeToLive: "1 minute" } } } },
          observe: { arguments: true, results: true, causes: true }
        })
        const run = equipped.forRun({})
        const first = expectOutcome(yield* run.run(jobCall("c")), "InvalidResult")
        const second = expectOutcome(yield* run.run(jobCall("c")), "InvalidResult")
        expect(second.reference).toBe(first.reference)
      })
    )
  }
  it.scoped("a result that is a promise, or a proxy that throws, is invalid", () =>
    Effect.gen(function* () {
      const proxy = new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("secret")
          }
        }
      )
      expectOutcome(yield* give(proxy), "InvalidResult")
      expectOutcome(yield* give(Promise.resolve(1)), "InvalidResult")
    })
  )
  it.scoped("content of a part that has no JSON is left to the wire format, or invalid", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        { name: "job", isContent: true, execute: () => Effect.succeed([Content.json(1n)]) }
      ])
      expectOutcome(yield* (yield* ToolRunner.make(toolset)).run(jobCall("c")), "InvalidResult")
    })
  )
})

describe("handlers that never return", () => {
  const never: ReadonlyArray<readonly [what: string, handler: JobHandler]> = [
    ["waits for ever", () => Effect.never],
    ["waits for ever, uninterruptibly", () => Effect.uninterruptible(Effect.never)],
    ["waits for a promise that nobody keeps", () => Effect.promise(() => new Promise(() => undefined))],
    ["does not let go when interrupted", () => Effect.onInterrupt(Effect.never, () => Effect.never)],
    ["repeats for ever", () => Effect.forever(Effect.sleep("10 millis"))]
  ]
  for (const [what, handler] of never) {
    it.scoped(`a handler that ${what} ends as TimedOut, in a run too, and the other calls go on`, () =>
      Effect.gen(function* () {
        const runner = yield* runnerOf(
          (parameters) => (parameters.value === "ok" ? Effect.succeed("ok") : handler(parameters)),
          {
            limits: { default: { timeout: "1 second" } }
          }
        )
        for (const each of [runner, runner.forRun({})]) {
          const fiber = yield* Effect.fork(each.runAll([jobCall("a"), jobCall("b", "ok")]))
          yield* TestClock.adjust("1 second")
          expect(tagsOf(yield* Fiber.join(fiber))).toEqual(["TimedOut", "Success"])
        }
      })
    )
  }
})

describe("the application's own functions that throw", () => {
  const secret = () => {
    throw new Error("secret")
  }
  const Throwing = Schema.transform(Schema.String, Schema.String, { strict: true, decode: secret, encode: secret })

  it.scoped("a schema whose decoding throws ends its call as a Defect", () =>
    Effect.gen(function* () {
      const kit = Toolkit.make(Tool.make("job", { parameters: { value: Throwing } }))
      const runner = yield* ToolRunner.make(yield* Toolset.fromLayer(kit, kit.toLayer({ job: () => Effect.void })))
      const outcomes = yield* runner.runAll([jobCall("a", "x"), jobCall("b")])
      expect(tagsOf(outcomes)).toEqual(["Defect", "InvalidArguments"])
      expect(outcomes.map(textOf).join()).not.toContain("secret")
    })
  )
  it.scoped("a schema whose encoding throws ends its call as a Defect", () =>
    Effect.gen(function* () {
      const kit = Toolkit.make(
        Tool.make("job", {
          parameters: { value: Schema.Unknown },
          success: Throwing,
          failure: Throwing,
          failureMode: "return"
        })
      )
      const handler = ({ value }: { readonly value: unknown }) =>
        value === "fail" ? Effect.fail("x") : Effect.succeed("x")
      const runner = yield* ToolRunner.make(yield* Toolset.fromLayer(kit, kit.toLayer({ job: handler })))
      for (const each of [runner, runner.forRun({})]) {
        const outcomes = yield* each.runAll([jobCall("a", "ok"), jobCall("b", "fail")])
        expect(tagsOf(outcomes)).toEqual(["Defect", "Defect"])
        expect(outcomes.map(textOf).join()).not.toContain("secret")
      }
    })
  )
  it.scoped("a schema whose effectful decoding dies ends its call as a Defect", () =>
    Effect.gen(function* () {
      const Dying = Schema.transformOrFail(Schema.String, Schema.String, {
        decode: () => Effect.zipRight(Effect.yieldNow(), Effect.dieMessage("secret")),
        encode: ParseResult.succeed
      })
      const kit = Toolkit.make(Tool.make("job", { parameters: { value: Dying } }))
      const runner = yield* ToolRunner.make(yield* Toolset.fromLayer(kit, kit.toLayer({ job: () => Effect.void })))
      expectOutcome(yield* runner.run(jobCall("a", "x")), "Defect")
    })
  )
  it.scoped("a filter or a message of a schema that throws does not take the batch down", () =>
    Effect.gen(function* () {
      const Filtered = Schema.String.pipe(Schema.filter(secret))
      const Worded = Schema.String.pipe(Schema.minLength(3, { message: secret }))
      const kit = Toolkit.make(
        Tool.make("filtered", { parameters: { value: Filtered } }),
        Tool.make("worded", { parameters: { value: Worded } })
      )
      const runner = yield* ToolRunner.make(
        yield* Toolset.fromLayer(kit, kit.toLayer({ filtered: () => Effect.void, worded: () => Effect.void }))
      )
      const outcomes = yield* runner.runAll([
        ToolCall.make("a", "filtered", { value: "x" }),
        ToolCall.make("b", "worded", { value: "x" }),
        ToolCall.make("c", "worded", { value: "long enough" })
      ])
      expect(outcomes.map(({ id }) => id)).toEqual(["a", "b", "c"])
      expectOutcome(outcomes[2], "Success")
      for (const outcome of outcomes) expect(textOf(outcome)).not.toContain("secret")
    })
  )
  it.scoped("a cache key that throws ends its call as a Defect before the handler runs", () =>
    Effect.gen(function* () {
      let runs = 0
      const runner = yield* runnerOf(() => Effect.sync(() => ++runs), {
        limits: { tools: { job: { cache: { timeToLive: "1 minute", key: secret } } } }
      })
      for (const each of [runner, runner.forRun({})]) {
        const outcome = expectOutcome(yield* each.run(jobCall("c")), "Defect")
        expect(textOf(outcome)).not.toContain("secret")
      }
      expect(runs).toBe(0)
    })
  )
  it.scoped("a retry schedule that dies ends its call as a Defect", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.fail("x"), {
        limits: { tools: { job: { retry: Schedule.recurWhile(secret) } } }
      })
      expectOutcome(yield* runner.run(jobCall("c")), "Defect")
    })
  )
  it.scoped("a journal that dies ends its call as a Defect, and is not waited for by the next", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const runner = (yield* runnerOf(Effect.succeed, {
        journal: { ...journal, begin: () => Effect.sync(secret) }
      })).forRun({})
      expectOutcome(yield* runner.run(jobCall("c")), "Defect")
      expectOutcome(yield* runner.run(jobCall("c")), "Defect")
    })
  )
})
