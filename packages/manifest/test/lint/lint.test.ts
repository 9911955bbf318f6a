import { FetchHttpClient, FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { GraphQlExecutor, Lint, Manifest, ManifestProblem, RestExecutor } from "@wield/manifest"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { OpenAiChat } from "@wield/providers"
import { Effect, Either, FastCheck } from "effect"
import { runs } from "../../../../test/sizes.js"
import { causeOf, untyped } from "../../../../test/untyped.js"

const file = "tools.yaml"
const quiet = { file, dialects: [] }
/** What the linter says, without the explanations. */
const found = (text: string, options: Lint.Options = quiet) =>
  Effect.map(Lint.lint(text, options), (problems) =>
    problems.map((problem) => Lint.toLine(problem).replace(/^([^ ]+ \w+ [\w-]+).*$/s, "$1"))
  )

it.effect("says of REST, GraphQL and SQL entries which names do not meet, at their places", () =>
  Effect.gen(function* () {
    const text = `- type: api
  function:
    name: by_id
    description: By id
    parameters: { properties: { slid_id: { type: string } } }
  api: { path: "/advice/{slip_id}", method: GET }
- type: api
  function: { name: orders, description: Orders, parameters: { properties: { limit: { type: integer } } } }
  api: { query: "query ($count: Int!) { orders(count: $count) { id } }" }
- type: api
  function: { name: rows, description: Rows, parameters: { properties: { customer: { type: string } } } }
  api: { query: "SELECT * FROM orders WHERE id = :id" }
`
    expect(yield* found(text)).toStrictEqual([
      "tools.yaml:6:25: error placeholder-without-parameter",
      "tools.yaml:8:85: warning parameter-without-variable",
      "tools.yaml:9:25: error variable-without-parameter",
      "tools.yaml:11:84: warning parameter-without-placeholder",
      "tools.yaml:12:50: error placeholder-without-parameter"
    ])
  })
)

it.effect("reports what is wrong with one entry though another cannot be read at all", () =>
  Effect.gen(function* () {
    const text = `- type: api
  function: { name: a b, parameters: { properties: {} } }
  context: [customer]
  api: { path: "/{id}", method: GET }
- type: api
  function: { name: two, description: Two }
  api: { path: 7 }
- type: local
  function: { name: same, description: Same }
- type: local
  function: { name: same, description: Same }
- type: local
  function: { name: odd, description: Odd, parameters: { type: object, properties: { x: { type: strin } } } }
`
    expect(yield* found(text)).toStrictEqual([
      "tools.yaml:2:13: warning missing-description",
      "tools.yaml:2:21: error illegal-name",
      "tools.yaml:3:13: error context-without-parameter",
      "tools.yaml:4:18: error placeholder-without-parameter",
      "tools.yaml:7:16: error type",
      "tools.yaml:11:21: error duplicate-name",
      "tools.yaml:13:56: error invalid-tool"
    ])
  })
)

it.effect("says of SQL that it writes under a read-only entry, and by its database what is no parameter", () =>
  Effect.gen(function* () {
    const text = (url: string, query: string) =>
      JSON.stringify({
        apis: { type: "sql", url },
        tools: [{ type: "api", function: { name: "t", description: "T" }, api: { query } }]
      })
    const writes = "WITH old AS (DELETE FROM orders RETURNING *) SELECT * FROM old"
    expect(yield* found(text("postgres://host/shop", writes))).toEqual([expect.stringContaining("writes-read-only")])
    expect(yield* found(text("postgres://host/shop", "SELECT '{\"a\":1}'::jsonb ? 'a'"))).toEqual([])
    expect(yield* found(text("mysql://host/shop", "SELECT 1 FROM t WHERE id = ?"))).toEqual([
      expect.stringContaining("positional-placeholder")
    ])
    expect(yield* found(text("${DATABASE_URL}", "DELETE FROM orders"))).toEqual([
      expect.stringContaining("writes-read-only")
    ])
  })
)

it.effect("checks GraphQL documents by the schema of the configuration, or one that is given", () =>
  Effect.gen(function* () {
    const schema = "type Query { orders(limit: Int): [String!] }"
    const tools = [{ type: "api", function: { name: "t", description: "T" }, api: { query: "{ order }" } }]
    const bare = JSON.stringify(tools)
    expect(yield* found(bare)).toEqual([])
    expect(yield* found(bare, { ...quiet, schemas: { default: schema } })).toEqual([
      expect.stringContaining("tools.yaml:1:76: error graphql")
    ])
    const configured = JSON.stringify({ apis: { type: "graphql", url: "https://api.example/graphql", schema }, tools })
    expect(yield* found(configured)).toEqual([expect.stringContaining("error graphql")])
    const broken = yield* Lint.lint(bare, { ...quiet, schemas: { default: "type Query {" } })
    expect(Lint.toText(broken)).toContain('manifest: error graphql-schema: The schema of the API "default"')
  })
)

it.effect("names executors that nobody declares, unless the file says nothing of executors", () =>
  Effect.gen(function* () {
    const tools = [
      { type: "api", function: { name: "t", description: "T" }, api: { name: "shopp", path: "/", method: "GET" } }
    ]
    expect(yield* found(JSON.stringify(tools))).toEqual([])
    const apis = { shop: { type: "rest", url: "https://shop.example" }, other: { type: "soap", url: "x" } }
    const problems = yield* Lint.lint(JSON.stringify({ apis, tools }), quiet)
    expect(Lint.toText(problems)).toMatch(/error unknown-executor: .*"shopp".*did you mean "shop"/)
    const soap = [{ ...tools[0], api: { name: "other", path: "/" } }]
    expect(yield* found(JSON.stringify({ apis, tools: soap }))).toEqual([expect.stringContaining("unknown-api-type")])
  })
)

it.effect("checks configurations without their environment, and asks no API for its schema", () =>
  Effect.gen(function* () {
    const rest = (configuration: object) => JSON.stringify({ apis: { type: "rest", ...configuration } })
    expect(yield* found(rest({ url: "https://${HOST}/v1", auth: { type: "bearer", token: "${TOKEN}" } }))).toEqual([])
    expect(yield* found(rest({ url: "https://x.example", uri: "${HOST}" }))).toEqual([
      expect.stringContaining("error api-configuration")
    ])
    expect(yield* found(rest({ url: "no address" }))).toEqual([expect.stringContaining("error api-configuration")])
    expect(yield* found(rest({ url: "https://${HOST" }))).toEqual([expect.stringContaining("error invalid-variable")])
    const graphql = { apis: { type: "graphql", url: "https://x.example", introspect: true } }
    expect(yield* found(JSON.stringify(graphql))).toEqual([])
    const sql = JSON.stringify({ apis: { type: "sql", url: "file:x.db", maxRow: 3 } })
    expect(yield* found(sql, { ...quiet, factories: [SqlExecutor.factory] })).toEqual([
      expect.stringContaining("error api-configuration")
    ])
  })
)

it.effect("tells what each model's API loses of a schema, at the keyword, and together where it is the same", () =>
  Effect.gen(function* () {
    const text = `- type: local
  function:
    name: find
    description: Finds
    parameters: { type: object, properties: { id: { type: string, pattern: "^a" }, customer: { type: string, pattern: b } } }
  context: [customer]
`
    const problems = yield* Lint.lint(text, { file })
    expect(problems.map(({ rule }) => rule)).toEqual(problems.map(() => "dialect-loss"))
    expect(problems.some(({ place }) => place?.line === 5 && place.column === 76)).toBe(true)
    expect(Lint.toText(problems)).not.toContain("customer")
    expect(Lint.exitCode(problems)).toBe(0)
    expect(Lint.exitCode(problems, { maxWarnings: 0 })).toBe(1)
    expect(yield* Lint.lint(text, { file, dialects: [OpenAiChat.format] })).toEqual([])
  })
)

it.effect("looks at entries that keep messages too, and at the handlers that a program has", () =>
  Effect.gen(function* () {
    const text = `
apis: { type: rest, url: "https://x.example" }
functions: [CurrentTime]
tools:
  - type: api
    function: { name: internalsavechatmessage }
    api: { path: "/messages?a", method: FETCH }
`
    expect(yield* found(text)).toEqual(["tools.yaml:7:41: error method-unknown"])
    expect(yield* found(text, { ...quiet, handlers: ["Time"] })).toEqual([
      "tools.yaml:3:13: error unbound-local",
      "tools.yaml:7:41: error method-unknown",
      "manifest: warning unused-handler"
    ])
  })
)

it.effect("counts in words, and says when there is nothing", () =>
  Effect.gen(function* () {
    expect(Lint.toText(yield* Lint.lint("[]"))).toBe("No problems")
    const text = Lint.toText(yield* Lint.lint("- { type: local, function: { name: a } }\n- 7", quiet))
    expect(text.split("\n").at(-1)).toBe("1 error, 1 warning")
    expect(Lint.toText(yield* Lint.lint("[{", { file: "a.json" }))).toMatch(/^a\.json:1:\d+: error syntax/)
  })
)

/** Parts of entries, right and wrong. */
const name = FastCheck.constantFrom("a", "b", "b", "c d", "")
const parameters = FastCheck.constantFrom(
  {},
  { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  { type: "object", properties: { id: { type: "integer" }, ids: { type: "array", items: { type: "string" } } } },
  { type: "object", properties: { id: { type: "strin" } } },
  { type: "array" },
  { type: "object", properties: {}, required: ["id"] }
)
const call = FastCheck.constantFrom<object>(
  { path: "/orders/{id}", method: "GET" },
  { path: "/orders?id={id}", method: "POST" },
  { path: "/orders", method: "FETCH" },
  { path: "/orders", body: "ids", method: "GET" },
  { name: "GRAPH", query: "query ($id: String!) { order(id: $id) { id } }" },
  { name: "graph", query: "query { order(" },
  { name: "graph", query: "subscription { orders }" },
  { name: "base", query: "SELECT * FROM t WHERE id = :id" },
  { name: "base", query: "DELETE FROM t" },
  { name: "base", query: "DELETE FROM t", write: true },
  { name: "base", query: "SELECT 1; SELECT 2" },
  { name: "nowhere", path: "/" },
  { query: "SELECT 1", path: "/" },
  {}
)
const entry = FastCheck.record(
  {
    type: FastCheck.constantFrom("api", "api", "api", "local", "client", "remote"),
    function: FastCheck.record({ name, parameters, description: FastCheck.constant("D") }, { requiredKeys: ["name"] }),
    context: FastCheck.constantFrom([], ["ID"], ["requestid"], ["customer"]),
    api: call
  },
  { requiredKeys: ["type", "function", "api"] }
)
const apis = {
  default: { type: "rest", url: "https://x.example" },
  graph: {
    type: "graphql",
    url: "https://x.example",
    schema: "type Query { order(id: String!): Order } type Order { id: ID }"
  }
}

it.effect.prop(
  "finds an error in a file exactly if it does not load",
  { tools: FastCheck.array(entry, { maxLength: 3 }) },
  ({ tools }) =>
    Effect.gen(function* () {
      // An empty file is a database of SQLite.
      const database = yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempFileScoped())
      const text = JSON.stringify({
        apis: { ...apis, base: { type: "sql", url: `file:${database}` } },
        tools: tools.map(({ api, ...rest }) => (rest.type === "api" ? { ...rest, api } : rest))
      })
      const problems = yield* Lint.lint(text, { dialects: [] })
      const factories = [RestExecutor.factory, GraphQlExecutor.factory, SqlExecutor.factory]
      const handlers = Object.fromEntries(
        tools.flatMap((tool) => (tool.type === "local" ? [[tool.function.name, () => Effect.succeed(1)]] : []))
      )
      const loaded = yield* Effect.flatMap(Manifest.parse(text), (manifest) =>
        Manifest.toToolset(manifest, { factories, handlers })
      ).pipe(Effect.either)
      expect(problems.some(ManifestProblem.isError)).toBe(Either.isLeft(loaded))
    }).pipe(Effect.scoped, Effect.provide([FetchHttpClient.layer, NodeContext.layer])),
  { fastCheck: { numRuns: runs(150) } }
)

it.effect("options that are misspelt are refused: less would be looked at", () =>
  Effect.gen(function* () {
    const lint = untyped<ReturnType<typeof Lint.lint>>(Lint.lint)
    expect(yield* causeOf(lint("[]", { handler: ["greet"] }))).toContain('did you mean "handlers"?')
    expect(yield* causeOf(lint("[]", { handlers: new Set(["greet"]) }))).toContain("handlers must be an array of texts")
    expect(yield* causeOf(lint("[]", null))).toContain("must be an object")
  })
)
