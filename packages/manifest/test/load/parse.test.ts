import { describe, expect, it } from "@effect/vitest"
import { Manifest, ManifestEntry, ManifestError, ManifestProblem } from "@wield/manifest"
import { Either } from "effect"

const problemsOf = (result: Either.Either<Manifest.Manifest, ManifestError.InvalidManifest>) =>
  Either.match(result, { onLeft: ({ problems }) => problems, onRight: ({ problems }) => problems })

const linesOf = (text: string, file = "tools.json"): ReadonlyArray<string> =>
  problemsOf(Manifest.parse(text, { file })).map((problem) => `${problem.severity} ${ManifestError.toLine(problem)}`)

const valid = (text: string, options?: Manifest.ParseOptions): Manifest.Manifest =>
  Either.getOrThrow(Manifest.parse(text, options))

const tool = (name: string, more = "") =>
  `{ "type": "client", "function": { "name": "${name}", "description": "Does it" }${more} }`

describe("the format", () => {
  it.each([undefined, {}, [{ type: "local" }]])("is of a text, and %j says so", (given) => {
    // As plain JavaScript may give it.
    const text = given as unknown as string
    expect(() => Manifest.parse(text)).toThrow("The text of a manifest must be a text, but is")
  })

  it("takes every key of an entry, from JSON with comments as from YAML", () => {
    const json = `[
  // One tool with all there is.
  {
    "type": "api",
    "function": {
      "name": "orders",
      "description": "Orders",
      "parameters": { "type": "object", "properties": { "customer": { "type": "string" }, "page": { "type": "integer" } } }
    },
    "context": ["Customer"],
    "facts": { "title": "Orders", "readOnly": true, "examples": [{ "page": 2 }] },
    "api": {
      "name": "Shop", "path": "/orders?page={page}", "method": "post",
      "headers": { "x-customer": "{customer}" },
      "parameters": { "page": { "in": "query", "style": "form", "explode": false } },
      "contentType": "application/json",
      "result": { "schema": { "type": "array" }, "path": "/data" },
      "pagination": { "parameter": "page", "from": "/next", "items": "/data" },
      "limits": { "timeout": 1000, "maxBytes": 10000, "maxRows": 10 },
    },
  },
]`
    const { entries, problems } = valid(json, { file: "tools.jsonc" })
    expect(problems).toStrictEqual([])
    const withoutSource = (entry: ManifestEntry.Entry | undefined) => ({ ...entry, source: undefined })
    expect(withoutSource(entries[0])).toStrictEqual(
      ManifestEntry.api({
        name: "orders",
        description: "Orders",
        parameters: { type: "object", properties: { customer: { type: "string" }, page: { type: "integer" } } },
        context: ["Customer"],
        facts: { title: "Orders", isReadOnly: true, examples: [{ page: 2 }] },
        api: {
          name: "Shop",
          path: "/orders?page={page}",
          method: "POST",
          headers: { "x-customer": "{customer}" },
          parameters: { page: { in: "query", style: "form", explode: false } },
          contentType: "application/json",
          result: { schema: { type: "array" }, path: "/data" },
          pagination: { parameter: "page", from: "/next", items: "/data", maxPages: 10 },
          limits: { timeout: 1000, maxBytes: 10_000, maxRows: 10 }
        }
      })
    )
    expect(entries[0]?.source?.at(["api", "path"], "/orders?page=".length)).toStrictEqual({
      file: "tools.jsonc",
      line: 13,
      column: 45
    })
    const yaml = valid(JSON.stringify(JSON.parse(json.replace(/\/\/.*|,(?=\s*[}\]])/g, ""))), { file: "tools.yaml" })
    expect(withoutSource(yaml.entries[0])).toStrictEqual(withoutSource(entries[0]))
  })

  it("takes an array of tools, a configuration with tools, and the definition of one client tool", () => {
    expect(valid(`[${tool("one")}, ${tool("two")}]`).entries.map(({ function: { name } }) => name)).toStrictEqual([
      "one",
      "two"
    ])
    const configuration = valid(
      `{
      "$schema": "https://example.com/manifest.schema.json",
      "tools": [${tool("one")}],
      "apis": { "Shop": { "type": "REST", "url": "https://shop.example" }, "db": { "type": "sql" } },
      "prompt": "You sell nuts.",
      "model": { "provider": "openai", "temperature": 1 },
      "functions": ["CurrentTime", "charts.json"]
    }`,
      { files: { "charts.json": '{ "name": "show_chart", "description": "Shows a chart" }' } }
    )
    expect(configuration.entries.map(({ _tag, function: { name } }) => [_tag, name])).toStrictEqual([
      ["Client", "one"],
      ["Local", "CurrentTime"],
      ["Client", "show_chart"]
    ])
    expect(configuration.apis.map(({ configuration: own, name, type }) => [name, type, own])).toStrictEqual([
      ["Shop", "rest", { url: "https://shop.example" }],
      ["db", "sql", {}]
    ])
    expect(configuration).toMatchObject({ prompt: "You sell nuts.", model: { provider: "openai", temperature: 1 } })
    expect(configuration.problems).toStrictEqual([])
    expect(valid('{ "name": "show_chart", "description": "Shows a chart" }').entries[0]?._tag).toBe("Client")
    expect(valid('{ "apis": { "type": "rest", "url": "x" } }').apis).toMatchObject([{ name: "default", type: "rest" }])
  })

  it("applies a configuration's context to the tools that name none, as far as they have such parameters", () => {
    const api = (name: string, context: string) =>
      `{ "type": "client", ${context} "function": { "name": "${name}", "description": "-", "parameters": { "properties": { "customerId": {}, "limit": {} } } } }`
    const { entries } = valid(
      `{ "context": ["CUSTOMERID", "tenant"], "tools": [${api("a", "")}, ${api("b", '"context": [],')}, ${api("c", '"context": ["limit"],')}] }`
    )
    expect(entries.map(({ context }) => context)).toStrictEqual([["customerId"], ["customerId"], ["limit"]])
    const tools = valid(`[${api("a", "")}, ${api("b", '"context": [],')}]`)
    const combined = Either.getOrThrow(Manifest.combine(valid('{ "context": ["customerid"] }'), tools))
    expect(combined.entries.map(({ context }) => context)).toStrictEqual([["customerId"], ["customerId"]])
  })
})

