/** Models that answer "ok" at once, so that what is left is what the library does around them. */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { generateText, type ToolSet, tool } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { z } from "zod"
import { handlersOf, kitOf } from "../task/effectSchema.js"
import { description, type Result, statuses, toolName } from "../task/orders.js"
import { parameters } from "../task/zodSchema.js"

const prompt = "Which orders are open?"

const effectModel = Effect.runSync(
  LanguageModel.make({
    generateText: () =>
      Effect.succeed([
        { type: "text", text: "ok" },
        { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }
      ]),
    streamText: () => Stream.empty
  })
)

/** One request of @effect/ai; the mock makes no JSON Schema of the tools, as a real provider would. */
export const effectAiRequest = (count: number): (() => Promise<string>) => {
  const kit = kitOf(count)
  const request = LanguageModel.generateText({ prompt, toolkit: kit }).pipe(
    Effect.provide(kit.toLayer(handlersOf(count))),
    Effect.provideService(LanguageModel.LanguageModel, effectModel)
  )
  return async () => (await Effect.runPromise(request)).text
}

const aiSdkModel = new MockLanguageModelV4({
  doGenerate: {
    content: [{ type: "text", text: "ok" }],
    finishReason: { unified: "stop", raw: "stop" },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined }
    },
    warnings: []
  }
})

/** One request of the AI SDK, JSON Schemas included. */
export const aiSdkRequest = (count: number): (() => Promise<string>) => {
  const tools: ToolSet = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `${toolName}_${index}`,
      tool({
        description: `${description} Shop ${index}.`,
        inputSchema: parameters.extend({ status: z.enum([...statuses, `shop_${index}`]) }),
        execute: async (): Promise<Result> => ({ status: "paid", count: 1, total: 1, tags: [] })
      })
    ])
  )
  return async () => {
    // The mock remembers each call it was given.
    aiSdkModel.doGenerateCalls.length = 0
    return (await generateText({ model: aiSdkModel, prompt, tools })).text
  }
}
