import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { CallContext, Hidden, Outcome, ToolCall, ToolResult, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { recordLogs } from "../../recording/Logs.js"
import { expectOutcome } from "../../tools/outcomes.js"

const Locale = Schema.optionalWith(Schema.String, { default: () => "en" })

const Visit = Tool.make("visit", {
  parameters: {
    customerId: Schema.String,
    since: Schema.Date,
    locale: Locale,
    page: Schema.String
  },
  success: Schema.Unknown
}).pipe(Hidden.fields("customerId", "since", "locale"))
const Pages = Toolkit.make(Visit)

const runner = Effect.flatMap(
  Toolset.fromLayer(Pages, Pages.toLayer({ visit: (parameters) => Effect.succeed({ ...parameters }) })),
  (toolset) => ToolRunner.make(toolset)
)
const call = ToolCall.make("c", "visit", { page: "home" })

it.scoped("hidden fields are decoded by their own schemas, defaults included", () =>
  Effect.gen(function* () {
    const run = (yield* runner).forRun({ context: { customerId: "c_1", since: "2026-01-02T00:00:00.000Z" } })
    const outcome = expectOutcome(yield* run.run(call), "Success")
    expect(outcome.result).toEqual({ page: "home", customerId: "c_1", since: new Date("2026-01-02"), locale: "en" })
  })
)

it.scoped("the call context of the effect is used where the run gives none, and the run's goes first", () =>
  Effect.gen(function* () {
    const made = yield* runner
    const around = CallContext.provide({ customerId: "around", since: "2026-01-02T00:00:00.000Z" })
    const outside = expectOutcome(yield* made.run(call).pipe(around), "Success")
    expect(outside.result).toMatchObject({ customerId: "around" })
    const inside = made.forRun({ context: { customerId: "own", since: "2026-01-02T00:00:00.000Z" } })
    const own = expectOutcome(yield* inside.run(call).pipe(around), "Success")
    expect(own.result).toMatchObject({ customerId: "own" })
  })
)

it.scoped("a run within a run keeps what it does not replace", () =>
  Effect.gen(function* () {
    const outer = (yield* runner).forRun({ context: { customerId: "c_1", since: "2026-01-02T00:00:00.000Z" } })
    const outcome = expectOutcome(yield* outer.forRun({ context: { locale: "de" } }).run(call), "Success")
    expect(outcome.result).toMatchObject({ customerId: "c_1", locale: "de" })
  })
)

it.scoped("a missing or wrong value is the program's mistake: named to it, not to the model", () =>
  Effect.gen(function* () {
    const made = yield* runner
    const { lines, value } = yield* recordLogs(made.run(call).pipe(CallContext.provide({ since: "not a date at all" })))
    const outcome = expectOutcome(value, "MissingContext")
    expect(outcome.issues.map(({ path }) => path.join("."))).toEqual(["customerId", "since"])
    expect(Outcome.isModelMistake(outcome)).toBe(false)
    const result = Outcome.render(outcome)
    const text = result === undefined ? "" : ToolResult.toText(result)
    expect(text).toBe(
      `The tool visit failed internally (reference ${outcome.reference}). Calling it again with the same arguments will not help.`
    )
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(outcome.reference)
    expect(lines[0]).toContain("customerId, since")
    expect(lines[0]).toContain("(expected a string, but it is missing; expected a valid Date, received a text)")
    expect(lines[0]).not.toContain("not a date at all")
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("values that the context inherits are not taken for fields", () =>
  Effect.gen(function* () {
    const made = yield* runner
    const inherited: CallContext.Values = Object.create({ customerId: "inherited", since: "2026-01-02T00:00:00.000Z" })
    expectOutcome(yield* made.run(call).pipe(CallContext.provide(inherited)), "MissingContext")
  })
)

it.scoped("the model is told of its own mistakes before the program's are looked at", () =>
  Effect.gen(function* () {
    expectOutcome(yield* (yield* runner).run(ToolCall.make("c", "visit", {})), "InvalidArguments")
  }).pipe(CallContext.provide({ customerId: undefined, since: undefined }))
)

it.scoped("parameters that are a class are an instance of it, hidden fields included", () =>
  Effect.gen(function* () {
    class Query extends Schema.Class<Query>("Query")({ tenant: Schema.String, text: Schema.String }) {
      get both() {
        return `${this.tenant}/${this.text}`
      }
    }
    const Ask = Tool.make("ask", { parameters: Query.fields, success: Schema.String })
      .setParameters(Query)
      .pipe(Hidden.fields("tenant"))
    const Asking = Toolkit.make(Ask)
    const asked = yield* ToolRunner.make(
      yield* Toolset.fromLayer(Asking, Asking.toLayer({ ask: (query) => Effect.succeed(query.both) }))
    )
    const outcome = expectOutcome(
      yield* asked.forRun({ context: { tenant: "t" } }).run(ToolCall.make("c", "ask", { text: "x" })),
      "Success"
    )
    expect(outcome.result).toBe("t/x")
  })
)
