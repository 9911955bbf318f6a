/** Mastra's `createTool`. Validates arguments and result. */
import { createTool } from "@mastra/core/tools"
import { description, type Task, toolName } from "../task/orders.js"
import { parameters, result } from "../task/zodSchema.js"
import type { Call } from "./peer.js"

export const makeTool = (handle: Task["handle"]) =>
  createTool({
    id: toolName,
    description,
    inputSchema: parameters,
    outputSchema: result,
    // Its type wants lists that can be changed.
    execute: async (given) => handle(given) as { status: string; count: number; total: number; tags: Array<string> }
  })

export const mastraCalls = (task: Task): ReadonlyArray<Call> => {
  const execute = makeTool(task.handle).execute
  if (execute === undefined) throw new Error("the tool has lost its function")
  return [
    {
      name: "Mastra: tool.execute",
      isSynchronous: false,
      // Only its type demands more of a context.
      call: async () => JSON.stringify(await execute(JSON.parse(task.arguments), {} as Parameters<typeof execute>[1]))
    }
  ]
}
