import { describe, expect, it } from "@effect/vitest"
import { Content, Outcome, type Policy, ToolCall, ToolResult, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema, TestClock } from "effect"
import type { Job } from "../../tools/Job.js"
import { jobCall, jobs } from "../../tools/Job.js"
import { expectOutcome } from "../../tools/outcomes.js"

const runnerOf = (
  result: unknown,
  resultBound: Policy.ResultBound,
  more: Policy.Policy<{ readonly job: typeof Job }> = {}
) =>
  Effect.flatMap(
    jobs(() => Effect.succeed(result)),
    (toolset) => ToolRunner.make(toolset, { ...more, resultBound })
  )

const textOf = (outcome: Outcome.Outcome): string => {
  const result = Outcome.render(outcome)
  return result === undefined ? "" : ToolResult.toText(result)
}

/** What the model is told to call next. */
const Next = Schema.parseJson(Schema.Struct({ handle: Schema.String, offset: Schema.Number }))

const nextOf = (outcome: Outcome.Outcome): typeof Next.Type =>
  Schema.decodeUnknownSync(Next)(/read_result (\{.*?\})/.exec(textOf(outcome))?.[1])

const Page = Schema.Struct({ text: Schema.String, next: Schema.NullOr(Schema.Number), total: Schema.Number })

/** Reads on from a bounded result to its end. */
const readAll = (
  run: (call: ToolCall.ToolCall) => Effect.Effect<Outcome.Outcome, never>,
  { handle, offset }: typeof Next.Type
): Effect.Effect<string> =>
  Effect.gen(function* () {
    const outcome = expectOutcome(
      yield* run(ToolCall.make(`r_${offset}`, "read_result", { handle, offset })),
      "Success"
    )
    const page = Schema.decodeUnknownSync(Page)(outcome.encoded)
    return page.next === null ? page.text : page.text + (yield* readAll(run, { handle, offset: page.next }))
  })

it.scoped("a result within the bound is left alone", () =>
  Effect.gen(function* () {
    // 98 characters and two quotes.
    const runner = yield* runnerOf("x".repeat(98), { maxBytes: 100 })
    const outcome = expectOutcome(yield* runner.run(jobCall("c")), "Success")
    expect(outcome.notes).toEqual([])
    expect(outcome.content).toBeUndefined()
  })
)

it.scoped("of a larger result the model gets the head, the size and how to read on", () =>
  Effect.gen(function* () {
    const runner = yield* runnerOf("x".repeat(99), { maxBytes: 100, headCharacters: 10 })
    const outcome = expectOutcome(yield* runner.run(jobCall("c")), "Success")
    expect(outcome.notes).toMatchObject([{ _tag: "Bounded", bytes: 101 }])
    expect(textOf(outcome)).toMatch(
      /^"xxxxxxxxx\n\[The result has 101 bytes; these are its first 10 of 101 characters\. Read on with read_result \{"handle":"[0-9a-f-]{36}","offset":10\}\]$/
    )
    // The program has the whole of it.
    expect(outcome.encoded).toBe("x".repeat(99))
    expect(outcome.text).toHaveLength(101)
  })
)

it.scoped("the bound is in bytes: characters of several bytes count as such", () =>
  Effect.gen(function* () {
    const runner = yield* runnerOf("é".repeat(60), { maxBytes: 100 })
    expect(expectOutcome(yield* runner.run(jobCall("c")), "Success").notes).toMatchObject([
      { _tag: "Bounded", bytes: 122 }
    ])
  })
)

it.scoped("head and pages together are the whole result, though it is full of surrogate pairs", () =>
  Effect.gen(function* () {
    const value = "a😀".repeat(100)
    const runner = yield* runnerOf(value, { maxBytes: 50, headCharacters: 7 })
    const outcome = expectOutcome(yield* runner.run(jobCall("c")), "Success")
    const first = outcome.content?.[0]
    const head = first?._tag === "Text" ? first.text : ""
    const rest = yield* readAll(runner.run, nextOf(outcome))
    expect(head + rest).toBe(JSON.stringify(value))
    // Half a pair would not survive UTF-8.
    expect(Buffer.from(head, "utf8").toString("utf8")).toBe(head)
  })
)

it.scoped("read_result is offered when there is a bound, and not bounded itself", () =>
  Effect.gen(function* () {
    const runner = yield* runnerOf("x".repeat(500), { maxBytes: 10, headCharacters: 400 })
    expect((yield* runner.definitions).map(({ name }) => name)).toEqual(["job", "read_result"])
    const outcome = yield* runner.run(jobCall("c"))
    const page = expectOutcome(yield* runner.run(ToolCall.make("r", "read_result", nextOf(outcome))), "Success")
    expect(page.notes).toEqual([])
    const unbounded = yield* ToolRunner.make(yield* jobs(Effect.succeed))
    expect((yield* unbounded.definitions).map(({ name }) => name)).toEqual(["job"])
  })
)

