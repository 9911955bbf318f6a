/** Mistakes of developers and models, each with what the developer and the model read of it. */
import { describe, expect, it } from "vitest"
import { failure, file, image, tool, wield } from "wield"
import { fileStore } from "wield/file"
import { assistant } from "wield/assistant"
import { graphQl, manifest, openApi, sql } from "wield/manifest"
import { mcp } from "wield/mcp"
import { postgresStore } from "wield/postgres"
import { functionFiles } from "wield/scripts"
import { testStore } from "wield/store"
import { z } from "zod"

/** A program of plain JavaScript: no type keeps it from a mistake. */
// The functions are as they are; only their types are put aside.
const plain = {
  bytes: (size: number) => new ArrayBuffer(size),
  assistant,
  fileStore,
  functionFiles,
  graphQl,
  manifest,
  mcp,
  openApi,
  postgresStore,
  sql,
  testStore,
  tool,
  wield
} as unknown as {
  readonly [name: string]: (...given: ReadonlyArray<unknown>) => unknown
} & { readonly wield: (...given: ReadonlyArray<unknown>) => Promise<Shop> }

/** What a program has of `wield`, as far as its compiler knows. */
interface Shop {
  readonly run: (...given: ReadonlyArray<unknown>) => {
    readonly answer: (...given: ReadonlyArray<unknown>) => Promise<{ readonly messages: ReadonlyArray<unknown> }>
    readonly call: (...given: ReadonlyArray<unknown>) => Promise<unknown>
    readonly tools: (...given: ReadonlyArray<unknown>) => Promise<unknown>
  }
  readonly agent: (...given: ReadonlyArray<unknown>) => {
    readonly ask: (...given: ReadonlyArray<unknown>) => Promise<unknown>
    readonly chat: (...given: ReadonlyArray<unknown>) => Promise<unknown>
    readonly toTool: (...given: ReadonlyArray<unknown>) => unknown
  }
  readonly conversations: {
    readonly audit: (...given: ReadonlyArray<unknown>) => Promise<unknown>
    readonly fork: (...given: ReadonlyArray<unknown>) => Promise<unknown>
    readonly read: (...given: ReadonlyArray<unknown>) => Promise<unknown>
    readonly update: (...given: ReadonlyArray<unknown>) => Promise<unknown>
  }
  readonly close: () => Promise<void>
}

const execute = () => "done"
const P = z.object({ account: z.string(), amount: z.number() })
const pay = { parameters: P, hidden: ["account"], execute }
const model = { id: "m", format: "test", stream: () => {} }
const response = (input: unknown, name = "pay") => ({
  type: "message",
  role: "assistant",
  content: [{ type: "tool_use", id: "t1", name, input }],
  stop_reason: "tool_use"
})
const request = { id: "r", call: { id: "t1", name: "pay" }, name: "pay", digest: "" }
class Rules {
  pay() {
    return "deny"
  }
}
const valibot = { type: "number", "~run": execute }
const circular: { self?: unknown } = {}
circular.self = circular

/** Of these tools. */
const make = (declaration: unknown, options: object = {}, name = "pay") =>
  plain.wield({ tools: [plain.tool(name, declaration)], logger: () => {}, ...options })
const shop = () => make(pay)

const closed = async () => {
  const tools = await shop()
  await tools.close()
  await tools.run().call("pay")
}

type Row = readonly [mistake: string, make: () => unknown, developer: string]

/** The text as it is, but for what differs each time. */
const steady = (text: string) =>
  text.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "…").replaceAll(/reference [\da-f]+/g, "reference …")

const messageOf = async (make: () => unknown): Promise<string> => {
  try {
    await make()
    return "nothing"
  } catch (error) {
    return steady(error instanceof Error ? error.message : String(error))
  }
}

