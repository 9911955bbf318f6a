/**
 * An approval with other arguments than the model's: the call stays the call
 * that it was, the handler gets what the person put, the model is told.
 */
import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import {
  Approval,
  CurrentCall,
  type Content,
  InvalidEdit,
  Journal,
  Outcome,
  type Policy,
  Response,
  StaleResponse,
  ToolCall,
  ToolRunner,
  Toolset
} from "@wield/core"
import { Effect, Schema } from "effect"
import { recordedJournal } from "../../recording/Journals.js"
import { jobCall, type JobHandler, jobs } from "../../tools/Job.js"
import { expectOutcome } from "../../tools/outcomes.js"
import { type Shop, shop } from "../../tools/Shop.js"

const context = { customerId: "c_1" }

/** What comes over a wire, where no type vouches for it. */
const fromWire = (value: unknown) => value as never

const asking = (handler: JobHandler, policy: Policy.Policy = {}) =>
  Effect.map(
    Effect.flatMap(jobs(handler), (toolset) => ToolRunner.make(toolset, { approval: () => Approval.ask(), ...policy })),
    (runner) => runner.forRun({ id: "r" })
  )

const askingShop = (policy: Policy.Policy<Toolkit.Tools<typeof Shop>> = {}) =>
  Effect.map(
    Effect.flatMap(shop, (toolset) => ToolRunner.make(toolset, { approval: () => Approval.ask(), ...policy })),
    (runner) => runner.forRun({ id: "r", context })
  )

const partsOf = (outcome: Outcome.Outcome): ReadonlyArray<Content.Part> => Outcome.render(outcome)?.content ?? []

const changedTo = (text: string) => `A person changed the arguments of this call to ${text}.`

it.scoped("the handler gets what a person put in place of the model's arguments, and the model is told", () =>
  Effect.gen(function* () {
    const run = yield* askingShop()
    const call = ToolCall.make("c", "refund", '{"amount":500,"reason":"late"}')
    const deferred = expectOutcome(yield* run.run(call), "Deferred")
    const outcome = expectOutcome(yield* run.resume(deferred, Response.approveWith({ amount: 50 })), "Success")
    expect(outcome.encoded).toBe("refunded 50")
    expect(outcome.call).toBe(call)
    expect(outcome.notes).toEqual([{ _tag: "Edited", arguments: { amount: 50 } }])
    expect(Outcome.text(outcome)).toBe(`refunded 50\n${changedTo('{"amount":50}')}`)
    expect(Outcome.render(outcome)?.structured).toBe("refunded 50")
  })
)

it.scoped("the model is told of it with a failure, and with a call that was not run, too", () =>
  Effect.gen(function* () {
    let decision: Approval.Decision = Approval.ask()
    const run = yield* askingShop({ approval: () => decision })
    const deferred = expectOutcome(yield* run.run(ToolCall.make("c", "refund", { amount: 5 })), "Deferred")
    const failed = expectOutcome(yield* run.resume(deferred, Response.approveWith({ amount: 5000 })), "Failure")
    expect(partsOf(failed)).toEqual([
      { _tag: "JsonValue", value: { _tag: "TooMuch", limit: 1000 } },
      { _tag: "Text", text: changedTo('{"amount":5000}') }
    ])
    expect(Outcome.render(failed)?.structured).toEqual({ _tag: "TooMuch", limit: 1000 })

    const other = expectOutcome(yield* run.run(ToolCall.make("d", "refund", { amount: 5 })), "Deferred")
    decision = Approval.deny("closed")
    const denied = expectOutcome(yield* run.resume(other, Response.approveWith({ amount: 6 })), "Denied")
    expect(Outcome.text(denied)).toBe(`The call of refund was denied and not run: closed\n${changedTo('{"amount":6}')}`)
  })
)

it.scoped("the approval rule decides on the edited arguments", () =>
  Effect.gen(function* () {
    const run = yield* askingShop({
      approval: { refund: ({ parameters }) => (parameters.amount > 100 ? Approval.deny("over 100") : Approval.ask()) }
    })
    const deferred = expectOutcome(yield* run.run(ToolCall.make("c", "refund", { amount: 5 })), "Deferred")
    const denied = yield* run.resume(deferred, Response.approveWith({ amount: 500 }))
    expect(expectOutcome(denied, "Denied").reason).toBe("over 100")
  })
)

it.scoped("an edit reaches no hidden field, whatever case it is written in", () =>
  Effect.gen(function* () {
    const run = yield* askingShop()
    const deferred = expectOutcome(yield* run.run(ToolCall.make("c", "get_orders", { status: "open" })), "Deferred")
    const edited = { status: "shipped", customerId: "evil", CUSTOMERID: "evil" }
    const outcome = expectOutcome(yield* run.resume(deferred, Response.approveWith(edited)), "Success")
    expect(outcome.encoded).toMatchObject({ customer: "c_1" })
    expect(outcome.notes).toEqual([
      { _tag: "Stripped", field: "customerId" },
      { _tag: "Stripped", field: "CUSTOMERID" },
      { _tag: "Edited", arguments: { status: "shipped" } }
    ])
    expect(Outcome.text(outcome)).not.toContain("evil")
  })
)

