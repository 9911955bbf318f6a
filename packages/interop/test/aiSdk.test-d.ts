import { Tool, type Toolkit } from "@effect/ai"
import type { ToolRunner } from "@wield/core"
import * as AiSdk from "@wield/interop/ai-sdk"
import { Hidden } from "@wield/core"
import { generateText, type LanguageModel } from "ai"
import { Effect, Schema } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import { tool, wield } from "wield"
import { z } from "zod"

const Refund = Tool.make("refund", {
  parameters: { customerId: Schema.String, amount: Schema.NumberFromString },
  success: Schema.Struct({ paid: Schema.Number })
}).pipe(Hidden.fields("customerId"))

declare const run: ToolRunner.Run<Toolkit.Tools<Toolkit.Toolkit<{ readonly refund: typeof Refund }>>>
declare const model: LanguageModel

describe("a run in the calls of the AI SDK", () => {
  it("keeps names, inputs without hidden fields, and outputs", async () => {
    const { toolApproval, tools } = await Effect.runPromise(AiSdk.fromRun(run))
    const { staticToolCalls, staticToolResults } = await generateText({ model, prompt: "", tools, toolApproval })
    expectTypeOf(staticToolCalls[0]!.toolName).toEqualTypeOf<"refund">()
    expectTypeOf(staticToolCalls[0]!.input).toEqualTypeOf<{ readonly amount: string }>()
    expectTypeOf(staticToolResults[0]!.output).toEqualTypeOf<{ readonly paid: number }>()
  })

  it("keeps them from wield, too", async () => {
    const pay = tool("pay", {
      parameters: z.object({ account: z.string(), amount: z.number() }),
      hidden: ["account"],
      execute: ({ amount }) => amount
    })
    const bank = await wield({ tools: [pay] })
    const { tools } = await bank.run({ context: { account: "a" } }).to(AiSdk.fromRun)
    const { staticToolCalls } = await generateText({ model, prompt: "", tools })
    expectTypeOf(staticToolCalls[0]!.toolName).toEqualTypeOf<"pay">()
    expectTypeOf(staticToolCalls[0]!.input).toEqualTypeOf<{ readonly amount: number }>()
  })
})
