/** Answers as servers really send them: `null` for what is absent, fields of another type, kinds that no one knows. */
import { assert, describe, it } from "@effect/vitest"
import { Outcome, ToolCall, ToolRunner } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { Effect, Logger } from "effect"
import { fileURLToPath } from "node:url"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { serve } from "./fixtures/loopback.js"

type Answers = { readonly [method: string]: { readonly [key: string]: unknown } }

const file = fileURLToPath(new URL("fixtures/answering.mjs", import.meta.url))
const object = { type: "object" }
const limits = { call: 20_000 }

const greetings: { readonly [era: string]: Answers } = {
  legacy: {
    initialize: {
      error: null,
      result: {
        _meta: null,
        protocolVersion: "2025-11-25",
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: null, experimental: null },
        serverInfo: { name: "odd", version: "1", title: null, icons: null },
        instructions: null
      }
    }
  },
  modern: {
    "server/discover": {
      result: {
        resultType: "complete",
        _meta: null,
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: null },
        instructions: null,
        ttlMs: null,
        cacheScope: null
      }
    }
  }
}

const results: Answers = {
  "tools/list": {
    result: {
      _meta: null,
      nextCursor: null,
      tools: [
        {
          name: "good",
          title: null,
          description: null,
          annotations: null,
          icons: null,
          outputSchema: null,
          _meta: null,
          inputSchema: {
            type: "object",
            required: null,
            properties: { choice: { enum: ["a", null], default: null, description: null }, data: { type: "string" } }
          }
        },
        {
          name: "illustrated",
          inputSchema: object,
          icons: [{ src: 1 }, { src: "a" }, { src: 2 }, { src: "b" }]
        },
        { name: "overloaded", inputSchema: object, icons: Array.from({ length: 5_000 }, () => ({ src: 5 })) },
        { name: "typeless", inputSchema: { properties: null } },
        {
          name: "hints",
          inputSchema: object,
          annotations: { readOnlyHint: "yes", destructiveHint: null, title: null },
          icons: [{ src: null }],
          execution: { taskSupport: "sometimes" }
        },
        { name: "schemaless" },
        { name: "listed", inputSchema: { type: "array" } },
        { name: "demanding", inputSchema: { type: "object", required: "all" } },
        { description: "It has no name", inputSchema: object },
        null,
        7
      ]
    }
  },
  "tools/call": {
    error: null,
    result: {
      _meta: null,
      isError: null,
      content: [
        { type: "text", text: "ran", annotations: null, _meta: null },
        { type: "text", text: "rated", annotations: { priority: 7, lastModified: "yesterday", audience: null } },
        { type: "video", url: "https://example.com/film" },
        { type: "resource_link", uri: "file:///a" },
        { type: "resource", resource: { uri: "file:///b", mimeType: null, text: null, blob: null } },
        { type: "image", data: "iVBORw0KGgo=", mimeType: null },
        { type: "image", data: "data:image/gif;base64,R0lGODlh" },
        "bare",
        null
      ]
    }
  },
  "resources/list": {
    result: {
      nextCursor: null,
      resources: [{ uri: "a://1", name: "one", size: "large", annotations: null }, { uri: 3 }]
    }
  },
  "resources/templates/list": {
    result: { nextCursor: null, resourceTemplates: [{ uriTemplate: "a://{id}", name: "all", mimeType: null }, null] }
  },
  "resources/read": { result: { _meta: null, contents: [{ text: "read", mimeType: null, blob: null }] } },
  "prompts/list": {
    result: {
      nextCursor: null,
      prompts: [{ name: "greet", arguments: null }, { name: "ask", arguments: [{ name: "q", required: null }] }, {}]
    }
  },
  "prompts/get": {
    result: {
      description: null,
      messages: [
        { role: "system", content: "Hello" },
        { role: "assistant", content: [{ type: "dance" }] }
      ]
    }
  },
  "completion/complete": { result: { completion: { values: ["a"], total: null, hasMore: null } } }
}

const complete = (answers: Answers): Answers =>
  Object.fromEntries(
    Object.entries(answers).map(([method, answer]) => [
      method,
      {
        ...answer,
        ...(answer["result"] === undefined ? {} : { result: { resultType: "complete", ...answer["result"] } })
      }
    ])
  )

const answersOf = (era: string, more: Answers = {}): Answers =>
  era === "modern"
    ? { ...greetings["modern"], ...complete({ ...results, ...more }) }
    : { ...greetings["legacy"], ...results, ...more }

