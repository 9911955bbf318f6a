import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Issue, Outcome, type Policy, ToolCall, ToolResult, ToolRunner, Toolset } from "@wield/core"
import { Clock, Effect, ParseResult, Schema } from "effect"
import { expectOutcome } from "../../tools/outcomes.js"

const Upper = Schema.transformOrFail(Schema.String, Schema.String, {
  decode: (text, _options, ast) =>
    text === ""
      ? ParseResult.fail(new ParseResult.Type(ast, text, "must say something"))
      : ParseResult.succeed(text.toUpperCase()),
  encode: ParseResult.succeed
})

const Note = Schema.optionalWith(Schema.String, { default: () => "none" })

const Address = Schema.Struct({ street: Schema.String, number: Schema.Int })

const Book = Tool.make("book", {
  parameters: {
    room: Schema.Literal("small", "large"),
    nights: Schema.Int.pipe(Schema.between(1, 30)),
    from: Schema.Date,
    guests: Schema.Array(Schema.Struct({ name: Schema.NonEmptyString, age: Schema.optional(Schema.Number) })),
    note: Note,
    title: Schema.optional(Upper),
    address: Schema.optional(Address),
    billing: Schema.optional(Schema.NullOr(Address)),
    pet: Schema.optional(Schema.Union(Schema.Boolean, Schema.Number)),
    card: Schema.optional(
      Schema.String.pipe(Schema.pattern(/^\d{4}$/), Schema.annotations({ message: () => "four digits, please" }))
    )
  },
  success: Schema.Unknown
})
const Hotel = Toolkit.make(Book)

const runnerWith = (policy: Policy.Policy<{ readonly book: typeof Book }> = {}) =>
  Effect.flatMap(
    Toolset.fromLayer(Hotel, Hotel.toLayer({ book: (parameters) => Effect.succeed(parameters) })),
    (toolset) => ToolRunner.make(toolset, policy)
  )

const valid = { room: "small", nights: 2, from: "2026-01-02T00:00:00.000Z", guests: [{ name: "Ada" }] }

const send = (args: unknown, policy?: Policy.Policy<{ readonly book: typeof Book }>) =>
  Effect.flatMap(runnerWith(policy), (runner) => runner.run(ToolCall.make("call_1", "book", args)))

const issuesOf = (args: unknown) =>
  Effect.map(send(args), (outcome) => expectOutcome(outcome, "InvalidArguments").issues.map(Issue.toText))

it.scoped("the handler gets decoded values, defaults and transformations applied", () =>
  Effect.gen(function* () {
    const outcome = expectOutcome(yield* send({ ...valid, title: "dr" }), "Success")
    expect(outcome.result).toEqual({ ...valid, from: new Date("2026-01-02"), note: "none", title: "DR" })
  })
)

it.scoped("every issue is collected, each with its path, what was expected and what was sent", () =>
  Effect.gen(function* () {
    const outcome = expectOutcome(
      yield* send({ room: "huge", nights: 2.5, from: 3, guests: [{ name: "" }, { age: "old" }, "Ada"] }),
      "InvalidArguments"
    )
    expect(outcome.issues).toEqual([
      { path: ["room"], expected: 'one of "small", "large"', received: '"huge"' },
      { path: ["nights"], expected: "an integer", received: "2.5" },
      { path: ["from"], expected: "a string", received: "3" },
      { path: ["guests", 0, "name"], expected: "a string of at least 1 characters", received: '""' },
      { path: ["guests", 1, "name"], expected: "a string of at least 1 characters", received: undefined },
      { path: ["guests", 1, "age"], expected: "a number", received: '"old"' },
      { path: ["guests", 2], expected: "an object", received: '"Ada"' }
    ])
  })
)

it.scoped("bounds are told as they are", () =>
  Effect.gen(function* () {
    expect(yield* issuesOf({ ...valid, nights: 31 })).toEqual(["nights: expected an integer from 1 to 30, received 31"])
  })
)

it.scoped("missing parameters are told to be missing", () =>
  Effect.gen(function* () {
    expect(yield* issuesOf({})).toEqual([
      'room: expected one of "small", "large", but it is missing',
      "nights: expected an integer from 1 to 30, but it is missing",
      "from: expected a valid Date, but it is missing",
      "guests: expected an array, but it is missing"
    ])
  })
)

it.scoped("the author's own words stand in for the generated ones", () =>
  Effect.gen(function* () {
    expect(yield* issuesOf({ ...valid, card: "12", title: "" })).toEqual([
      "title: must say something",
      "card: four digits, please"
    ])
  })
)

it.scoped("an optional parameter has its issues told as if it were required", () =>
  Effect.gen(function* () {
    const broken = { street: 1, number: 1.5 }
    expect(yield* issuesOf({ ...valid, address: broken, billing: broken })).toEqual([
      "address.street: expected a string, received 1",
      "address.number: expected an integer, received 1.5",
      "billing.street: expected a string, received 1",
      "billing.number: expected an integer, received 1.5"
    ])
    expect(yield* issuesOf({ ...valid, address: "Main Street 1", billing: 7, pet: "cat" })).toEqual([
      'address: expected an object, received "Main Street 1"',
      "billing: expected an object or null, received 7",
      'pet: expected true or false or a number, received "cat"'
    ])
  })
)

it.scoped("a date that is none is shown as it was sent, not as it was transformed", () =>
  Effect.gen(function* () {
    const texts = yield* issuesOf({ ...valid, from: "next week" })
    expect(texts).toHaveLength(1)
    expect(texts[0]).toMatch(/^from: /)
    expect(texts[0]).toContain('"next week"')
    expect(texts[0]).not.toContain("Invalid Date")
  })
)

