/** What a log has of outcomes whose details are worked out when they are read. */
import { inspect } from "node:util"
import { expect, it } from "@effect/vitest"
import { Outcome, ToolCall } from "@wield/core"

const call = ToolCall.make("call_1", "refund", "{}")

it("invalid arguments say in JSON and when they are printed what is wrong", () => {
  const issues = [{ path: ["amount"], expected: "a number", received: undefined, message: "must be given" }]
  const outcome = new Outcome.InvalidArguments({ call, issues: () => issues as never })
  expect(JSON.parse(JSON.stringify(outcome))).toEqual({
    _tag: "InvalidArguments",
    isError: true,
    call: { id: "call_1", name: "refund", arguments: "{}" },
    name: "refund",
    notes: [],
    text: expect.stringContaining("must be given"),
    issues: [{ path: ["amount"], expected: "a number", message: "amount: must be given" }]
  })
  expect(inspect(outcome)).toContain("must be given")
})

it.each([
  ["an unknown tool", new Outcome.UnknownTool({ call, nearest: () => ["refunds"] })],
  ["a tool that is not on offer", new Outcome.Unavailable({ call, nearest: () => ["refunds"] })]
])("%s says in JSON and when it is printed which names are near", (_, outcome) => {
  expect(JSON.parse(JSON.stringify(outcome))).toMatchObject({ name: "refund", nearest: ["refunds"] })
  expect(inspect(outcome)).toContain("refunds")
})
