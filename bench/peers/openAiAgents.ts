/** OpenAI Agents: `tool.invoke` takes the argument text itself. Validates arguments only. */
import { RunContext, tool } from "@openai/agents"
import { z } from "zod"
import { description, type Task, toolName } from "../task/orders.js"
import { parameters } from "../task/zodSchema.js"
import type { Call } from "./peer.js"

/** Its strict mode takes no parameter that may be absent, so this one says it as `null`. */
const strict = parameters.extend({
  limit: z.int().min(1).max(100).nullable().optional(),
  items: z.array(z.object({ sku: z.string(), quantity: z.int(), note: z.string().nullable().optional() }))
})

export const makeTool = (handle: Task["handle"]) =>
  tool({
    name: toolName,
    description,
    parameters: strict,
    execute: async (given) => handle(given as Parameters<Task["handle"]>[0])
  })

export const newContext = () => new RunContext({})

export const openAiAgentsCalls = (task: Task): ReadonlyArray<Call> => {
  const made = makeTool(task.handle)
  const context = newContext()
  return [
    {
      name: "OpenAI Agents: tool.invoke",
      isSynchronous: false,
      call: async () => JSON.stringify(await made.invoke(context, task.arguments))
    }
  ]
}
