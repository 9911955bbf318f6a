/** Commands as processes: each on a tool of every kind of source, and one that is killed during a call. */
import type { ChildProcess } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import Ajv2020 from "ajv/dist/2020.js"
import { Deferred, Effect, Fiber } from "effect"
import { jsonSchema } from "../src/output/jsonSchema.js"
import { everySource, listen, project, wieldProcess } from "./wield.js"

const here = fileURLToPath(new URL("..", import.meta.url))

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
    const created = yield* project({ ...files, "wield.config.ts": configOf(config, url) }, here)
    const { environment, folder } = created
    const wield = (given: ReadonlyArray<string>) => wieldProcess(given, { folder, environment })
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
    const completed = yield* wield(["__complete"])
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
      const { code, error, output } = yield* (what === "types" ? wield : created.wield)(["generate", what])
      assert.strictEqual(code, 0, error)
      for (const name of names) assert.include(output, name, what)
    }

    for (const [index, { name, result, source, text, words }] of rows.entries()) {
      // A process takes a second; the first row shows that these commands do the same there.
      const either = index === 0 ? wield : created.wield
      const inspected = yield* either(["inspect", name, "--json"])
      assert.strictEqual(JSON.parse(inspected.output).tool.name, name)
      const called = yield* either(["call", name, "--args", JSON.stringify(words), "--json"])
      assert.deepStrictEqual(JSON.parse(called.output).result, result, `${source}: ${called.error}`)
      const ran = yield* either(["run", JSON.stringify({ name, words }), "--json"])
      assert.strictEqual(ran.code, 0, `${source}: ${ran.error}`)
      assert.include(JSON.parse(ran.output.trim().split("\n").at(-1) ?? "").event.result.text, text, source)
    }

    const doctor = yield* json(["doctor"])
    assert.isAbove(doctor.checks.length, 0)
    assert.strictEqual((yield* json(["runs", "list"])).runs.length, rows.length)
    assert.deepStrictEqual((yield* json(["approvals", "list"])).approvals, [])

    // Served over HTTP, each is a request, and the description imports as the same tools.
    const started = yield* Deferred.make<string>()
    const fiber = yield* Effect.fork(
      wieldProcess(["serve", "http", "--port", "0"], {
        folder,
        environment: { ...environment, WIELD_TOKEN: "secret" },
        onStart: (child) =>
          child.stderr?.on("data", (text: string) => {
            const [address] = /http:\/\/[^/\s]+/.exec(text) ?? []
            if (address !== undefined) Deferred.unsafeDone(started, Effect.succeed(address))
          })
      })
    )
    const served = yield* Deferred.await(started)
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

it.scopedLive(
  "a run that was killed during a call goes on without making the call again, and says that it is uncertain",
  () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { url } = yield* listen((_, response, body) => {
        const { messages } = JSON.parse(body)
        const last = messages.at(-1)
        asked.push(String(last.content))
        const called = last.role === "tool"
        const call = { index: 0, id: "call_1", type: "function", function: { name: "pay", arguments: "{}" } }
        const choices = [
          { index: 0, delta: called ? { content: "Ask the bank." } : { tool_calls: [call] } },
          { index: 0, delta: {}, finish_reason: called ? "stop" : "tool_calls" }
        ]
        response.setHeader("content-type", "text/event-stream")
        response.end(
          [
            ...choices.map((choice) => JSON.stringify({ id: "x", object: "chat.completion.chunk", choices: [choice] })),
            "[DONE]"
          ]
            .map((data) => `data: ${data}\n\n`)
            .join("")
        )
      })
      const { environment, folder } = yield* project({
        "wield.config.json": JSON.stringify({
          tools: [{ scripts: "tools" }],
          approval: "allow",
          store: "wield.db",
          model: { format: "openai-chat", id: "test", url }
        })
      })
      const paid = join(folder, "paid.txt")
      mkdirSync(join(folder, "tools"))
      writeFileSync(
        join(folder, "tools/pay.ts"),
        `import { appendFileSync } from "node:fs"
/** Pays. */
export async function run() { appendFileSync(${JSON.stringify(paid)}, "1"); await new Promise(() => setInterval(() => {}, 1000)) }`
      )
      const wield = (given: ReadonlyArray<string>, onStart?: (child: ChildProcess) => void) =>
        wieldProcess(given, { folder, environment, ...(onStart === undefined ? {} : { onStart }) })
      yield* wield(["trust"])
      const killed = yield* wield(["run", "Pay", "--conversation", "c1"], (child) => {
        const looking = setInterval(() => {
          if (!existsSync(paid)) return
          clearInterval(looking)
          child.kill("SIGKILL")
        }, 5)
      })
      assert.isNull(killed.code)
      const stuck = yield* wield(["runs", "stuck", "--patience", "0", "--json"])
      assert.deepStrictEqual(
        JSON.parse(stuck.output).runs.map(({ conversation }: { readonly conversation: string }) => conversation),
        ["c1"]
      )
      const retried = yield* wield(["runs", "retry", "c1", "--json"])
      assert.strictEqual(retried.code, 0, retried.error)
      assert.strictEqual(JSON.parse(retried.output.trim().split("\n").at(-1) ?? "").event.result.text, "Ask the bank.")
      assert.strictEqual(readFileSync(paid, "utf8"), "1")
      assert.include(asked.at(-1), "may already have taken effect")
      assert.deepStrictEqual(JSON.parse((yield* wield(["runs", "stuck", "--patience", "0", "--json"])).output).runs, [])
    })
)