describe("problems", () => {
  it("are all told, each with its place, what was expected and what to do", () => {
    const text = `[
  {
    "type": "api",
    "function": { "name": "get orders", "paramters": {} },
    "context": ["customer_id"],
    "api": { "path": 7, "limits": { "timeout": -1 } }
  },
  { "type": "function", "function": { "name": "x" } },
  ${tool("twice")},
  ${tool("twice", ', "context": ["customerid"]')},
  { "type": "api", "function": { "name": "nothing", "description": "-" } },
  { "type": "api", "function": { "name": "empty", "description": "-" }, "api": { "query": " " } },
  3
]`
    expect(linesOf(text)).toStrictEqual([
      'warning tools.json:4:41: The key "paramters" means nothing here and is ignored; did you mean "parameters"? The keys here are name, description, parameters',
      "error tools.json:6:22: api.path must be a text, but is 7",
      "error tools.json:6:48: api.limits.timeout must be a number above 0, but is -1",
      'error tools.json:8:13: type must be "api" or "local" or "client", but is "function"',
      'error tools.json:10:45: Two tools are named "twice" (the other one is at line 9 of tools.json); rename one of them',
      'error tools.json:10:94: The context names "customerid", but there is no such parameter; the parameter that it means would be left to the model',
      'error tools.json:11:3: "api" is missing; expected an object',
      "error tools.json:12:80: An api needs a query (GraphQL, SQL) or a path (REST) that is not empty",
      "error tools.json:13:3: This must be an object, but is 3"
    ])
  })

  it("name the tool and the rule, for programs", () => {
    const [problem] = problemsOf(Manifest.parse(`[${tool("bad name")}]`))
    expect(problem).toMatchObject({
      severity: "error",
      rule: "illegal-name",
      tool: "bad name",
      path: [0, "function", "name"],
      place: { file: undefined, line: 1, column: 44 }
    })
  })

  it.each([
    ["illegal-name", tool("a".repeat(65))],
    ["illegal-name", tool("")],
    ["missing-description", '{ "type": "client", "function": { "name": "x" } }'],
    ["parameters-not-object", '{ "type": "client", "function": { "name": "x", "parameters": { "type": "array" } } }'],
    ["parameters-not-object", '{ "type": "client", "function": { "name": "x", "parameters": { "properties": [] } } }'],
    [
      "required-without-property",
      '{ "type": "client", "function": { "name": "x", "parameters": { "properties": { "customer": {} }, "required": ["costumer"] } } }'
    ],
    ["query-and-path", '{ "type": "api", "function": { "name": "x" }, "api": { "path": "/x", "query": "SELECT 1" } }'],
    ["unknown-key", tool("x", ', "note": "for people"')]
  ])("%s is found by a rule", (rule, entry) => {
    expect(problemsOf(Manifest.parse(`[${entry}]`)).map((problem) => problem.rule)).toContain(rule)
  })

  it.each(["allOf", "anyOf", "oneOf", "if"])("a required parameter may be declared under %s", (keyword) => {
    const parameters = { properties: {}, required: ["costumer"], [keyword]: keyword === "if" ? {} : [{}] }
    const entry = { type: "client", function: { name: "x", description: "does", parameters } }
    expect(problemsOf(Manifest.parse(JSON.stringify([entry]))).map(({ rule }) => rule)).not.toContain(
      "required-without-property"
    )
  })

  it("of a broken text are those of its syntax", () => {
    expect(linesOf('[\n  { "type" "api" }\n]')).toStrictEqual([
      "error tools.json:2:12: The JSON is broken here: expected a colon between a key and its value"
    ])
    expect(linesOf("- a: [", "tools.yaml")[0]).toMatch(/^error tools\.yaml:1:\d+: The YAML is broken here/)
    expect(linesOf('"text"')).toStrictEqual([
      "error tools.json:1:1: A manifest is an array of tools, or an object with tools, apis or functions"
    ])
  })

  it("of a configuration are told with those of its tools and of its files", () => {
    const text = `{
  "apis": { "shop": { "url": "x" }, "SHOP": { "type": "rest" }, "Shop": { "type": "sql" } },
  "promt": "You sell nuts",
  "functions": ["charts.json", "chart.json"],
  "prompt": 3,
  "tools": [{ "type": "api" }]
}`
    const charts = '[\n  { "name": "show chart", "description": "-" }\n]'
    const problems = problemsOf(Manifest.parse(text, { file: "a.json", files: { "charts.json": charts } }))
    expect(problems.map(ManifestError.toLine)).toStrictEqual([
      'a.json:2:21: "type" is missing; expected a text',
      'a.json:2:45: The APIs "shop" and "SHOP" differ only in case, which names of APIs do not; rename one',
      'a.json:2:73: The APIs "SHOP" and "Shop" differ only in case, which names of APIs do not; rename one',
      'a.json:3:3: The key "promt" means nothing here and is ignored; did you mean "prompt"? The keys here are $schema, tools, apis, context, functions, prompt, model, converter',
      'a.json:4:32: The file "chart.json" of client tools is not there (did you mean "charts.json"?); its path is relative to this file',
      "a.json:5:13: prompt must be a text, but is 3",
      'a.json:6:13: "function" is missing; expected an object',
      'a.json:6:13: "api" is missing; expected an object',
      'charts.json:2:13: The name "show chart" is one that models refuse; use 1 to 64 letters, digits, _ or -'
    ])
  })

  it("of entries that are combined are told once, and of APIs that are declared twice", () => {
    const one = valid(`{ "tools": [{ "type": "client", "function": { "name": "a" } }], "apis": { "type": "rest" } }`)
    const both = problemsOf(Manifest.combine(one, one))
    expect(both.map(({ rule }) => rule)).toStrictEqual([
      "missing-description",
      "missing-description",
      "duplicate-name",
      "duplicate-api"
    ])
    expect(both.filter(ManifestProblem.isError)).toHaveLength(2)
  })

  it("of entries without a text have a path in place of a line", () => {
    const result = Manifest.fromEntries([ManifestEntry.client({ name: "a b", description: "-" })])
    expect(Either.isLeft(result) && result.left.message).toBe(
      'The manifest has an error: manifest: function.name: The name "a b" is one that models refuse; use 1 to 64 letters, digits, _ or -'
    )
  })
})

it("entries that keep messages need no parameters for their context, and are told apart in any case", () => {
  const { entries, problems } = valid(
    '[{ "type": "api", "function": { "name": "internalsavechatmessage" }, "context": ["customerid"], "api": { "query": "mutation { x }" } }]'
  )
  expect(problems).toStrictEqual([])
  expect(entries.map(Manifest.isInternal)).toStrictEqual([true])
})
