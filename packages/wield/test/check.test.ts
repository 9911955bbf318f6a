import { ScriptedModel } from "@wield/testing"
import { expect, it } from "vitest"
import { AlreadyAnswered, tool, wield } from "wield"

it("answers are checked before a stream begins, and nothing is changed", async () => {
  let paid = 0
  await using bank = await wield({ tools: [tool("pay", { execute: () => ++paid })], approval: { pay: () => "ask" } })
  const agent = bank.agent({ model: ScriptedModel.make([ScriptedModel.call("pay"), ScriptedModel.text("Paid.")]) })
  const paused = await agent.ask("Pay")
  if (paused._tag !== "Paused") throw new Error("nothing waits")
  const { conversation, requests } = paused
  const answersOf = (reply: "approve" | { deny: string }) => requests.map((to) => ({ to, reply }))
  await agent.check(conversation, answersOf("approve"))
  expect(paid).toBe(0)
  await expect(agent.check("another", answersOf("approve"))).rejects.toThrow("another")
  await agent.ask(undefined, { conversation, answers: answersOf("approve") })
  await expect(agent.check(conversation, answersOf({ deny: "too late" }))).rejects.toThrow(AlreadyAnswered)
  expect(paid).toBe(1)
})
