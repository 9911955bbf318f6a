/** LangChain's structured tools. Validates arguments only; gives the result as text. */
import { tool } from "@langchain/core/tools"
import { description, type Task, toolName } from "../task/orders.js"
import { parameters } from "../task/zodSchema.js"
import type { Call } from "./peer.js"

export const makeTool = (handle: Task["handle"]) =>
  tool(async (given) => JSON.stringify(handle(given)), { name: toolName, description, schema: parameters })

export const langchainCalls = (task: Task): ReadonlyArray<Call> => {
  const made = makeTool(task.handle)
  return [
    {
      name: "LangChain: tool.invoke(call)",
      isSynchronous: false,
      call: async () => {
        const message: { readonly content: unknown } = await made.invoke({
          type: "tool_call",
          id: "call_1",
          name: toolName,
          args: JSON.parse(task.arguments)
        })
        return String(message.content)
      }
    }
  ]
}
