/** Options that a program without a compiler may give. */
import { assert, expect, it } from "@effect/vitest"
import { Credentials, McpClient, McpConfig, Pins } from "@wield/mcp"
import { Effect, Redacted, type Scope } from "effect"
import { causeOf, untyped } from "../../../test/untyped.js"

const secret = Redacted.make("s")
const store = { store: { get: () => Effect.void, set: () => Effect.void, remove: () => Effect.void } }

const wrong: ReadonlyArray<readonly [object, string]> = [
  [{ tool: { only: ["read"] } }, 'tool must be named as an option is (did you mean "tools"?), but is named "tool"'],
  [
    { tools: { exept: ["delete"] } },
    'tools.exept must be named as an option is (did you mean "except"?), but is named "exept"'
  ],
  [{ tools: { only: "read" } }, 'tools.only must be an array of texts, but is "read"'],
  [{ tools: ["read"] }, "tools must be an object, but is an array of 1"],
  [
    { limits: { timeout: 5 } },
    'limits.timeout must be named as an option is (there are connect, probe, call, total, messageBytes, items, pages), but is named "timeout"'
  ],
  [{ limits: { call: "5 seconds" } }, 'limits.call must be a number of at least 0, but is "5 seconds"'],
  [{ onDrift: "refuse" }, 'onDrift must be "withhold" or "strict" or "accept" or a function, but is "refuse"'],
  [{ trust: true }, 'trust must be "none" or "hints", but is true'],
  [
    { logLevel: "loud" },
    'logLevel must be "debug" or "info" or "notice" or "warning" or "error" or "critical" or "alert" or "emergency", but is "loud"'
  ],
  [{ roots: ["/notes"] }, 'roots[0] must be a folder, as { uri, name }, but is "/notes"'],
  [{ start: "lasy" }, 'start must be "eager" or "lazy", but is "lasy"'],
  [
    { pins: Promise.resolve() },
    "pins must be an object with the functions load and save, but is a promise that was not awaited"
  ]
]

const server = McpClient.transport(Effect.dieMessage("no server is started"))

it.scoped.each(wrong)("a server is not connected with %j", ([options, problem]) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.asVoid(McpClient.connect("files", server, options as McpClient.Options)))
    assert.strictEqual(error.message, `No connection to the MCP server files: ${problem}`)
  })
)

it.scoped("what is undefined counts as absent, and a limit may be none", () =>
  McpClient.connect("files", server, {
    start: "lazy",
    trust: undefined,
    tools: { only: undefined },
    limits: { call: Infinity }
  })
)

