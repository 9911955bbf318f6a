/** Tools of other places, a line each: they obey the policy, and end with `close`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"
import Database from "libsql"
import { afterAll, describe, expect, it } from "vitest"
import { type ToolSource, failure, InvalidPolicy, tool, wield } from "wield"
import { assistant } from "wield/assistant"
import { graphQl, manifest, openApi, sql } from "wield/manifest"
import { mcp } from "wield/mcp"
import { functionFiles, scripts } from "wield/scripts"

const folder = mkdtempSync(join(tmpdir(), "wield-sources-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** What the API was asked, and what it answers. */
const asked: Array<string> = []
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
  response.setHeader("content-type", "application/json")
  response.end(request.url === "/graphql" ? '{"data":{"order":{"id":"o_1"}}}' : '{"id":7,"status":"open"}')
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
afterAll(() => server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const specification = `
openapi: 3.1.0
info: { title: Orders, version: "1" }
servers: [{ url: "${url}" }]
security: [{ key: [] }]
paths:
  /orders/{id}:
    get: { operationId: getOrder, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }] }
components:
  securitySchemes: { key: { type: http, scheme: bearer } }
`

const mcpServer = write(
  "server.mjs",
  `
import { createInterface } from "node:readline"
const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "double", inputSchema, annotations: { readOnlyHint: true } }] }),
  "tools/call": ({ arguments: { n } }) => ({ content: [{ type: "text", text: String(2 * n) }] })
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: "no such method" } }
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...body }))
}
`
)
const servers = { calc: { command: process.execPath, args: [mcpServer] } }

const database = join(folder, "shop.db")
const rows = new Database(database)
rows.exec("CREATE TABLE orders (id INTEGER, customer TEXT); INSERT INTO orders VALUES (1, 'ada'), (2, 'bob')")
rows.close()

write("triple.mjs", "/** Triples.\n * @param {number} n The number */\nexport function run(n) { return 3 * n }\n")
write(
  "dice.py",
  `TOOLS = [{"type": "function", "function": {"name": "roll", "description": "Rolls", "parameters": {"type": "object", "properties": {}}}}]

def execute(function_name, arguments, config):
    return str(config["side"]), True
`
)
const context = { customer: "ada", user_id: "ada", conversation_id: "c1" }

const sources: ReadonlyArray<readonly [string, () => ToolSource, string, Record<string, unknown>, RegExp]> = [
  [
    "OpenAPI",
    () => openApi({ text: specification, name: "orders", environment: { ORDERS_KEY_TOKEN: "t" } }),
    "getOrder",
    { id: 7 },
    /open/
  ],
  [
    "a manifest",
    () => manifest({ text: "- { type: local, function: { name: greet } }", handlers: { greet: async () => "Hello" } }),
    "greet",
    {},
    /Hello/
  ],
  [
    "GraphQL",
    () => graphQl({ text: "type Query { order(id: ID!): Order } type Order { id: ID }", url: `${url}/graphql` }),
    "order",
    { id: "o_1" },
    /o_1/
  ],
  [
    "SQL",
    () =>
      sql({
        url: `file:${database}`,
        tools: [
          {
            name: "orders",
            description: "Orders",
            parameters: { properties: { customer: { type: "string" } } },
            hidden: ["customer"],
            query: "SELECT id FROM orders WHERE customer = :customer"
          }
        ]
      }),
    "orders",
    {},
    /^\{"rows":\[\{"id":1\}\]\}$/
  ],
  ["MCP", () => mcp(servers), "calc_double", { n: 4 }, /8/],
  ["mcp.json", () => mcp(write("mcp.json", JSON.stringify({ mcpServers: servers }))), "calc_double", { n: 5 }, /10/],
  ["scripts", () => scripts(folder), "triple", { n: 4 }, /^12$/],
  ["function files", () => functionFiles(folder, { config: { side: 6 } }), "roll", {}, /6/],
  [
    "the assistant",
    () => assistant({ path: join(folder, "a.db"), kits: ["goals", "notes"] }),
    "create_goal",
    { goal_name: "Learn Greek" },
    /Greek|null|created/i
  ]
]

describe.each(sources)("tools of %s", (_, source, name, parameters, result) => {
  it("run beside tools of one's own, under the policy", async () => {
    const own = tool("own", { execute: () => "mine" })
    const shop = await wield({
      tools: [own],
      toolsets: [source()],
      approval: { "*": { [name]: (_, { context }) => (context["customer"] === "ada" ? "allow" : "deny") } }
    })
    const run = shop.run({ context })
    expect(JSON.stringify(await run.call(name, parameters))).toMatch(result)
    expect(await run.call("own")).toBe("mine")
    await expect(shop.run({ context: { ...context, customer: "eve" } }).call(name, parameters)).rejects.toThrow(
      /not allowed/
    )
    await shop.close()
    await expect(run.call(name, parameters)).rejects.toThrow(/closed/)
  })

  it("are refused with a rule or a limit for a name that they do not have, and with a name that is taken", async () => {
    const rules = { "*": { [`${name}_`]: () => "deny" as const } }
    await expect(wield({ toolsets: [source()], approval: rules })).rejects.toBeInstanceOf(InvalidPolicy)
    const limits = { dynamic: { [`${name}_`]: { timeout: 1000 } } }
    await expect(wield({ toolsets: [source()], limits })).rejects.toBeInstanceOf(InvalidPolicy)
    await expect(wield({ tools: [tool(name, { execute: () => 1 })], toolsets: [source()] })).rejects.toThrow(name)
  })
})

it("OpenAPI sends the key, and a handler of a manifest fails with what the model reads", async () => {
  expect(asked).toContain("GET /orders/7 Bearer t")
  const greet = manifest({
    text: "- { type: local, function: { name: greet } }",
    handlers: { greet: () => failure("Not today") }
  })
  await using tools = await wield({ toolsets: [greet] })
  await expect(tools.run().call("greet")).rejects.toThrow("Not today")
})

it("the environment of the process may be given as it is", async () => {
  process.env["WIELDORDERS_KEY_TOKEN"] = "own"
  try {
    // Of a variable that is set, the value is a text.
    const environment = process.env as { readonly [name: string]: string }
    const orders = openApi({ text: specification, name: "wieldOrders", environment })
    await using tools = await wield({ toolsets: [orders] })
    expect(await tools.run().call("getOrder", { id: 7 })).toMatchObject({ status: "open" })
    expect(asked).toContain("GET /orders/7 Bearer own")
  } finally {
    delete process.env["WIELDORDERS_KEY_TOKEN"]
  }
})

it("what an import changes is said once", async () => {
  const said: Array<string> = []
  const parameters = [{ name: "host", in: "query", schema: { type: "string", pattern: "^((?!-)[a-z-]+[a-z]\\.)+$" } }]
  const text = JSON.stringify({ openapi: "3.1.0", paths: { "/look": { get: { operationId: "look", parameters } } } })
  await using tools = await wield({
    toolsets: [openApi({ text, url })],
    logger: ({ message }) => void said.push(message)
  })
  expect((await tools.run().tools("openai-chat"))["tools"]).toHaveLength(1)
  expect(said.filter((message) => message.includes("left to the server"))).toHaveLength(1)
})

describe("a server of MCP that cannot be connected", () => {
  const broken = { gone: { command: join(folder, "nothing") }, ...servers }

  it("is why `wield` rejects", async () => {
    await expect(wield({ toolsets: [mcp(broken)] })).rejects.toThrow(/gone/)
  })

  it("costs its own tools only, where that is wanted", async () => {
    const failed: Array<string> = []
    await using tools = await wield({ toolsets: [mcp(broken, { onFailed: (name) => failed.push(name) })] })
    expect(failed).toEqual(["gone"])
    expect(JSON.stringify(await tools.run().call("calc_double", { n: 1 }))).toContain('"2"')
  })
})

it("an MCP server's annotations are facts only where it is trusted", async () => {
  const isReadOnly = async (trust?: "hints") => {
    const seen: Array<unknown> = []
    const one = { ...servers.calc, ...(trust === undefined ? {} : { trust }) }
    await using tools = await wield({
      toolsets: [mcp({ calc: one })],
      approval: (_, { facts }) => (seen.push(facts.isReadOnly), "allow")
    })
    await tools.run().call("calc_double", { n: 1 })
    return seen[0]
  }
  expect([await isReadOnly(), await isReadOnly("hints")]).toEqual([false, true])
})

describe("an assistant", () => {
  const { call, text } = ScriptedModel

  it("remembers in another conversation, and by `recall` without being asked", async () => {
    const memory = assistant({ path: join(folder, "recall.db"), kits: ["memories", "reflection"] })
    await using tools = await wield({ toolsets: [memory] })
    const ask = async (model: ReturnType<typeof ScriptedModel.make>, prompt: string, conversation: string) => {
      const script = await Effect.runPromise(model)
      const agent = tools.agent({ model: script, instructions: "Be brief.", prepare: memory.recall })
      await agent.ask(prompt, { context: { user_id: "ada", conversation_id: conversation } })
      return JSON.stringify((await Effect.runPromise(script.requests))[0])
    }
    const note = call("create_memory", { name: "Ada's tea", text: "Ada drinks Sencha" })
    expect(await ask(ScriptedModel.make([note, text("Noted.")]), "I drink Sencha", "monday")).not.toContain(
      "Ada drinks"
    )
    const recalled = await ask(ScriptedModel.make([text("Sencha.")]), "Which tea shall I buy?", "tuesday")
    expect(recalled).toMatch(/Be brief\..*Ada drinks Sencha/)
    const run = tools.run({ context: { user_id: "ada", conversation_id: "c" } })
    expect(await run.call("examine_memories", { query: "tea" })).toMatchObject({ answer: null, sources: [{}] })
  })

  it("puts memories in words, edits files and searches by what the program gives it", async () => {
    const engine = createServer((_, response) => {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ results: [{ title: "Tea", url: "https://tea.example/", content: "All of it" }] }))
    })
    await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve))
    const { port } = engine.address() as AddressInfo
    write("notes.txt", "Sencha\n")
    const source = assistant({
      path: join(folder, "all.db"),
      kits: ["memories", "reflection", "web", "code"],
      ask: async (prompt) => {
        const [, word] = /<<(\w+) search>>/.exec(prompt) ?? []
        if (word === undefined) return "It is Sencha."
        return `<<${word} search>>\nSencha\n<<${word} replace>>\nMatcha\n<<${word} end>>`
      },
      roots: { project: folder },
      search: { provider: "searxng", url: `http://127.0.0.1:${port}` }
    })
    const tools = await wield({ toolsets: [source] })
    const run = tools.run({ context: { user_id: "ada", conversation_id: "c" } })
    await run.call("create_memory", { name: "Ada's tea", text: "Ada drinks Sencha" })
    expect(await run.call("examine_memories", { query: "tea" })).toMatchObject({ answer: "It is Sencha." })
    expect(JSON.stringify(await run.call("search_for_urls", { query: "tea" }))).toContain("https://tea.example/")
    await run.call("make_coding_edit", { working_dir: "project", file_name: "notes.txt", instruction: "Take Matcha" })
    expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("Matcha\n")
    await tools.close()
    await new Promise((resolve) => engine.close(resolve))
  })

  it("says what it lacks", async () => {
    const path = join(folder, "lacks.db")
    await expect(wield({ toolsets: [assistant({ path, kits: ["code"] })] })).rejects.toThrow(/needs `roots`.*`ask`/)
    await expect(assistant({ path, kits: [] }).recall({} as never)).rejects.toThrow(/in `toolsets` of `wield`/)
  })
})

