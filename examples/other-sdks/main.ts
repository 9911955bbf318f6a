/**
 * One tool in four styles: with Effect, with promises, inside the AI SDK, and inside LangChain. Each time a scripted
 * model pays 20 back, and reads the same result.
 */
import { Outcome, ToolCall } from "@wield/core"
import * as AiSdk from "@wield/interop/ai-sdk"
import * as LangChain from "@wield/interop/langchain"
import { generateText } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { Effect } from "effect"
import { tool, wield } from "wield"
import { z } from "zod"
import { openRun } from "./shop.js"

// With Effect.
const withEffect = Effect.gen(function* () {
  const run = yield* openRun
  return Outcome.text(yield* run.run(ToolCall.make("call_1", "refund", { amount: 20 })))
})
console.log("Effect:   ", await Effect.runPromise(withEffect))

// With promises.
const refund = tool("refund", {
  description: "Pays money back to the customer",
  parameters: z.object({ customerId: z.string(), amount: z.number() }),
  hidden: ["customerId"],
  execute: ({ amount, customerId }) => `${amount} to ${customerId}`
})
const shop = await wield({
  tools: [refund],
  approval: { refund: ({ amount }) => (amount > 100 ? { ask: "over 100" } : "allow") }
})
console.log("promises: ", await shop.run({ context: { customerId: "c_42" } }).call("refund", { amount: 20 }))
await shop.close()

// Inside the AI SDK. In place of a provider's model, one that makes the call.
const { toolApproval, tools } = await Effect.runPromise(Effect.flatMap(openRun, AiSdk.fromRun))
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const call = { type: "tool-call", toolCallId: "call_1", toolName: "refund", input: '{"amount":20}' }
const answer = { content: [call], finishReason: { unified: "tool-calls" }, usage, warnings: [] }
const model = new MockLanguageModelV4({ doGenerate: async () => answer as never })
const { toolResults } = await generateText({ model, prompt: "Pay 20 back", tools, toolApproval })
console.log("AI SDK:   ", toolResults[0]?.output)

// Inside LangChain: what ToolNode and createAgent do with a call.
const [langChainRefund] = await Effect.runPromise(Effect.flatMap(openRun, (run) => LangChain.fromRun(run)))
const result: unknown = await langChainRefund?.invoke({
  type: "tool_call",
  id: "call_1",
  name: "refund",
  args: { amount: 20 }
})
console.log("LangChain:", (result as { readonly content: string }).content)
