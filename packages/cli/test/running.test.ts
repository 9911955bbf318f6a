import { readFileSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Refused } from "../src/output/Refused.js"
import { answerAsModel, askingServer, greeter, listen, project, wieldHere, wieldProcess } from "./wield.js"

const model = listen(answerAsModel)

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("wield run", () => {
  it.scopedLive("shows what an MCP server asks, and goes on with a reply that fits", () =>
    Effect.gen(function* () {
      const { url } = yield* model
      const config = {
        tools: [{ mcp: "mcp.json" }],
        approval: "allow",
        store: "wield.db",
        model: { format: "openai-chat", id: "test", url }
      }
      const { folder, wield } = yield* project({
        "wield.config.json": JSON.stringify(config),
        "server.cjs": askingServer
      })
      const server = { command: process.execPath, args: [join(folder, "server.cjs")], prefix: "" }
      writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { greeter: server } }))
      yield* wield(["trust"])
      const paused = yield* wield(["run", "Greet Ada", "--conversation", "c1"])
      assert.strictEqual(paused.code, 5, paused.error)
      const [request] = JSON.parse((yield* wield(["approvals", "list", "--json"])).output).approvals
      assert.deepStrictEqual([request.waitsFor, request.input.asks.how.params.message], ["input", "How loud?"])
      const listed = yield* wield(["approvals", "list"])
      assert.include(listed.output, "How loud?")
      assert.notInclude(listed.output + JSON.stringify(request), "sealed")
      const reply = (loud: string) =>
        wield([
          "approvals",
          "answer",
          request.id,
          "--reply",
          `{"how":{"action":"accept","content":{"loud":"${loud}"}}}`
        ])
      const refused = yield* reply("whispered")
      assert.deepStrictEqual([refused.code, refused.error.includes("reply.how.content.loud")], [1, true], refused.error)
      assert.strictEqual((yield* wield(["approvals", "answer", request.id, "--approve", "--reply", "1"])).code, 2)
      const answered = yield* reply("shouted")
      assert.deepStrictEqual([answered.code, answered.output.trim()], [0, "It said shouted"], answered.error)
    })
  )

  it.scopedLive(
    "asks the model, calls the tools, waits for approval in the store, and goes on when it is answered",
    () =>
      Effect.gen(function* () {
        const { url } = yield* model
        const { folder, wield } = yield* project(greeter(url, "ask"))
        assert.strictEqual((yield* wield(["run", "Greet Ada"])).code, 3)
        yield* wield(["trust"])
        const file = join(folder, "wield.config.json")
        const config = readFileSync(file, "utf8")
        const { tools, ...others } = JSON.parse(config)
        writeFileSync(file, JSON.stringify({ ...others, tools: [...tools, { manifest: "gone.json" }] }))
        const paused = yield* wield(["run", "Greet Ada", "--conversation", "c1", "--json"])
        writeFileSync(file, config)
        assert.strictEqual(paused.code, 5, paused.error)
        assert.include(paused.error, "error: manifest gone.json: ")
        const done = lines(paused.output).at(-1).event
        assert.deepStrictEqual([done._tag, done.result._tag, done.result.requests.length], ["Done", "Paused", 1])

        const states = Effect.map(wield(["runs", "list", "--json"]), ({ output }) =>
          JSON.parse(output).runs.map(({ conversation, state, waiting }: { readonly [key: string]: unknown }) => [
            conversation,
            waiting,
            state
          ])
        )
        assert.deepStrictEqual(yield* states, [["c1", 1, "waiting"]])
        assert.include((yield* wield(["runs", "list"])).output, "2 entries, 1 waiting")
        const listed = yield* wield(["approvals", "list", "--json"])
        const [request] = JSON.parse(listed.output).approvals
        assert.deepStrictEqual([request.tool, request.arguments], ["greet", { name: "Ada" }])
        assert.strictEqual((yield* wield(["approvals", "answer", "other", "--approve"])).code, 1)
        // A variable of a shell that is not set, or one letter, names no call.
        const unnamed = yield* wield(["approvals", "answer", request.id.slice(0, 3), "--approve"])
        assert.deepStrictEqual([unnamed.code, unnamed.error.includes("No call waits under")], [1, true])
        assert.strictEqual((yield* wield(["approvals", "answer", request.id])).code, 2)
        const unheard = yield* wield(["approvals", "answer", request.id, "--deny", "no", "--args", '{"name":"Bob"}'])
        assert.deepStrictEqual([unheard.code, unheard.error.includes("give them with --approve")], [2, true])
        const answered = yield* wield(["approvals", "answer", request.id, "--approve", "--args", '{"name":"Bob"}'])
        assert.deepStrictEqual(
          [answered.code, answered.output.split("\n")[0]],
          [0, "It said Hello, Bob"],
          answered.error
        )
        assert.deepStrictEqual(JSON.parse((yield* wield(["approvals", "list", "--json"])).output).approvals, [])
        assert.deepStrictEqual(yield* states, [["c1", 0, "done"]])
        const shown = yield* wield(["runs", "show", "c1", "--json"])
        const { entries } = JSON.parse(shown.output)
        const { username } = userInfo()
        assert.deepStrictEqual(
          entries.map(({ from, text }: { readonly [key: string]: string }) => `${from}: ${text?.split("\n")[0]}`),
          [
            "user: Greet Ada",
            'assistant: greet {"name":"Ada"}',
            `${username} (wield): Approve greet with {"name":"Bob"}`,
            "tools: greet: Hello, Bob",
            "assistant: It said Hello, Bob"
          ]
        )
        const audited = yield* wield(["runs", "audit", "c1"])
        const [row] = audited.output
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
        assert.deepStrictEqual(
          [row.tool, row.outcome, row.decisions[0].shown, row.decisions[0].arguments, row.decisions[0].by.way],
          ["greet", "Success", { name: "Ada" }, { name: "Bob" }, "wield"]
        )
        assert.strictEqual((yield* wield(["runs", "audit"])).output, audited.output)
        assert.strictEqual((yield* wield(["runs", "audit", "none"])).code, 1)
        const exported = yield* wield(["runs", "export", "c1"])
        writeFileSync(join(folder, "c1.json"), exported.output)
        const replayed = yield* wield(["replay", "c1.json", "--json"])
        assert.strictEqual(replayed.code, 0, replayed.output)
        assert.strictEqual((yield* wield(["runs", "forget", "c2"])).code, 1)
        assert.strictEqual((yield* wield(["runs", "forget", "c1"])).code, 0)
        assert.deepStrictEqual(JSON.parse((yield* wield(["runs", "list", "--json"])).output).runs, [])

        const terminal = { isInteractive: true, ask: () => Effect.succeed("y") }
        const approved = yield* wield(["run", "Greet Ada", "--json"], terminal)
        assert.strictEqual(approved.code, 0, approved.error)
        assert.deepStrictEqual(lines(approved.output).at(-1).event.result.text, "It said Hello, Ada")
      })
  )

  it.scopedLive("finds runs that a failure has left, and goes on with them without repeating a call", () =>
    Effect.gen(function* () {
      let asked = 0
      const { url } = yield* listen((request, response, body) => {
        // Before the first call, and after its result.
        if (++asked === 1 || asked === 3) response.writeHead(400).end("{}")
        else answerAsModel(request, response, body)
      })
      const { folder, wield } = yield* project(greeter(url, "allow"))
      const calls = join(folder, "calls.txt")
      const script = `import { appendFileSync } from "node:fs"
/** Greets a person. */
export function run(name: string) { appendFileSync(${JSON.stringify(calls)}, "1"); return \`Hello, \${name}\` }`
      writeFileSync(join(folder, "tools/greet.ts"), script)
      yield* wield(["trust"])
      const stuck = (patience: number) =>
        Effect.map(wield(["runs", "stuck", "--patience", String(patience), "--json"]), ({ output }) =>
          JSON.parse(output).runs.map(({ conversation }: { readonly conversation: string }) => conversation)
        )
      const failed = yield* wield(["run", "Greet Ada", "--conversation", "c 1"])
      assert.deepStrictEqual([failed.code, failed.error.includes("wield runs retry 'c 1' goes on with it")], [1, true])
      assert.deepStrictEqual(yield* stuck(3600), [])
      assert.include((yield* wield(["runs", "list"])).output, "1 entries, open")
      assert.deepStrictEqual(yield* stuck(0), ["c 1"])
      assert.strictEqual((yield* wield(["runs", "retry", "c 1"])).code, 1)
      assert.deepStrictEqual([asked, yield* stuck(0)], [3, ["c 1"]])
      const retried = yield* wield(["runs", "retry", "c 1", "--json"])
      assert.strictEqual(lines(retried.output).at(-1).event.result.text, "It said Hello, Ada", retried.error)
      assert.strictEqual(readFileSync(calls, "utf8"), "1")
      assert.deepStrictEqual(yield* stuck(0), [])
      // One that is over says what it came to, and asks no model.
      const over = yield* wield(["runs", "retry", "c 1"])
      assert.deepStrictEqual([over.code, over.output, asked], [0, "It said Hello, Ada\n", 4])
      assert.strictEqual((yield* wield(["runs", "retry", "c2"])).code, 1)
      assert.strictEqual((yield* wield(["runs", "show", "c2"])).code, 1)
    })
  )

  it.scopedLive("takes what a person has answered where another call stays open, and advises what can be done", () =>
    Effect.gen(function* () {
      const calls = [
        { index: 0, id: "call 1", type: "function", function: { name: "greet", arguments: '{"name":"Ada"}' } },
        { index: 1, id: "call 2", type: "function", function: { name: "show", arguments: "{}" } }
      ]
      const { url } = yield* listen((_, response) => {
        const chunk = (delta: object, finish: string | null) =>
          `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end(`${chunk({ tool_calls: calls }, null)}${chunk({}, "tool_calls")}data: [DONE]\n\n`)
      })
      const files = greeter(url, "cautious")
      const { tools, store, ...config } = JSON.parse(files["wield.config.json"])
      const shown = {
        type: "client",
        facts: { readOnly: true },
        function: { name: "show", description: "Shows it", parameters: { type: "object" } }
      }
      const { folder, wield } = yield* project({ ...files, "client.json": JSON.stringify({ tools: [shown] }) })
      const write = (more: object) =>
        writeFileSync(
          join(folder, "wield.config.json"),
          JSON.stringify({ ...config, ...more, tools: [...tools, { manifest: "client.json" }] })
        )
      write({ store })
      yield* wield(["trust"])
      const terminal = { isInteractive: true, ask: () => Effect.succeed("not her") }
      const paused = yield* wield(["run", "Greet Ada", "--conversation", "c1"], terminal)
      assert.strictEqual(paused.code, 5, paused.error)
      assert.include(paused.error, "show {} waits: wield approvals answer 'call 2' --approve")
      const listed = JSON.parse((yield* wield(["approvals", "list", "--json"])).output).approvals
      assert.deepStrictEqual(
        listed.map(({ tool }: { readonly tool: string }) => tool),
        ["show"]
      )
      assert.include((yield* wield(["runs", "export", "c1"])).output, "not her")
      write({})
      const forgotten = yield* wield(["run", "Greet Ada"], terminal)
      assert.notInclude(forgotten.error, "wield approvals answer")
      assert.include(forgotten.error, "where the configuration has a store")
    })
  )

  it.scopedLive("needs a model, its key, and a terminal to chat on", () =>
    Effect.gen(function* () {
      const { folder, wield } = yield* project({ "wield.config.json": '{"tools":[],"model":"openai:gpt"}' })
      const keyless = yield* wield(["run", "hi", "--trust"])
      assert.deepStrictEqual([keyless.code, keyless.error.includes("set OPENAI_API_KEY")], [2, true])
      assert.strictEqual((yield* wield(["chat", "--trust"])).code, 2)
      assert.strictEqual((yield* wield(["runs", "list"])).code, 2)
      const terminal = { environment: { OPENAI_API_KEY: "key" }, isInteractive: true }
      const ended = yield* wield(["chat", "--trust"], {
        ...terminal,
        readLine: () => Refused.usage("No answer was given")
      })
      assert.strictEqual(ended.code, 0, ended.error)
      writeFileSync(join(folder, "wield.config.json"), '{"tools":[]}')
      assert.include((yield* wield(["run", "hi", "--trust"])).error, "has no model")
    })
  )
})

describe("wield serve http", () => {
  it.scopedLive("serves each tool, refuses what no local program sends, and describes itself as the same tools", () =>
    Effect.gen(function* () {
      const { environment, folder, wield } = yield* project(greeter("", "allow"))
      yield* wield(["trust"])
      const started = yield* Deferred.make<string>()
      const fiber = yield* Effect.fork(
        wieldHere(["serve", "http", "--port", "0"], {
          folder,
          environment: { ...environment, WIELD_TOKEN: "secret" },
          isInteractive: false,
          isColored: false,
          onError: (text) => Deferred.unsafeDone(started, Effect.succeed(text))
        })
      )
      const said = yield* Deferred.await(started)
      assert.deepStrictEqual([said.includes("the token of WIELD_TOKEN"), said.includes("secret")], [true, false])
      const url = /http:\/\/[^/]+/.exec(said)?.[0] ?? ""
      const headers = { authorization: "Bearer secret" }
      const post = (name: string, body: string, more: { readonly [name: string]: string } = headers) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}/tools/${name}`, { method: "POST", body, headers: more })
          return [response.status, await response.json()] as const
        })
      assert.deepStrictEqual(yield* post("greet", '{"name":"Ada"}'), [200, "Hello, Ada"])
      assert.deepStrictEqual((yield* post("greet", "{}"))[0], 400)
      assert.deepStrictEqual((yield* post("great", "{}"))[0], 404)
      assert.deepStrictEqual((yield* post("%E0%A4%A", "{}"))[0], 404)
      assert.deepStrictEqual((yield* post("greet", "{}", {}))[0], 401)
      assert.deepStrictEqual((yield* post("greet", "{}", { ...headers, origin: "http://evil.example" }))[0], 403)
      const document = yield* Effect.promise(async () => (await fetch(`${url}/openapi.json`, { headers })).text())
      writeFileSync(join(folder, "served.json"), document)
      const same = yield* wield(["diff", "tools", "served.json", "--json"])
      // Only where it runs is another: there, behind a request.
      assert.deepStrictEqual(
        JSON.parse(same.output).changes.map(({ path }: { readonly path: ReadonlyArray<string> }) => path),
        [["kind"]],
        same.output
      )
      yield* Fiber.interrupt(fiber)
      yield* Effect.flip(Effect.tryPromise(() => fetch(url)))
    })
  )
})

