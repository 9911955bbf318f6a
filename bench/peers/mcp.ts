/** The MCP SDK: a client and a server in one process, without a transport's bytes. Validates arguments and result. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { description, type Task, toolName } from "../task/orders.js"
import { parameters, result } from "../task/zodSchema.js"
import type { Call } from "./peer.js"

export const connect = async (handle: Task["handle"]): Promise<Client> => {
  const server = new McpServer({ name: "bench", version: "1.0.0" })
  server.registerTool(
    toolName,
    { description, inputSchema: parameters.shape, outputSchema: result.shape },
    async (given) => ({ content: [], structuredContent: { ...handle(given) } })
  )
  const client = new Client({ name: "bench", version: "1.0.0" })
  const [left, right] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(left), client.connect(right)])
  return client
}

export const mcpCalls = async (task: Task): Promise<ReadonlyArray<Call>> => {
  const client = await connect(task.handle)
  return [
    {
      name: "MCP SDK: client.callTool in memory",
      isSynchronous: false,
      call: async () => {
        const answer = await client.callTool({ name: toolName, arguments: JSON.parse(task.arguments) })
        return JSON.stringify(answer.structuredContent)
      }
    }
  ]
}
