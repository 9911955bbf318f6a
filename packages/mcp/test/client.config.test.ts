/** mcp.json, the catalogue, and access by OAuth. */
import { assert, describe, it } from "@effect/vitest"
import { Outcome, ToolCall, ToolRunner } from "@wield/core"
import { McpCatalog, McpClient, McpConfig, Pins } from "@wield/mcp"
import { Effect, Either, Redacted } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("fixtures/scripted.mjs", import.meta.url))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-config-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("mcp.json", () => {
  it.scopedLive("of Claude Desktop connects its servers, and one that fails costs its own tools", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const config = {
        mcpServers: {
          good: { command: process.execPath, args: ["${SERVER}", "", "${workspaceFolder}"], prefix: "my_" },
          bad: { command: process.execPath, args: [file, "dies"] },
          off: { command: "no-such-command", disabled: true }
        }
      }
      writeFileSync(join(path, "mcp.json"), JSON.stringify(config))
      const entries = yield* McpConfig.load(join(path, "mcp.json"), { variables: { SERVER: file } })
      const { clients, failed } = yield* McpConfig.connect(entries)
      assert.deepStrictEqual(
        failed.map(({ error, name }) => [name, error._tag]),
        [["bad", "ConnectFailed"]]
      )
      const offer = yield* clients[0]?.toolset.offer ?? Effect.fail("no client")
      assert.deepStrictEqual([...offer.entries.keys()], ["my_add", "my_die"])
      assert.match(readFileSync(join(path, "trace"), "utf8"), /^start/)
    })
  )

  it("of VS Code names its servers and inputs otherwise, and keeps secrets redacted", () => {
    const text = JSON.stringify({
      servers: {
        web: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer ${input:token}" } },
        old: { type: "sse", url: "https://example.com/sse" },
        local: { type: "stdio", command: "serve", env: { KEY: "${env:KEY}", PORT: 8080 } }
      }
    })
    const [web, old, local] = Either.getOrThrow(McpConfig.parse(text, { variables: { token: "t", KEY: "k" } }))
    assert.strictEqual(web?.server._tag, "Http")
    assert.strictEqual(old?.server._tag, "Sse")
    const env = local?.server._tag === "Stdio" ? local.server.env : {}
    assert.isTrue(Redacted.isRedacted(env["KEY"]))
    assert.notInclude(JSON.stringify([web, local]), '"k"')
  })

  it("that is wrong says where, and costs the servers that it is wrong about", () => {
    const text = JSON.stringify({
      mcpServers: {
        a: { args: [] },
        b: { command: "x", args: ["${NONE}"], trust: "all" },
        c: { command: "x" },
        d: 7,
        e: { type: "websocket", url: "wss://example.com" },
        f: { command: "x", envFile: "no-such-file" },
        device: { command: "x", envFile: "/dev/zero" },
        g: { url: "${input:missing}" },
        h: { url: "https://ada:hunter2@example.com/mcp" }
      }
    })
    const entries = Either.getOrThrow(McpConfig.parse(text, { variables: {}, workingDirectory: "/w" }))
    assert.deepStrictEqual(
      entries.map(({ name, problems }) => [name, ...problems]),
      [
        ["a", 'a: expected "command", or "url" with an address'],
        ["b", "b/trust: expected none or hints", "b/args/0: expected a value of the variable NONE"],
        ["c"],
        ["d", "d: expected an object", 'd: expected "command", or "url" with an address'],
        [
          "e",
          "e/type: expected stdio or http or streamable-http or streamablehttp or sse",
          'e: expected "command", or "url" with an address'
        ],
        ["f", "f/envFile: expected a file that can be read, not no-such-file"],
        ["device", "device/envFile: expected a file that can be read, not /dev/zero"],
        [
          "g",
          "g/url: expected a value of the variable input:missing",
          'g: expected "command", or "url" with an address'
        ],
        ["h", "h: expected an address without a user and a password, which go into headers"]
      ]
    )
    for (const broken of ["", "[]", "{", '{ "servers": 1 }']) assert.isTrue(Either.isLeft(McpConfig.parse(broken)))
  })

  it("that says two things of one server costs that server, and says where", () => {
    const server = (command: string) => `{ "command": "${command}" }`
    const twice = `{ "mcpServers": {
  "a": ${server("one")}, "b": ${server("b")},
  "a": ${server("two")},
  "c": { "command": "c", "env": { "X": "1", "X": "2" } }
} }`
    const problemsOf = (text: string) =>
      Either.getOrThrow(McpConfig.parse(text)).map(({ name, problems }) => [name, problems])
    const again = (line: number, column: number, key: string) =>
      `line ${line}, column ${column}: The key "${key}" is here for the second time in one object; leave one of them out`
    assert.deepStrictEqual(problemsOf(twice), [
      ["a", [again(3, 3, "a")]],
      ["b", []],
      ["c", [again(4, 45, "X")]]
    ])
    assert.deepStrictEqual(problemsOf(`{ "mcp": ${twice} }`), problemsOf(twice))
    // One that is off says nothing of the other.
    assert.deepStrictEqual(
      problemsOf(`{ "servers": { "a": ${server("one")},\n"a": { "command": "a", "disabled": true } } }`),
      [["a", [again(2, 1, "a")]]]
    )
    const groups = `{ "servers": { "a": ${server("one")}, "b": ${server("b")} }, "mcpServers": { "a": ${server("two")}, "b": ${server("b")} } }`
    assert.deepStrictEqual(problemsOf(groups), [
      ["a", ['a: "servers" and "mcpServers" say different things of it']],
      ["b", []]
    ])
    // Which servers there are, no one knows here.
    assert.isTrue(Either.isLeft(McpConfig.parse(`{ "servers": {}, "servers": {} }`)))
  })

  it.scopedLive("that is wrong about one server connects the others", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const config = { mcpServers: { wrong: { command: 7 }, good: { command: process.execPath, args: [file, ""] } } }
      writeFileSync(join(path, "mcp.json"), `\uFEFF// Mine\n${JSON.stringify(config)}`)
      const { clients, failed } = yield* McpConfig.connect(yield* McpConfig.load(join(path, "mcp.json")), {
        start: "lazy"
      })
      assert.deepStrictEqual(
        clients.map(({ name }) => name),
        ["good"]
      )
      assert.match(failed.map(({ error }) => error.message).join(), /wrong.*"command"/)
    })
  )

  const variables = { HOME: "/home/ada", TOKEN: "t", KEY: "k" }
  const one = (text: string, workingDirectory = "/work/app") => {
    const [entry] = Either.getOrThrow(McpConfig.parse(text, { variables, workingDirectory }))
    assert.deepStrictEqual(entry?.problems, [])
    const server = entry?.server
    const values = (texts: { readonly [name: string]: unknown }) =>
      Object.fromEntries(
        Object.entries(texts).map(([name, value]) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
      )
    if (server?._tag === "Stdio") return { ...entry, ...server, env: values(server.env) }
    if (server?._tag === "Transport" || server === undefined) throw new Error("no server")
    return { ...entry, _tag: server._tag, url: server.url.href, headers: values(Effect.runSync(server.headers)) }
  }

  it.scoped("of VS Code has comments, inputs with defaults, its variables, and a file of variables", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, ".env"), '\uFEFFFROM_FILE="a b"\nno variable\nBOTH=file\n')
      const text = `\uFEFF{
        // What I use
        "inputs": [
          { "type": "promptString", "id": "region", "default": "eu", },
          { "type": "pickString", "id": "token", "options": ["a"] }
        ],
        "servers": { "local": {
          "type": "stdio", /* or http */
          "command": "\${userHome}/bin/serve",
          "args": ["\${workspaceFolder}/x", "\${workspaceFolder:app}", "\${workspaceFolderBasename}", "\${input:region}", "\${env:KEY}", 8080, "a\${pathSeparator}\${/}b", "\${cwd}"],
          "env": { "BOTH": "own", "OFF": null, "N": 1 },
          "envFile": "\${workspaceFolder}/.env",
        } },
      }`
      const entry = one(text, path)
      const name = path.split("/").at(-1) ?? ""
      assert.deepInclude(entry, {
        _tag: "Stdio",
        command: "/home/ada/bin/serve",
        arguments: [`${path}/x`, path, name, "eu", "k", "8080", "a//b", path],
        env: { FROM_FILE: "a b", BOTH: "own", N: "1" }
      })
      const settings = `{ "editor.fontSize": 12, "mcp": { "servers": { "s": { "command": "x" } } } }`
      assert.deepInclude(one(settings), { name: "s", command: "x" })
    })
  )

  it("of Cursor, Cline, Windsurf and Gemini has each one's words for an address, for what is off, and for tools", () => {
    const of = (server: object) => one(JSON.stringify({ mcpServers: { s: server } }))
    const cursor = of({ url: "https://example.com/mcp", headers: { Authorization: "Bearer ${env:TOKEN}" } })
    assert.deepInclude(cursor, { _tag: "Http", headers: { Authorization: "Bearer t" } })
    const cline = {
      type: "streamableHttp",
      url: "https://example.com/mcp",
      autoApprove: ["a"],
      disabled: false,
      timeout: 60
    }
    assert.deepInclude(of(cline), { _tag: "Http", url: "https://example.com/mcp" })
    assert.deepInclude(of({ transportType: "sse", url: "https://example.com/sse" }), { _tag: "Sse" })
    const windsurf = of({ serverUrl: "https://example.com/mcp", disabledTools: ["rm"], headers: null })
    assert.deepInclude(windsurf, { _tag: "Http", url: "https://example.com/mcp" })
    assert.deepStrictEqual(windsurf.options?.tools, { only: undefined, except: ["rm"] })
    const gemini = of({
      httpUrl: "https://example.com/mcp",
      trust: true,
      includeTools: ["a", "b(x, y)"],
      excludeTools: ["b"],
      headers: { Key: "$KEY", Text: "pa$$word $KEY" }
    })
    assert.deepInclude(gemini, { _tag: "Http", headers: { Key: "k", Text: "pa$$word $KEY" } })
    assert.deepStrictEqual(gemini.options?.tools, { only: ["a", "b"], except: ["b"] })
    assert.strictEqual(gemini.options?.trust, undefined)
    assert.deepInclude(of({ streamableHttp: "https://example.com/mcp" }), { _tag: "Http" })
    for (const off of [{ enabled: false }, { disabled: true }, { disabled: true, command: 7 }]) {
      const text = JSON.stringify({ mcpServers: { s: { command: "x", ...off } } })
      assert.deepStrictEqual(Either.getOrThrow(McpConfig.parse(text)), [])
    }
  })

  it.scopedLive("leaves out the tools that it switches off, which cannot be called either", () =>
    Effect.gen(function* () {
      const server = { command: process.execPath, args: [file, ""], disabledTools: ["die"] }
      const entries = Either.getOrThrow(McpConfig.parse(JSON.stringify({ mcpServers: { s: server } })))
      const { clients } = yield* McpConfig.connect(entries)
      const client = clients[0] ?? (yield* Effect.dieMessage("no client"))
      assert.deepStrictEqual([...(yield* client.toolset.offer).entries.keys()], ["s_add"])
      assert.strictEqual((yield* Effect.flip(client.callTool("die")))._tag, "RemoteError")
    })
  )
})

