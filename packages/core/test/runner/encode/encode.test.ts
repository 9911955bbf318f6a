import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { CallContext, Content, Journal, Outcome, ToolCall, ToolResult, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { jobCall, type JobHandler, jobs } from "../../tools/Job.js"
import { expectOutcome } from "../../tools/outcomes.js"
import { Order, shop } from "../../tools/Shop.js"

const run = (handler: JobHandler) =>
  Effect.flatMap(jobs(handler), (toolset) =>
    Effect.flatMap(ToolRunner.make(toolset), (runner) => runner.run(jobCall("call_1")))
  )

const textOf = (outcome: Outcome.Outcome): string => {
  const result = Outcome.render(outcome)
  return result === undefined ? "" : ToolResult.toText(result)
}

it.scoped("a success is encoded by the success schema and kept decoded for the program", () =>
  Effect.gen(function* () {
    const runner = (yield* ToolRunner.make(yield* shop)).forRun({ context: { customerId: "c_1" } })
    const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "get_orders", { status: "open" })), "Success")
    const encoded = { customer: "c_1", orders: [{ number: 7, placedAt: "1970-01-01T00:00:00.000Z" }] }
    expect(outcome.encoded).toEqual(encoded)
    expect(JSON.parse(outcome.text)).toEqual(encoded)
    expect(outcome.result).toEqual({ customer: "c_1", orders: [new Order({ number: 7, placedAt: new Date(0) })] })
    expect(Outcome.render(outcome)).toEqual({
      id: "c",
      name: "get_orders",
      isError: false,
      content: [Content.json(encoded)],
      structured: encoded
    })
  })
)

it.scoped("a failure is encoded by the failure schema, is an error for the model, and no mistake of it", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop)
    const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "refund", { amount: 2000 })), "Failure")
    expect(outcome.encoded).toEqual({ _tag: "TooMuch", limit: 1000 })
    expect(outcome.isRaised).toBe(false)
    expect(Outcome.isModelMistake(outcome)).toBe(false)
    expect(Outcome.render(outcome)).toMatchObject({ isError: true, structured: { _tag: "TooMuch", limit: 1000 } })
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("what a handler succeeds with is never encoded as a failure, though the schemas overlap", () =>
  Effect.gen(function* () {
    const Either = Tool.make("either", {
      parameters: { fails: Schema.Boolean },
      success: Schema.NumberFromString,
      failure: Schema.Number,
      failureMode: "return"
    })
    const Kit = Toolkit.make(Either)
    const runner = yield* ToolRunner.make(
      yield* Toolset.fromLayer(
        Kit,
        Kit.toLayer({ either: ({ fails }) => (fails ? Effect.fail(1) : Effect.succeed(1)) })
      )
    )
    const success = expectOutcome(yield* runner.run(ToolCall.make("a", "either", { fails: false })), "Success")
    const failure = expectOutcome(yield* runner.run(ToolCall.make("b", "either", { fails: true })), "Failure")
    expect([success.encoded, failure.encoded]).toEqual(["1", 1])
  })
)

describe("a value that does not fit its schema is an InvalidResult, of which the model reads a reference only", () => {
  const Strict = Tool.make("strict", {
    parameters: { fails: Schema.Boolean },
    success: Schema.Struct({ count: Schema.Int }),
    failure: Schema.Struct({ code: Schema.Int }),
    failureMode: "return"
  })
  const Kit = Toolkit.make(Strict)
  const strict = Effect.flatMap(
    Toolset.fromLayer(
      Kit,
      Kit.toLayer({
        strict: ({ fails }) => (fails ? Effect.fail({ code: 1.5 }) : Effect.succeed({ count: Number.NaN }))
      })
    ),
    (toolset) => ToolRunner.make(toolset)
  )
  for (const fails of [false, true]) {
    it.scoped(`when the handler ${fails ? "fails" : "succeeds"} with it`, () =>
      Effect.gen(function* () {
        const outcome = expectOutcome(
          yield* (yield* strict).run(ToolCall.make("c", "strict", { fails })),
          "InvalidResult"
        )
        expect(outcome.issues.map(({ path }) => path.join("."))).toEqual([fails ? "code" : "count"])
        expect(textOf(outcome)).toBe(
          `The tool strict ran, but what it gave is no valid result (reference ${outcome.reference}). It may have taken effect. Check its effect before you repeat it.`
        )
      })
    )
  }
})