it.scoped("what a person left as it was is no edit", () =>
  Effect.gen(function* () {
    const run = yield* askingShop()
    const call = ToolCall.make("c", "refund", '{"reason":"late","amount":5}')
    const deferred = expectOutcome(yield* run.run(call), "Deferred")
    const outcome = yield* run.resume(deferred, Response.approveWith({ amount: 5, reason: "late" }))
    expect(expectOutcome(outcome, "Success").notes).toEqual([])
  })
)

describe("an edit that does not fit", () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { value: nested(depth - 1) })
  const misfits: ReadonlyArray<readonly [what: string, edited: unknown, path: ReadonlyArray<string>]> = [
    ["is not what the schema takes", { amount: -5 }, ["amount"]],
    ["leaves out what is required", { reason: "x" }, ["amount"]],
    ["is no object", [5], []],
    ["is nothing", null, []],
    ["is a date", new Date(0), []],
    ["would replace a prototype", JSON.parse('{"amount":5,"__proto__":{}}'), ["__proto__"]],
    ["nests too deeply", { amount: 5, reason: nested(300) }, []],
    ["has an argument that the tool has not", { amount: 5, raeson: "late" }, ["raeson"]]
  ]
  for (const [what, edited, path] of misfits) {
    it.scoped(`since it ${what}, is refused with its issues, and runs nothing`, () =>
      Effect.gen(function* () {
        const journal = recordedJournal()
        const run = yield* askingShop({ journal: journal.service, unknownArguments: "ignore" })
        const deferred = expectOutcome(yield* run.run(ToolCall.make("c", "refund", { amount: 5 })), "Deferred")
        const response = Response.approveWith(fromWire(edited))
        for (const attempt of [run.resume(deferred, response), run.check(deferred, response)]) {
          const refused = yield* Effect.flip(Effect.asVoid(attempt))
          expect(refused).toBeInstanceOf(InvalidEdit)
          expect(refused).toMatchObject({ call: "c", tool: "refund", issues: [{ path }] })
        }
        expect(journal.lines).toEqual([])
        expectOutcome(yield* run.resume(deferred, Response.approve), "Success")
      })
    )
  }
  it.scoped("does, where an argument that the tool has not came from the model", () =>
    Effect.gen(function* () {
      const run = yield* askingShop()
      const call = ToolCall.make("c", "refund", { amount: 5, hurry: true })
      const deferred = expectOutcome(yield* run.run(call), "Deferred")
      const outcome = yield* run.resume(deferred, Response.approveWith({ amount: 6, hurry: true }))
      expect(expectOutcome(outcome, "Success").encoded).toBe("refunded 6")
    })
  )
  it.scoped("can be stored as JSON with its issues", () =>
    Effect.gen(function* () {
      const run = yield* askingShop()
      const deferred = expectOutcome(yield* run.run(ToolCall.make("c", "refund", { amount: 5 })), "Deferred")
      const refused = yield* Effect.flip(run.resume(deferred, Response.approveWith({ amount: "6" })))
      if (refused._tag !== "InvalidEdit") throw new Error("expected an InvalidEdit", { cause: refused })
      const json = JSON.stringify(yield* Schema.encode(InvalidEdit)(refused))
      const read = yield* Schema.decode(Schema.parseJson(InvalidEdit))(json)
      expect(read.message).toBe(refused.message)
      expect(read.message).toContain('amount: expected a number, received "6"')
    })
  )
})