/** What the server of standard input and output answers, as a file. */
const fileOf = (answers: Answers, rewrite: (text: string) => string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-odd-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    ),
    (folder) => {
      const texts = Object.entries(answers).map(([method, answer]) => [method, rewrite(JSON.stringify(answer))])
      writeFileSync(join(folder, "answers.json"), JSON.stringify(Object.fromEntries(texts)))
      return join(folder, "answers.json")
    }
  )

const serverOf = (transport: string, answers: Answers, rewrite = (text: string): string => text) =>
  transport === "stdio"
    ? Effect.map(fileOf(answers, rewrite), (path) => McpClient.stdio(process.execPath, [file, path]))
    : Effect.map(
        serve(({ body, method }, response) => {
          if (method !== "POST") return void response.writeHead(405).end()
          const { id, method: asked } = JSON.parse(body) as { readonly id?: number; readonly method: string }
          if (id === undefined) return void response.writeHead(202).end()
          const answer = answers[asked]
          const rest = answer ?? { error: { code: -32601, message: "Method not found" } }
          const message = rewrite(JSON.stringify({ jsonrpc: "2.0", id, ...rest }))
          const type = answer === undefined || transport === "json" ? "application/json" : "text/event-stream"
          response.writeHead(answer === undefined ? 400 : 200, { "content-type": type })
          response.end(type === "application/json" ? message : `event: message\r\nid: 1\r\ndata: ${message}\r\n\r\n`)
        }),
        (origin) => McpClient.http(`${origin}/mcp`)
      )

const connect = (server: McpClient.Server, logged: Array<string> = []) =>
  McpClient.connect("odd", server, { limits, trust: "hints" }).pipe(
    Effect.provide(
      Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void logged.push(String(message)))
      )
    )
  )

const textOf = (outcome: Outcome.Outcome): string => JSON.stringify(outcome)

