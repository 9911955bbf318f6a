import * as LangChain from "@wield/interop/langchain"
import type { AskLater, Waiting } from "@wield/interop/approval"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { openShop } from "./scenarios/shop.js"

const payWith = async (ask: AskLater) => {
  const shop = await openShop()
  const tools = await Effect.runPromise(LangChain.fromRun(shop.run, { ask }))
  const call = { type: "tool_call" as const, id: "call_1", name: "pay", args: { amount: 500 } }
  const message: unknown = await tools.find(({ name }) => name === "pay")?.invoke(call)
  return { text: JSON.stringify(message), paid: shop.paid.length }
}

it("an answer of LangGraph that only says yes approves nothing, for the arguments may have changed since", async () => {
  const { paid, text } = await payWith(() => "approve" as never)
  expect(text).toContain("does not repeat the id")
  expect(paid).toBe(0)
})

it("an answer of LangGraph with the id of what was asked runs it, and a no needs none", async () => {
  expect((await payWith(({ id }: Waiting) => ({ id, reply: "approve" }))).paid).toBe(1)
  expect((await payWith(() => ({ deny: "not today" }))).text).toContain("denied and not run: not today")
})