const rows: ReadonlyArray<Row> = [
  [
    "no options",
    async () => plain.wield(),
    "`tools` must be an array of what `tool(name, { … })` gives (toolsets of other packages go into `toolsets`), but is nothing"
  ],
  ...[null, "pay"].map((options): Row => [
    `options that are ${JSON.stringify(options)}`,
    async () => plain.wield(options),
    `\`wield\` takes an object with tools, toolsets, approval, limits, quotas, not ${JSON.stringify(options)}`
  ]),
  [
    "tools in an object",
    async () => plain.wield({ tools: { pay: plain.tool("pay", pay) } }),
    "`tools` must be an array of what `tool(name, { … })` gives (toolsets of other packages go into `toolsets`), but is an object with pay"
  ],
  [
    "a tool without `tool`",
    async () => plain.wield({ tools: [{ name: "pay", execute }] }),
    "`tools` must be an array of what `tool(name, { … })` gives (toolsets of other packages go into `toolsets`), but is an array of 1"
  ],
  [
    "a toolset that is a promise",
    async () => plain.wield({ toolsets: [Promise.resolve({})] }),
    "`toolsets` must be an array of toolsets, such as `openApi(…)`, `mcp(…)` or `AiSdk.toToolset` gives (await a promise first), but is an array of 1"
  ],
  [
    "a misspelt option",
    async () => plain.wield({ tools: [], aproval: () => "ask" }),
    '`wield` has no option `aproval` (did you mean "approval"?)'
  ],
  [
    "two tools of one name",
    async () => plain.wield({ tools: [plain.tool("a", pay), plain.tool("a", pay)] }),
    "Two tools have the same name: a. Rename one of them, give the names of one toolset a prefix, or leave one out"
  ],
  [
    "a decision in place of a rule",
    async () => make(pay, { approval: "ask" }),
    '`approval` must be a function that gives "allow", "ask" or "deny", or one for each tool by name, but is "ask"'
  ],
  [
    "a decision in place of a rule by name",
    async () => make(pay, { approval: { pay: "ask" } }),
    'approval.pay of the policy must be a function that decides, but is "ask"'
  ],
  [
    "a rule for a misspelt name",
    async () => make(pay, { approval: { pya: () => "ask" } }),
    'approval.pya of the policy must be named as a tool is (did you mean "pay"?), but is named "pya"'
  ],
  [
    "a misspelt limit",
    async () => make(pay, { limits: { tools: { pay: { timout: 5 } } } }),
    '`limits` of pay has no option `timout` (did you mean "timeout"?)'
  ],
  [
    "a schedule of Effect's in place of retries",
    async () => make(pay, { limits: { tools: { pay: { retry: 2 } } } }),
    "`limits` of pay has no option `retry`: it is `retries` here"
  ],
  [
    "no limits of a tool, by null",
    async () => make(pay, { limits: { tools: { pay: null } } }),
    "`limits` of pay takes an object with timeout, concurrency, rate, cache, retries, not null"
  ],
  [
    "rules within `policy`",
    async () => make(pay, { policy: { approval: () => "deny" } }),
    "`policy` has no option `approval`: give `approval` beside it"
  ],
  [
    "limits within `policy`",
    async () => make(pay, { policy: { limits: { default: { timeout: 1 } } } }),
    "`policy` has no option `limits`: give `limits` beside it"
  ],
  [
    "a journal within `policy`",
    async () => make(pay, { policy: { journal: {} } }),
    "`policy` has no option `journal`: the journal is that of `store`"
  ],
  [
    "rules in a Map",
    async () => make(pay, { approval: new Map([["pay", () => "deny"]]) }),
    '`approval` must be a function that gives "allow", "ask" or "deny", or one for each tool by name, but is an instance of Map'
  ],
  [
    "rules of a class",
    async () => make(pay, { approval: new Rules() }),
    '`approval` must be a function that gives "allow", "ask" or "deny", or one for each tool by name, but is an instance of Rules'
  ],
  [
    "rules that are not awaited",
    async () => make(pay, { approval: Promise.resolve({ pay: () => "deny" }) }),
    '`approval` must be a function that gives "allow", "ask" or "deny", or one for each tool by name, but is a promise that was not awaited'
  ],
  [
    "options that are not awaited",
    async () => plain.wield(Promise.resolve({ tools: [] })),
    "`wield` takes an object with tools, toolsets, approval, limits, quotas, not a promise that was not awaited"
  ],
  [
    "limits in a Map",
    async () => make(pay, { limits: { tools: new Map([["pay", { timeout: 1 }]]) } }),
    "`tools` of `limits` must be limits by the name of a tool, but is an instance of Map"
  ],
  [
    "limits of a class",
    async () => make(pay, { limits: { default: new Rules() } }),
    "`limits` of default takes an object with timeout, concurrency, rate, cache, retries, not an instance of Rules"
  ],
  [
    "a context that is not awaited",
    async () => (await shop()).run({ context: Promise.resolve({ account: "a" }) }),
    "`context` of a run must be an object, but is a promise that was not awaited"
  ],
  [
    "a call without a name",
    async () => (await shop()).run().call(undefined, {}),
    "The name of a call must be that of a tool, but is null"
  ],
  [
    "a choice among tools as the AI SDK has it",
    async () => (await shop()).run().tools("openai-chat", { choice: "none" }),
    '`choice` of `tools` must be { _tag: "Auto" }, "None", "Required", or "OneOf" with names, but is "none"'
  ],
  [
    "a prompt of another SDK's parts",
    async () => (await shop()).agent({ model }).ask([{ type: "text", text: "Hi" }]),
    'The prompt must be a text or an array of parts, such as { _tag: "Text", text } or `image(…)`, but is an array of 1'
  ],
  [
    "names of a choice that are tools",
    async () => (await shop()).run().tools("openai-chat", { choice: { _tag: "OneOf", names: [pay] } }),
    '`choice` of `tools` must be { _tag: "Auto" }, "None", "Required", or "OneOf" with names, but is an object with _tag, names'
  ],
  [
    "a format in a list",
    async () => (await shop()).run().tools(["openai-chat"]),
    "There is no format an array of 1. There are: anthropic, bedrock-converse, cohere-v2, gemini, mistral, ollama, openai-chat, openai-responses"
  ],
  [
    "an answer to a request without its id",
    async () =>
      (await shop()).run().answer("anthropic", response({}), {
        answers: [{ to: { ...request, id: undefined }, reply: "approve" }]
      }),
    "An answer lacks `to`: one of what waits, whole, as `waiting` or `requests` named it"
  ],
  [
    "an image whose source is missing",
    async () => (await shop()).agent({ model }).ask([{ _tag: "Image", mediaType: "image/png" }]),
    'The prompt must be a text or an array of parts, such as { _tag: "Text", text } or `image(…)`, but is an array of 1'
  ],
  [
    "an inbox that gives a text",
    async () => (await shop()).agent({ model }).ask("Hi", { inbox: () => "more" }),
    'What `inbox` gives must be an array of { id, content }, but is "more"'
  ],
  [
    "an inbox whose messages are texts",
    async () => (await shop()).agent({ model }).ask("Hi", { inbox: async () => ["more"] }),
    'inbox[0] must be { id, content }, whose content is a text, or an array of parts, but is "more"'
  ],
  [
    "instructions that give an object",
    async () => (await shop()).agent({ model, instructions: () => ({ text: "Be brief." }) }).ask("Hi"),
    "instructions of the agent must be a text, but is an object with text"
  ],
  [
    "a secret that expires at once",
    async () =>
      (await shop()).agent({ model, signing: { secrets: "0123456789abcdef", timeToLive: Number("x") } }).ask("Hi"),
    "signing.timeToLive of the agent must be a duration, such as 1 hour, but is NaN"
  ],
  [
    "a conversation to read by a number",
    async () => (await shop()).conversations.read(5),
    "The id of a conversation must be a text, but is 5"
  ],
  [
    "an audit of nothing",
    async () => (await shop()).conversations.audit(undefined),
    "The id of a conversation must be a text, but is null"
  ],
  [
    "a fork of an object",
    async () => (await shop()).conversations.fork({}),
    "The id of a conversation must be a text, but is an empty object"
  ],
  [
    "an update of a promise",
    async () => (await shop()).conversations.update(Promise.resolve("a"), { title: "A" }),
    "The id of a conversation must be a text, but is a promise that was not awaited"
  ],
  [
    "a fork without a name",
    async () => (await shop()).conversations.fork("a", { id: "" }),
    '`id` of `fork` must be a name, but is ""'
  ],
  [
    "bytes that were not made an array",
    async () => image("image/png", plain.bytes(2) as Uint8Array),
    "`image` needs bytes, but has an instance of ArrayBuffer: give new Uint8Array(buffer)"
  ],
  [
    "a data URL in place of bytes",
    async () => file("application/pdf", "data:application/pdf;base64,JVBE"),
    '`file` needs bytes, but has "data:application/pdf;base64,JVBE": give a Uint8Array, or their Base64 text'
  ],
  [
    "headers in a Map",
    async () => plain.graphQl({ text: "type Query { me: ID }", url: "http://a.example", headers: new Map() }),
    "graphQl.headers must be an object, but is an instance of Map"
  ],
  [
    "a key that is not awaited",
    async () => plain.openApi({ text: "{}", name: "orders", environment: { ORDERS_KEY: Promise.resolve("k") } }),
    "environment.ORDERS_KEY must be a text, but is a promise that was not awaited"
  ],
  [
    "a handler that is none",
    async () => plain.manifest({ text: "[]", handlers: { pay: "done" } }),
    'manifest.handlers.pay must be a function, but is "done"'
  ],
  [
    "a statement that is none",
    async () => plain.sql({ url: "file:shop.db", tools: [undefined] }),
    "The tool 0 of `sql` takes an object with name, description, parameters, hidden, query, not null"
  ],
  [
    "arguments of a server in one text",
    async () => plain.mcp({ files: { command: "npx", args: "-y" } }),
    '`args` of The server files of `mcp` must be an array of texts, but is "-y"'
  ],
  [
    "the whole of mcp.json",
    async () => plain.mcp({ mcpServers: { files: { command: "npx" } } }),
    "`mcp` takes what stands in `mcpServers`, the servers by name, or the path of the file"
  ],
  [
    "trust in a server by true",
    async () => plain.mcp({ files: { command: "npx", trust: true } }),
    '`trust` of The server files of `mcp` must be "none" or "hints", but is true'
  ],
  [
    "a question of a server that is put off by another word",
    async () => plain.mcp({ files: { command: "npx" } }, { elicit: "later" }),
    '`elicit` of `mcp` must be "defer" or a function, but is "later"'
  ],
  [
    "folders for a server by their paths alone",
    async () => plain.mcp({ files: { command: "npx" } }, { roots: ["/notes"] }),
    "`roots` of `mcp` must be an array of folders, as { uri, name }, but is an array of 1"
  ],
  [
    "folders that are none",
    async () => plain.functionFiles(5),
    "What `functionFiles` takes must be the path of a folder, or an array of them, but is 5"
  ],
  [
    "function files that are followed by a word",
    async () => plain.functionFiles("functions", { isLive: "false" }),
    '`isLive` of `functionFiles` must be true or false, but is "false"'
  ],
  [
    "a table that is none",
    async () => plain.postgresStore({ query: execute }, { table: 5 }),
    "`table` of `postgresStore` must be a name, but is 5"
  ],
  [
    "no store to try",
    async () => plain.testStore(),
    "What `testStore` tries must be what `storeOf` gives, or another store, but is null"
  ],
  [
    "no assistant",
    async () => plain.assistant(),
    "`assistant` takes an object with path, kits, search, ask, roots, not null"
  ],
  [
    "a listener that is no function",
    async () => (await shop()).agent({ model }).ask("Hi", { onEvent: [] }),
    "`onEvent` must be a function, but is an empty array"
  ],
  [
    "a request that is none of fetch",
    async () => (await shop()).agent({ model }).chat({ body: "{}" }, { user: "ada" }),
    "What `chat` answers must be a Request, as `fetch` has it, but is an object with body"
  ],
  [
    "facts in a Map",
    async () => make({ ...pay, facts: new Map([["isReadOnly", true]]) }),
    'The tool "pay" cannot be offered: its facts must be an object, but is an instance of Map'
  ],
  ["a policy that is none", async () => make(pay, { policy: null }), "`policy` must be an object, but is null"],
  [
    "a misspelt choice of operations",
    async () => make(pay, { toolsets: [plain.openApi({ text: "{}", name: "orders", method: ["GET"] })] }),
    'options: method must be named as an option is (did you mean "methods"?), but is named "method"'
  ],
  [
    "a misspelt choice of fields",
    async () =>
      make(pay, {
        toolsets: [plain.graphQl({ text: "type Query { me: ID }", url: "http://a.example", includes: ["me"] })]
      }),
    'options: includes must be named as an option is (did you mean "include"?), but is named "includes"'
  ],
  [
    "a limit for a misspelt name",
    async () => make(pay, { limits: { tools: { pya: { timeout: 5 } } } }),
    'limits.tools.pya of the policy must be named as a tool is (did you mean "pay"?), but is named "pya"'
  ],
  [
    "limits of a tool of `toolsets` that there is not",
    async () => make(pay, { limits: { dynamic: { pya: { timeout: 5 } } } }),
    'limits.dynamic.pya of the policy must be named as a tool is (did you mean "pay"?), but is named "pya"'
  ],
  [
    "limits that are not under `default`",
    async () => make(pay, { limits: { timeout: 5 } }),
    "`limits` has no option `timeout` (there are default, tools, dynamic)"
  ],
  [
    "limits that are not under `tools`",
    async () => make(pay, { limits: { pay: { timeout: 5 } } }),
    "`limits` has no option `pay` (there are default, tools, dynamic)"
  ],
  [
    "a timeout in words of its own",
    async () => make(pay, { limits: { default: { timeout: "5 sec" } } }),
    'limits.default.timeout of the policy must be a duration longer than 0, but is "5 sec"'
  ],
  [
    "retries below zero",
    async () => make(pay, { limits: { default: { retries: -1 } } }),
    "`retries` of `limits` of default must be a whole number of at least 0, but is -1"
  ],
  [
    "a path in place of a store",
    async () => make(pay, { store: "shop.db" }),
    '`store` must be what `fileStore`, `postgresStore` or `storeOf` gives, but is "shop.db"'
  ],
  [
    "the functions of a store in place of one",
    async () => make(pay, { store: { get: execute, set: execute } }),
    "`store` must be what `fileStore`, `postgresStore` or `storeOf` gives, but is an object with get, set"
  ],
  [
    "the console in place of a logger",
    async () => make(pay, { logger: { info: execute } }),
    "`logger` must be a function: ({ level, message }) => console[level](message), but is an object with info"
  ],
  [
    "a misspelt option of the policy",
    async () => make(pay, { policy: { resultBond: {} } }),
    'resultBond of the policy must be named as an option is (did you mean "resultBound"?), but is named "resultBond"'
  ],
  [
    "a tool without a name",
    async () => make(pay, {}, ""),
    'The tool "" cannot be offered: its name must be a text: tool(name, { description, execute })'
  ],
  [
    "an object in place of a name",
    async () => plain.wield({ tools: [plain.tool({ name: "pay", execute })] }),
    'The tool "[object Object]" cannot be offered: its name must be a text: tool(name, { description, execute })'
  ],
  [
    "a tool without a declaration",
    async () => make(undefined),
    'The tool "pay" cannot be offered: it needs an object, and has nothing: { description, execute }'
  ],
  [
    "a function in place of a declaration",
    async () => make(execute),
    'The tool "pay" cannot be offered: it needs an object, and has a function: { description, execute }'
  ],
  [
    "a tool whose `execute` is none",
    async () => make({ execute: "pay" }),
    'The tool "pay" cannot be offered: its `execute` is "pay", no function'
  ],
  [
    "`inputSchema` of other libraries",
    async () => make({ inputSchema: P, execute }),
    'The tool "pay" cannot be offered: it has no option `inputSchema`: it is `parameters` here'
  ],
  [
    "`handler` of other libraries",
    async () => make({ handler: execute }),
    'The tool "pay" cannot be offered: it has no option `handler`: it is `execute` here'
  ],
  [
    "`needsApproval` of other libraries",
    async () => make({ needsApproval: true, execute }),
    'The tool "pay" cannot be offered: it has no option `needsApproval` (there are description, parameters, hidden, outputSchema, facts, providerSettings, execute)'
  ],
  [
    "schemas without a schema around them",
    async () => make({ parameters: { city: z.string() }, execute }),
    'The tool "pay" cannot be offered: its parameters are an object of schemas; wrap it: z.object({ … })'
  ],
  [
    "names of types in place of a schema",
    async () => make({ parameters: { city: "string" }, execute }),
    'The tool "pay" cannot be offered: its parameters are an object without a keyword of JSON Schema, which would take anything: give { type: "object", properties: { … } }, or z.object({ … })'
  ],
  [
    "properties in place of a schema",
    async () => make({ parameters: { city: { type: "string" } }, execute }),
    'The tool "pay" cannot be offered: its parameters are an object without a keyword of JSON Schema, which would take anything: give { type: "object", properties: { … } }, or z.object({ … })'
  ],
  [
    "a schema of a misspelt type",
    async () => make({ parameters: { type: "objekt" }, execute }),
    'The tool "pay" cannot be offered: the root of its input schema must have "type": "object", but has "objekt"'
  ],
  [
    "parameters that are a list",
    async () => make({ parameters: z.array(z.string()), execute }),
    'The tool "pay" cannot be offered: the root of its input schema must have "type": "object", but has "array"'
  ],
  [
    "a library's schema within a JSON Schema",
    async () => make({ parameters: { type: "object", properties: { n: z.number().positive() } }, execute }),
    'The tool "pay" cannot be offered: its input schema cannot be compiled: properties.n: expected a JSON Schema, which is a literal\'s object without functions; this is an instance of ZodNumber'
  ],
  [
    "a plain object of a library within a JSON Schema",
    async () => make({ parameters: { type: "object", properties: { n: valibot } }, execute }),
    'The tool "pay" cannot be offered: its input schema cannot be compiled: properties.n: expected a JSON Schema, which is a literal\'s object without functions; this is an object with type, ~run'
  ],
  ...[null, new Map(), Promise.resolve({})].flatMap((schema): ReadonlyArray<Row> => [
    [
      `parameters that are ${String(schema)}`,
      async () => make({ parameters: schema, execute }),
      'The tool "pay" cannot be offered: its parameters are neither a JSON Schema nor a Standard Schema; zod needs 4.2 or newer, valibot 1 and toStandardJsonSchema'
    ],
    [
      `a schema of results that is ${String(schema)}`,
      async () => make({ outputSchema: schema, execute }),
      'The tool "pay" cannot be offered: its output schema is neither a JSON Schema nor a Standard Schema; zod needs 4.2 or newer, valibot 1 and toStandardJsonSchema'
    ]
  ]),
  [
    "a kind of tool that there is not",
    async () => make({ facts: { kind: "cleint" }, execute }),
    'The tool "pay" cannot be offered: its facts.kind must be "local" or "api" or "client" or "provider", but is "cleint"'
  ],
  [
    "examples that are no list",
    async () => make({ facts: { examples: { amount: 1 } }, execute }),
    'The tool "pay" cannot be offered: its facts.examples must be an array, but is an object with amount'
  ],
  [
    "parameters that are a function",
    async () => make({ parameters: () => P, execute }),
    'The tool "pay" cannot be offered: its parameters are neither a JSON Schema nor a Standard Schema; zod needs 4.2 or newer, valibot 1 and toStandardJsonSchema'
  ],
  [
    "parameters that are a text",
    async () => make({ parameters: "city", execute }),
    'The tool "pay" cannot be offered: its parameters are neither a JSON Schema nor a Standard Schema; zod needs 4.2 or newer, valibot 1 and toStandardJsonSchema'
  ],
  [
    "a hidden parameter that there is not",
    async () => make({ parameters: P, hidden: ["acount"], execute }),
    'The tool "pay" cannot be offered: the hidden fields acount are not among its properties'
  ],
  [
    "a hidden parameter without an array",
    async () => make({ parameters: P, hidden: "account", execute }),
    'The tool "pay" cannot be offered: its `hidden` is "account": give the names as an array'
  ],
  [
    "a misspelt fact",
    async () => make({ facts: { readOnly: true }, execute }),
    'The tool "pay" cannot be offered: its facts.readOnly must be named as an option is (did you mean "isReadOnly"?), but is named "readOnly"'
  ],
  [
    "a fact in words",
    async () => make({ facts: { isReadOnly: "yes" }, execute }),
    'The tool "pay" cannot be offered: its facts.isReadOnly must be true or false, but is "yes"'
  ],
  [
    "settings of a provider that are no object",
    async () => make({ providerSettings: { anthropic: ["direct"] }, execute }),
    'The tool "pay" cannot be offered: its `providerSettings` must be objects by the name of a wire format: { anthropic: { … } }'
  ],
  [
    "schemas of results without a schema around them",
    async () => make({ outputSchema: { id: z.string() }, execute }),
    'The tool "pay" cannot be offered: its output schema is an object of schemas; wrap it: z.object({ … })'
  ],
  [
    "a description that is no text",
    async () => make({ description: 7, execute }),
    'The tool "pay" cannot be offered: its description is 7, no text'
  ],
  [
    "an id in place of the options of a run",
    async () => (await shop()).run("order 7"),
    '`run` takes an object with id, context, not "order 7"'
  ],
  [
    "an id of a run that is no text",
    async () => (await shop()).run({ id: 7 }),
    "`id` of a run must be a text, but is 7"
  ],
  [
    "a misspelt option of a run",
    async () => (await shop()).run({ contxt: {} }),
    '`run` has no option `contxt` (did you mean "context"?)'
  ],
  [
    "a context that is no object",
    async () => (await shop()).run({ context: "ada" }),
    '`context` of a run must be an object, but is "ada"'
  ],
  [
    "a call of a misspelt name",
    async () => (await shop()).run().call("pya"),
    'The call of pya ended as UnknownTool: There is no tool named "pya". Available, the nearest names first: pay.'
  ],
  [
    "a call with wrong arguments",
    async () => (await shop()).run({ context: { account: "a" } }).call("pay", { amount: "1" }),
    'The call of pay ended as InvalidArguments: The arguments of pay are invalid; the tool was not run. Correct them and call it again.\n- amount: expected a number, received "1"'
  ],
  [
    "a call whose hidden value is missing",
    async () => (await shop()).run().call("pay", { amount: 1 }),
    "The call of pay ended as MissingContext: the call context lacks what it needs, or has it in another form: account"
  ],
  [
    "a format that there is not",
    async () => (await shop()).run().answer("claude", {}),
    'There is no format "claude". There are: anthropic, bedrock-converse, cohere-v2, gemini, mistral, ollama, openai-chat, openai-responses'
  ],
  [
    "no response",
    async () => (await shop()).run().answer("anthropic", undefined),
    "Not valid anthropic JSON: at the body expected an object, received nothing"
  ],
  [
    "a response of another format",
    async () => (await shop()).run().answer("anthropic", { choices: [] }),
    "Not valid anthropic JSON: at content expected an array of content blocks, received nothing"
  ],
  [
    "an error of the API in place of a response",
    async () => (await shop()).run().answer("openai-chat", { error: { message: "bad key" } }),
    "Not valid openai-chat JSON: at error expected choices, received an error: bad key"
  ],
  [
    "a text in place of a response",
    async () => (await shop()).run().answer("anthropic", "{}"),
    "The response is a text: give `JSON.parse` of it"
  ],
  [
    "a promise of a response",
    async () => (await shop()).run().answer("anthropic", Promise.resolve({})),
    "The response is a promise: `await` it first"
  ],
  [
    "a Response of fetch",
    async () => (await shop()).run().answer("anthropic", Response.json({})),
    "The response is a Response of fetch: give `await response.json()`"
  ],
  [
    "a misspelt option of `answer`",
    async () => (await shop()).run().answer("anthropic", response({}), { anwers: [] }),
    '`answer` has no option `anwers` (did you mean "answers"?)'
  ],
  [
    "an answer outside of an array",
    async () => (await shop()).run().answer("anthropic", response({}), { answers: { to: request, reply: "approve" } }),
    "`answers` must be an array of { to, reply }, but is an object with to, reply"
  ],
  [
    "an id in place of what waits",
    async () => (await shop()).run().answer("anthropic", response({}), { answers: [{ to: "t1", reply: "approve" }] }),
    "An answer lacks `to`: one of what waits, whole, as `waiting` or `requests` named it"
  ],
  [
    "a reply that is none",
    async () => (await shop()).run().answer("anthropic", response({}), { answers: [{ to: request, reply: "yes" }] }),
    'A reply is "approve", { approve: arguments }, { deny: "reason" }, { input: value }, { result: value } or { failure: value }, not "yes"'
  ],
  [
    "a denial without a reason",
    async () =>
      (await shop()).run().answer("anthropic", response({}), { answers: [{ to: request, reply: { deny: true } }] }),
    'A reply is "approve", { approve: arguments }, { deny: "reason" }, { input: value }, { result: value } or { failure: value }, not { deny: true }'
  ],
  [
    "a controller in place of its signal",
    async () => (await shop()).run().answer("anthropic", response({}), { signal: new AbortController() }),
    "`signal` of the options must be an AbortSignal (of an AbortController its `signal`), but is an instance of AbortController"
  ],
  [
    "an agent without options",
    async () => (await shop()).agent(),
    '`agent` needs an object with `model`: { format: "anthropic", model: "…", key }'
  ],
  [
    "an agent whose model is a name",
    async () => (await shop()).agent({ model: "gpt-5" }),
    '`model` is "gpt-5": give { format: "anthropic", model: "…", key }, or a model of the AI SDK'
  ],
  [
    "an agent without a model",
    async () => (await shop()).agent({}),
    '`model` is nothing: give { format: "anthropic", model: "…", key }, or a model of the AI SDK'
  ],
  [
    "a fallback that is a name",
    async () => (await shop()).agent({ model, fallbacks: ["gpt-5"] }),
    '`fallbacks[0]` is "gpt-5": give { format: "anthropic", model: "…", key }, or a model of the AI SDK'
  ],
  [
    "a name of what summarises",
    async () => (await shop()).agent({ model, window: { budget: 1000, overflow: { model: "gpt-5" } } }),
    '`model` of `overflow` is "gpt-5": give { format: "anthropic", model: "…", key }, or a model of the AI SDK'
  ],
  [
    "a model of the AI SDK without its name",
    async () => (await shop()).agent({ model: { doStream: () => undefined } }),
    '`model` is an object with doStream: give { format: "anthropic", model: "…", key }, or a model of the AI SDK'
  ],
  [
    "a model of a step that is a promise",
    async () => (await shop()).agent({ model, prepare: () => ({ model: Promise.resolve(model) }) }).ask("Hi"),
    '`model` of what `prepare` gives is a promise that was not awaited: give { format: "anthropic", model: "…", key }, or a model of the AI SDK'
  ],
  [
    "a model with `apiKey`",
    async () => (await shop()).agent({ model: { format: "anthropic", model: "m", apiKey: "k" } }),
    "`model` has no option `apiKey`: it is `key` here"
  ],
  [
    "a model without a name",
    async () => (await shop()).agent({ model: { format: "anthropic", key: "k" } }),
    '`model.model` must be the name of a model, such as "gpt-5-mini", but is null'
  ],
  [
    "a model of a format that there is not",
    async () => (await shop()).agent({ model: { format: "openai", model: "m" } }),
    'There is no format "openai". There are: anthropic, bedrock-converse, cohere-v2, gemini, mistral, ollama, openai-chat, openai-responses'
  ],
  [
    "`stopWhen` of the AI SDK",
    async () => (await shop()).agent({ model, stopWhen: 5 }),
    "`agent` has no option `stopWhen`: it is `stop` here"
  ],
  [
    "`system` of the AI SDK",
    async () => (await shop()).agent({ model, system: "Be brief." }),
    "`agent` has no option `system`: it is `instructions` here"
  ],
  [
    "an output that is no schema",
    async () => (await shop()).agent({ model, output: { city: "string" } }),
    "`output` must be a schema, such as z.object({ … }), but is an object with city"
  ],
  [
    "steps in words",
    async () => (await shop()).agent({ model, steps: "five" }).ask("Hi"),
    "stop of the agent must be a whole number of steps, at least 1, but is steps(five)"
  ],
  [
    "an agent's model that is not awaited",
    async () => (await shop()).agent({ model: Promise.resolve(model) }),
    '`model` is a promise that was not awaited: give { format: "anthropic", model: "…", key }, or a model of the AI SDK'
  ],
  [
    "a key that is no text",
    async () => (await shop()).agent({ model: { format: "anthropic", model: "m", key: 5 } }),
    "`key` of `model` must be a text, but is 5"
  ],
  [
    "misspelt timeouts of a model",
    async () => (await shop()).agent({ model: { format: "anthropic", model: "m", timeouts: { peice: 5 } } }),
    '`timeouts` of `model` has no option `peice` (did you mean "piece"?)'
  ],
  [
    "misspelt prices",
    async () =>
      (await shop()).agent({ model, stop: { cost: { limit: 1, prices: { m: { input: 1, ouput: 1 } } } } }).ask("Hi"),
    "stop of the agent must be a cost with prices by model, each such as { input: 2, output: 8 }, but is any(steps(20), cost(1))"
  ],
  [
    "a misspelt choice of tools",
    async () => (await shop()).agent({ model, options: { toolChoice: "none" } }),
    "`options` has no option `toolChoice` (there are choice, isParallel, isStrict, isCached)"
  ],
  [
    "what is too long, misspelt",
    async () => (await shop()).agent({ model, window: { budget: 1000, overflow: "dorp" } }),
    '`overflow` of `window` must be "drop" or an object, but is "dorp"'
  ],
  [
    "misspelt mistakes",
    async () => (await shop()).agent({ model, mistakes: { perTol: 1 } }).ask("Hi"),
    'mistakes.perTol of the agent must be named as an option is (did you mean "perTool"?), but is named "perTol"'
  ],
  [
    "a quota of a tool that there is not",
    () => make(pay, { quotas: [{ name: "tenant", by: () => "a", window: "1 day", calls: 5, tools: ["pya"] }] }),
    'quotas["0"].tools.pya of the policy must be named as a tool is (did you mean "pay"?), but is named "pya"'
  ],
  [
    "a quota of nothing",
    () => make(pay, { quotas: [{ name: "tenant", by: () => "a", window: "1 day" }] }),
    'quotas["0"] of the policy must be a quota of calls, concurrency, tokens or cost, but is an object with name, by, window'
  ],
  [
    "a guard of a place that there is not",
    () => make(pay, { guards: [{ name: "cards", on: ["results"], check: () => "pass" }] }),
    'guards["0"].on of the policy must be an array of "input", "output" and "result", at least one, but is an array of 1'
  ],
  [
    "an option of a model to fall back on",
    async () =>
      (await shop())
        .agent({ model, fallbacks: [{ format: "gemini", model: "gemini-3-flash", apiKey: "k" }] })
        .ask("Hi"),
    "`fallbacks[0]` has no option `apiKey`: it is `key` here"
  ],
  [
    "a stop at a tool that there is not",
    async () => (await shop()).agent({ model, stop: { call: "refnd" } }).ask("Hi"),
    'stop of the agent must be the name of a tool (there are pay), but is "refnd"'
  ],
  [
    "a short secret",
    async () => (await shop()).agent({ model, signing: "secret" }),
    "`signing` needs secrets of at least 16 bytes, better 32 random ones: number 1 has 6"
  ],
  [
    "a secret that the environment does not have",
    async () => (await shop()).agent({ model, signing: undefined }),
    "`signing` is undefined: give the secret, or leave the option out for requests without signatures"
  ],
  [
    "a window in words",
    async () => (await shop()).agent({ model, window: { budget: "many" } }),
    '`budget` of `window` must be a number of tokens, but is "many"'
  ],
  [
    "a page that leaves as it does elsewhere",
    async () => (await shop()).agent({ model, chat: { whenPageLeaves: "continue" } }),
    '`whenPageLeaves` of `chat` must be "stop" or "goOn", but is "continue"'
  ],
  [
    "a limit of bytes that is no number",
    async () => (await shop()).agent({ model, chat: { maxBytes: "1mb" } }),
    '`maxBytes` of `chat` must be a number of bytes, but is "1mb"'
  ],
  [
    "what pages see, as a flag",
    async () => (await shop()).agent({ model, chat: { show: true } }),
    "`show` of `chat` must be a function, but is true"
  ],
  [
    "an old version of the AI SDK",
    async () => (await shop()).agent({ model, chat: { version: 4 } }),
    "`version` of `chat` must be 5, 6 or 7, but is 4"
  ],
  [
    "a user by number",
    async () => (await shop()).agent({ model }).chat(new Request("http://localhost/api/chat"), { user: 5 }),
    "`user` of `chat` must be a text, such as `String(id)`, but is 5"
  ],
  [
    "a conversation by number",
    async () => (await shop()).agent({ model }).ask("Hi", { conversation: 7 }),
    "`conversation` must be an id, a text, but is 7"
  ],
  [
    "a conversation without a name",
    async () => (await shop()).agent({ model }).ask("Hi", { conversation: "" }),
    '`conversation` must be an id, a text, but is ""'
  ],
  [
    "a path in place of the options of a file",
    () => make(pay, { store: plain.fileStore("shop.db") }),
    'fileStore must be an object with path, but is "shop.db"'
  ],
  [
    "a file without a path",
    () => make(pay, { store: plain.fileStore({}) }),
    "fileStore.path must be the path of a file, but is nothing"
  ],
  [
    "a file store that is safe in another way",
    async () => plain.fileStore({ path: "shop.db", synchronous: "ful" }),
    'fileStore.synchronous must be "full" or "normal", but is "ful"'
  ],
  [
    "a file store whose path the environment lacks",
    async () => plain.fileStore({ path: "" }),
    'fileStore.path must be the path of a file, but is ""'
  ],
  [
    "a run without a prompt",
    async () => (await shop()).agent({ model }).ask(),
    "The conversation … is empty: give a prompt"
  ],
  [
    "a prompt in an object",
    async () => (await shop()).agent({ model }).ask({ prompt: "Hi" }),
    'The prompt must be a text or an array of parts, such as { _tag: "Text", text } or `image(…)`, but is an object with prompt'
  ],
  [
    "messages in place of a conversation",
    async () => (await shop()).agent({ model }).ask("Hi", { messages: [] }),
    "`ask` has no option `messages` (there are conversation, promptId, answers, inbox, handOver, onEvent, context, signal)"
  ],
  [
    "a sub-agent by an object",
    async () => (await shop()).agent({ model }).toTool({ name: "ask_clerk", description: "Knows" }),
    "The name of `toTool` must be a text: toTool(name, { description }), but is an object with name, description"
  ],
  [
    "a sub-agent without a description",
    async () => (await shop()).agent({ model }).toTool("ask_clerk"),
    "`description` of `toTool` must be a text, but is null"
  ],
  [
    "a conversation that there is not",
    async () => (await shop()).conversations.read("c1"),
    "There is no conversation c1: create it first"
  ],
  [
    "tools that are closed",
    async () => closed(),
    "The tools are closed: close them after the last answer, or make new ones with wield"
  ]
]