it.scoped("the model reads one line for each of the first ten issues, and how many more there are", () =>
  Effect.gen(function* () {
    const outcome = yield* send({ ...valid, guests: Array.from({ length: 14 }, () => ({ name: 1 })) })
    const result = Outcome.render(outcome)
    const lines = result === undefined ? [] : ToolResult.toText(result).split("\n")
    expect(lines[0]).toBe("The arguments of book are invalid; the tool was not run. Correct them and call it again.")
    expect(lines[1]).toBe("- guests[0].name: expected a string, received 1")
    expect(lines).toHaveLength(12)
    expect(lines[11]).toBe("- and 4 more")
    expect(result?.isError).toBe(true)
    expect(Outcome.isModelMistake(outcome)).toBe(true)
  })
)

describe("unknown arguments", () => {
  it.scoped("are ignored by default and do not reach the handler", () =>
    Effect.gen(function* () {
      const outcome = expectOutcome(yield* send({ ...valid, discount: 50 }), "Success")
      expect(outcome.result).not.toHaveProperty("discount")
    })
  )

  it.scoped("are issues where the policy rejects them, in nested objects too", () =>
    Effect.gen(function* () {
      const outcome = expectOutcome(
        yield* send({ ...valid, discount: 50, guests: [{ name: "Ada", vip: true }] }, { unknownArguments: "reject" }),
        "InvalidArguments"
      )
      expect(outcome.issues.map(({ expected, path }) => [path.join("."), expected])).toEqual(
        expect.arrayContaining([
          ["discount", "no argument of this name"],
          ["guests.0.vip", "no argument of this name"]
        ])
      )
      expect(outcome.issues).toHaveLength(2)
    })
  )

  it.scoped("are ignored by a tool without parameters", () =>
    Effect.gen(function* () {
      const Now = Toolkit.make(Tool.make("now", { success: Schema.Number }))
      const runner = yield* ToolRunner.make(
        yield* Toolset.fromLayer(Now, Now.toLayer({ now: () => Effect.succeed(1) }))
      )
      expectOutcome(yield* runner.run(ToolCall.make("c", "now", { zone: "UTC" })), "Success")
    })
  )
})

it.scoped("an effectful schema decodes with the services of the request", () =>
  Effect.gen(function* () {
    const Slow = Schema.transformOrFail(Schema.String, Schema.Number, {
      decode: (text) => Effect.delay(Effect.succeed(text.length), "10 millis"),
      encode: (length) => Effect.succeed("x".repeat(length))
    })
    const Measure = Toolkit.make(Tool.make("measure", { parameters: { text: Slow }, success: Slow }))
    const runner = yield* ToolRunner.make(
      yield* Toolset.fromLayer(Measure, Measure.toLayer({ measure: ({ text }) => Effect.succeed(text + 1) }))
    )
    const outcome = expectOutcome(
      yield* Effect.withClock(runner.run(ToolCall.make("c", "measure", { text: "abc" })), yield* liveClock),
      "Success"
    )
    expect(outcome.result).toBe(4)
    expect(outcome.encoded).toBe("xxxx")
  })
)

const liveClock = Effect.sync(() => Clock.make())

describe("a dynamic tool", () => {
  const dynamic = Effect.flatMap(
    Toolset.dynamic([
      {
        name: "book",
        inputSchema: {
          type: "object",
          properties: {
            room: { enum: ["small", "large"] },
            nights: { type: "integer", minimum: 1, default: 1 },
            guests: {
              type: "array",
              items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
            }
          },
          required: ["room"],
          additionalProperties: false
        },
        execute: Effect.succeed
      }
    ]),
    (toolset) => ToolRunner.make(toolset)
  )

  it.effect("gets what was sent: a default is shown to the model and never filled in", () =>
    Effect.gen(function* () {
      const runner = yield* dynamic
      const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "book", { room: "small" })), "Success")
      expect(outcome.encoded).toEqual({ room: "small" })
      const [definition] = yield* runner.definitions
      expect(definition?.inputSchema).toMatchObject({ properties: { nights: { default: 1 } } })
    })
  )

  it.scoped("gets no default of a hidden field that the call context does not supply", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        {
          name: "list",
          inputSchema: {
            type: "object",
            properties: { tenant: { type: "string", default: "main" }, page: { type: "integer", default: 1 } }
          },
          hidden: ["tenant"],
          execute: Effect.succeed
        }
      ])
      const run = (yield* ToolRunner.make(toolset)).forRun({ context: {} })
      const outcome = expectOutcome(yield* run.run(ToolCall.make("c", "list", {})), "Success")
      expect(outcome.encoded).toEqual({})
    })
  )

  it.effect("has every issue collected by its JSON Schema", () =>
    Effect.gen(function* () {
      const outcome = expectOutcome(
        yield* (yield* dynamic).run(
          ToolCall.make("c", "book", { nights: "two", guests: [{ name: 1 }, {}], discount: 1 })
        ),
        "InvalidArguments"
      )
      expect(outcome.issues.map(Issue.toText).sort()).toEqual([
        "discount: expected no argument of this name (there are room, nights and guests), received one",
        "guests[0].name: expected a string, received 1",
        "guests[1].name: expected a string, but it is missing",
        'nights: expected an integer, received "two"',
        'room: expected one of "small" or "large", but it is missing'
      ])
    })
  )
})