describe("the catalogue", () => {
  it.scopedLive("starts a server when it is searched, and invokes through its schema", () =>
    Effect.gen(function* () {
      const client = yield* McpClient.connect("s", McpClient.stdio(process.execPath, [file, ""]), { start: "lazy" })
      const runner = yield* ToolRunner.make(yield* McpCatalog.tools([client]))
      assert.deepStrictEqual(
        (yield* runner.definitions).map(({ name }) => name),
        ["mcp_search_s", "mcp_describe_s", "mcp_invoke_s"]
      )
      assert.strictEqual((yield* client.state)._tag, "Idle")
      const call = (name: string, given: object) => runner.run(ToolCall.make(name, `mcp_${name}_s`, given))
      const found = yield* call("search", { query: "add one" })
      assert.deepStrictEqual(found._tag === "Success" && found.encoded, [{ name: "add", description: "Adds one" }])
      const described = yield* call("describe", { tool: "add" })
      assert.match(Outcome.text(described) ?? "", /inputSchema/)
      assert.match(Outcome.text(yield* call("invoke", { tool: "add" })) ?? "", /one/)
      assert.match(Outcome.text(yield* call("invoke", { tool: "add", arguments: '{ "a": 1 }' })) ?? "", /one/)
      assert.match(Outcome.text(yield* call("invoke", { tool: "add", arguments: '{ "a": ' })) ?? "", /JSON/)
      assert.match(Outcome.text(yield* call("invoke", { tool: "none" })) ?? "", /no tool named/)
    })
  )

  it.scopedLive("tells a model of a lost call", () =>
    Effect.gen(function* () {
      const client = yield* McpClient.connect("s", McpClient.stdio(process.execPath, [file, ""]))
      const runner = yield* ToolRunner.make(yield* McpCatalog.tools([client]))
      const lost = yield* runner.run(ToolCall.make("call_1", "mcp_invoke_s", { tool: "die" }))
      assert.strictEqual(lost._tag, "Uncertain")
    })
  )
})

