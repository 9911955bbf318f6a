import { Effect } from "effect"
import { expect, it } from "vitest"
import * as Approval from "./Approval.js"
import * as Policy from "./Policy.js"
import * as Toolset from "./Toolset.js"
import * as Schedule from "effect/Schedule"

const rule: Approval.Rule = () => Approval.ask()

it.each([
  [{}, false],
  [{ approval: rule }, true],
  [{ approval: { pay: rule } }, true],
  [{ approval: { other: rule } }, false],
  [{ approval: { other: rule, "*": rule } }, true],
  [{ approval: { "*": { pay: rule } } }, true],
  [{ approval: { pay: undefined, "*": rule } }, true]
])("a rule of %o decides on a tool: %s", (policy, isSo) => {
  expect(Policy.hasRule(policy as Policy.Policy, "pay")).toBe(isSo)
})

it("limits of all tools hold for one as far as its facts allow, and its own as they are", async () => {
  const toolset = await Effect.runPromise(
    Toolset.dynamic([
      { name: "pay", execute: () => Effect.void },
      { name: "look", facts: { isReadOnly: true }, execute: () => Effect.void }
    ])
  )
  const { entries } = await Effect.runPromise(toolset.offer)
  const [retry, own] = [Schedule.recurs(1), Schedule.recurs(2)]
  const cache = { timeToLive: "1 minute" } as const
  const limits = { default: { retry, cache, timeout: "5 seconds" }, dynamic: { look: { retry: own } } } as const
  const held = [...entries.values()].map((entry) => Policy.limitsOf({ limits }, entry))
  expect(held).toEqual([{ timeout: "5 seconds" }, { timeout: "5 seconds", retry: own, cache }])
})