for (const transport of ["stdio", "json", "events"]) {
  for (const era of ["legacy", "modern"]) {
    describe(`a ${era} server over ${transport}`, () => {
      it.scopedLive("keeps the tools that can be understood, and says why others are withheld", () =>
        Effect.gen(function* () {
          const logged: Array<string> = []
          const client = yield* connect(yield* serverOf(transport, answersOf(era)), logged)
          const tools = yield* client.listTools
          assert.deepStrictEqual(
            tools.map(({ name }) => name),
            ["good", "illustrated", "overloaded", "typeless", "hints"]
          )
          assert.deepStrictEqual(tools[0], {
            name: "good",
            inputSchema: {
              type: "object",
              properties: { choice: { enum: ["a", null], default: null }, data: { type: "string" } }
            }
          })
          const withheld = yield* client.withheld
          assert.deepStrictEqual(
            withheld.map(({ reason, tool }) => [tool, reason]),
            ["schemaless", "listed", "demanding", "(without a name)", "(without a name)", "(without a name)"].map(
              (tool) => [tool, "invalid"]
            )
          )
          assert.isTrue(logged.some((line) => line.includes("schemaless") && line.includes("inputSchema")))
          const offer = yield* client.toolset.offer
          assert.isFalse(offer.entries.get("odd_hints")?.definition.facts.isReadOnly)
        })
      )

      it.scopedLive("keeps its tools and their results where these are no objects, whatever its schemas say", () =>
        Effect.gen(function* () {
          const schemas = [{}, { type: null }, { type: "array" }, { type: "object", properties: [] }]
          const tools = schemas.map((outputSchema, index) => ({ name: `t${index}`, inputSchema: object, outputSchema }))
          const more = {
            "tools/list": { result: { tools } },
            "tools/call": { result: { content: [], structuredContent: [1] } }
          }
          const client = yield* connect(yield* serverOf(transport, answersOf(era, more)))
          assert.isAtLeast((yield* client.listTools).length, 3)
          const { content, structuredContent } = yield* client.callTool("t0")
          assert.strictEqual(JSON.stringify(structuredContent ?? content).includes("1"), true)
        })
      )

      it.scopedLive("has its results read whatever odd fields and blocks they hold", () =>
        Effect.gen(function* () {
          const client = yield* connect(yield* serverOf(transport, answersOf(era)))
          const runner = yield* ToolRunner.make(client.toolset)
          const outcome = yield* runner.run(ToolCall.make("1", "odd_good", {}))
          assert.strictEqual(outcome._tag, "Success", textOf(outcome))
          const { content } = yield* client.callTool("good")
          assert.deepStrictEqual(
            content.map(({ type }) => type),
            ["text", "text", "text", "resource_link", "resource", "image", "image", "text", "text"]
          )
          assert.strictEqual(content[0]?.text, "ran")
          assert.include(content[2]?.text, "video")
          assert.include(content[2]?.text, "https://example.com/film")
          assert.deepInclude(content[5], { mimeType: "image/png" })
          assert.deepInclude(content[6], { mimeType: "image/gif", data: "R0lGODlh" })
          assert.strictEqual(content[7]?.text, "bare")
        })
      )

      it.scopedLive("has its resources, prompts and completions read", () =>
        Effect.gen(function* () {
          const client = yield* connect(yield* serverOf(transport, answersOf(era)))
          assert.deepStrictEqual(yield* client.listResources, [{ uri: "a://1", name: "one" }])
          assert.deepStrictEqual(yield* client.listResourceTemplates, [{ uriTemplate: "a://{id}", name: "all" }])
          assert.deepStrictEqual(yield* client.readResource("a://1"), [{ uri: "a://1", text: "read" }])
          assert.deepStrictEqual(yield* client.listPrompts, [
            { name: "greet" },
            { name: "ask", arguments: [{ name: "q" }] }
          ])
          const prompt = yield* client.getPrompt("greet")
          const messages = prompt["messages"] as ReadonlyArray<{ readonly role: string; readonly content: object }>
          assert.deepStrictEqual(messages[0], { role: "user", content: { type: "text", text: "Hello" } })
          assert.deepInclude(messages[1]?.content, { type: "text" })
          const completion = { ref: { prompt: "greet" }, argument: "who", value: "" }
          assert.deepStrictEqual(yield* client.complete(completion), ["a"])
        })
      )

      it.scopedLive("that answers with nothing has an empty text", () =>
        Effect.gen(function* () {
          for (const result of [{}, { content: [] }, { content: null, structuredContent: null }, null]) {
            const whole = answersOf(era, { "tools/call": { result } })
            const client = yield* connect(yield* serverOf(transport, whole))
            const runner = yield* ToolRunner.make(client.toolset)
            const outcome = yield* runner.run(ToolCall.make("1", "odd_good", {}))
            const text = Outcome.text(outcome)
            assert.include(["", "null"], text, JSON.stringify([result, outcome]))
            assert.notInclude(JSON.stringify(outcome), "Content/Answer")
            if (result === null || !("structuredContent" in result)) assert.strictEqual(text, "")
          }
        })
      )

      it.scopedLive("is answered at once whatever stands in place of a result", () =>
        Effect.gen(function* () {
          for (const [answer, expected] of [
            [{ result: null }, "Success"],
            [{ result: "text" }, "Success"],
            [{ result: { content: null, structuredContent: { a: 1 }, _meta: "odd" } }, "Success"],
            [{ result: { content: { type: "text", text: "one" }, isError: "true" } }, "Failure"],
            [{}, "Failure"],
            [{ result: null, error: { code: "-32000", message: null } }, "Failure"],
            [{ error: "broken" }, "Failure"]
          ] as const) {
            const whole = { ...answersOf(era), "tools/call": answer }
            const client = yield* connect(yield* serverOf(transport, whole))
            const runner = yield* ToolRunner.make(client.toolset)
            const outcome = yield* runner.run(ToolCall.make("1", "odd_good", {}))
            assert.strictEqual(outcome._tag, expected, `${JSON.stringify(answer)}: ${textOf(outcome)}`)
          }
        })
      )
    })
  }
}

