/** The AI SDK: what `generateText` does with a call, without the model around it. Validates arguments only. */
import { asSchema, tool } from "ai"
import { description, type Task } from "../task/orders.js"
import { parameters } from "../task/zodSchema.js"
import type { Call } from "./peer.js"

export const makeTool = (handle: (given: Parameters<Task["handle"]>[0]) => ReturnType<Task["handle"]>) =>
  tool({ description, inputSchema: parameters, execute: async (given) => handle(given) })

export const aiSdkCalls = (task: Task): ReadonlyArray<Call> => {
  const made = makeTool(task.handle)
  const execute = made.execute
  if (execute === undefined) throw new Error("the tool has lost its function")
  return [
    {
      name: "AI SDK 7: validate + tool.execute",
      isSynchronous: false,
      call: async () => {
        const validated = await asSchema(made.inputSchema).validate?.(JSON.parse(task.arguments))
        if (validated?.success !== true) throw new Error("the arguments are not valid")
        return JSON.stringify(await execute(validated.value, { toolCallId: "call_1", messages: [], context: {} }))
      }
    }
  ]
}
