import { HttpClient } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { HttpGuard } from "@wield/http"
import { type ExecutorFactory, FromGraphQl, GraphQlExecutor, ManifestEntry } from "@wield/manifest"
import { Effect, Either, FastCheck, Redacted } from "effect"
import { type Instead, schema, type Shop, shop } from "./server.js"
import { character } from "../../../../test/characters.js"
import { runs } from "../../../../test/sizes.js"
import { recordSpans } from "../../../core/test/recording/Spans.js"

const guarded = (host: string) =>
  Effect.provideServiceEffect(HttpClient.HttpClient, HttpGuard.make({ allowedHosts: [host] }))

const entry = (
  query: string,
  parameters: ReadonlyArray<string> = [],
  api: Partial<ManifestEntry.Api> = {}
): ManifestEntry.ApiEntry =>
  ManifestEntry.api({
    name: "tool",
    parameters: { type: "object", properties: Object.fromEntries(parameters.map((name) => [name, {}])) },
    api: { query, ...api }
  })

type More = Omit<GraphQlExecutor.Options, "url">

/** What comes of a call, and what was asked. */
const call = (
  tool: ManifestEntry.ApiEntry,
  parameters: { readonly [name: string]: unknown } = {},
  { instead, ...more }: More & { readonly instead?: Instead } = {}
) =>
  Effect.gen(function* () {
    const server = yield* shop(instead)
    const executor = yield* made(server, more)
    expect(executor.check(tool).filter(({ severity }) => severity === "error")).toEqual([])
    const result = yield* Effect.either(executor.prepare(tool)(parameters))
    return { result, asked: server.asked }
  })

const made = (server: Shop, more: More) =>
  GraphQlExecutor.make({ url: server.url, retry: { baseDelay: 1 }, ...more }).pipe(guarded(server.host))

const orders =
  "query ($customer: ID!, $status: Status, $limit: Int!  = 3) { orders(customer: $customer, status: $status, limit: $limit) { asked } }"

/** The arguments that the server's resolver got. */
const resolved = (result: Either.Either<unknown, unknown>): unknown => {
  const text = /"asked":"(.*)"\}/.exec(JSON.stringify(Either.getOrThrow(result)))?.[1] ?? '""'
  return JSON.parse(JSON.parse(`"${text}"`))
}

it.scopedLive("its span says what kind of error it ended with, and neither arguments nor what the API answered", () =>
  Effect.gen(function* () {
    const refuse: Instead = (response) => {
      response.writeHead(404).end("no such person")
      return true
    }
    const asking = call(entry(orders, ["customer"]), { customer: "ann" }, { instead: refuse })
    const { spans, value } = yield* recordSpans(asking)
    expect(String(Either.getLeft(value.result))).toContain("no such person")
    const [span] = spans.filter(({ name }) => name === "wield.graphql")
    expect(span?.attributes.get("error.type")).toBe("StatusError")
    expect(span?.failure).toContain("It ended with StatusError")
    expect(JSON.stringify([span?.failure, ...(span?.attributes ?? [])])).not.toMatch(/no such person|ann/)
  })
)

it.scopedLive("sends the document as it is, and of the arguments those that it declares", () =>
  Effect.gen(function* () {
    const { asked, result } = yield* call(entry(orders, ["customer", "status", "other"]), { customer: 7, other: 1 })
    expect(asked[0]?.body).toEqual({ query: orders, variables: { customer: "7" } })
    // The document's default for one, the schema's for the other.
    expect(resolved(result)).toEqual({ customer: "7", status: "OPEN", limit: 3 })
  })
)

it.scopedLive("names the operation that is meant", () =>
  Effect.gen(function* () {
    const two = 'query A { echo(text: "a") } query B { echo(text: "b") }'
    const { asked, result } = yield* call(entry(two, [], { operation: "B" }))
    expect(result).toEqual(Either.right({ echo: "b" }))
    expect(asked[0]?.body.operationName).toBe("B")
  })
)

it.scopedLive("puts input objects together from parameters named after their fields", () =>
  Effect.gen(function* () {
    const { result } = yield* call(
      entry("query ($filter: Filter) { orders(customer: 1, filter: $filter) { asked } }", [
        "filter_tags",
        "filter_price_range_min",
        "filter_not_tags"
      ]),
      { filter_tags: ["a"], filter_price_range_min: "1.5" },
      { schema }
    )
    expect(resolved(result)).toMatchObject({ filter: { tags: ["a"], price_range: { min: 1.5 } } })
  })
)

