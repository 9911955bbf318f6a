/** What plain JavaScript may give a runner: nothing runs twice, for another, or with other arguments than were meant. */
import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Approval, Facts, Hidden, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Cause, Effect, Schema } from "effect"
import { causeOf, untyped } from "../../../../test/untyped.js"
import { recordLogs } from "../recording/Logs.js"
import { expectOutcome } from "../tools/outcomes.js"

const inputSchema = { type: "object", properties: { order: { type: "string" }, filter: { type: "object" } } }

/** A tool that could do with no arguments at all. */
const refunds = (policy: Record<string, unknown> = {}) =>
  Effect.gen(function* () {
    const paid: Array<unknown> = []
    const execute = (args: unknown) => Effect.sync(() => paid.push(args))
    const toolset = yield* Toolset.dynamic([{ name: "refund", inputSchema, execute }])
    return { paid, runner: yield* ToolRunner.make(toolset, policy) }
  })

const call = (args: unknown = { order: "o1" }): ToolCall.ToolCall => ToolCall.make("c", "refund", args)

const foreign: ReadonlyArray<readonly [what: string, unknown]> = [
  ["a promise that was not awaited", Promise.resolve({ order: "o1" })],
  ["an instance of Map", new Map([["order", "o1"]])],
  ["an instance of Set", new Set(["o1"])]
]

describe("what JSON would write as an object without fields", () => {
  it.effect.each(foreign)("is no arguments: %s", ([what, given]) =>
    Effect.gen(function* () {
      const { paid, runner } = yield* refunds()
      for (const args of [given, { filter: given }]) {
        const outcome = expectOutcome(yield* runner.run(call(args)), "InvalidArguments")
        expect(outcome.issues[0]?.received).toBe(what)
      }
      expect(yield* causeOf(untyped<Effect.Effect<unknown, unknown>>(runner.call)("refund", given))).toContain(
        "Invalid"
      )
      expect(paid).toEqual([])
    })
  )

  it.effect.each(foreign)("is no edit: %s", ([what, given]) =>
    Effect.gen(function* () {
      const { paid, runner } = yield* refunds({ approval: () => Approval.ask() })
      const run = runner.forRun({ id: "r" })
      const waiting = expectOutcome(yield* run.run(call()), "Deferred")
      const refused = yield* Effect.flip(run.resume(waiting, untyped<Response.Approve>(Response.approveWith)(given)))
      expect(String(refused)).toContain(what)
      expect(paid).toEqual([])
    })
  )

  it.effect.each(foreign)("is no subject: %s", ([, given]) =>
    Effect.gen(function* () {
      const decisions = [
        () => untyped<Approval.Decision>(Approval.ask)("why", { subject: given }),
        () => untyped<Approval.Decision>(Approval.ask)("why", { subjct: "o1" }),
        () => untyped<Approval.Decision>(Approval.allowOnly)(given),
        () => ({ _tag: "Ask", why: undefined, subject: given })
      ]
      for (const approval of decisions) {
        const { paid, runner } = yield* refunds({ approval })
        const { lines, value } = yield* recordLogs(runner.run(call()))
        expectOutcome(value, "Defect")
        expect(lines.join("\n")).toContain("which is no decision")
        expect(paid).toEqual([])
      }
    })
  )
})

it.effect("an edit under a misspelt name, or of nothing, is not run as it was", () =>
  Effect.gen(function* () {
    const { paid, runner } = yield* refunds({ approval: () => Approval.ask() })
    const run = runner.forRun({ id: "r" })
    const waiting = expectOutcome(yield* run.run(call()), "Deferred")
    const edited = { _tag: "Approve", argments: { order: "o2" } } as const
    expect(String(yield* Effect.flip(run.resume(waiting, edited)))).toContain('Approve with "argments"')
    expect(() => untyped(Response.approveWith)(undefined)).toThrow("must be an object, but is nothing")
    expect(paid).toEqual([])
  })
)

it.effect.each([null, "", Number.NaN, 5, {}, Promise.resolve("r")])("a run is not named %s", (id) =>
  Effect.gen(function* () {
    const { runner } = yield* refunds()
    expect(() => untyped(runner.forRun)({ id })).toThrow("id must be a name")
    expect(() => untyped(runner.forRun)({ id: "r", turn: 1 })).toThrow("turn must be a text")
    expect(() => untyped(runner.forRun)({ id: "r", isRecovered: "no" })).toThrow("isRecovered must be true or false")
  })
)

it.effect.each([undefined, null, "refund", { name: "refund" }, { id: 1, name: "refund" }, { id: "c", nmae: "refund" }])(
  "what is no call begins nothing: %j",
  (wrong) =>
    Effect.gen(function* () {
      const { paid, runner } = yield* refunds()
      const run = runner.forRun({ id: "r" })
      const given = (make: unknown) => untyped<Effect.Effect<unknown, unknown>>(make)
      const waiting = { call: wrong, name: "refund", digest: "" }
      const attempts = [
        given(run.run)(wrong),
        given(run.runAll)([call(), wrong]),
        given(run.preview)(wrong),
        given(run.ask)(wrong),
        given(run.resume)(waiting, Response.approve),
        given(run.check)(waiting, Response.approve),
        Effect.flatMap(run.openBatch(), ({ add }) => given(add)(wrong))
      ]
      for (const attempt of attempts)
        expect(yield* causeOf(attempt)).toContain("A call must be { id, name, arguments }")
      expect(yield* causeOf(given(run.runAll)(wrong))).toMatch(/What is run must be an array of calls/)
      expect(yield* causeOf(given(run.resume)(undefined, Response.approve))).toContain("must be a deferred call")
      expect(paid).toEqual([])
    })
)

const Look = Tool.make("look", { parameters: { account: Schema.String } })

it.effect.each<readonly [Tool.Any, string]>([
  [
    Look.annotate(Tool.Readonly, untyped<boolean>(String)(false)),
    'facts.isReadOnly must be true or false, but is "false"'
  ],
  [Look.annotate(Tool.Idempotent, untyped<boolean>(Number)(1)), "facts.isIdempotent must be true or false, but is 1"],
  [Look.annotate(Facts.ToolDisclosure, untyped<"none">(String)("nome")), 'facts.disclosure must be "none" or'],
  [untyped<(tool: Tool.Any) => Tool.Any>(Hidden.fields)(["account"])(Look), "hidden must be an array of texts"]
])("a tool of @effect/ai that states nothing that can be stated is refused: %#", ([tool, problem]) =>
  Effect.gen(function* () {
    const kit = Toolkit.make(tool)
    const handlers = untyped((named: never) => kit.toLayer(named))({ look: () => Effect.void })
    const made = Effect.scoped(untyped<Effect.Effect<unknown, unknown>>(Toolset.fromLayer)(kit, handlers))
    expect(Cause.pretty(yield* Effect.flip(Effect.sandbox(made)))).toContain(problem)
  })
)
