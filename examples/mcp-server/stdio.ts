// Start it from an MCP client's configuration: { "command": "npx", "args": ["tsx", "examples/mcp-server/stdio.ts"] }
import { McpServer } from "@wield/mcp"
import { Effect } from "effect"
import { shop } from "./shop.js"

await Effect.runPromise(Effect.scoped(Effect.flatMap(shop, McpServer.stdio)))