describe("an edited call in the journal", () => {
  const journals = Effect.map(Effect.all([Journal.memory, Journal.memory]), ([atOnce, slow]) => [
    { journal: undefined, isRestarted: false },
    { journal: atOnce, isRestarted: true },
    { journal: { ...slow }, isRestarted: true }
  ])

  it.scoped("is the call that the model sent: however it is approved, it runs once, and what it ran with is told", () =>
    Effect.gen(function* () {
      for (const { isRestarted, journal } of yield* journals) {
        const ran: Array<unknown> = []
        const start = asking(({ value }) => Effect.sync(() => ran.push(value)), { journal })
        const run = yield* start
        const deferred = expectOutcome(yield* run.run(jobCall("c", "model")), "Deferred")
        yield* run.resume(deferred, Response.approveWith({ value: "person" }))
        const later = isRestarted ? yield* start : run
        for (const response of [Response.approve, Response.approveWith({ value: "another" })]) {
          const again = expectOutcome(yield* later.resume(deferred, response), "Success")
          expect(again.notes).toEqual([{ _tag: "Replayed" }, { _tag: "Edited", arguments: { value: "person" } }])
          expect(Outcome.text(again)).toBe(`1\n${changedTo('{"value":"person"}')}`)
        }
        expect(ran).toEqual(["person"])
      }
    })
  )
  it.scoped("says nothing of an edit that came after it had run", () =>
    Effect.gen(function* () {
      for (const { journal } of yield* journals) {
        const ran: Array<unknown> = []
        const run = yield* asking(({ value }) => Effect.sync(() => ran.push(value)), { journal })
        const deferred = expectOutcome(yield* run.run(jobCall("c", "model")), "Deferred")
        yield* run.resume(deferred, Response.approve)
        const again = yield* run.resume(deferred, Response.approveWith({ value: "late" }))
        expect(again.notes).toEqual([{ _tag: "Replayed" }])
        expect(ran).toEqual(["model"])
      }
    })
  )
  it.scoped("has the idempotency key of the call that the model sent", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const handler = () => Effect.map(CurrentCall.CurrentCall, ({ idempotencyKey }) => void keys.push(idempotencyKey))
      for (const sent of ["x", '{"value":"x"}']) {
        for (const response of [Response.approve, Response.approveWith({ value: "y" })]) {
          const run = yield* asking(handler)
          const call = sent === "x" ? jobCall("c", "x") : ToolCall.make("c", "job", sent)
          yield* run.resume(expectOutcome(yield* run.run(call), "Deferred"), response)
        }
      }
      expect(keys).toHaveLength(4)
      expect(new Set(keys).size).toBe(1)
    })
  )
  it.scoped("keeps what the person put, whatever the handler does to its parameters", () =>
    Effect.gen(function* () {
      const run = yield* asking(({ value }) =>
        Effect.sync(() => {
          if (Array.isArray(value)) value.push("from the handler")
          return "done"
        })
      )
      const deferred = expectOutcome(yield* run.run(jobCall("c", ["a"])), "Deferred")
      const put = ["b"]
      const outcome = yield* run.resume(deferred, Response.approveWith({ value: put }))
      expect(outcome.notes).toEqual([{ _tag: "Edited", arguments: { value: ["b"] } }])
      expect(put).toEqual(["b"])
    })
  )
})

describe("a client's call that a person edited", () => {
  const edited = { title: "Orders" }
  const charted = Effect.gen(function* () {
    const run = yield* askingShop()
    const asked = expectOutcome(yield* run.run(ToolCall.make("c", "show_chart", { title: "Sales" })), "Deferred")
    const waiting = expectOutcome(yield* run.resume(asked, Response.approveWith(edited)), "Deferred")
    return { run, waiting }
  })

  it.scoped("waits with the arguments that the person put, and its result tells of them", () =>
    Effect.gen(function* () {
      const { run, waiting } = yield* charted
      expect(waiting).toMatchObject({ waitsFor: "client", arguments: edited, call: { arguments: { title: "Sales" } } })
      const { arguments: shown, call, digest, name } = waiting
      const stored = JSON.parse(JSON.stringify({ arguments: shown, call, digest, name }))
      const outcome = expectOutcome(yield* run.resume(stored, Response.result({ shown: true })), "Success")
      expect(outcome.notes).toEqual([{ _tag: "Edited", arguments: edited }])
    })
  )
  it.scoped("refuses a result for other arguments than the person put", () =>
    Effect.gen(function* () {
      const { run, waiting } = yield* charted
      const { call, digest, name } = waiting
      for (const shown of [undefined, { title: "Sales" }, { title: "Orders", customerId: "evil" }]) {
        const answered = run.resume({ call, digest, name, arguments: shown }, Response.result({ shown: true }))
        expect(yield* Effect.flip(answered)).toBeInstanceOf(StaleResponse)
      }
    })
  )
})

it.scoped("an edit of a tool whose handler gives content is told after the content", () =>
  Effect.gen(function* () {
    const Kit = Toolkit.make(Tool.make("look", { parameters: { at: Schema.String }, success: Schema.String }))
    const toolset = yield* Toolset.fromLayer(
      Kit,
      Kit.toLayer({ look: ({ at }) => Effect.succeed("x".repeat(40) + at) })
    )
    const runner = yield* ToolRunner.make(toolset, { approval: () => Approval.ask(), resultBound: { maxBytes: 20 } })
    const run = runner.forRun({})
    const deferred = expectOutcome(yield* run.run(ToolCall.make("c", "look", { at: "a" })), "Deferred")
    const parts = partsOf(yield* run.resume(deferred, Response.approveWith({ at: "b" })))
    expect(parts).toHaveLength(3)
    expect(parts[2]).toEqual({ _tag: "Text", text: changedTo('{"at":"b"}') })
  })
)