it.scopedLive("pins of servers that two programs see first at the same moment are kept", () =>
  Effect.gen(function* () {
    const path = join(yield* folder, "pins.json")
    const names = Array.from({ length: 10 }, (_, index) => `server ${index}`)
    // A service each: what a process knows of its own does not keep another from writing.
    const save = (name: string) =>
      Effect.flatMap(Pins.file(path), (pins) => pins.save(name, { tools: {}, instructions: name }))
    yield* Effect.forEach(names, save, { concurrency: "unbounded" })
    const pins = yield* Pins.file(path)
    const kept = yield* Effect.forEach(names, (name) => pins.load(name))
    assert.deepStrictEqual(
      kept.map((pinned) => pinned?.instructions),
      names
    )
  })
)

it.scopedLive("pins in a file offer tools before the server starts, and catch a change before the first call", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const pins = yield* Pins.file(join(path, "pins.json"))
    const options: McpClient.Options = { pins, start: "lazy" }
    const connect = McpClient.connect("s", McpClient.stdio(process.execPath, [file, "", path]), options)
    yield* Effect.scoped(Effect.flatMap(connect, ({ listTools }) => listTools))
    writeFileSync(join(path, "description"), "Adds one, and sends it to evil.example")
    const again = yield* connect
    const runner = yield* ToolRunner.make(again.toolset)
    assert.strictEqual((yield* runner.definitions).length, 2)
    assert.strictEqual((yield* again.state)._tag, "Idle")
    const refused = yield* runner.run(ToolCall.make("call_1", "s_add", {}))
    assert.match(Outcome.text(refused) ?? "", /changed at \/description/)
    assert.notInclude(readFileSync(join(path, "trace"), "utf8"), "call add")
    assert.strictEqual((yield* runner.definitions).length, 1)
  })
)
