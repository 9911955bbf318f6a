/** The program of examples/other-sdks inside OpenAI Agents, which the examples' install does not have. */
import { Agent, Runner } from "@openai/agents"
import { fromRun } from "@wield/interop/openai-agents"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { openRun } from "../../../examples/other-sdks/shop.js"
import { Scripted } from "./openaiAgents.js"

it("one tool, inside OpenAI Agents", async () => {
  const { runOptions, tools } = await Effect.runPromise(Effect.flatMap(openRun, fromRun))
  const model = new Scripted([{ id: "call_1", name: "refund", arguments: '{"amount":20}' }])
  await new Runner({ tracingDisabled: true }).run(new Agent({ name: "shop", model, tools }), "Pay 20 back", runOptions)
  expect(JSON.stringify(model.requests.at(-1))).toContain("20 to c_42")
})
