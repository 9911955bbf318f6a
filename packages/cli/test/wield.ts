/** The command in this process, which takes a hundredth of the time, and as a process of its own. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { NodeContext } from "@effect/platform-node"
import { Cli } from "@wield/cli"
import { Console, Effect } from "effect"
import { bundleOf } from "../../../test/programs.js"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const program = new URL("../bin/wield.js", import.meta.url)

export interface Ended {
  readonly code: number | null
  readonly output: string
  readonly error: string
}

interface ProcessOptions {
  /** What it reads; nothing, and the end, unless given. */
  readonly input?: string
  /** What `onStart` writes to it, and closes. */
  readonly isInputLeftOpen?: boolean
  /** The descriptor that it writes results to. */
  readonly output?: number
  readonly folder?: string
  readonly environment?: { readonly [name: string]: string }
  /** Gets the process, to end it or to close what it writes to. */
  readonly onStart?: (child: ChildProcess) => void
}

export const wieldProcess = (given: ReadonlyArray<string>, options: ProcessOptions = {}): Effect.Effect<Ended> =>
  Effect.flatMap(bundleOf(program), (bundle) =>
    Effect.async((resume) => {
      const env = { ...process.env, ...options.environment }
      const child = spawn(process.execPath, [bundle, ...given], {
        cwd: options.folder ?? root,
        env,
        stdio: ["pipe", options.output ?? "pipe", "pipe"]
      })
      let output = ""
      let error = ""
      child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text))
      child.stderr?.setEncoding("utf8").on("data", (text: string) => (error += text))
      // It may end without having read all.
      child.stdin?.on("error", () => undefined)
      if (options.isInputLeftOpen !== true) child.stdin?.end(options.input ?? "")
      child.on("close", (code) => resume(Effect.succeed({ code, output, error })))
      options.onStart?.(child)
      return Effect.sync(() => child.kill("SIGKILL"))
    })
  )

export const wield = (given: ReadonlyArray<string>, input = ""): Effect.Effect<Ended> => wieldProcess(given, { input })

/** In this process. */
export const wieldHere = (
  given: ReadonlyArray<string>,
  { onError, ...surroundings }: Partial<Cli.Surroundings> & { readonly onError?: (text: string) => void } = {}
) =>
  Console.consoleWith((console) => {
    const printed = { output: "", error: "" }
    const into = (name: keyof typeof printed) => (text: unknown) =>
      Effect.sync(() => {
        printed[name] += `${String(text)}\n`
        if (name === "error") onError?.(String(text))
      })
    return Cli.run(["node", "wield", ...given], surroundings).pipe(
      Effect.map((code): Ended => ({ code, ...printed })),
      Console.withConsole({ ...console, log: into("output"), error: into("error") }),
      Effect.provide(NodeContext.layer)
    )
  })

export interface Project {
  readonly folder: string
  readonly environment: { readonly [name: string]: string }
  readonly wield: (
    given: ReadonlyArray<string>,
    surroundings?: Partial<Cli.Surroundings>
  ) => ReturnType<typeof wieldHere>
}

/** A folder with these files, and a home of its own. Trust it with `wield trust`. */
export const project = (files: { readonly [path: string]: string }, parent = tmpdir()) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(parent, "wield-cli-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ),
    (top): Project => {
      const folder = join(top, "project")
      mkdirSync(join(folder, ".git"), { recursive: true })
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
      }
      const environment = { XDG_CONFIG_HOME: join(top, "config"), XDG_CACHE_HOME: join(top, "cache") }
      const shell = { folder, environment, isInteractive: false, isColored: false }
      return { folder, environment, wield: (given, more) => wieldHere(given, { ...shell, ...more }) }
    }
  )

/** It leaves a file where it was started. */
export const mcpServer = `
require("node:fs").writeFileSync("started.txt", "started")
const tools = [{
  name: "multiply",
  description: "Multiplies a number",
  annotations: { readOnlyHint: true, title: "Multiply" },
  inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
}]
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": (params) => ({ content: [{ type: "text", text: String(params.arguments.n * process.env.FACTOR) }] })
}
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = results[method] ? { result: results[method](params) } : { error: { code: -32601, message: "?" } }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
})
`

/** A server of 2026-07-28 that asks before it greets. */
export const askingServer = `
const form = { type: "object", properties: { loud: { enum: ["shouted", "said"] } }, required: ["loud"] }
const question = { method: "elicitation/create", params: { mode: "form", message: "How loud?", requestedSchema: form } }
const cached = { ttlMs: 0, cacheScope: "private" }
const results = {
  "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ...cached }),
  "tools/list": () => ({ tools: [{ name: "greet", inputSchema: { type: "object" } }], ...cached }),
  "tools/call": ({ inputResponses, requestState }) =>
    inputResponses === undefined || requestState !== "sealed"
      ? { resultType: "input_required", inputRequests: { how: question }, requestState: "sealed" }
      : { content: [{ type: "text", text: inputResponses.how.content.loud }] }
}
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  const result = results[method] && { resultType: "complete", ...results[method](params) }
  const answer = result ? { result } : { error: { code: -32601, message: "?" } }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
})
`

