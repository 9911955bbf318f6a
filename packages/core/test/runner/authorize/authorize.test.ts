import { Tool } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import {
  Approval,
  CallContext,
  Facts,
  Outcome,
  type Policy,
  Response,
  ToolCall,
  ToolResult,
  ToolRunner
} from "@wield/core"
import { Deferred, Effect, Exit, Fiber, TestClock } from "effect"
import { IdempotentJob, jobCall, jobs, ReadOnlyJob } from "../../tools/Job.js"
import { recordLogs } from "../../recording/Logs.js"
import { expectOutcome, tagsOf } from "../../tools/outcomes.js"
import { shop } from "../../tools/Shop.js"

const context = { customerId: "c_1" }

it.scoped("without a policy everything an application put in its toolset may run", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop)
    expectOutcome(yield* runner.run(ToolCall.make("c", "refund", { amount: 5 })), "Success")
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("a rule is given the decoded parameters with the hidden fields, the facts, the context and the call", () =>
  Effect.gen(function* () {
    const requests: Array<Approval.Request> = []
    const runner = yield* ToolRunner.make(yield* shop, {
      approval: (request) => {
        requests.push(request)
        return Approval.allow
      }
    })
    const call = ToolCall.make("c", "get_orders", { status: "open", customerId: "evil" })
    yield* runner.forRun({ context: { ...context, role: "clerk" } }).run(call)
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({
      name: "get_orders",
      parameters: { status: "open", customerId: "c_1" },
      facts: { isReadOnly: true },
      context: { customerId: "c_1", role: "clerk" }
    })
    expect(requests[0]?.call).toBe(call)
  })
)

it.scoped("a rule for one tool leaves the others alone", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop, {
      approval: {
        refund: ({ parameters }) => (parameters.amount > 10 ? Approval.deny("too much for a machine") : Approval.allow)
      }
    })
    const outcomes = yield* runner.runAll([
      ToolCall.make("a", "refund", { amount: 11 }),
      ToolCall.make("b", "refund", { amount: 9 }),
      ToolCall.make("c", "cancel", { number: 7 })
    ])
    expect(tagsOf(outcomes)).toEqual(["Denied", "Success", "Success"])
    const denied = expectOutcome(outcomes[0], "Denied")
    expect(denied.reason).toBe("too much for a machine")
    const result = Outcome.render(denied)
    expect(result === undefined ? "" : ToolResult.toText(result)).toBe(
      "The call of refund was denied and not run: too much for a machine"
    )
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("a denied call does not run its handler, and costs no retry of the model", () =>
  Effect.gen(function* () {
    let runs = 0
    const runner = yield* ToolRunner.make(yield* jobs(() => Effect.sync(() => void runs++)), {
      approval: () => Approval.deny("no")
    })
    const outcome = expectOutcome(yield* runner.run(jobCall("c")), "Denied")
    expect(runs).toBe(0)
    expect(Outcome.isModelMistake(outcome)).toBe(false)
    expect(Outcome.isError(outcome)).toBe(true)
  })
)

