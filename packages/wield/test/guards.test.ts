import { ScriptedModel } from "@wield/testing"
import { expect, it } from "vitest"
import { type Guard, GuardBlocked, tool, wield } from "wield"

const cards: Guard = {
  name: "cards",
  check: async (text, { signal }) =>
    !signal.aborted && /\d{16}/.test(text) ? { block: "it has a card's number" } : "pass"
}
const read = tool("read", { execute: () => "The card is 4111111111111111" })

it("a guard blocks messages, answers and results", async () => {
  await using shop = await wield({ tools: [read], guards: [cards], logger: () => {} })
  const ask = (prompt: string, ...script: Parameters<typeof ScriptedModel.make>[0]) =>
    shop.agent({ model: ScriptedModel.make(script) }).ask(prompt)
  await expect(ask("Pay with 4111111111111111")).rejects.toThrow(GuardBlocked)
  await expect(ask("Which?", ScriptedModel.text("4111111111111111"))).rejects.toThrow("the answer is withheld")
  const result = await ask("Read", ScriptedModel.call("read"), ScriptedModel.text("It is withheld."))
  expect(result).toMatchObject({ _tag: "Finished", output: "It is withheld." })
  expect(JSON.stringify(result)).not.toMatch(/4111111111111111/)
  const response = {
    type: "message",
    role: "assistant",
    content: [{ type: "tool_use", id: "t", name: "read", input: {} }]
  }
  const { outcomes } = await shop.run().answer("anthropic", response)
  expect(outcomes[0]).toMatchObject({ _tag: "Withheld", guard: "cards", reason: "it has a card's number" })
})

it("a guard that throws, or gives no decision, blocks", async () => {
  const wrong: ReadonlyArray<Guard["check"]> = [
    () => Promise.reject(new Error("the service is down")),
    // Plain JavaScript can give anything.
    () => undefined as never
  ]
  for (const check of wrong) {
    await using shop = await wield({ tools: [read], guards: [{ name: "broken", check }], logger: () => {} })
    const agent = shop.agent({ model: ScriptedModel.make([ScriptedModel.text("Hello")]) })
    await expect(agent.ask("Hello")).rejects.toThrow("The guard broken blocks: it could not be checked")
  }
})

it("a guard without a check is refused", async () => {
  // Plain JavaScript has no compiler to say so.
  const guards = [{ name: "a" } as unknown as Guard]
  await expect(wield({ tools: [read], guards })).rejects.toThrow('guards["0"].check')
})

it("a guard that blocks and reports at once blocks", async () => {
  // Plain JavaScript can give both.
  const check = () => ({ report: "seen", block: "it has a card's number" })
  await using shop = await wield({ tools: [read], guards: [{ name: "both", on: ["result"], check }], logger: () => {} })
  await expect(shop.run().call("read")).rejects.toThrow("its result is withheld: it has a card's number")
})

it("a guard of a class keeps its fields, and what its class gives", async () => {
  class Cards implements Guard {
    readonly name = "cards"
    readonly #pattern = /\d{16}/
    readonly #on = ["input"] as const
    get on() {
      return this.#on
    }
    check(text: string) {
      return this.#pattern.test(text) ? { block: "it has a card's number" } : ("pass" as const)
    }
  }
  Object.freeze(Cards.prototype)
  await using shop = await wield({ tools: [read], guards: [new Cards()], logger: () => {} })
  const agent = shop.agent({
    model: ScriptedModel.make([ScriptedModel.call("read"), ScriptedModel.text("4111111111111111")])
  })
  expect((await agent.ask("Read")).text).toBe("4111111111111111")
  await expect(agent.ask("Pay with 4111111111111111")).rejects.toThrow("it has a card's number")
})