describe("what is sent to keep the process busy", () => {
  it.scopedLive("is answered: a pattern that backtracks, values nested without end, thousands of parameters", () =>
    Effect.gen(function* () {
      const parameter = (name: string, more: object = {}) => ({
        name,
        in: "query",
        schema: { type: "string", ...more }
      })
      const get = (operationId: string, parameters: ReadonlyArray<object>) => ({
        get: { operationId, parameters, responses: {} }
      })
      const api = {
        openapi: "3.1.0",
        info: { title: "shop", version: "1" },
        paths: {
          "/find": get("find", [parameter("words", { pattern: "^(\\w+\\s?)*$" })]),
          "/wide": get(
            "wide",
            Array.from({ length: 2_000 }, (_, index) => parameter(`p${index}`))
          )
        }
      }
      const { environment, folder, wield } = yield* project({
        "wield.config.json": JSON.stringify({ tools: [{ openapi: "api.json", url: "http://127.0.0.1:9" }] }),
        "api.json": JSON.stringify(api),
        "deep.json": "[".repeat(300_000) + "]".repeat(300_000)
      })
      yield* wield(["trust"])
      const words = JSON.stringify({ words: `${"a".repeat(60)}!` })
      const called = yield* wield(["call", "find", "--args", words])
      assert.deepStrictEqual([called.code, called.error.includes("words")], [4, true], called.error)
      const deep = `{"words":${"[".repeat(300_000)}${"]".repeat(300_000)}}`
      assert.strictEqual((yield* wield(["call", "find", "--args", deep])).code, 4)
      for (const command of ["diff", "lint"]) {
        const read = yield* wield([command, "deep.json"])
        assert.include(read.error + read.output, "deep")
      }
      const started = yield* Deferred.make<string>()
      const fiber = yield* Effect.fork(
        wieldHere(["serve", "http", "--port", "0", "--without-token"], {
          folder,
          environment,
          isInteractive: false,
          isColored: false,
          onError: (text) => void (text.includes("http://") && Deferred.unsafeDone(started, Effect.succeed(text)))
        })
      )
      const url = /http:\/\/[^/]+/.exec(yield* Deferred.await(started))?.[0] ?? ""
      const post = (body: string) =>
        Effect.promise(async () => (await fetch(`${url}/tools/find`, { method: "POST", body })).status)
      assert.deepStrictEqual(
        [yield* post(deep), yield* post(words), yield* post("[".repeat(2_000_000))],
        [400, 400, 400]
      )
      yield* Fiber.interrupt(fiber)
    })
  )
})