it.each<readonly [unknown, ReadonlyArray<unknown>, string]>([
  [McpClient.stdio, [], "The command of an MCP server must be a name, but is nothing"],
  [
    McpClient.stdio,
    ["node", "server.mjs"],
    'The arguments of an MCP server must be an array of texts, but is "server.mjs"'
  ],
  [
    McpClient.stdio,
    ["node", [], { env: new Map([["TOKEN", "t"]]) }],
    "env must be an object, but is an instance of Map"
  ],
  [McpClient.stdio, ["node", [], { env: { PORT: 80 } }], "env.PORT must be a text, but is 80"],
  [
    McpClient.stdio,
    ["node", [], { cwd: "/tmp" }],
    "cwd must be named as an option is (there are env, inherit, workingDirectory)"
  ],
  [McpClient.http, [], "The address of an MCP server must be a URL of http or https, but is nothing"],
  [McpClient.http, ["nope"], 'The address of an MCP server must be a URL of http or https, but is "nope"'],
  [McpClient.sse, ["file:///etc/passwd"], "must be a URL of http or https"],
  [
    McpClient.http,
    ["https://ada:hunter2@mcp.test"],
    "The address of an MCP server must be without a user and a password, which go into a header: { authorization: `Basic ${btoa(…)}` }, but is one with them"
  ],
  [
    McpClient.http,
    ["https://mcp.test", { headers: new Headers() }],
    "headers must be an object, but is an instance of Headers"
  ],
  [
    McpClient.http,
    ["https://mcp.test", { header: {} }],
    'header must be named as an option is (did you mean "headers"?)'
  ],
  [
    McpClient.http,
    ["https://mcp.test", { credentials: {} }],
    "credentials must be an object with the functions forUrl and complete, but is an empty object"
  ],
  [
    McpClient.http,
    ["https://mcp.test", { guard: { allowedHost: ["10.0.0.1"] } }],
    "The policy of HttpGuard has no option allowedHost; there are allowedHosts"
  ],
  [McpClient.sse, ["https://mcp.test", { guard: Promise.resolve({}) }], "The policy of HttpGuard must be an object"],
  [
    Credentials.oauth,
    [{ ...store, redirectUrl: "https://app.test", guard: { maxBytes: "5" } }],
    "The policy of HttpGuard is wrong: maxBytes must be a number of at least 0"
  ],
  [Credentials.oauth, [{ ...store, redirectUrl: "/callback" }], 'redirectUrl must be a URL, but is "/callback"'],
  [
    Credentials.identityAssertion,
    [{ tokenUrl: "https://idp.test", clientId: "a", idToken: Effect.succeed(secret), guard: ["10.0.0.1"] }],
    "The policy of HttpGuard must be an object"
  ],
  [
    Credentials.clientCredentials,
    [{ clientId: "a", clientSecret: secret, isuer: "https://issuer.test" }],
    'isuer must be named as an option is (did you mean "issuer"?)'
  ],
  [Credentials.clientCredentials, [{ clientId: "a", clientSecret: "s" }], "clientSecret must be a secret"],
  [Credentials.jwtBearer, [{ clientId: "a", assertion: secret }], "assertion must be a function"],
  [
    Credentials.identityAssertion,
    [{ tokenUrl: "https://idp.test", clientId: "a", token: Effect.succeed(secret) }],
    'token must be named as an option is (did you mean "idToken"?)'
  ],
  [McpClient.transport, [Promise.resolve()], "must be an effect that opens one, but is a promise"],
  [Pins.file, [7], "The path of pins must be a name, but is 7"]
])("%o of %j is refused", (make, given, problem) => {
  expect(() => untyped(make)(...given)).toThrow(problem)
})

it.scoped.each<readonly [ReadonlyArray<unknown>, string]>([
  [[], "The name of an MCP server must be a name, but is nothing"],
  [[{ command: "node" }], "The name of an MCP server must be a name, but is an object"],
  [
    ["files", { command: "node" }],
    "An MCP server must be one that `McpClient.stdio`, `http`, `sse` or `transport` makes"
  ]
])("a connection of %j is refused", ([given, problem]) =>
  Effect.gen(function* () {
    expect(
      yield* causeOf(untyped<Effect.Effect<unknown, unknown, Scope.Scope>>(McpClient.connect)(...given))
    ).toContain(problem)
  })
)

it.scoped.each<readonly [unknown, ReadonlyArray<unknown>, string]>([
  [McpClient.typed, [{}, {}], "The client of `McpClient.typed` must be one that `McpClient.connect` makes"],
  [
    McpClient.typed,
    [{ callTool: () => Effect.void }, {}],
    "The toolkit of `McpClient.typed` must be one that `Toolkit.make` makes"
  ],
  [McpConfig.connect, [{ mcpServers: {} }], "What `McpConfig.connect` takes must be an array"],
  [McpConfig.connect, [["files"]], "must be an entry that `McpConfig.parse` makes"]
])("%o of %j is refused when it runs", ([make, given, problem]) =>
  Effect.gen(function* () {
    expect(yield* causeOf(untyped<Effect.Effect<unknown, unknown, Scope.Scope>>(make)(...given))).toContain(problem)
  })
)
