/** Every command on a tool of every kind of source. */
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import Ajv2020 from "ajv/dist/2020.js"
import { Deferred, Effect, Fiber } from "effect"
import { jsonSchema } from "../src/output/reports.js"
import { everySource, project, wieldHere, wieldProcess } from "./wield.js"

const here = fileURLToPath(new URL("..", import.meta.url))

const listen = (answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) =>
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

/** An API of the tools, and a model that calls what the prompt names and repeats what it is told. */
const answer = (request: IncomingMessage, response: ServerResponse, body: string) => {
  if (request.method === "GET") {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ asked: request.url }))
    return
  }
  const { messages } = JSON.parse(body)
  const last = messages.at(-1)
  const called = last.role === "tool"
  const { name = "", words = {} } = called ? {} : JSON.parse(last.content)
  const call = { index: 0, id: "call_1", type: "function", function: { name, arguments: JSON.stringify(words) } }
  const choices = [
    { index: 0, delta: called ? { content: last.content } : { tool_calls: [call] } },
    { index: 0, delta: {}, finish_reason: called ? "stop" : "tool_calls" }
  ]
  response.setHeader("content-type", "text/event-stream")
  const chunks = choices.map((choice) => ({ id: "x", object: "chat.completion.chunk", choices: [choice] }))
  response.end([...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join(""))
}

const toolkit = `
import { Tool, Toolkit } from "@effect/ai"
import { Effect, Schema } from "effect"
const Sums = Toolkit.make(Tool.make("add", {
  description: "Adds two numbers",
  parameters: { a: Schema.Number, b: Schema.Number },
  success: Schema.Number
}))
`

const configOf = (config: string, url: string) => {
  const { tools, ...rest } = JSON.parse(config)
  const model = { format: "openai-chat", id: "test", url }
  return `${toolkit}
export default {
  ...${JSON.stringify({ ...rest, model, store: "wield.db", toolsets: undefined })},
  tools: [Sums, ...${JSON.stringify(tools)}],
  layer: Sums.toLayer({ add: ({ a, b }) => Effect.succeed(a + b) })
}
`
}

interface Row {
  readonly source: string
  readonly name: string
  readonly words: { readonly [name: string]: unknown }
  readonly result: unknown
  /** What the tool gives in words, where it is no JSON. */
  readonly text: string
}

const rows: ReadonlyArray<Row> = [
  { source: "a toolkit", name: "add", words: { a: 20, b: 22 }, result: 42, text: "42" },
  {
    source: "a manifest",
    name: "get_weather",
    words: { city: "Wien" },
    result: { asked: "/weather/Wien?tenant=t1" },
    text: "/weather/Wien"
  },
  { source: "Python", name: "greet", words: { name: "Ada" }, result: "Hello, Ada", text: "Hello, Ada" },
  { source: "Bash", name: "count", words: { text: "12345" }, result: 5, text: "5" },
  { source: "TypeScript", name: "double", words: { n: 21 }, result: 42, text: "42" },
  { source: "a function file", name: "roll_dice", words: {}, result: "4", text: "4" },
  { source: "OpenAPI", name: "shop_get_order", words: { id: "7" }, result: { asked: "/orders/7" }, text: "/orders/7" },
  { source: "MCP", name: "m_multiply", words: { n: 21 }, result: [{ _tag: "Text", text: "42" }], text: "42" }
]

