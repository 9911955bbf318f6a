/** The task as a tool of MCP servers, and of so many others: Wield's, those of the SDK 1 and 2, and that of @effect/ai. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as AiMcpServer from "@effect/ai/McpServer"
import * as Toolkit from "@effect/ai/Toolkit"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import { NodeHttpServer, NodeSink, NodeStream } from "@effect/platform-node"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { McpServer as OldServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StdioServerTransport as OldStdio } from "@modelcontextprotocol/sdk/server/stdio.js"
import { StreamableHTTPServerTransport as OldHttp } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { createMcpHandler, McpServer as SdkServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { Toolset } from "@wield/core"
import { McpServer } from "@wield/mcp"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { FindOrders, handlersOf, kitOf } from "../task/effectSchema.js"
import { description, small, toolName } from "../task/orders.js"
import { parameters, result } from "../task/zodSchema.js"

export type Kind = "wield" | "wield-handler" | "sdk1" | "sdk2" | "effect-ai"

const kit = Toolkit.make(FindOrders)
const handlers = kit.toLayer({ [toolName]: (given) => Effect.succeed(small.handle(given)) })

export const info = { name: "bench", version: "1.0.0" }

export const wieldOf = (tools: number) => {
  // The calls are all the same, and the guard would add a note.
  const serve = <Tools>(toolset: Toolset.Toolset<Tools>) =>
    McpServer.make({ ...info, toolset, policy: { repeatGuard: false } })
  const many = kitOf(tools)
  return tools === 0
    ? Effect.flatMap(Toolset.fromLayer(kit, handlers), serve)
    : Effect.flatMap(Toolset.fromLayer(many, many.toLayer(handlersOf(tools))), serve)
}

/** The SDKs' servers register alike, but share no type. */
interface Registers {
  readonly registerTool: (name: string, options: never, handle: never) => unknown
}

export const register = <Server extends Registers>(server: Server, tools: number): Server => {
  const names = tools === 0 ? [toolName] : Array.from({ length: tools }, (_, index) => `${toolName}_${index}`)
  for (const name of names) {
    const options = { description, inputSchema: parameters, outputSchema: result }
    const handle = async (given: Parameters<typeof small.handle>[0]) => {
      const structuredContent = { ...small.handle(given) }
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent }
    }
    server.registerTool(name, options as never, handle as never)
  }
  return server
}

const listen = async (handle: RequestListener): Promise<string> => {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

const addressOf = (services: Context.Context<HttpServer.HttpServer>): string => {
  const { address } = Context.get(services, HttpServer.HttpServer)
  return `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}/mcp`
}

const port = NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })

/** Its address; it listens as long as the process lives. Without `tools` it has the task's tool alone. */
export const serveHttp = async (kind: Kind, tools = 0): Promise<string> => {
  const scope = Effect.runSync(Scope.make())
  switch (kind) {
    case "wield": {
      const served = McpServer.layerHttp(wieldOf(tools)).pipe(Layer.provideMerge(port))
      return addressOf(await Effect.runPromise(Layer.buildWithScope(served, scope)))
    }
    case "wield-handler": {
      const server = await Effect.runPromise(Scope.extend(wieldOf(tools), scope))
      // Its type asks for a request that has a method.
      return listen(toNodeHandler({ fetch: McpServer.toWebHandler(server) }) as RequestListener)
    }
    case "sdk2":
      // Its type asks for a request that has a method.
      return listen(toNodeHandler(createMcpHandler(() => register(new SdkServer(info), tools))) as RequestListener)
    case "sdk1": {
      const transport = new OldHttp({ sessionIdGenerator: () => crypto.randomUUID() })
      await register(new OldServer(info), tools).connect(transport as never)
      return listen((request, response) => void transport.handleRequest(request, response))
    }
    case "effect-ai": {
      const served = HttpRouter.Default.serve().pipe(
        Layer.provide(AiMcpServer.toolkit(kit)),
        Layer.provide(handlers),
        Layer.provide(AiMcpServer.layerHttp({ ...info, path: "/mcp" })),
        Layer.provideMerge(port)
      )
      return addressOf(await Effect.runPromise(Layer.buildWithScope(served, scope)))
    }
  }
}

/** Serves this process's standard streams until they end. */
export const serveStreams = async (kind: Kind): Promise<void> => {
  switch (kind) {
    case "wield":
    case "wield-handler":
      return Effect.runPromise(Effect.scoped(Effect.flatMap(wieldOf(0), McpServer.stdio)))
    case "sdk2":
      return void serveStdio(() => register(new SdkServer(info), 0))
    case "sdk1":
      return register(new OldServer(info), 0).connect(new OldStdio() as never)
    case "effect-ai": {
      const served = AiMcpServer.toolkit(kit).pipe(
        Layer.provide(handlers),
        Layer.provide(AiMcpServer.layerStdio({ ...info, stdin: NodeStream.stdin, stdout: NodeSink.stdout }))
      )
      return Effect.runPromise(Layer.launch(served) as Effect.Effect<never>)
    }
  }
}

const [, program, kind] = process.argv
if (program?.endsWith("mcpServers.js") === true) await serveStreams(kind as Kind)