it.scoped("reading on asks nobody, and is not denied", () =>
  Effect.gen(function* () {
    let asked = 0
    const runner = yield* runnerOf(
      "x".repeat(500),
      { maxBytes: 100 },
      {
        approval: () => {
          asked++
          return { _tag: "Allow" }
        }
      }
    )
    const outcome = yield* runner.run(jobCall("c"))
    yield* runner.run(ToolCall.make("r", "read_result", nextOf(outcome)))
    expect(asked).toBe(1)
  })
)

describe("a handle", () => {
  const gone = {
    error: "There is no result of this handle any more. The tool was run: call it again only if it changes nothing"
  }

  it.scoped("that nobody was given reads nothing", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf("x".repeat(500), { maxBytes: 100 })
      yield* runner.run(jobCall("c"))
      const outcome = yield* runner.run(ToolCall.make("r", "read_result", { handle: "guess", offset: 0 }))
      expect(expectOutcome(outcome, "Failure").encoded).toEqual(gone)
    })
  )
  it.scoped("expires", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf("x".repeat(500), { maxBytes: 100, timeToLive: "1 minute" })
      const next = nextOf(yield* runner.run(jobCall("c")))
      yield* TestClock.adjust("59 seconds")
      expectOutcome(yield* runner.run(ToolCall.make("r", "read_result", next)), "Success")
      yield* TestClock.adjust("1 second")
      expect(expectOutcome(yield* runner.run(ToolCall.make("r", "read_result", next)), "Failure").encoded).toEqual(gone)
    })
  )
  it.scoped("goes when there are more results than the capacity", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf("x".repeat(500), { maxBytes: 100, capacity: 2 })
      const nexts = yield* Effect.forEach(["a", "b", "c"], (id) => Effect.map(runner.run(jobCall(id)), nextOf))
      const outcomes = yield* Effect.forEach(nexts, (next) => runner.run(ToolCall.make("r", "read_result", next)))
      expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Failure", "Success", "Success"])
    })
  )
  it.scoped("read beyond the end gives an empty end", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf("x".repeat(498), { maxBytes: 100 })
      const { handle } = nextOf(yield* runner.run(jobCall("c")))
      const outcome = yield* runner.run(ToolCall.make("r", "read_result", { handle, offset: 9999 }))
      expect(expectOutcome(outcome, "Success").encoded).toEqual({ text: "", next: null, total: 500 })
    })
  )
})

it.scoped("content of several parts and failures are not bounded", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      { name: "image", isContent: true, execute: () => Effect.succeed([Content.image("image/png", "A".repeat(500))]) },
      { name: "failure", execute: () => Effect.fail("x".repeat(500)) }
    ])
    const runner = yield* ToolRunner.make(toolset, { resultBound: { maxBytes: 100 } })
    for (const name of ["image", "failure"]) {
      expect((yield* runner.run(ToolCall.make("c", name, {}))).notes).toEqual([])
    }
  })
)

it.scoped("a cached result is bounded anew, so that its handle does not expire before the cache does", () =>
  Effect.gen(function* () {
    const runner = yield* runnerOf(
      "x".repeat(500),
      { maxBytes: 100, timeToLive: "1 minute" },
      { limits: { tools: { job: { cache: { timeToLive: "1 hour" } } } } }
    )
    yield* runner.run(jobCall("a"))
    yield* TestClock.adjust("30 minutes")
    const cached = yield* runner.run(jobCall("b"))
    expect(cached.notes.map((note) => note._tag)).toEqual(["Cached", "Bounded"])
    expectOutcome(yield* runner.run(ToolCall.make("r", "read_result", nextOf(cached))), "Success")
  })
)

it.scoped("a replayed result is bounded anew, and still noted as replayed", () =>
  Effect.gen(function* () {
    const run = (yield* runnerOf("x".repeat(500), { maxBytes: 100 })).forRun({})
    yield* run.run(jobCall("a"))
    const again = yield* run.run(jobCall("a"))
    expect(again.notes.map((note) => note._tag).sort()).toEqual(["Bounded", "Replayed"])
    expectOutcome(yield* run.run(ToolCall.make("r", "read_result", nextOf(again))), "Success")
  })
)

it.scoped("a toolset that has a read_result of its own collides with a bound where the runner is made", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ name: "read_result", execute: () => Effect.void }])
    const error = yield* Effect.flip(ToolRunner.make(toolset, { resultBound: { maxBytes: 100 } }))
    expect(error._tag).toBe("ToolNameCollision")
    yield* ToolRunner.make(toolset)
  })
)
