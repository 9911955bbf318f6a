import { describe, expect, it } from "@effect/vitest"
import { Outcome, ToolCall, ToolRunner } from "@wield/core"
import { ExecutorError, type Executor, ExecutorFactory, Manifest, type ManifestError } from "@wield/manifest"
import { ConfigProvider, Context, Effect, Fiber, Layer, Logger, Redacted, Schema, TestClock } from "effect"

/** Answers with what it was asked. */
const echo = (kind = "rest", delay?: number): Executor.Executor => ({
  kind,
  check: ({ api, function: { parameters } }) =>
    api.path === "/broken/{x}"
      ? [{ severity: "error", rule: "test", message: `No parameter x`, path: ["api", "path"], offset: 8 }]
      : Object.keys(parameters).includes("title")
        ? [{ severity: "warning", rule: "test", message: "A title", path: ["function", "parameters", "title"] }]
        : [],
  prepare:
    ({ api }) =>
    (parameters) =>
      Effect.delay(Effect.succeed({ path: api.path ?? api.query ?? "", ...parameters }), delay ?? 0)
})

const apiTool = (name: string, parameters: object, api: object = { path: "/x" }, more: object = {}) => ({
  type: "api",
  function: { name, description: "-", parameters },
  api,
  ...more
})

const parsed = (file: unknown) => Manifest.parse(JSON.stringify(file, null, 1), { file: "tools.json" })

const linesOf = (error: ManifestError.InvalidManifest) => error.message.split("\n").slice(1)

const encoded = (outcome: Outcome.Outcome) => (outcome._tag === "Success" ? outcome.encoded : outcome)