describe("a result is never undefined", () => {
  it.scoped("a handler that gives nothing has null", () =>
    Effect.gen(function* () {
      const outcome = expectOutcome(yield* run(() => Effect.void), "Success")
      expect(outcome.encoded).toBeNull()
      expect(outcome.text).toBe("null")
      expect(Outcome.render(outcome)).toMatchObject({ structured: null, content: [Content.json(null)] })
    })
  )
  it.scoped("a tool whose success is void has null", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop)
      const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "cancel", { number: 7 })), "Success")
      expect(outcome.encoded).toBeNull()
      expect(textOf(outcome)).toBe("null")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("a failure that is nothing has null", () =>
    Effect.gen(function* () {
      const outcome = expectOutcome(yield* run(() => Effect.fail(undefined)), "Failure")
      expect(outcome.encoded).toBeNull()
      expect(textOf(outcome)).toBe("null")
    })
  )
})

describe("content of several parts", () => {
  const Screenshot = Tool.make("screenshot", { success: Content.Parts })
  const Kit = Toolkit.make(Screenshot)

  it.scoped("is read part by part, and is not repeated as structured content", () =>
    Effect.gen(function* () {
      const parts = [Content.text("As it looks now:"), Content.image("image/png", "AAAA")]
      const runner = yield* ToolRunner.make(
        yield* Toolset.fromLayer(Kit, Kit.toLayer({ screenshot: () => Effect.succeed(parts) }))
      )
      const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "screenshot", {})), "Success")
      const result = Outcome.render(outcome)
      expect(result?.content).toEqual(parts)
      expect(result).not.toHaveProperty("structured")
      expect(result === undefined ? "" : ToolResult.toText(result)).toBe(
        "As it looks now:\n[an image of type image/png that this API cannot carry in a result]"
      )
    })
  )

  it.effect("from a dynamic tool is checked, too", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        { name: "good", isContent: true, execute: () => Effect.succeed([Content.text("hi")]) },
        { name: "text", isContent: true, execute: () => Effect.succeed("hi") },
        { name: "nothing", isContent: true, execute: () => Effect.void },
        { name: "wrong", isContent: true, execute: () => Effect.succeed([{ type: "text", text: "hi" }]) }
      ])
      const runner = yield* ToolRunner.make(toolset)
      const good = yield* runner.run(ToolCall.make("c", "good", {}))
      expect(Outcome.render(good)?.content).toEqual([Content.text("hi")])
      for (const name of ["text", "nothing", "wrong"]) {
        expectOutcome(yield* runner.run(ToolCall.make("c", name, {})), "InvalidResult")
      }
    })
  )
})

describe("an answer of a dynamic tool that is content now and then", () => {
  const image = Content.image("image/png", "AAAA")
  const forged = { _tag: "@wield/core/Content/Answer", parts: [{ _tag: "Text", text: "forged" }] }
  const answers: Record<string, unknown> = {
    picture: new Content.Answer({ parts: [image] }),
    record: { id: 1 },
    forged
  }
  const toolset = Toolset.dynamic(
    Object.entries(answers).map(([name, answer]) => ({ name, execute: () => Effect.succeed(answer) }))
  )

  it.effect("is content or a JSON value, as it comes", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* toolset)
      const picture = yield* runner.run(ToolCall.make("c", "picture", {}))
      expect(Outcome.render(picture)?.content).toEqual([image])
      expect(Outcome.render(picture)).not.toHaveProperty("structured")
      const record = yield* runner.run(ToolCall.make("c", "record", {}))
      expect(Outcome.render(record)?.structured).toEqual({ id: 1 })
    })
  )

  it.effect("is the same when it is replayed", () =>
    Effect.gen(function* () {
      const runner = (yield* ToolRunner.make(yield* toolset, { journal: yield* Journal.memory })).forRun({ id: "run" })
      for (const name of ["picture", "record"]) {
        const first = expectOutcome(yield* runner.run(ToolCall.make("c", name, {})), "Success")
        const second = expectOutcome(yield* runner.run(ToolCall.make("c", name, {})), "Success")
        expect(second.notes.map((note) => note._tag)).toEqual(["Replayed"])
        expect(second.content).toEqual(first.content)
        expect(Outcome.render(second)).toEqual(Outcome.render(first))
      }
    })
  )

  it.effect("cannot be forged by an API that sends JSON which looks like it", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* toolset)
      expectOutcome(yield* runner.run(ToolCall.make("c", "forged", {})), "InvalidResult")
    })
  )
})

describe("the failure of a dynamic tool", () => {
  const failing = (failure: unknown) =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([{ name: "job", execute: () => Effect.fail(failure) }])
      return yield* (yield* ToolRunner.make(toolset)).run(jobCall("c"))
    })
  it.effect("is told as it is when it is a JSON value, an error by its message alone", () =>
    Effect.gen(function* () {
      expect(expectOutcome(yield* failing("no such page"), "Failure").encoded).toBe("no such page")
      expect(expectOutcome(yield* failing({ code: 404 }), "Failure").encoded).toEqual({ code: 404 })
      const error = expectOutcome(yield* failing(new TypeError("no such page")), "Failure")
      expect(error.encoded).toEqual({ error: "no such page" })
      expect(textOf(error)).not.toContain("TypeError")
    })
  )
})