describe("a server that sends too much", () => {
  for (const [transport, era] of [
    ["stdio", "legacy"],
    ["json", "modern"],
    ["events", "legacy"]
  ] as const) {
    it.scopedLive(`costs no more than what it sends too much of, over ${transport}`, () =>
      Effect.gen(function* () {
        const deep = (depth: number, open: string, close: string) => `${open.repeat(depth)}{}${close.repeat(depth)}`
        const tools = [
          { name: "good", inputSchema: object },
          { name: "all", inputSchema: { type: "object", allOf: [1] } },
          { name: "half", inputSchema: { type: "object", allOf: [2] } },
          {
            name: "wide",
            inputSchema: {
              type: "object",
              properties: Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`p${index}`, {}]))
            }
          }
        ]
        const answers = {
          "tools/list": { result: { tools } },
          "tools/call": { result: { content: [{ type: "text", text: "x" }], structuredContent: { a: "DEEP" } } },
          "resources/list": {
            result: { resources: Array.from({ length: 9_000 }, (_, index) => ({ uri: `a://${index}`, name: "r" })) }
          }
        }
        const replaced = (text: string) =>
          text
            .replace("[1]", deep(1_200, '[{"allOf":', "}]"))
            .replace("[2]", deep(450, '[{"allOf":', "}]"))
            .replace('"DEEP"', deep(1_000_000, "[", "]"))
        const client = yield* connect(yield* serverOf(transport, answersOf(era, answers), replaced))
        const names = (yield* client.listTools).map(({ name }) => name)
        assert.include(names, "good")
        assert.notInclude(names, "all")
        assert.notInclude(names, "half")
        assert.strictEqual((yield* client.listResources).length, 9_000)
        const runner = yield* ToolRunner.make(client.toolset)
        const outcome = yield* runner.run(ToolCall.make("1", "odd_good", {}))
        assert.strictEqual(outcome._tag, "Success")
        assert.include(Outcome.text(outcome), "nested too deeply")
      })
    )
  }
})

describe("a result of 12,000 blocks", () => {
  for (const [what, block] of [
    ["texts", { type: "text", text: "x" }],
    ["blocks that nobody knows", { type: "hologram" }]
  ] as const) {
    it.scopedLive(`of ${what} is read as far as \`limits.items\`, and is one line of the log at most`, () =>
      Effect.gen(function* () {
        const warnings: Array<string> = []
        const logger = Logger.make(({ message }) => void warnings.push(String(message)))
        const content = Array.from({ length: 12_000 }, () => block)
        const answers = answersOf("legacy", { "tools/call": { result: { content } } })
        const outcome = yield* Effect.gen(function* () {
          const client = yield* connect(yield* serverOf("json", answers))
          return yield* (yield* ToolRunner.make(client.toolset)).run(ToolCall.make("1", "odd_good", {}))
        }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
        assert.strictEqual(outcome._tag, "Success")
        const text = Outcome.text(outcome) ?? ""
        assert.match(text, /sent 12000 blocks; the first 10000 are here \(limits\.items\)/)
        assert.isBelow(text.split("\n").length, 10_002)
        assert.isBelow(warnings.filter((text) => text.includes("hologram")).length, 2)
      })
    )
  }
})

describe("a server that asks without end", () => {
  const program = `
    let open = 0, refused = 0, call
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, error } = JSON.parse(line)
      if (method === "initialize") {
        send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } })
      } else if (method === "tools/list") send({ id, result: { tools: [{ name: "ask", inputSchema: { type: "object" } }] } })
      else if (method === "tools/call") {
        call = id
        for (open = 0; open < 2000; open++) {
          const requestedSchema = { type: "object", properties: {} }
          send({ id: "q" + open, method: "elicitation/create", params: { message: "?", requestedSchema } })
        }
      } else if (method === undefined && String(id).startsWith("q")) {
        if (error !== undefined) refused++
        if (--open === 0) send({ id: call, result: { content: [{ type: "text", text: String(refused) }] } })
      } else if (id !== undefined) send({ id, error: { code: -32601, message: "?" } })
    })`

  it.scopedLive("of an older revision is refused all but a hundred questions a call", () =>
    Effect.gen(function* () {
      let asked = 0
      const client = yield* McpClient.connect("s", McpClient.stdio(process.execPath, ["-e", program]), {
        elicit: () => Effect.sync(() => (asked++, { action: "decline" as const }))
      })
      for (const round of [1, 2]) {
        assert.strictEqual((yield* client.callTool("ask")).content[0]?.text, String(round * 1900))
        assert.strictEqual(asked, round * 100)
      }
    })
  )

  it.scopedLive("of 2026-07-28 ends its call", () =>
    Effect.gen(function* () {
      const params = { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } }
      const asks = Array.from({ length: 5_000 }, (_, index) => [`q${index}`, { method: "elicitation/create", params }])
      const call = { result: { resultType: "input_required", inputRequests: Object.fromEntries(asks) } }
      let asked = 0
      const server = yield* serverOf("json", answersOf("modern", { "tools/call": call }))
      const client = yield* McpClient.connect("s", server, {
        elicit: () => Effect.sync(() => (asked++, { action: "decline" as const }))
      })
      const error = yield* Effect.flip(client.callTool("good"))
      assert.strictEqual(error._tag, "ProtocolViolation")
      assert.strictEqual(asked, 0)
    })
  )
})