/** What only a program with Effect has. */
const ofEffect =
  /\b(?:Toolset|Toolkit|Layer|Effect|Schema|Approval|Response|Agent|Stop|Policy|Facts|Hidden|Model|Conversation\w*|DeferredCall|ToolRunner|Journal|Content|FileStore)\.[a-z]|\b(?:forRun|Layer|Effect|fiber|Tag)\b/

describe("a developer reads of", () => {
  it.each(rows)("%s", async (_, make, developer) => {
    expect(await messageOf(make)).toBe(developer)
    expect(developer).not.toMatch(ofEffect)
  })
})

type CallRow = readonly [
  mistake: string,
  declaration: object,
  given: { readonly input?: unknown; readonly name?: string; readonly context?: object; readonly options?: object },
  model: string,
  log: string
]

const calls: ReadonlyArray<CallRow> = [
  [
    "with an argument of the wrong type",
    pay,
    { input: { amount: "1" }, context: { account: "a" } },
    'The arguments of pay are invalid; the tool was not run. Correct them and call it again.\n- amount: expected a number, received "1"',
    ""
  ],
  [
    "of a tool that there is not",
    pay,
    { name: "pya" },
    'There is no tool named "pya". Available, the nearest names first: pay.',
    ""
  ],
  [
    "whose hidden value is of the wrong type",
    pay,
    { input: { amount: 1 }, context: { account: 70_701 } },
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    "The call context lacks what the tool pay needs, or has it in another form (reference …): account (expected a string, received a number)"
  ],
  [
    "whose hidden value is missing",
    pay,
    { input: { amount: 1 } },
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    "The call context lacks what the tool pay needs, or has it in another form (reference …): account (expected a string, but it is missing)"
  ],
  [
    "whose hidden value its schema refuses",
    { parameters: z.object({ account: z.string().refine(() => false, "not 70701") }), hidden: ["account"], execute },
    { context: { account: "70701" } },
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    "The call context lacks what the tool pay needs, or has it in another form (reference …): account (it does not pass the check of its schema)"
  ],
  [
    "that throws",
    {
      execute: () => {
        throw new Error("hunter2")
      }
    },
    {},
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    "The tool pay failed internally (reference …): Error at …. The policy `observe: { causes: true }` logs why"
  ],
  [
    "that throws, with the policy that logs causes",
    {
      execute: () => {
        throw new Error("no stock left")
      }
    },
    { options: { policy: { observe: { causes: true } } } },
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    "The tool pay failed internally (reference …)\nError: no stock left"
  ],
  [
    "that throws a text",
    {
      execute: () => {
        throw "hunter2"
      }
    },
    {},
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    "The tool pay failed internally (reference …). The policy `observe: { causes: true }` logs why"
  ],
  ["that gives a failure", { execute: () => failure("There is no such order") }, {}, "There is no such order", ""],
  [
    "that gives what contains itself",
    { execute: () => circular },
    {},
    "The tool pay ran, but what it gave is no valid result (reference …). It may have taken effect. Check its effect before you repeat it.",
    "The tool pay gave a result that is not JSON (reference …): /self: it contains itself"
  ],
  [
    "that gives a bigint",
    { execute: () => 1n },
    {},
    "The tool pay ran, but what it gave is no valid result (reference …). It may have taken effect. Check its effect before you repeat it.",
    "The tool pay gave a result that is not JSON (reference …): the whole: a bigint"
  ],
  [
    "that gives a Response",
    { execute: () => new Response("x") },
    {},
    "The tool pay ran, but what it gave is no valid result (reference …). It may have taken effect. Check its effect before you repeat it.",
    "The tool pay gave a result that is not JSON (reference …): the whole: an instance of Response"
  ],
  [
    "that gives a Map",
    { execute: () => new Map() },
    {},
    "The tool pay ran, but what it gave is no valid result (reference …). It may have taken effect. Check its effect before you repeat it.",
    "The tool pay gave a result that is not JSON (reference …): the whole: an instance of Map"
  ],
  [
    "that gives an image within an object",
    { execute: () => ({ chart: image("image/png", "iVBORw0KGgo=") }) },
    {},
    "The tool pay ran, but what it gave is no valid result (reference …). It may have taken effect. Check its effect before you repeat it.",
    "The tool pay gave a result that is not JSON (reference …): /chart: an image or a file within a value, which a model would read as text: give it alone, or as a part of content"
  ],
  [
    "that gives an image among values in a list",
    { execute: () => [7, { charts: [file("text/csv", "YQ==")] }] },
    {},
    "The tool pay ran, but what it gave is no valid result (reference …). It may have taken effect. Check its effect before you repeat it.",
    "The tool pay gave a result that is not JSON (reference …): /1/charts/0: an image or a file within a value, which a model would read as text: give it alone, or as a part of content"
  ],
  [
    "that is an async generator",
    {
      execute: async function* () {
        yield 1
      }
    },
    {},
    "The tool pay ran, but what it gave is no valid result (reference …). It may have taken effect. Check its effect before you repeat it.",
    "The tool pay gave a result that is not JSON (reference …): the whole: an async generator or a stream, which is not read: report what comes on the way as progress, and return the result"
  ],
  [
    "that gives a function",
    { execute: () => execute },
    {},
    "The tool pay ran, but what it gave is no valid result (reference …). It may have taken effect. Check its effect before you repeat it.",
    "The tool pay gave a result that is not JSON (reference …): the whole: a function"
  ],
  ["that gives nothing", { execute: () => {} }, {}, "null", ""],
  [
    "whose result its schema refuses",
    { outputSchema: z.object({ id: z.string() }), execute: () => ({ id: 70_701 }) },
    {},
    "The tool pay ran, but what it gave is no valid result (reference …). It may have taken effect. Check its effect before you repeat it.",
    "The tool pay gave a result that does not fit its schema (reference …). The policy `observe: { causes: true }` logs why"
  ],
  [
    "whose schema throws",
    {
      parameters: z.object({
        a: z.number().refine(() => {
          throw new Error("hunter2")
        })
      }),
      execute
    },
    { input: { a: 1 } },
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    "The tool pay failed internally (reference …): Error at …. The policy `observe: { causes: true }` logs why"
  ],
  [
    "whose rule throws",
    { execute },
    {
      options: {
        approval: () => {
          throw new Error("hunter2")
        }
      }
    },
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    "The approval rule for pay failed, so the call was not run (reference …): Error at …. The policy `observe: { causes: true }` logs why"
  ],
  [
    "whose rule never answers",
    { execute },
    { options: { approval: () => new Promise<"allow">(() => {}), policy: { approvalTimeout: "1 millis" } } },
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    "The approval rule for pay failed, so the call was not run (reference …): it did not decide within 1ms. Let it ask a person, or give the policy a longer `approvalTimeout`"
  ],
  [
    "whose rule answers true",
    { execute },
    { options: { approval: () => true } },
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    'The approval rule for pay failed, so the call was not run (reference …): it answered true, which is no decision. The decisions are "allow", "ask", "deny", { ask: why } and { deny: why }'
  ],
  [
    "whose rule answers nothing",
    { execute },
    { options: { approval: async () => {} } },
    "The tool pay failed internally (reference …). Calling it again with the same arguments will not help.",
    'The approval rule for pay failed, so the call was not run (reference …): it answered nothing, which is no decision. The decisions are "allow", "ask", "deny", { ask: why } and { deny: why }'
  ],
  [
    "that takes too long",
    { execute: () => new Promise(() => {}) },
    { options: { limits: { default: { timeout: 1 } } } },
    "The tool pay was stopped after its limit of 1 ms. It may have taken effect in part.",
    ""
  ]
]

describe("model and developer read of a call", () => {
  it.each(calls)("%s", async (_, declaration, { context = {}, input = {}, name, options }, said, logged) => {
    const log: Array<string> = []
    const shop = await plain.wield({
      tools: [plain.tool("pay", declaration)],
      logger: ({ message }: { readonly message: string }) =>
        log.push(message.replaceAll(/\n +at .*/g, "").replace(/ at \S+:\d+:\d+/, " at …")),
      ...options
    })
    const { messages } = await shop.run({ context }).answer("anthropic", response(input, name))
    const last: unknown = messages.at(-1)
    const [block] = (last as { readonly content: ReadonlyArray<{ readonly content: unknown }> }).content
    expect([steady(String(block?.content)), steady(log.join("\n"))]).toEqual([said, logged])
    expect(`${said} ${logged}`).not.toMatch(ofEffect)
    await shop.close()
  })
})