describe("an entry of type api", () => {
  it.effect("is run by the executor of its name, in any case", () =>
    Effect.gen(function* () {
      const manifest = yield* parsed([
        apiTool("one", {}, { name: "SHOP", path: "/one" }),
        apiTool("two", {}, { path: "/two" })
      ])
      const executors = { Shop: echo(), Default: Effect.succeed(echo()) }
      const runner = yield* ToolRunner.make(yield* Manifest.toToolset(manifest, { executors }))
      expect(encoded(yield* runner.run(ToolCall.make("1", "one", {})))).toStrictEqual({ path: "/one" })
      expect(encoded(yield* runner.run(ToolCall.make("2", "two", {})))).toStrictEqual({ path: "/two" })
    })
  )

  it.effect("whose executor nobody gives, or that it finds wrong, is an error at its place, beside all others", () =>
    Effect.gen(function* () {
      const manifest = yield* parsed([
        apiTool("one", {}, { name: "shpo", path: "/x" }),
        apiTool("two", {}, { path: "/broken/{x}" }),
        { type: "local", function: { name: "CurrentTime", description: "-" } }
      ])
      const error = yield* Effect.flip(
        Manifest.toToolset(manifest, {
          executors: { shop: echo(), default: echo() },
          handlers: { currentTime: () => Effect.void }
        })
      )
      expect(error._tag === "InvalidManifest" && linesOf(error)).toStrictEqual([
        'tools.json:10:12: There is no executor "shpo" (did you mean "shop"?); there are shop, default',
        "tools.json:22:21: No parameter x",
        'tools.json:28:12: Nothing handles the local tool "CurrentTime" (did you mean "currentTime"?); give its handler in code'
      ])
    })
  )

  it.effect("whose schema cannot be compiled is an error, and so is every other one", () =>
    Effect.gen(function* () {
      const manifest = yield* parsed([
        apiTool("one", { type: "object", properties: { a: { type: "strange" } } }),
        apiTool("two", { type: "object", properties: {} }),
        apiTool("three", { type: "object", properties: { id: {}, ID: {} } }, { path: "/x" }, { context: ["id"] }),
        apiTool("four", { $ref: "#/$defs/none" })
      ])
      const error = yield* Effect.flip(Manifest.toToolset(manifest, { executors: { default: echo() } }))
      expect(error._tag === "InvalidManifest" && error.problems.map(({ rule, tool }) => [rule, tool])).toStrictEqual([
        ["invalid-tool", "one"],
        ["invalid-tool", "four"]
      ])
    })
  )

  it.effect("gets hidden fields in any case, and of a model nothing that is hidden or not declared", () =>
    Effect.gen(function* () {
      const manifest = yield* parsed([
        apiTool(
          "orders",
          { type: "object", properties: { customerId: { type: "integer" }, limit: { type: "integer" } } },
          { path: "/x" },
          { context: ["CUSTOMERID"] }
        )
      ])
      const runner = yield* ToolRunner.make(yield* Manifest.toToolset(manifest, { executors: { default: echo() } }))
      const [definition] = yield* runner.definitions
      expect(definition?.inputSchema["properties"]).toStrictEqual({ limit: { type: "integer" } })
      const run = runner.forRun({ context: { customerId: 7, other: true } })
      const sent = { limit: 2, customerid: 8, CUSTOMERID: 9, customer_id: 10, other: false }
      expect(encoded(yield* run.run(ToolCall.make("1", "orders", sent)))).toStrictEqual({
        path: "/x",
        limit: 2,
        customerId: 7
      })
    })
  )

  it.effect(
    "is not run without a hidden field, required or not, unless its file says that the field may be absent",
    () =>
      Effect.gen(function* () {
        const properties = { tenant: { type: "string" }, region: { type: "string" }, limit: { type: "integer" } }
        const own = (context: unknown) =>
          apiTool("orders", { type: "object", properties, required: ["region", "limit"] }, { path: "/x" }, { context })
        const run = (file: unknown, context: { readonly [name: string]: unknown }) =>
          Effect.gen(function* () {
            const manifest = yield* parsed(file)
            const runner = yield* ToolRunner.make(
              yield* Manifest.toToolset(manifest, { executors: { default: echo() } })
            )
            const [definition] = yield* runner.definitions
            expect(definition?.inputSchema).toStrictEqual({
              type: "object",
              properties: { limit: { type: "integer" } },
              required: ["limit"]
            })
            return yield* runner.forRun({ context }).run(ToolCall.make("1", "orders", { limit: 2, region: "model's" }))
          })
        for (const file of [
          [own(["TENANT", "region?"])],
          ...[undefined, null, []].map((context) => ({ context: ["tenant", "Region?"], tools: [own(context)] }))
        ]) {
          const missing = yield* run(file, { region: "eu" })
          expect(missing._tag === "MissingContext" && missing.issues).toMatchObject([{ path: ["tenant"] }])
          expect(encoded(yield* run(file, { tenant: "t" }))).toStrictEqual({ path: "/x", limit: 2, tenant: "t" })
          const both = { tenant: "t", region: "eu" }
          expect(encoded(yield* run(file, both))).toStrictEqual({ path: "/x", limit: 2, ...both })
        }
      })
  )

  it.effect("gets no default, and neither does a local handler: what was not given is absent", () =>
    Effect.gen(function* () {
      const parameters = {
        type: "object",
        properties: { limit: { type: "integer", default: 10 }, tenant: { type: "string", default: "main" } }
      }
      const manifest = yield* parsed([
        apiTool("orders", parameters, { path: "/x" }, { context: ["tenant?"] }),
        apiTool("rows", parameters, { query: "SELECT :limit" }),
        { type: "local", function: { name: "own", description: "-", parameters } }
      ])
      const handlers = { own: Effect.succeed }
      const toolset = yield* Manifest.toToolset(manifest, { executors: { default: echo() }, handlers })
      const runner = yield* ToolRunner.make(toolset)
      const run = (name: string) => Effect.map(runner.run(ToolCall.make("1", name, {})), encoded)
      expect(yield* Effect.all([run("orders"), run("rows"), run("own")])).toStrictEqual([
        { path: "/x" },
        { path: "SELECT :limit" },
        {}
      ])
      const [definition] = yield* runner.definitions
      expect(definition?.inputSchema["properties"]).toStrictEqual({ limit: { type: "integer", default: 10 } })
    })
  )

  it.effect("keeps arguments that its schema takes without naming them, other than reserved ones", () =>
    Effect.gen(function* () {
      const manifest = yield* parsed([
        apiTool("any", { type: "object", additionalProperties: true }, { path: "/x" }, { context: ["requestId"] })
      ])
      const runner = yield* ToolRunner.make(yield* Manifest.toToolset(manifest, { executors: { default: echo() } }))
      const run = runner.forRun({ context: { requestid: "mine" } })
      expect(
        encoded(yield* run.run(ToolCall.make("1", "any", { more: 1, REQUESTID: "x", requestId: "y" })))
      ).toStrictEqual({ path: "/x", more: 1, requestId: "mine" })
    })
  )

  it.effect("has requestid of its run and invocationid counted within it, neither shown nor set by a model", () =>
    Effect.gen(function* () {
      const properties = { RequestId: { type: "string" }, q: { type: "string" } }
      const manifest = yield* parsed(
        [
          apiTool("one", { properties, required: ["RequestId"] }, {}, { context: ["requestid", "invocationid"] }),
          apiTool("two", { properties: { invocationid: { type: "string" } } }, {}, { context: ["invocationid"] })
        ].map((tool) => ({ ...tool, api: { path: "/x" } }))
      )
      const runner = yield* ToolRunner.make(yield* Manifest.toToolset(manifest, { executors: { default: echo() } }))
      const definitions = yield* runner.definitions
      expect(definitions.map(({ inputSchema }) => inputSchema["properties"] ?? {})).toStrictEqual([
        { q: { type: "string" } },
        {}
      ])
      const run = runner.forRun({ id: "run" })
      const values = (yield* run.runAll([
        ToolCall.make("1", "one", { requestid: "forged", invocationId: 99 }),
        ToolCall.make("2", "one", {}),
        ToolCall.make("3", "two", {})
      ])).map(encoded) as ReadonlyArray<{ readonly RequestId?: string; readonly invocationid: unknown }>
      expect(values.map(({ invocationid }) => invocationid)).toStrictEqual([0, 1, "2"])
      expect(values[0]?.RequestId).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
      expect(values[1]?.RequestId).toBe(values[0]?.RequestId)
      const other = encoded(yield* runner.forRun({ id: "run" }).run(ToolCall.make("1", "one", {})))
      expect(other).toMatchObject({ invocationid: 0 })
      expect(other).not.toMatchObject({ RequestId: values[0]?.RequestId })
    })
  )

  it.effect("fails as timed out after the limit that it states, with a second for its executor to do so itself", () =>
    Effect.gen(function* () {
      const slow = (name: string, api: object) => apiTool(name, {}, { path: "/x", limits: { timeout: 100 }, ...api })
      const manifest = yield* parsed([
        slow("read", {}),
        slow("put", { method: "PUT" }),
        slow("post", { method: "POST" })
      ])
      const toolset = yield* Manifest.toToolset(manifest, { executors: { default: echo("rest", 1_101) } })
      const runner = yield* ToolRunner.make(toolset)
      const calls = ["read", "put", "post"].map((name) => ToolCall.make(name, name, {}))
      const fiber = yield* Effect.fork(runner.runAll(calls))
      yield* TestClock.adjust(1_100)
      const [read, put, post] = yield* Fiber.join(fiber)
      for (const outcome of [read, put]) {
        expect(outcome?._tag === "Failure" && outcome.failure).toBeInstanceOf(ExecutorError.RequestFailed)
        expect(outcome?._tag === "Failure" && outcome.failure).toMatchObject({ reason: "timeout" })
      }
      expect(post).toMatchObject({ _tag: "Uncertain", reason: "lost" })
    })
  )

  it.effect("is not said to have failed where it may have been carried out, unless it may be repeated", () =>
    Effect.gen(function* () {
      const lost = new ExecutorError.RequestFailed({ reason: "unreachable", detail: "no", mayHaveTakenEffect: true })
      const unread = new ExecutorError.RequestFailed({ reason: "too-large", detail: "no", mayHaveTakenEffect: true })
      const executor = (error: ExecutorError.ExecutorError): Executor.Executor => ({
        ...echo(),
        prepare: () => () => Effect.fail(error)
      })
      const endOf = (error: ExecutorError.ExecutorError, facts: object) =>
        Effect.gen(function* () {
          const manifest = yield* parsed([apiTool("pay", {}, { path: "/x", method: "POST" }, { facts })])
          const toolset = yield* Manifest.toToolset(manifest, { executors: { default: executor(error) } })
          return yield* (yield* ToolRunner.make(toolset)).run(ToolCall.make("1", "pay", {}))
        })
      expect((yield* endOf(lost, {}))._tag).toBe("Uncertain")
      expect((yield* endOf(lost, { idempotent: true }))._tag).toBe("Failure")
      expect((yield* endOf(new ExecutorError.RequestFailed({ reason: "unreachable", detail: "no" }), {}))._tag).toBe(
        "Failure"
      )
      const answered = yield* endOf(unread, {})
      expect(JSON.stringify(Outcome.render(answered))).toContain(
        "It may have taken effect. Check its effect before you repeat it."
      )
    })
  )

  it.effect("is stated to be what its method, document or statement says, unless it says otherwise itself", () =>
    Effect.gen(function* () {
      const of = (kind: string, api: object, facts?: object) =>
        Effect.gen(function* () {
          const manifest = yield* parsed([apiTool("x", {}, api, facts === undefined ? {} : { facts })])
          const toolset = yield* Manifest.toToolset(manifest, { executors: { default: echo(kind) } })
          const [definition] = yield* (yield* ToolRunner.make(toolset)).definitions
          const { disclosure, isDestructive, isIdempotent, isReadOnly, kind: where } = definition!.facts
          expect(where).toBe("api")
          expect(disclosure).toBe(facts === undefined ? "any" : "endpoint")
          return `${isReadOnly ? "read-only " : ""}${isDestructive ? "destructive " : ""}${isIdempotent ? "idempotent" : ""}`
        })
      const readOnly = "read-only idempotent"
      expect(yield* of("rest", { path: "/x" })).toBe(readOnly)
      expect(yield* of("rest", { path: "/x", method: "head" })).toBe(readOnly)
      expect(yield* of("rest", { path: "/x", method: "POST" })).toBe("destructive ")
      expect(yield* of("rest", { path: "/x", method: "PUT" })).toBe("destructive idempotent")
      expect(yield* of("rest", { path: "/x", method: "DELETE" })).toBe("destructive idempotent")
      const stated = { readOnly: true, destructive: false, disclosure: "endpoint" }
      expect(yield* of("rest", { path: "/x", method: "POST" }, stated)).toBe("read-only ")
      expect(yield* of("graphql", { query: "{ x }" })).toBe(readOnly)
      expect(yield* of("graphql", { query: "mutation { x }" })).toBe("destructive ")
      expect(yield* of("graphql", { query: "query A { x } mutation B { x }", operation: "A" })).toBe(readOnly)
      expect(yield* of("graphql", { query: "query A { x } mutation B { x }", operation: "B" })).toBe("destructive ")
      expect(yield* of("graphql", { query: "not graphql" })).toBe("destructive ")
      expect(yield* of("sql", { query: "SELECT 1" })).toBe(readOnly)
      expect(yield* of("sql", { query: "DELETE FROM x", write: true })).toBe("destructive ")
    })
  )
})