it.scopedLive("gives the part of the data that the entry points to", () =>
  Effect.gen(function* () {
    const query = 'query { echo(text: "a") }'
    expect((yield* call(entry(query, [], { result: { schema: undefined, path: "/echo" } }))).result).toEqual(
      Either.right("a")
    )
    const { result } = yield* call(entry(query, [], { result: { schema: undefined, path: "/nothing" } }))
    expect(Either.flip(result)).toMatchObject({ right: { _tag: "RequestFailed", reason: "invalid-answer" } })
  })
)

it.scopedLive("fails with the errors of an answer, and keeps the data that came with them", () =>
  Effect.gen(function* () {
    const { asked, result } = yield* call(entry("{ half { good bad } }"))
    const error = Either.getOrThrow(Either.flip(result))
    expect(error).toMatchObject({
      _tag: "GraphQlErrors",
      errors: [{ message: "There is no second half", path: ["half", "bad"] }],
      data: { half: { good: 1, bad: null } }
    })
    expect(error.message).toBe(
      'There is no second half (half.bad). What the API answered besides: {"half":{"good":1,"bad":null}}'
    )
    expect(JSON.stringify(error)).not.toContain("stack")
    expect(asked).toHaveLength(1)
  })
)

it.scopedLive("fails with what the API says of a request that it does not take", () =>
  Effect.gen(function* () {
    const { result } = yield* call(entry("query ($n: String) { echo(text: $n) }", ["n"]), { n: "a" })
    expect(Either.flip(result)).toMatchObject({
      right: { _tag: "GraphQlErrors", errors: [{ message: expect.stringContaining('"$n"') }] }
    })
  })
)

it.scopedLive("sends a query again when the API fails for a while, and a mutation never", () =>
  Effect.gen(function* () {
    const failing: Instead = (response, index) => {
      if (index > 0) return false
      response.writeHead(503).end("busy")
      return true
    }
    const query = yield* call(entry("{ flaky }"), {}, { instead: failing })
    expect(query.result).toEqual(Either.right({ flaky: 1 }))
    expect(query.asked).toHaveLength(2)
    const mutation = yield* call(entry("mutation { flakyOrder }"), {}, { instead: failing })
    expect(Either.flip(mutation.result)).toMatchObject({ right: { _tag: "StatusError", status: 503, body: "busy" } })
    expect(mutation.asked).toHaveLength(1)

    const breaking: Instead = (response, index) => {
      if (index > 0) return false
      response.destroy()
      return true
    }
    expect((yield* call(entry("{ flaky }"), {}, { instead: breaking })).result).toEqual(Either.right({ flaky: 1 }))
    const broken = yield* call(entry("mutation { flakyOrder }"), {}, { instead: breaking })
    expect(Either.flip(broken.result)).toMatchObject({ right: { _tag: "RequestFailed", reason: "unreachable" } })
    expect(broken.asked).toHaveLength(1)
  })
)

it.scopedLive("gives up on an answer that takes too long, or that is too long", () =>
  Effect.gen(function* () {
    const slow = yield* call(entry("{ flaky }"), {}, { timeout: 50, instead: () => true })
    expect(Either.flip(slow.result)).toMatchObject({ right: { _tag: "RequestFailed", reason: "timeout" } })
    const own = entry("{ flaky }", [], { limits: { timeout: 50, maxBytes: undefined, maxRows: undefined } })
    expect(Either.flip((yield* call(own, {}, { instead: () => true })).result)).toMatchObject({
      right: { reason: "timeout" }
    })
    const endless: Instead = (response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const more = (): void => {
        if (!response.destroyed) response.write(" ".repeat(65_536), () => setImmediate(more))
      }
      more()
      return true
    }
    const long = yield* call(entry("{ flaky }"), {}, { maxBytes: 100_000, instead: endless })
    expect(Either.flip(long.result)).toMatchObject({ right: { _tag: "RequestFailed", reason: "too-large" } })
  })
)

