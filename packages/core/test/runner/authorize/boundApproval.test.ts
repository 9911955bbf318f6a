/** What a person approves is what the person was shown, for whom it was asked; and the request tells no more. */
import { describe, expect, it } from "@effect/vitest"
import { Approval, type Journal, Response, StaleResponse, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Redacted } from "effect"
import { expectOutcome } from "../../tools/outcomes.js"

const text = { type: "string" }

const waiting = (context: { readonly [name: string]: unknown }, subject?: string, journal?: Journal.Service) =>
  Effect.gen(function* () {
    const paid: Array<unknown> = []
    const toolset = yield* Toolset.dynamic([
      {
        name: "pay",
        inputSchema: {
          type: "object",
          properties: { amount: { type: "number" }, account: {}, note: text },
          required: ["amount"]
        },
        hidden: ["account"],
        execute: (parameters: unknown) => Effect.sync(() => (paid.push(parameters), "paid"))
      }
    ])
    const runner = yield* ToolRunner.make(toolset, { journal, approval: () => Approval.ask("why", { subject }) })
    const run = runner.forRun({ id: "r", context })
    const asked = expectOutcome(yield* run.run(ToolCall.make("c", "pay", { amount: 3 })), "Deferred")
    return { asked, paid, run }
  })

describe("an approval", () => {
  it.effect("of a request whose arguments were altered on the way is refused", () =>
    Effect.gen(function* () {
      const { asked, paid, run } = yield* waiting({ account: "A-1" })
      for (const shown of [{ amount: 1 }, { amount: 3, note: "x" }, {}, [], "amount", null]) {
        const altered = { ...asked, arguments: shown }
        expect(yield* Effect.flip(run.check(altered, Response.approve))).toBeInstanceOf(StaleResponse)
        expect(yield* Effect.flip(run.resume(altered, Response.approve))).toBeInstanceOf(StaleResponse)
      }
      expect(paid).toEqual([])
      expectOutcome(yield* run.resume(asked, Response.approve), "Success")
    })
  )

  it.effect("for one hidden value approves nothing for another", () =>
    Effect.gen(function* () {
      const values = ["A-1", "A-2", 1n, 2n, Redacted.make("A-1"), new Date(0), { id: 1 }, new Map([["id", 1]])]
      const digests = new Set<string>()
      for (const account of values) {
        const { asked } = yield* waiting({ account })
        digests.add(asked.digest)
        const same = yield* waiting({ account, another: "value of the context" })
        expect(same.asked.digest).toBe(asked.digest)
      }
      expect(digests.size).toBe(values.length)
      const approved = (yield* waiting({ account: "A-1" })).asked
      const { paid, run } = yield* waiting({ account: "A-2" })
      expect(yield* Effect.flip(run.resume(approved, Response.approve))).toBeInstanceOf(StaleResponse)
      expect(paid).toEqual([])
    })
  )

  it.effect("tells neither a hidden value nor its subject", () =>
    Effect.gen(function* () {
      const { asked } = yield* waiting({ account: "account-of-ada" }, "the-very-subject")
      const told = JSON.stringify(asked)
      expect(told).not.toContain("account-of-ada")
      expect(told).not.toContain("the-very-subject")
    })
  )

  it.effect("of a hidden value that refers to itself comes to an end", () =>
    Effect.gen(function* () {
      const account: Record<string, unknown> = { id: 1 }
      account["self"] = account
      const { asked, run } = yield* waiting({ account })
      expectOutcome(yield* run.resume(asked, Response.approve), "Success")
    })
  )
})
