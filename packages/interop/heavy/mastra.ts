import { Agent } from "@mastra/core/agent"
import { Mastra } from "@mastra/core/mastra"
import { InMemoryStore } from "@mastra/core/storage"
import { createTool } from "@mastra/core/tools"
import { fromRun } from "@wield/interop/mastra"
import { MockLanguageModelV4 } from "ai/test"
import { Effect } from "effect"
import { answerOf, sentOf } from "../test/scenarios/aiSdk.js"
import type { Driver, Shop } from "../test/scenarios/table.js"

/** Alters the snapshots of what is suspended, which the store keeps as objects or as text. */
const alterSaved = (storage: unknown, alter: (text: string) => string): void => {
  const seen = new Set<unknown>()
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return alter(value)
    if (typeof value === "number") return Number(alter(String(value)))
    if (typeof value !== "object" || value === null || seen.has(value)) return value
    seen.add(value)
    if (value instanceof Map) for (const [key, part] of value) value.set(key, walk(part))
    else for (const [key, part] of Object.entries(value)) (value as any)[key] = walk(part)
    return value
  }
  walk(storage)
}

export const mastra: Driver = {
  sdk: "Mastra",
  drive: async ({ alter, calls, later, reply, shop, signal }) => {
    const requests: Array<any> = []
    const doStream = async (request: any) => {
      requests.push(request)
      const { content, finishReason, usage } = answerOf(requests.length === 1 ? calls : undefined)
      const parts = [
        { type: "stream-start", warnings: [] },
        ...content.flatMap((part): ReadonlyArray<object> =>
          part.type === "text"
            ? [
                { type: "text-start", id: "1" },
                { type: "text-delta", id: "1", delta: part.text },
                { type: "text-end", id: "1" }
              ]
            : [part]
        ),
        { type: "finish", finishReason, usage }
      ]
      return { stream: (ReadableStream as any).from(parts) }
    }
    const doGenerate = async (request: any) => {
      requests.push(request)
      return answerOf(requests.length === 1 ? calls : undefined) as never
    }
    const storage = new InMemoryStore()
    const open = async ({ run }: Shop) => {
      const options = await Effect.runPromise(fromRun(run))
      const tools = Object.fromEntries(Object.entries(options).map(([name, one]) => [name, createTool(one as never)]))
      const agent = new Agent({
        id: "shop",
        name: "shop",
        instructions: "",
        model: new MockLanguageModelV4({ doGenerate, doStream }) as never,
        tools
      })
      return new Mastra({ agents: { shop: agent }, storage, logger: false }).getAgent("shop")
    }
    const agent = await open(shop)
    const result: any = await agent.generate("go", {
      ...(signal === undefined ? {} : { abortSignal: signal }),
      maxSteps: 5
    } as never)
    if (result.finishReason === "suspended" && reply !== undefined) {
      const { id } = JSON.parse(JSON.stringify(result.suspendPayload)).suspendPayload ?? result.suspendPayload
      if (alter !== undefined) alterSaved(storage, alter)
      const next = later === undefined ? agent : await open(await later())
      const answer = { id, reply: reply === "approve" ? "approve" : { deny: "not today" } }
      await next.resumeGenerate(answer, {
        runId: result.runId,
        toolCallId: result.suspendPayload.toolCallId ?? calls[0]?.id
      } as never)
    }
    return {
      definitions: JSON.stringify(requests[0].tools),
      sent: requests.length < 2 ? [] : sentOf(requests.at(-1))
    }
  }
}
