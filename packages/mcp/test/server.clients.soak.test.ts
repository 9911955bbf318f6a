import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import * as HttpServer from "@effect/platform/HttpServer"
import { expect, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { Approval, CurrentCall, Toolset } from "@wield/core"
import { McpServer } from "@wield/mcp"
import { Context, Deferred, Effect, Layer } from "effect"

const served = Effect.gen(function* () {
  const toolset = yield* Toolset.dynamic([
    {
      name: "slow",
      outputSchema: { type: "object", properties: { done: { type: "boolean" } }, required: ["done"] },
      execute: () =>
        Effect.gen(function* () {
          const { progress } = yield* CurrentCall.CurrentCall
          yield* progress({ progress: 1, total: 2 })
          yield* progress({ progress: 2, total: 2 })
          return { done: true }
        })
    },
    {
      name: "refund",
      inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      execute: ({ amount }) => Effect.succeed(`refunded ${String(amount)}`)
    }
  ])
  const services = yield* Layer.build(
    McpServer.layerHttp(
      McpServer.make({
        name: "shop",
        version: "1",
        toolset,
        policy: { approval: ({ name }) => (name === "refund" ? Approval.ask() : Approval.allow) }
      })
    ).pipe(Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })))
  )
  const { address } = Context.get(services, HttpServer.HttpServer)
  const port = address._tag === "TcpAddress" ? address.port : 0
  return { toolset, url: new URL(`http://127.0.0.1:${port}/mcp`) }
})

const approve = () => ({ action: "accept" as const, content: { approve: true } })
const capabilities = { elicitation: { form: {} } }

interface Calls {
  readonly callTool: (
    call: { readonly name: string; readonly arguments: { readonly [name: string]: unknown } },
    onProgress: (progress: { readonly progress: number }) => void
  ) => Promise<object>
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<{ readonly name: string }> }>
  readonly close: () => Promise<void>
}

const clients: { readonly [name: string]: (url: URL, changed: () => void) => Promise<Calls> } = {
  "SDK 1": async (url, changed) => {
    const client = new OldClient({ name: "old", version: "1" }, { capabilities })
    client.setRequestHandler(ElicitRequestSchema, approve)
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed)
    // The SDK's own types differ from each other under exactOptionalPropertyTypes.
    await client.connect(new OldTransport(url) as never)
    return {
      callTool: (call, onprogress) => client.callTool(call, undefined, { onprogress }),
      listTools: () => client.listTools(),
      close: () => client.close()
    }
  },
  ...Object.fromEntries(
    (["legacy", "auto", { pin: "2026-07-28" }] as const).map((mode) => [
      `SDK 2, ${typeof mode === "string" ? mode : "pinned"}`,
      async (url: URL, changed: () => void): Promise<Calls> => {
        const client = new Client(
          { name: "new", version: "1" },
          {
            capabilities,
            versionNegotiation: { mode },
            listChanged: { tools: { onChanged: changed, autoRefresh: false, debounceMs: 0 } }
          }
        )
        client.setRequestHandler("elicitation/create", approve)
        await client.connect(new StreamableHTTPClientTransport(url))
        return {
          callTool: (call, onprogress) => client.callTool(call as never, { onprogress }),
          listTools: () => client.listTools(),
          close: () => client.close()
        }
      }
    ])
  )
}

for (const [name, connect] of Object.entries(clients)) {
  it.scoped(`${name} lists, calls, sees progress, approves and hears of changes`, () =>
    Effect.gen(function* () {
      const { toolset, url } = yield* served
      const changed = yield* Deferred.make<void>()
      const client = yield* Effect.acquireRelease(
        Effect.promise(() => connect(url, () => Effect.runSync(Deferred.succeed(changed, undefined)))),
        ({ close }) => Effect.promise(close)
      )
      const { tools } = yield* Effect.promise(client.listTools)
      expect(tools.map((tool) => tool.name)).toEqual(["slow", "refund"])
      const seen: Array<number> = []
      const slow = yield* Effect.promise(() =>
        client.callTool({ name: "slow", arguments: {} }, ({ progress }) => seen.push(progress))
      )
      expect(slow).toMatchObject({ structuredContent: { done: true } })
      expect(seen).toEqual([1, 2])
      const refund = yield* Effect.promise(() =>
        client.callTool({ name: "refund", arguments: { amount: 5 } }, () => {})
      )
      expect(refund).toMatchObject({ content: [{ type: "text", text: "refunded 5" }] })
      yield* toolset.put({ name: "later", execute: () => Effect.succeed(1) })
      yield* Deferred.await(changed)
    })
  )
}