describe("wield studio", () => {
  it.scopedLive("shows the project's tools to who has the token, and calls none where it only shows", () =>
    Effect.gen(function* () {
      const { environment, folder, wield } = yield* project(greeter("", "allow"))
      yield* wield(["trust"])
      const started = yield* Deferred.make<string>()
      const fiber = yield* Effect.fork(
        wieldHere(["studio", "--port", "0", "--read-only"], {
          folder,
          environment: { ...environment, WIELD_STUDIO_TOKEN: "secret" },
          isInteractive: false,
          isColored: false,
          onError: (text) => Deferred.unsafeDone(started, Effect.succeed(text))
        })
      )
      const said = yield* Deferred.await(started)
      assert.deepStrictEqual([said.includes("WIELD_STUDIO_TOKEN"), said.includes("secret")], [true, false])
      const url = /http:\/\/[^/]+/.exec(said)?.[0] ?? ""
      const headers = { authorization: "Bearer secret", "content-type": "application/json" }
      const send = (path: string, init: RequestInit) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}/api/${path}`, init)
          return [response.status, await response.text()] as const
        })
      const [status, tools] = yield* send("tools", { headers })
      assert.deepStrictEqual([status, tools.includes('"greet"')], [200, true])
      assert.strictEqual((yield* send("tools", {}))[0], 401)
      const body = '{"arguments":{"name":"Ada"}}'
      assert.strictEqual((yield* send("tools/greet/call", { method: "POST", headers, body }))[0], 403)
      yield* Fiber.interrupt(fiber)
      yield* Effect.flip(Effect.tryPromise(() => fetch(url)))
    })
  )
})

describe("wield serve mcp", () => {
  it.scopedLive("speaks the protocol on standard output, and nothing else", () =>
    Effect.gen(function* () {
      const { environment, folder, wield } = yield* project(greeter("", "allow"))
      yield* wield(["trust"])
      const clientInfo = { name: "test", version: "1" }
      const messages = [
        { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
        { method: "notifications/initialized" },
        { id: 2, method: "tools/list" },
        { id: 3, method: "tools/call", params: { name: "greet", arguments: { name: "Ada" } } }
      ]
      const sent = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
      const ended = yield* wieldProcess(["serve", "mcp"], {
        folder,
        environment,
        isInputLeftOpen: true,
        onStart: (child) => {
          let answers = 0
          child.stdin?.write(sent.join(""))
          child.stdout?.on("data", (text: string) => {
            answers += text.split("\n").filter((line) => line !== "").length
            if (answers >= 3) child.stdin?.end()
          })
        }
      })
      const answers = lines(ended.output)
      assert.deepStrictEqual(
        answers.map(({ id }: { readonly id: number }) => id),
        [1, 2, 3],
        ended.error
      )
      assert.strictEqual(answers[1].result.tools[0].name, "greet")
      assert.strictEqual(answers[2].result.content[0].text, "Hello, Ada")
    })
  )
})
