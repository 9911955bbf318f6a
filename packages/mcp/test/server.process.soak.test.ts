/** A server as a process of its own, used by the official client over its standard streams and over a socket. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { ProcessTable } from "@wield/process"
import { Deferred, Effect } from "effect"
import { bundleOf } from "../../../test/programs.js"

const modern = "2026-07-28"

const traceFile = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-lab-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
).pipe(Effect.map((folder) => join(folder, "trace")))

const linesOf = (trace: string) => (existsSync(trace) ? readFileSync(trace, "utf8").trim().split("\n") : [])

const waitUntil = (isSo: () => boolean) => Effect.repeat(Effect.delay(Effect.sync(isSo), 20), { until: (so) => so })

const started = (args: ReadonlyArray<string>, stdin: "ignore" | "pipe" = "ignore") =>
  Effect.acquireRelease(
    Effect.sync((): ChildProcess => spawn(process.execPath, args, { stdio: [stdin, "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const firstLine = (child: ChildProcess) =>
  Effect.promise(async () => {
    const [data] = child.stdout === null ? [""] : await once(child.stdout, "data")
    return String(data).split("\n")[0] ?? ""
  })

const labArgs = (transport: string, trace: string) =>
  Effect.map(bundleOf(new URL("fixtures/lab.ts", import.meta.url)), (lab) => [lab, transport, trace])

const startLab = (transport: string, trace: string, stdin: "ignore" | "pipe") =>
  Effect.flatMap(labArgs(transport, trace), (args) => started(args, stdin))

const urlOfLab = (trace: string) =>
  Effect.map(Effect.flatMap(startLab("http", trace, "ignore"), firstLine), (line) => new URL(line))

const transports = {
  stdio: (trace: string) =>
    Effect.map(labArgs("stdio", trace), (args) => new StdioClientTransport({ command: process.execPath, args })),
  HTTP: (trace: string) => Effect.map(urlOfLab(trace), (url) => new StreamableHTTPClientTransport(url))
}

describe.each(["stdio", "HTTP"] as const)("A server in another process, over %s", (name) => {
  for (const revision of ["2025-11-25", modern]) {
    it.scopedLive(`answers a client of ${revision}`, () =>
      Effect.gen(function* () {
        const trace = yield* traceFile
        const transport = yield* transports[name](trace)
        const isModern = revision === modern
        const client = new Client(
          { name: "test", version: "1" },
          { versionNegotiation: { mode: isModern ? { pin: revision } : "legacy" } }
        )
        const logged: Array<unknown> = []
        client.setNotificationHandler("notifications/message", ({ params }) => void logged.push(params.data))
        const updated = yield* Deferred.make<string>()
        client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
          Effect.runSync(Deferred.succeed(updated, params.uri))
        })
        const steps: Array<number> = []
        // `onprogress` of the SDK loses what it reads together with the answer.
        client.setNotificationHandler("notifications/progress", ({ params }) => void steps.push(params.progress))
        yield* Effect.acquireRelease(
          Effect.promise(() => client.connect(transport)),
          () => Effect.promise(() => client.close())
        )
        const call = (tool: string, meta: object = {}) =>
          Effect.promise(() => client.callTool({ name: tool, arguments: {}, _meta: { ...meta } }))

        const ref = { type: "ref/prompt" as const, name: "greet" }
        const { completion } = yield* Effect.promise(() =>
          client.complete({ ref, argument: { name: "who", value: "A" } })
        )
        expect(completion.values).toEqual(["Ada", "Alan"])

        yield* call("steps", { progressToken: "steps" })
        yield* waitUntil(() => steps.length === 3)
        expect(steps).toEqual([1, 2, 3])

        if (!isModern) yield* Effect.promise(() => client.setLoggingLevel("warning"))
        yield* call("log", isModern ? { "io.modelcontextprotocol/logLevel": "warning" } : {})
        expect(logged).toEqual(["large"])

        const uri = "lab://state"
        yield* Effect.promise(async () =>
          isModern ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri })
        )
        yield* call("update")
        expect(yield* Deferred.await(updated)).toBe(uri)

        const leaving = new AbortController()
        const waiting = client.callTool({ name: "wait", arguments: {} }, { signal: leaving.signal })
        waiting.catch(() => undefined)
        yield* waitUntil(() => linesOf(trace).includes("begun"))
        leaving.abort()
        yield* waitUntil(() => linesOf(trace).includes("interrupted"))
      })
    )
  }
})

const lineOf = (id: number | undefined, method: string, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params })

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" }
}

it.scopedLive("A server writes nothing but messages to its standard output", () =>
  Effect.gen(function* () {
    const child = yield* startLab("stdio", yield* traceFile, "pipe")
    let output = ""
    child.stdout?.on("data", (data) => (output += String(data)))
    const messages = [
      lineOf(1, "initialize", initialize),
      lineOf(undefined, "notifications/initialized", {}),
      lineOf(2, "tools/call", { name: "noise", arguments: {} })
    ]
    child.stdin?.write(messages.map((line) => `${line}\n`).join(""))
    yield* waitUntil(() => output.includes('"id":2'))
    const lines = output.trim().split("\n")
    expect(lines.filter((line) => !line.startsWith("{"))).toEqual([])
    expect(lines.filter((line) => line.startsWith("{ noise"))).toEqual([])
  })
)

it.scopedLive("A server over standard streams gives tools the digits of a number that JavaScript would change", () =>
  Effect.gen(function* () {
    const child = yield* startLab("stdio", yield* traceFile, "pipe")
    const answered = Effect.promise(async () => {
      let text = ""
      for await (const data of child.stdout ?? []) {
        text += String(data)
        const line = text.split("\n").find((each) => each.includes('"id":2'))
        if (line !== undefined) return JSON.parse(line) as object
      }
      return {}
    })
    const call = lineOf(2, "tools/call", { name: "echo", arguments: { id: "DIGITS" } })
    const messages = [lineOf(1, "initialize", initialize), lineOf(undefined, "notifications/initialized", {}), call]
    child.stdin?.write(messages.map((line) => `${line.replace('"DIGITS"', "12345678901234567890")}\n`).join(""))
    expect(yield* answered).toMatchObject({ result: { content: [{ text: "12345678901234567890" }] } })
  })
)

it.scopedLive("A process whose server is over ends, though its client has its standard input still open", () =>
  Effect.gen(function* () {
    const child = yield* started([yield* bundleOf(new URL("fixtures/ending.ts", import.meta.url))], "pipe")
    const ended = Effect.promise(() => once(child, "exit"))
    expect(yield* ended).toEqual([0, null])
  })
)

it.scopedLive("A server whose client is killed during a call interrupts the call and ends", () =>
  Effect.gen(function* () {
    const trace = yield* traceFile
    const messages = [
      lineOf(1, "initialize", initialize),
      lineOf(undefined, "notifications/initialized", {}),
      lineOf(2, "tools/call", { name: "wait", arguments: {} })
    ]
    const host = `
      const server = require("node:child_process").spawn(process.execPath, ${JSON.stringify(yield* labArgs("stdio", trace))}, { stdio: ["pipe", "pipe", "inherit"] })
      server.stdin.write(${JSON.stringify(messages.map((line) => `${line}\n`).join(""))})
      console.log(server.pid)
      setInterval(() => {}, 1000)`
    const child = yield* started(["-e", host])
    const pid = Number(yield* firstLine(child))
    yield* waitUntil(() => linesOf(trace).includes("begun"))
    child.kill("SIGKILL")
    yield* waitUntil(() => ProcessTable.readProcess(pid) === undefined)
    expect(linesOf(trace)).toEqual(["begun", "interrupted"])
  })
)

it.scopedLive("A call over HTTP ends when its client is killed", () =>
  Effect.gen(function* () {
    const trace = yield* traceFile
    const url = yield* urlOfLab(trace)
    const envelope = {
      "io.modelcontextprotocol/protocolVersion": modern,
      "io.modelcontextprotocol/clientCapabilities": {}
    }
    const body = lineOf(1, "tools/call", { name: "wait", arguments: {}, _meta: envelope })
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": modern,
      "Mcp-Method": "tools/call",
      "Mcp-Name": "wait"
    }
    const request = JSON.stringify({ method: "POST", headers, body })
    const child = yield* started([
      "-e",
      `fetch(${JSON.stringify(String(url))}, ${request}).then((answer) => answer.text())`
    ])
    yield* waitUntil(() => linesOf(trace).includes("begun"))
    child.kill("SIGKILL")
    yield* waitUntil(() => linesOf(trace).includes("interrupted"))
  })
)