it.scopedLive("says what an answer is that is none of GraphQL", () =>
  Effect.gen(function* () {
    const answer = (status: number, type: string, text: string) =>
      Effect.map(
        call(
          entry("{ flaky }"),
          {},
          {
            retry: { times: 0 },
            instead: (response) => {
              response.writeHead(status, { "content-type": type }).end(text)
              return true
            }
          }
        ),
        ({ result }) => Either.getOrThrow(Either.flip(result))
      )
    expect(yield* answer(200, "text/html", "<h1>Welcome</h1>")).toMatchObject({ reason: "invalid-answer" })
    expect(yield* answer(200, "application/json", '{"data":{"flaky"')).toMatchObject({ reason: "invalid-answer" })
    expect(yield* answer(200, "application/json", '{"flaky":1}')).toMatchObject({ reason: "invalid-answer" })
    expect(yield* answer(200, "application/json", '{"errors":["no"]}')).toMatchObject({ errors: [{}] })
    expect(yield* answer(500, "application/json", '{"errors":[{"message":"no"}]}')).toMatchObject({
      _tag: "StatusError",
      status: 500
    })
    expect(yield* answer(400, "application/json", '{"errors":[{"message":"no"}]}')).toMatchObject({
      _tag: "GraphQlErrors",
      errors: [{ message: "no" }]
    })
    expect(yield* answer(401, "text/plain", "who are you")).toMatchObject({ status: 401, body: "who are you" })
    expect(
      yield* answer(403, "application/graphql-response+json; charset=utf-8", '{"errors":[{"message":"no"}]}')
    ).toMatchObject({ _tag: "GraphQlErrors" })
  })
)

it.scopedLive("says who it is, and takes its credential out of what the API answers", () =>
  Effect.gen(function* () {
    const { asked, result } = yield* call(
      entry("query ($t: String!) { echo(text: $t) }", ["t"]),
      { t: "the key is k3y-of-mine" },
      {
        auth: { type: "bearer", token: Redacted.make("k3y-of-mine") },
        headers: { "x-team": "shop" }
      }
    )
    expect(asked[0]?.headers).toMatchObject({ authorization: "Bearer k3y-of-mine", "x-team": "shop" })
    expect(result).toEqual(Either.right({ echo: "the key is <redacted>" }))
  })
)

it.scopedLive("does not go to a private address that is not allowed", () =>
  Effect.gen(function* () {
    const server = yield* shop()
    const executor = yield* GraphQlExecutor.make({ url: server.url }).pipe(guarded("example.com"))
    const error = yield* Effect.flip(executor.prepare(entry("{ flaky }"))({}))
    expect(error).toMatchObject({ _tag: "RequestFailed", reason: "refused" })
    expect(server.asked).toHaveLength(0)
  })
)

const hostile = [
  '"}) { id } } mutation { place(order: { product: 1 }) { id } } query { echo(text: "',
  "\\u0022 }",
  '"""',
  "${customer} $customer {customer}",
  "# a comment\n}",
  "\u0000\u2028\ud800"
]

it.scopedLive("lets no value become a part of the document", () =>
  Effect.gen(function* () {
    const server = yield* shop()
    const executor = yield* made(server, {})
    const query = "query ($text: String!) { echo(text: $text) }"
    const execute = executor.prepare(entry(query, ["text"]))
    for (const text of hostile) {
      expect(yield* execute({ text })).toEqual({ echo: text })
      expect(server.asked.at(-1)?.body).toEqual({ query, variables: { text } })
    }
    // Neither as a name.
    yield* execute({ text: "a", 'b": 1 }, "query': "{ flaky }", operationName: "Other", query: "{ flaky }" })
    expect(server.asked.at(-1)?.body).toEqual({ query, variables: { text: "a" } })
  })
)

it.scopedLive("sends any values as the variables that they were given for, and nothing else", () =>
  Effect.gen(function* () {
    const server = yield* shop()
    const executor = yield* made(server, { schema })
    const query =
      "query ($customer: ID!, $limit: Int!, $filter: Filter) { orders(customer: $customer, limit: $limit, filter: $filter) { asked } }"
    const execute = executor.prepare(entry(query, ["customer", "limit", "filter"]))
    const text = FastCheck.string({ unit: character })
    const filter = FastCheck.record(
      {
        tags: FastCheck.array(text),
        price_range: FastCheck.record(
          { min: FastCheck.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0) },
          { requiredKeys: [] }
        )
      },
      { requiredKeys: [] }
    )
    yield* Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          text,
          FastCheck.integer(),
          FastCheck.option(filter, { nil: undefined }),
          FastCheck.dictionary(text, FastCheck.jsonValue()),
          (customer, limit, filter, others) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const given = { customer, limit, ...(filter === undefined ? {} : { filter }) }
                const data = yield* execute({ ...others, ...given })
                const sent = JSON.parse(JSON.stringify(given))
                // `others` may have an argument of its own for the variable that is not given.
                if (filter !== undefined || !Object.hasOwn(others, "filter")) {
                  expect(server.asked.at(-1)?.body).toEqual({ query, variables: sent })
                  expect(resolved(Either.right(data))).toEqual({ status: "OPEN", ...sent })
                }
              })
            )
        ),
        { numRuns: runs(50) }
      )
    )
  })
)

