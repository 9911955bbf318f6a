/** What a tool costs through the Model Context Protocol: a call over HTTP and over standard streams, and a long list. */
import { fileURLToPath } from "node:url"
import { Client, InMemoryTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { McpServer as SdkServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { ToolCall, ToolRunner } from "@wield/core"
import { McpClient, McpTest } from "@wield/mcp"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { wall } from "../harness/clock.js"
import { assertEqual, asynchronous, type Contender, measure, standard } from "../harness/measure.js"
import { duration, type Goal, type Group, type Measured, rowOf, times, timingTable } from "../harness/table.js"
import { info, type Kind, register, serveHttp, wieldOf } from "../peers/mcpServers.js"
import { small, toolName } from "../task/orders.js"

const parameters = JSON.parse(small.arguments) as never
const text = (result: { readonly [field: string]: unknown }) => JSON.stringify(result["structuredContent"])

const plain = "SDK 2: client and server"
const own = "Wield: client and server"

interface Connected {
  readonly contenders: ReadonlyArray<Contender>
  readonly close: () => Promise<void>
}

/** `where` gives the server of a kind to a client of each library. */
interface Where {
  readonly wield: (kind: Kind) => McpClient.Server | Promise<McpClient.Server>
  readonly sdk2: (kind: Kind) => Transport | Promise<Transport>
  readonly sdk1: (kind: Kind) => object | Promise<object>
  /** Wield's server as a handler of web requests, without a server of Effect. */
  readonly handler?: () => Promise<Transport>
}

const connect = async (where: Where): Promise<Connected> => {
  const scope = Effect.runSync(Scope.make())
  const wield = await Effect.runPromise(Scope.extend(McpClient.connect("bench", await where.wield("wield")), scope))
  const runner = await Effect.runPromise(Scope.extend(ToolRunner.make(wield.toolset, { repeatGuard: false }), scope))
  const sdk2 = new Client(info, { versionNegotiation: { mode: "auto" } })
  await sdk2.connect(await where.sdk2("sdk2"))
  const mixed = new Client(info, { versionNegotiation: { mode: "auto" } })
  await mixed.connect(await where.sdk2("wield"))
  const sdk1 = new OldClient(info)
  await sdk1.connect((await where.sdk1("sdk1")) as never)
  const effect = new OldClient(info)
  await effect.connect((await where.sdk1("effect-ai")) as never)
  const call = { name: toolName, arguments: parameters }
  const handler = new Client(info, { versionNegotiation: { mode: "auto" } })
  if (where.handler !== undefined) await handler.connect(await where.handler())
  const byHandler = asynchronous("SDK 2: client; Wield: toWebHandler", async () => text(await handler.callTool(call)))
  return {
    contenders: [
      asynchronous(plain, async () => text(await sdk2.callTool(call))),
      asynchronous(own, async () => text({ ...(await Effect.runPromise(wield.callTool(toolName, parameters))) })),
      asynchronous("Wield: runner, client and server", async () => {
        const outcome = await Effect.runPromise(
          runner.run(ToolCall.make("call_1", `bench_${toolName}`, small.arguments))
        )
        return outcome._tag === "Success" ? outcome.text : outcome._tag
      }),
      asynchronous("SDK 2: client; Wield: server", async () => text(await mixed.callTool(call))),
      ...(where.handler === undefined ? [] : [byHandler]),
      asynchronous("SDK 1: client and server", async () => text(await sdk1.callTool(call))),
      asynchronous("SDK 1: client; @effect/ai: server", async () => text(await effect.callTool(call)))
    ],
    close: async () => {
      await Promise.all([sdk2.close(), mixed.close(), handler.close(), sdk1.close(), effect.close()])
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

const goalOf = (name: string, ratio: number): Goal => ({
  name: `mcp, ${name}`,
  goal: "≤ 1.1x of the SDK 2",
  measured: times(ratio),
  isMet: ratio <= 1.1
})

const compare = async (name: string, title: string, where: Where, options = standard): Promise<Measured> => {
  const { close, contenders } = await connect(where)
  try {
    await assertEqual(contenders, small.expected)
    const table = timingTable(title, await measure(contenders, options), plain)
    return { tables: [table], goals: [goalOf(name, rowOf(table, own).pairedRatio ?? Number.NaN)] }
  } finally {
    await close()
  }
}

const overHttp = (): Promise<Measured> =>
  compare("a call over HTTP", "a call over HTTP, both ends on this thread", {
    wield: async (kind) => McpClient.http(await serveHttp(kind)),
    handler: async () => new StreamableHTTPClientTransport(new URL(await serveHttp("wield-handler"))),
    sdk2: async (kind) => new StreamableHTTPClientTransport(new URL(await serveHttp(kind))),
    sdk1: async (kind) => new OldHttp(new URL(await serveHttp(kind)))
  })

const program = fileURLToPath(new URL("../peers/mcpServers.js", import.meta.url))

/** The server is another process, so the wall's clock is the one that has both. */
const overStreams = (): Promise<Measured> =>
  compare(
    "a call over standard streams",
    "a call to another process over standard streams, wall time",
    {
      wield: (kind) => McpClient.stdio(process.execPath, [program, kind]),
      sdk2: (kind) => new StdioClientTransport({ command: process.execPath, args: [program, kind], stderr: "ignore" }),
      sdk1: (kind) => new OldStdio({ command: process.execPath, args: [program, kind], stderr: "ignore" })
    },
    { ...standard, clock: wall }
  )

const inMemory = async (): Promise<Measured> => {
  const scope = Effect.runSync(Scope.make())
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.extend(effect, scope))
  const wield = await run(Effect.flatMap(wieldOf(0), (server) => McpClient.connect("bench", McpTest.inMemory(server))))
  const [near, far] = InMemoryTransport.createLinkedPair()
  serveStdio(() => register(new SdkServer(info), 0), { transport: far })
  const sdk2 = new Client(info, { versionNegotiation: { mode: "auto" } })
  await sdk2.connect(near)
  const contenders = [
    asynchronous(plain, async () => text(await sdk2.callTool({ name: toolName, arguments: parameters }))),
    asynchronous(own, async () => text({ ...(await Effect.runPromise(wield.callTool(toolName, parameters))) }))
  ]
  try {
    await assertEqual(contenders, small.expected)
    const table = timingTable("a call in memory, both ends on this thread", await measure(contenders), plain)
    const more = rowOf(table, own).minimum - rowOf(table, plain).minimum
    const goal: Goal = {
      name: "mcp, a call in memory",
      goal: "≤ 20 µs more than the SDK 2",
      measured: `${duration(more)} more`,
      isMet: more <= 20_000
    }
    return { tables: [table], goals: [goal] }
  } finally {
    await sdk2.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const count = 1000

const list = async (): Promise<Measured> => {
  const connectTo = async (kind: Kind) => {
    const client = new Client(info, { versionNegotiation: { mode: "auto" } })
    await client.connect(new StreamableHTTPClientTransport(new URL(await serveHttp(kind, count))))
    return client
  }
  const clients = [
    [plain, await connectTo("sdk2")],
    ["SDK 2: client; Wield: server", await connectTo("wield")]
  ] as const
  const contenders = clients.map(([name, client]) =>
    asynchronous(name, async () => {
      const { tools } = await client.listTools(undefined, { cacheMode: "refresh" })
      return `${tools.length}`
    })
  )
  await assertEqual(contenders, `${count}`)
  const table = timingTable(`tools/list of ${count} tools over HTTP, again`, await measure(contenders), plain)
  await Promise.all(clients.map(([, client]) => client.close()))
  const ratio = rowOf(table, "SDK 2: client; Wield: server").pairedRatio ?? Number.NaN
  const goal: Goal = {
    name: `mcp, a list of ${count} tools`,
    goal: "≤ 0.5x of the SDK 2",
    measured: `${times(ratio)}, of which the client, which is the same, is a part`,
    isMet: ratio <= 0.5
  }
  return { tables: [table], goals: [goal] }
}

export const groups: ReadonlyArray<Group> = [
  { name: "memory", measure: inMemory },
  { name: "http", measure: overHttp },
  { name: "stdio", measure: overStreams },
  { name: "list", measure: list }
]
