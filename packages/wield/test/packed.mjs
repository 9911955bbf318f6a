// A program of plain JavaScript beside the packed packages, which `pnpm packages` starts in an empty folder: it uses each
// module of `wield` once, serves a page of the AI SDK over HTTP, and has its spans in the SDK of OpenTelemetry.
import * as assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { PGlite } from "@electric-sql/pglite"
import { context, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { TracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace"
import { DefaultChatTransport, readUIMessageStream } from "ai"
import { tool, wield } from "wield"
import { assistant } from "wield/assistant"
import { fileStore } from "wield/file"
import { graphQl, manifest, openApi, sql } from "wield/manifest"
import { mcp } from "wield/mcp"
import { postgresRecords } from "wield/postgres"
import { codeMode } from "wield/code-mode"
import { functionFiles, scripts } from "wield/scripts"
import { memoryRecords, storeOf, testRecords, testStore } from "wield/store"
import { z } from "zod"

const folder = mkdtempSync(join(tmpdir(), "wield-packed-"))

const exporter = new InMemorySpanExporter()
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
let requests = 0
const model = {
  specificationVersion: "v4",
  provider: "test",
  modelId: "m",
  doStream: async () => {
    const isFirst = requests++ === 0
    const parts = isFirst
      ? [{ type: "tool-call", toolCallId: "c1", toolName: "pay", input: '{"amount":7}' }]
      : [
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: "Paid." },
          { type: "text-end", id: "1" }
        ]
    const unified = isFirst ? "tool-calls" : "stop"
    return {
      stream: ReadableStream.from([...parts, { type: "finish", finishReason: { unified, raw: unified }, usage }])
    }
  }
}
const paid = []
const pay = tool("pay", {
  parameters: z.object({ amount: z.number(), account: z.string() }),
  hidden: ["account"],
  execute: async ({ account, amount }) => `${paid.push(`${amount} from ${account}`)}`
})

// A chat page over HTTP, whose conversations are in a file.
const shop = await wield({
  tools: [pay],
  approval: { pay: () => "ask" },
  store: fileStore({ path: join(folder, "shop.db") })
})
const agent = shop.agent({ model })
const server = createServer(async (request, response) => {
  const body = ["GET", "HEAD"].includes(request.method) ? undefined : Readable.toWeb(request)
  const { headers, method, url } = request
  const answer = await agent.chat(new Request(`http://127.0.0.1${url}`, { method, headers, body, duplex: "half" }), {
    user: "ada",
    context: { account: "a_1" }
  })
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) response.end()
  else Readable.fromWeb(answer.body).pipe(response)
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const transport = new DefaultChatTransport({ api: `http://127.0.0.1:${server.address().port}/api/chat` })
const send = async (messages) => {
  const stream = await transport.sendMessages({ trigger: "submit-message", chatId: "chat", messages })
  let message = messages.at(-1).role === "assistant" ? messages.at(-1) : undefined
  for await (const one of readUIMessageStream({ stream, message })) message = one
  return message
}
const question = { id: "m1", role: "user", parts: [{ type: "text", text: "Pay 7" }] }
const asked = await send([question])
const part = asked.parts.find(({ type }) => type === "tool-pay" || type === "dynamic-tool")
assert.equal(part.state, "approval-requested")
assert.deepEqual(paid, [])
const approved = { ...part, state: "approval-responded", approval: { id: part.approval.id, approved: true } }
const parts = asked.parts.map((one) => (one === part ? approved : one))
const answered = await send([question, { ...asked, parts }])
assert.match(JSON.stringify(answered.parts), /Paid\./)
assert.deepEqual(paid, ["7 from a_1"])
await new Promise((resolve) => server.close(resolve))
await shop.close()

const names = exporter.getFinishedSpans().map(({ name }) => name)
for (const name of ["execute_tool pay", "chat m"]) assert.ok(names.includes(name), `${name} of ${names}`)

// Stores.
assert.equal(await testRecords(memoryRecords()), 9)
assert.equal(await testStore(storeOf(memoryRecords())), 9)
assert.equal(await testRecords(postgresRecords(new PGlite())), 9)

// Tools of other places.
const petStore = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "http://127.0.0.1:1" }],
  paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "all" } } } } }
}
const statement = { name: "one", description: "One", query: "SELECT 1 AS one", facts: { isReadOnly: true } }
writeFileSync(join(folder, "tools.db"), "")
mkdirSync(join(folder, "scripts"))
writeFileSync(
  join(folder, "scripts", "double.mjs"),
  "/** Doubles a number.\n * @param {number} n The number */\nexport function run(n) { return 2 * n }\n"
)
mkdirSync(join(folder, "functions"))
const desk = await wield({
  tools: [pay],
  toolsets: [
    manifest({ text: "- { type: local, function: { name: greet } }", handlers: { greet: () => "Hi" } }),
    openApi({ text: petStore, name: "pets" }),
    graphQl({ text: "type Query { now: String }", url: "http://127.0.0.1:1" }),
    sql({ url: `file:${join(folder, "tools.db")}`, tools: [statement] }),
    mcp({ sky: { command: process.execPath, args: [process.argv[2]] } }),
    scripts(join(folder, "scripts")),
    functionFiles(join(folder, "functions")),
    assistant({ path: join(folder, "assistant.db"), kits: ["goals"] })
  ]
})
const run = desk.run({ context: { account: "a_1", user_id: "ada", conversation_id: "c1" } })
const { tools } = await run.tools("openai-chat")
const offered = tools.map(({ function: { name } }) => name)
for (const name of ["pay", "greet", "listPets", "now", "one", "sky_forecast", "double", "create_goal"]) {
  assert.ok(
    offered.some((one) => one.toLowerCase().includes(name.toLowerCase())),
    `${name} of ${offered}`
  )
}
assert.equal(await run.call("greet"), "Hi")
assert.equal(await run.call("double", { n: 4 }), 8)
assert.match(JSON.stringify(await run.call("one")), /1/)
assert.match(JSON.stringify(await run.call("sky_forecast", { city: "Oslo" })), /Sun in Oslo/)
await run.call("create_goal", { goal_name: "Learn Greek" })
// Programs are run by another copy of everything.
const programs = await wield({ toolsets: [codeMode(desk)] })
const code = "return await Promise.all([1, 2].map((n) => tools.double({ n })))"
assert.deepEqual(await programs.run().call("run_program", { code }), [2, 4])
await programs.close()
await desk.close()
console.log("all used")