describe("local and client tools", () => {
  it.effect(
    "a local tool is handled by its handler, with the definition of the code where the file has its name only",
    () =>
      Effect.gen(function* () {
        const manifest = yield* parsed({
          tools: [{ type: "local", function: { name: "greet", description: "Greets" } }],
          functions: ["CurrentTime"]
        })
        class Clock extends Context.Tag("Clock")<Clock, { readonly now: string }>() {}
        const toolset = yield* Manifest.toToolset(manifest, {
          handlers: {
            greet: () => Effect.succeed("Hello"),
            CurrentTime: {
              description: "The time",
              parameters: { type: "object", properties: { zone: { type: "string" } } },
              facts: { isReadOnly: true },
              handle: ({ zone }) => Effect.map(Clock, ({ now }) => `${now} ${String(zone)}`)
            }
          }
        })
        const runner = yield* ToolRunner.make(toolset)
        expect(
          (yield* runner.definitions).map(({ description, facts, name }) => [
            name,
            description,
            facts.kind,
            facts.isReadOnly
          ])
        ).toStrictEqual([
          ["greet", "Greets", "local", false],
          ["CurrentTime", "The time", "local", true]
        ])
        const outcome = yield* runner
          .run(ToolCall.make("1", "CurrentTime", { zone: "UTC" }))
          .pipe(Effect.provideService(Clock, { now: "12:00" }))
        expect(encoded(outcome)).toBe("12:00 UTC")
      })
  )

  it.effect("a local tool that has its definition from the code hides what the configuration hides", () =>
    Effect.gen(function* () {
      const manifest = yield* parsed({ functions: ["orders"], context: ["customerid"] })
      const parameters = { type: "object", properties: { customerId: { type: "string" }, limit: { type: "integer" } } }
      const toolset = yield* Manifest.toToolset(manifest, {
        handlers: { orders: { description: "Orders", parameters, handle: Effect.succeed } }
      })
      const runner = yield* ToolRunner.make(toolset)
      const [definition] = yield* runner.definitions
      expect(definition?.inputSchema["properties"]).toStrictEqual({ limit: { type: "integer" } })
      const call = ToolCall.make("1", "orders", { customerId: "model's" })
      expect((yield* runner.run(call))._tag).toBe("MissingContext")
      expect(encoded(yield* runner.forRun({ context: { customerId: "c" } }).run(call))).toStrictEqual({
        customerId: "c"
      })
    })
  )

  it.effect("a client tool is deferred, and message entries are offered to nobody", () =>
    Effect.gen(function* () {
      const manifest = yield* parsed([
        { type: "client", function: { name: "show_chart", description: "-" } },
        { type: "api", function: { name: "INTERNALGetChatMessages" }, context: ["id"], api: { query: "q", name: "db" } }
      ])
      const runner = yield* ToolRunner.make(yield* Manifest.toToolset(manifest))
      expect((yield* runner.definitions).map(({ name }) => name)).toStrictEqual(["show_chart"])
      const outcome = yield* runner.run(ToolCall.make("1", "show_chart", {}))
      expect(outcome._tag === "Deferred" && outcome.waitsFor).toBe("client")
      const executors = yield* Manifest.executors(manifest, { executors: { DB: echo("sql") } })
      expect([...executors.keys()]).toStrictEqual(["db"])
    })
  )

  it.effect("warnings are logged with their places: a handler that no tool has, and what executors warn of", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void lines.push(...(Array.isArray(message) ? message : [message])))
      )
      const manifest = yield* parsed([apiTool("x", { title: "X" })])
      yield* Manifest.toToolset(manifest, {
        executors: { default: echo() },
        handlers: { greet: () => Effect.void }
      }).pipe(Effect.provide(logger))
      expect(lines).toStrictEqual([
        "tools.json:8:14: A title",
        'manifest: No local tool is named "greet"; its handler is not used'
      ])
    })
  )
})

