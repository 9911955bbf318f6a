/**
 * Rules and responses of programs without types, or read from outside: what is
 * no decision allows nothing.
 */
import { expect, it } from "@effect/vitest"
import { Approval, type Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { expectOutcome } from "../../tools/outcomes.js"

const counting = Effect.gen(function* () {
  const ran = { times: 0 }
  const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.sync(() => ++ran.times) }])
  return { ran, toolset }
})

const call = ToolCall.make("c", "pay", {})

/** What the types exclude. */
const untyped = <A>(value: unknown): A => value as A

const noDecisions: ReadonlyArray<unknown> = [
  { _tag: "deny" },
  { _tag: "toString" },
  {},
  false,
  true,
  "Deny",
  null,
  // The model would read "undefined" and "null".
  { _tag: "Deny" },
  { _tag: "Deny", reason: null },
  { _tag: "Ask", why: 5 }
]

it("a denial without a reason is refused where it is made", () => {
  expect(() => Approval.deny(untyped<string>(null))).toThrow("Approval.deny(reason) with a text")
})

it.effect("a call runs only after Approve: any other response runs nothing", () =>
  Effect.gen(function* () {
    const { ran, toolset } = yield* counting
    const run = (yield* ToolRunner.make(toolset, { approval: () => Approval.ask() })).forRun({})
    const deferred = expectOutcome(yield* run.run(call), "Deferred")
    for (const response of [...noDecisions, { _tag: "Reject" }, { _tag: "Deny" }, { _tag: ["Approve"] }]) {
      const refused = yield* Effect.flip(run.resume(deferred, untyped<Response.Response>(response)))
      expect(refused._tag).toBe("WrongKindOfResponse")
    }
    expect(ran.times).toBe(0)
    expectOutcome(yield* run.resume(deferred, { _tag: "Approve" }), "Success")
  })
)

it.effect("the strictest of rules is one that answers with no decision", () =>
  Effect.gen(function* () {
    const { ran, toolset } = yield* counting
    for (const decision of noDecisions) {
      const approval = Approval.strictest(
        () => Approval.allow,
        () => untyped<Approval.Decision>(decision),
        () => Approval.ask()
      )
      const runner = yield* ToolRunner.make(toolset, { approval })
      expectOutcome(yield* runner.run(call), "Defect")
    }
    expect(ran.times).toBe(0)
  })
)