it.scopedLive("every command works on tools of every kind of source", () =>
  Effect.gen(function* () {
    const { url } = yield* listen(answer)
    const { "wield.config.json": config, ...files } = everySource(url)
    const { environment, folder, wield } = yield* project({ ...files, "wield.config.ts": configOf(config, url) }, here)
    const isPublished = new Ajv2020.default({ strict: false }).compile(jsonSchema())
    const names = rows.map(({ name }) => name).toSorted()
    const json = (given: ReadonlyArray<string>, code = 0) =>
      Effect.map(wield([...given, "--json"]), (ended) => {
        assert.strictEqual(ended.code, code, `${given.join(" ")}: ${ended.error}${ended.output}`)
        const value = JSON.parse(ended.output)
        assert.isTrue(isPublished(value), `${given.join(" ")}: ${JSON.stringify(isPublished.errors)}`)
        return value
      })

    assert.strictEqual((yield* wield(["trust"])).code, 0)
    const listed = yield* wield(["list", "--json"])
    writeFileSync(join(folder, "listed.json"), listed.output)
    assert.deepStrictEqual((yield* wield(["list", "--names"])).output.trim().split("\n").toSorted(), names)
    assert.deepStrictEqual((yield* json(["list"])).tools.map(({ name }: Row) => name).toSorted(), names)
    const completed = yield* wieldProcess(["__complete"], { folder, environment })
    assert.deepStrictEqual(completed.output.trim().split("\n").toSorted(), names)

    // The same tools by their definitions alone.
    assert.deepStrictEqual((yield* json(["diff", "listed.json"])).changes, [])
    assert.deepStrictEqual(Object.keys((yield* json(["lint"])).tokens.tools).toSorted(), names)
    const calls = rows.map(({ name, words }) => JSON.stringify({ name, arguments: words }))
    writeFileSync(join(folder, "calls.jsonl"), calls.join("\n"))
    const replayed = yield* json(["replay", "calls.jsonl"])
    assert.deepStrictEqual(
      replayed.calls.map(({ tool, verdict }: { readonly tool: string; readonly verdict: string }) => [tool, verdict]),
      rows.map(({ name }) => [name, "valid"])
    )
    for (const what of ["types", "declarations", "docs"]) {
      const { code, error, output } = yield* wield(["generate", what])
      assert.strictEqual(code, 0, error)
      for (const name of names) assert.include(output, name, what)
    }

    for (const { name, result, source, text, words } of rows) {
      const inspected = yield* json(["inspect", name])
      assert.strictEqual(inspected.tool.name, name)
      const called = yield* json(["call", name, "--args", JSON.stringify(words)])
      assert.deepStrictEqual(called.result, result, source)
      const inProcess = yield* wieldProcess(["call", name, "--args", JSON.stringify(words), "--json"], {
        folder,
        environment
      })
      assert.deepStrictEqual([inProcess.code, JSON.parse(inProcess.output).result], [0, result], inProcess.error)
      const ran = yield* wield(["run", JSON.stringify({ name, words }), "--json"])
      assert.strictEqual(ran.code, 0, `${source}: ${ran.error}`)
      assert.include(JSON.parse(ran.output.trim().split("\n").at(-1) ?? "").text, text, source)
    }

    // Served over HTTP, each is a request, and the description imports as the same tools.
    const started = yield* Deferred.make<string>()
    const fiber = yield* Effect.fork(
      wieldHere(["serve", "http", "--port", "0"], {
        folder,
        environment: { ...environment, WIELD_TOKEN: "secret" },
        isInteractive: false,
        isColored: false,
        onError: (text) => text.includes("http://") && Deferred.unsafeDone(started, Effect.succeed(text))
      })
    )
    const served = /http:\/\/[^/\s]+/.exec(yield* Deferred.await(started))?.[0] ?? ""
    const headers = { authorization: "Bearer secret" }
    for (const { name, result, source, words } of rows) {
      const given = yield* Effect.promise(async () => {
        const response = await fetch(`${served}/tools/${name}`, {
          method: "POST",
          body: JSON.stringify(words),
          headers
        })
        return [response.status, await response.json()]
      })
      assert.deepStrictEqual(given, [200, result], source)
    }
    const document = yield* Effect.promise(async () => (await fetch(`${served}/openapi.json`, { headers })).text())
    mkdirSync(join(folder, "served"))
    writeFileSync(join(folder, "served/openapi.json"), document)
    yield* Fiber.interrupt(fiber)
    const { changes } = yield* json(["diff", "listed.json", "served/openapi.json"], 1)
    // Only where it runs is another: there, behind a request.
    for (const { path, tool } of changes) assert.deepStrictEqual([tool, path], [tool, ["kind"]])

    // Served over MCP.
    const messages = [
      {
        id: 0,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      },
      { method: "notifications/initialized" },
      ...rows.map(({ name, words }, index) => ({
        id: index + 1,
        method: "tools/call",
        params: { name, arguments: words }
      }))
    ]
    let answered = ""
    const ended = yield* wieldProcess(["serve", "mcp"], {
      folder,
      environment,
      isInputLeftOpen: true,
      onStart: (child) => {
        child.stdin?.write(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""))
        child.stdout?.on("data", (text: string) => {
          answered += text
          if (answered.split("\n").length > rows.length + 1) child.stdin?.end()
        })
      }
    })
    for (const line of ended.output.trim().split("\n")) {
      const { id, result } = JSON.parse(line)
      const row = rows[id - 1]
      if (row !== undefined) assert.include(result.content[0].text, row.text, row.source)
    }
    assert.strictEqual(ended.output.trim().split("\n").length, rows.length + 1, ended.error)
  })
)