it("facts of a statement are what a rule sees, unlike those that it would have by itself", async () => {
  const seen: Array<unknown> = []
  const one = { name: "one", description: "One", query: "SELECT 1 AS one" }
  const facts = { isReadOnly: false, isDestructive: true, title: "The one" }
  await using tools = await wield({
    toolsets: [sql({ url: `file:${database}`, tools: [one, { ...one, name: "two", facts }] })],
    approval: (_, { facts: { isDestructive, isReadOnly, title } }) => (
      seen.push({ isReadOnly, isDestructive, title }),
      "allow"
    )
  })
  await tools.run().call("one")
  await tools.run().call("two")
  expect(seen).toEqual([{ isReadOnly: true, isDestructive: false, title: undefined }, facts])
})

it("a document may be given by its URL", async () => {
  const text = "- { type: local, function: { name: greet } }"
  const file = pathToFileURL(write("greetings.yaml", text))
  await using tools = await wield({ toolsets: [manifest({ file, handlers: { greet: () => "Hello" } })] })
  expect(await tools.run().call("greet")).toBe("Hello")
})

const mistakes: ReadonlyArray<readonly [string, () => unknown, RegExp]> = [
  ["a document that is nowhere", () => openApi({ file: join(folder, "none.yaml") }), /none\.yaml/],
  ["no document", () => openApi({} as never), /`openApi` needs a `file` or a `text`, and has neither/],
  ["two documents", () => openApi({ file: "a.yaml", text: "" } as never), /needs a `file` or a `text`, not both/],
  [
    "a URL of no file",
    () => graphQl({ file: new URL(url), url } as never),
    /`file` of `graphQl` must be a path, or a URL of a file/
  ],
  [
    "variables in a Map",
    () => mcp({ calc: { command: "node", env: new Map() } } as never),
    /`env` of .*calc.*must be an object, but is an instance of Map/
  ],
  ["a specification that is none", () => openApi({ text: "just words" }), /OpenAPI/i],
  ["a misspelt option of MCP", () => mcp(servers, { elict: "defer" } as never), /no option `elict`.*elicit/],
  ["a misspelt key of a server", () => mcp({ calc: { comand: "node" } } as never), /comand/],
  [
    "a misspelt option of a statement",
    () => sql({ url: "file:x", tools: [{ name: "a", sql: "SELECT 1" } as never] }),
    /The tool a of `sql` has no option `sql`/
  ],
  [
    "a misspelt fact of a statement",
    () => sql({ url: "file:x", tools: [{ name: "a", query: "SELECT 1", facts: { readOnly: true } as never }] }),
    /facts\.a\.readOnly must be named as an option is \(did you mean "isReadOnly"\?\)/
  ],
  [
    "a misspelt fact of a script",
    () => scripts(folder, { facts: { triple: { readOnly: true } as never } }),
    /facts\.triple\.readOnly must be named as an option is \(did you mean "isReadOnly"\?\)/
  ],
  [
    "a kit that there is not",
    () => assistant({ path: "x", kits: ["goal" as never] }),
    /assistant\.kits\[0\] must be "goals" or .*, but is "goal"/
  ],
  [
    "a provider of search that there is not",
    () => assistant({ path: "x", kits: ["web"], search: { provider: "brvae", key: "k" } as never }),
    /assistant\.search\.provider must be "brave" or .*, but is "brvae"/
  ],
  [
    "a provider of search without its key",
    () => assistant({ path: "x", kits: ["web"], search: { provider: "brave" } as never }),
    /assistant\.search\.key must be a name, but is nothing/
  ],
  [
    "folders to edit without names",
    () => assistant({ path: "x", kits: ["code"], roots: ["/notes"] as never }),
    /assistant\.roots must be an object, but is an array of 1/
  ],
  ["a folder of scripts that is nowhere", () => scripts(join(folder, "none")), /none/]
]
it.each(mistakes)("%s is named", async (_, source, message) => {
  await expect((async () => wield({ toolsets: [source() as ToolSource] }))()).rejects.toThrow(message)
})