/** Every kind of source that needs no code of the configuration. */
export const everySource = (url: string) => ({
  "wield.config.json": JSON.stringify({
    tools: [
      { manifest: "tools.yaml" },
      { scripts: "scripts" },
      { functions: "functions" },
      { openapi: "api.json", url, prefix: "shop_" },
      { mcp: "mcp.json" }
    ],
    context: { tenant: "t1" },
    allowedHosts: ["127.0.0.1"]
  }),
  "mcp.json": JSON.stringify({
    mcpServers: {
      math: {
        command: process.execPath,
        args: ["server.cjs"],
        prefix: "m_",
        trust: "hints",
        env: { FACTOR: "${FACTOR:-2}" },
        limits: { messageBytes: 10_000 }
      },
      off: { command: "never", disabled: true }
    }
  }),
  "server.cjs": mcpServer,
  "tools.yaml": `
apis: { type: rest, url: "${url}" }
tools:
  - type: api
    context: [tenant]
    function:
      name: get_weather
      description: The weather of a city
      parameters:
        type: object
        properties: { city: { type: string }, days: { type: integer }, tenant: { type: string } }
        required: [city, tenant]
    api: { path: "/weather/{city}?days={days}&tenant={tenant}", method: GET }
`,
  "scripts/greet.py":
    '"""Greets a person."""\n\ndef run(name: str):\n    """Greets a person.\n\n    Args:\n        name: Who is greeted\n    """\n    return "Hello, " + name\n',
  "scripts/count.sh":
    '#!/usr/bin/env bash\n# @describe Counts the characters of a text\n# @option --text! The text\nmain() {\n  echo "${#argc_text}"\n}\neval "$(argc --argc-eval "$0" "$@")"\n',
  "scripts/double.ts":
    "/**\n * Doubles a number.\n * @param n The number\n */\nexport function run(n: number) { return n * 2 }\n",
  "functions/dice.py":
    'TOOLS = [{"type": "function", "function": {"name": "roll_dice", "description": "Rolls a die"}}]\n\ndef execute(function_name, arguments, config):\n    return "4", True\n',
  "api.json": JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    paths: {
      "/orders/{id}": {
        get: {
          operationId: "get_order",
          summary: "An order",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          responses: { "200": { description: "OK", content: { "application/json": { schema: { type: "object" } } } } }
        }
      }
    }
  })
})

/** A server on this machine, until the scope closes. */
export const listen = (answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        let body = ""
        request
          .on("data", (piece: Buffer) => (body += piece.toString()))
          .on("end", () => answer(request, response, body))
      }).listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** An API of OpenAI's format: it calls this tool first, and answers when it has the result. */
export const modelThatCalls =
  (name: string, args: object) => (_: IncomingMessage, response: ServerResponse, body: string) => {
    const { messages } = JSON.parse(body)
    const last = messages.at(-1)
    const delta =
      last.role === "tool"
        ? { content: `It said ${last.content}` }
        : {
            tool_calls: [
              {
                index: 0,
                id: `call_${messages.length}`,
                type: "function",
                function: { name, arguments: JSON.stringify(args) }
              }
            ]
          }
    const chunk = (choice: object) =>
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", choices: [choice] })}\n\n`
    response.setHeader("content-type", "text/event-stream")
    response.end(
      chunk({ index: 0, delta }) +
        chunk({ index: 0, delta: {}, finish_reason: last.role === "tool" ? "stop" : "tool_calls" }) +
        "data: [DONE]\n\n"
    )
  }

export const answerAsModel = modelThatCalls("greet", { name: "Ada" })

/** A project with one tool, and that model. */
export const greeter = (url: string, approval: string) => ({
  "wield.config.json": JSON.stringify({
    tools: [{ scripts: "tools" }],
    approval,
    store: "wield.db",
    model: { format: "openai-chat", id: "test", url }
  }),
  "tools/greet.ts":
    "/**\n * Greets a person.\n * @param name Who\n */\nexport function run(name: string) { return `Hello, ${name}` }\n"
})

/** A tool that waits until it is interrupted, and leaves a file then. It is for a project below this folder. */
export const waitingConfig = `
import { writeFileSync } from "node:fs"
import { Tool, Toolkit } from "@effect/ai"
import { Effect, Schema } from "effect"
const write = (name: string) => Effect.sync(() => writeFileSync(new URL(name, import.meta.url), "done"))
const Slow = Toolkit.make(Tool.make("wait", { success: Schema.String }))
export default {
  tools: [Slow],
  layer: Slow.toLayer({
    wait: () => Effect.zipRight(
      Effect.sync(() => console.error("waiting")),
      Effect.onInterrupt(Effect.never, () => write("released.txt"))
    )
  })
}
`