it.scoped("a call that a person is asked about is deferred with what the person needs to decide", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask("over the limit") })
    const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "refund", '{"amount":50,}')), "Deferred")
    expect(outcome.waitsFor).toBe("approval")
    expect(outcome.why).toBe("over the limit")
    expect(outcome.arguments).toEqual({ amount: 50 })
    expect(outcome.facts.isDestructive).toBe(true)
    expect(outcome.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(Outcome.render(outcome)).toBeUndefined()
    expect(Outcome.isError(outcome)).toBe(false)
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("a client's tool is always deferred, after the rules have been asked", () =>
  Effect.gen(function* () {
    const call = ToolCall.make("c", "show_chart", { title: "Sales" })
    const allowed = yield* ToolRunner.make(yield* shop)
    expect(expectOutcome(yield* allowed.run(call), "Deferred").waitsFor).toBe("client")
    const asked = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask() })
    expect(expectOutcome(yield* asked.run(call), "Deferred").waitsFor).toBe("approval")
    const denied = yield* ToolRunner.make(yield* shop, { approval: () => Approval.deny("no") })
    expectOutcome(yield* denied.run(call), "Denied")
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("invalid arguments are told before anybody is asked", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask() })
    expectOutcome(yield* runner.run(ToolCall.make("c", "refund", { amount: -1 })), "InvalidArguments")
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("a rule may be an effect", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop, {
      approval: () => Effect.delay(Effect.succeed(Approval.deny("asked elsewhere")), "1 second")
    })
    const fiber = yield* Effect.fork(runner.run(ToolCall.make("c", "cancel", { number: 7 })))
    yield* TestClock.adjust("1 second")
    expect(expectOutcome(yield* Fiber.join(fiber), "Denied").reason).toBe("asked elsewhere")
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

describe("a rule that goes wrong allows nothing", () => {
  const wrong: ReadonlyArray<readonly [what: string, rule: Approval.Rule]> = [
    [
      "throws",
      () => {
        throw new Error("secret of the rule")
      }
    ],
    ["dies", () => Effect.die(new Error("secret of the rule"))],
    // @ts-expect-error a decision is required; a program without types can forget it
    ["answers nothing", () => undefined],
    // @ts-expect-error the decisions are Allow, Deny and Ask; a program without types can misspell one
    ["answers what is no decision", () => ({ _tag: "allow" })],
    // @ts-expect-error a rule is no async function; a program without types can write one
    ["answers a promise", () => Promise.resolve(Approval.allow)]
  ]
  for (const [what, rule] of wrong) {
    it.scoped(`when it ${what}`, () =>
      Effect.gen(function* () {
        let runs = 0
        const runner = yield* ToolRunner.make(yield* jobs(() => Effect.sync(() => void runs++)), { approval: rule })
        const outcome = expectOutcome(yield* runner.run(jobCall("c")), "Defect")
        expect(runs).toBe(0)
        const result = Outcome.render(outcome)
        expect(result === undefined ? "" : ToolResult.toText(result)).not.toContain("secret of the rule")
      })
    )
  }
})

it.scoped("a call whose rule never decides is not run, neither the first time nor when it was approved", () =>
  Effect.gen(function* () {
    const rules: ReadonlyArray<readonly [rule: ReturnType<Approval.Rule>, policy: Policy.Policy, limit: string]> = [
      [Effect.never, {}, "30s"],
      [Effect.uninterruptible(Effect.never), {}, "30s"],
      [Approval.strictest(() => Effect.never)(request), { approvalTimeout: "2 minutes" }, "2m"]
    ]
    for (const [rule, policy, limit] of rules) {
      let runs = 0
      const runner = yield* ToolRunner.make(yield* jobs(() => Effect.sync(() => void runs++)), {
        ...policy,
        approval: ({ approved, call }) => (call.id === "new" || approved !== undefined ? rule : Approval.ask())
      })
      const run = runner.forRun({ id: "run" })
      const waiting = expectOutcome(yield* run.run(jobCall("asked")), "Deferred")
      const calls = [run.run(jobCall("new")), run.resume(waiting, Response.approve)]
      for (const call of calls) {
        const fiber = yield* Effect.fork(recordLogs(Effect.uninterruptible(call)))
        yield* TestClock.adjust(policy.approvalTimeout ?? "30 seconds")
        const { lines, value } = yield* Fiber.join(fiber)
        expectOutcome(value, "Defect")
        expect(lines.join()).toContain(
          `so the call was not run (reference ${expectOutcome(value, "Defect").reference})`
        )
        expect(lines.join()).toContain(`it did not decide within ${limit}`)
      }
      expect(runs).toBe(0)
    }
  })
)

it.scoped("what a rule forks lives on when it has decided", () =>
  Effect.gen(function* () {
    const noted = yield* Deferred.make<void>()
    const note = Effect.zipRight(Effect.sleep("1 second"), Deferred.succeed(noted, undefined))
    const runner = yield* ToolRunner.make(yield* jobs(Effect.succeed), {
      approval: () => Effect.zipRight(Effect.yieldNow(), Effect.as(Effect.fork(note), Approval.allow))
    })
    expectOutcome(yield* runner.run(jobCall("c")), "Success")
    yield* TestClock.adjust("1 second")
    expect(yield* Deferred.isDone(noted)).toBe(true)
  })
)

const request: Approval.Request = {
  name: "job",
  parameters: {},
  facts: Facts.make({}),
  context: {},
  call: jobCall("c")
}

it.scoped("a run can be interrupted while a rule is waiting, with a journal and without", () =>
  Effect.gen(function* () {
    for (const isJournaled of [false, true]) {
      const asked = yield* Deferred.make<void>()
      const made = yield* ToolRunner.make(yield* jobs(Effect.succeed), {
        approval: () => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
      })
      const fiber = yield* Effect.fork((isJournaled ? made.forRun({}) : made).run(jobCall("c")))
      yield* Deferred.await(asked)
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
    }
  })
)

describe("Approval.cautious", () => {
  const decide = (tool: typeof IdempotentJob) =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* jobs(Effect.succeed, tool), { approval: Approval.cautious })
      return yield* runner.run(jobCall("c"))
    })

  it.scoped("asks about a tool of which nothing is stated", () =>
    Effect.map(decide(IdempotentJob), (outcome) => {
      expect(expectOutcome(outcome, "Deferred").why).toBe("job is not stated to be read-only or non-destructive")
    })
  )
  it.scoped("allows a tool that is stated to be read-only or not destructive", () =>
    Effect.gen(function* () {
      expectOutcome(yield* decide(ReadOnlyJob), "Success")
      expectOutcome(yield* decide(IdempotentJob.annotate(Tool.Destructive, false)), "Success")
    })
  )
})

describe("Approval.strictest", () => {
  const rules = {
    allow: () => Approval.allow,
    ask: () => Effect.succeed(Approval.ask("why")),
    deny: () => Approval.deny("reason")
  }
  const decided = (...all: ReadonlyArray<Approval.Rule>): Effect.Effect<Approval.Decision> => {
    const decision = Approval.strictest(...all)(request)
    return Effect.isEffect(decision) ? decision : Effect.succeed(decision)
  }
  it.effect("follows the strictest rule, in whatever order they stand", () =>
    Effect.gen(function* () {
      expect(yield* decided(rules.allow, rules.ask, rules.deny)).toEqual(Approval.deny("reason"))
      expect(yield* decided(rules.deny, rules.ask, rules.allow)).toEqual(Approval.deny("reason"))
      expect(yield* decided(rules.ask, rules.allow)).toEqual(Approval.ask("why"))
      expect(yield* decided(rules.allow, rules.ask)).toEqual(Approval.ask("why"))
      expect(yield* decided(rules.allow, rules.allow)).toEqual(Approval.allow)
    })
  )
  it.effect("allows where there is no rule", () =>
    Effect.map(decided(), (decision) => expect(decision).toEqual(Approval.allow))
  )
})