it.scopedLive("asks the API for its schema when it is made, and checks documents by it", () =>
  Effect.gen(function* () {
    const server = yield* shop()
    const executor = yield* made(server, { introspect: true })
    expect(server.asked).toHaveLength(1)
    const [fault] = executor.check(entry("{ order }"))
    expect(fault?.message).toContain('Did you mean "orders"')
    const failing = yield* Effect.flip(
      made(yield* shop((response) => Boolean(response.writeHead(404).end())), { introspect: true })
    )
    expect(failing.faults).toMatchObject([{ path: ["introspect"], message: expect.stringContaining("status 404") }])
    const wrong = yield* Effect.flip(made(server, { schema: "type Query {" }))
    expect(wrong.faults).toMatchObject([{ path: ["schema"], message: expect.stringContaining("1:13") }])
  })
)

it.scopedLive("asks older servers for their schema in the words that they know", () =>
  Effect.gen(function* () {
    const older: Instead = (response, _, { body }) => {
      if (!/args\(includeDeprecated|isOneOf/.test(body.query)) return false
      response.writeHead(400, { "content-type": "application/json" }).end('{"errors":[{"message":"Unknown"}]}')
      return true
    }
    const server = yield* shop(older)
    const told = yield* GraphQlExecutor.introspect({ url: server.url }).pipe(guarded(server.host))
    expect(server.asked).toHaveLength(3)
    const { entries } = yield* FromGraphQl.entries(told)
    expect(entries.map((tool) => tool.function.name)).toEqual([
      "orders",
      "echo",
      "flaky",
      "half",
      "place",
      "flakyOrder"
    ])
  })
)

it.scopedLive("calls every tool that is imported of the API's own schema", () =>
  Effect.gen(function* () {
    const server = yield* shop()
    const executor = yield* made(server, { introspect: true })
    const { entries } = yield* FromGraphQl.entries(schema, { inputObjects: "flat" })
    for (const tool of entries) expect(executor.check(tool)).toEqual([])
    const run = (name: string, parameters: { readonly [name: string]: unknown }) => {
      const tool = entries.find((other) => other.function.name === name)
      return tool === undefined ? Effect.dieMessage(`There is no ${name}`) : executor.prepare(tool)(parameters)
    }
    expect(yield* run("echo", { text: "a" })).toBe("a")
    expect(yield* run("place", { product: "p", count: null, note: "n" })).toEqual({
      id: "1",
      asked: '{"order":{"product":"p","count":null,"note":"n"}}'
    })
    expect(yield* run("orders", { customer: "c", not: { tags: ["t"] } })).toEqual([
      { id: "1", asked: '{"customer":"c","status":"OPEN","limit":10,"filter":{"not":{"tags":["t"]}}}' }
    ])
  })
)

it.scopedLive("is made from a configuration, with a text as the whole authorization", () =>
  Effect.gen(function* () {
    const server = yield* shop()
    const origin: ExecutorFactory.Origin = { name: "shop", type: "graphql", folder: undefined }
    const executor = yield* GraphQlExecutor.factory
      .make({ url: server.url, auth: Redacted.make("Token abcdef"), schema }, origin)
      .pipe(guarded(server.host))
    expect(yield* executor.prepare(entry("{ flaky }"))({})).toEqual({ flaky: 1 })
    expect(server.asked[0]?.headers.authorization).toBe("Token abcdef")
    const error = yield* Effect.flip(
      GraphQlExecutor.factory.make({ url: server.url, sdl: schema }, origin).pipe(guarded(server.host))
    )
    expect(error.faults).toMatchObject([{ path: ["sdl"] }])
  })
)