describe("executors of apis", () => {
  class Port extends Context.Tag("Port")<Port, number>() {}

  /** Its executors answer with what they were configured with. */
  const factory = ExecutorFactory.make({
    types: ["test"],
    configuration: Schema.Struct({
      url: ExecutorFactory.Text,
      headers: Schema.optional(Schema.Record({ key: Schema.String, value: ExecutorFactory.Text })),
      size: Schema.optional(Schema.Int),
      auth: Schema.optional(
        Schema.Union(
          Schema.Struct({ type: Schema.Literal("a"), token: ExecutorFactory.Text }),
          Schema.Struct({ type: Schema.Literal("b") })
        )
      )
    }),
    check: () => [],
    make: (configuration, origin) =>
      Effect.map(Port, (port) => ({
        ...echo("test"),
        prepare: () => () =>
          Effect.succeed({
            port,
            origin: { ...origin },
            text: String(configuration.url),
            url: Redacted.value(configuration.url),
            headers: Object.values(configuration.headers ?? {}).map(Redacted.value)
          })
      }))
  })

  const environment = (values: { readonly [name: string]: string }) =>
    Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(values))))

  it.effect("are made by factories, with values from the environment as secrets", () =>
    Effect.gen(function* () {
      const manifest = yield* Manifest.parse(
        JSON.stringify({
          apis: {
            Shop: { type: "TEST", url: "https://${HOST}/${HOST}", headers: { a: "$${HOST}", b: "x ${TOKEN} $" } }
          },
          tools: [apiTool("x", {}, { name: "shop", path: "/${HOST}" })]
        }),
        { file: "config/shop.json" }
      )
      expect(JSON.stringify(manifest)).not.toContain("s3cret")
      const toolset = yield* Manifest.toToolset(manifest, { factories: [factory] }).pipe(
        Effect.provide(environment({ HOST: "shop.example", TOKEN: "s3cret" })),
        Effect.provideService(Port, 80)
      )
      const runner = yield* ToolRunner.make(toolset)
      expect(encoded(yield* runner.run(ToolCall.make("1", "x", {})))).toStrictEqual({
        port: 80,
        origin: { name: "Shop", type: "test", folder: "config" },
        text: "<redacted>",
        url: "https://shop.example/shop.example",
        headers: ["${HOST}", "x s3cret $"]
      })
    })
  )

  it.effect("report each variable that is missing and each key that is wrong, at its place and without values", () =>
    Effect.gen(function* () {
      const text = `{
  "apis": {
    "a": { "type": "test", "url": "https://\${HOST}/\\u0024{PATH}", "headers": { "b": "\${TOKEN" } },
    "b": { "type": "test", "uri": "s3cret", "size": "s3cret", "auth": { "type": "a" } },
    "c": { "type": "mock" },
    "d": { "type": "unused" }
  },
  "tools": [
    { "type": "api", "function": { "name": "a", "description": "-" }, "api": { "name": "a", "path": "/x" } },
    { "type": "api", "function": { "name": "b", "description": "-" }, "api": { "name": "b", "path": "/x" } },
    { "type": "api", "function": { "name": "c", "description": "-" }, "api": { "name": "c", "path": "/x" } }
  ]
}`
      const manifest = yield* Manifest.parse(text, { file: "shop.json" })
      const error = yield* Effect.flip(
        Manifest.toToolset(manifest, { factories: [factory] }).pipe(
          Effect.provide(environment({})),
          Effect.provideService(Port, 80)
        )
      )
      expect(error.message).not.toContain("s3cret")
      expect(error._tag === "InvalidManifest" && linesOf(error)).toStrictEqual([
        'shop.json:3:44: The API "a": The environment variable HOST is not set; set it, or write $${ where ${ itself is meant',
        'shop.json:3:52: The API "a": The environment variable PATH is not set; set it, or write $${ where ${ itself is meant',
        'shop.json:3:86: The API "a": ${ begins the name of an environment variable, such as ${API_KEY}; write $${ where ${ itself is meant',
        'shop.json:4:10: The API "b": "url" is missing; expected a text',
        'shop.json:4:35: The API "b": The key "uri" means nothing here; did you mean "url"? The keys here are url, headers, size, auth',
        'shop.json:4:53: The API "b": size must be a number',
        'shop.json:4:71: The API "b": "token" is missing; expected a text',
        'shop.json:5:20: The API "c": nothing makes executors of the type "mock"; pass its factory (there are those of test), or give the executor in code'
      ])
    })
  )
})
