/** What is said of an entry before it is ever called. */
import { assert, describe, it } from "@effect/vitest"
import * as ExecutorFactory from "@wield/manifest/ExecutorFactory"
import * as ManifestEntry from "@wield/manifest/ManifestEntry"
import * as RestExecutor from "@wield/manifest/RestExecutor"
import { HttpGuard } from "@wield/http"
import { Effect, Redacted } from "effect"
import { api, json } from "./api.js"

const check = (
  parts: Partial<ManifestEntry.Api>,
  properties: Record<string, unknown> = { id: { type: "string" }, filter: { type: "object" } },
  required: ReadonlyArray<string> = ["id"]
) =>
  RestExecutor.factory
    .check(
      ManifestEntry.api({
        name: "tool",
        parameters: { type: "object", properties, required },
        api: { path: "/x", method: "GET", ...parts }
      })
    )
    .map(
      ({ offset, path, rule, severity }) =>
        `${severity} ${rule} ${path.join(".")}${offset === undefined ? "" : `:${offset}`}`
    )

describe("checking an entry", () => {
  it("finds nothing wrong with a good one", () => {
    const places = { filter: { in: "query", style: "deepObject" } } as const
    const path = "/orders/{id}/items?limit=5&q={filter}"
    assert.deepStrictEqual(check({ path, headers: { "X-Id": "{id}" } }), [])
    assert.deepStrictEqual(check({ path: "/orders/{id}", parameters: places }), [])
    assert.deepStrictEqual(check({ path: "/orders/{id}", method: "delete" }), [])
  })

  const path = "api.path"
  it.each([
    [{ path: undefined }, [`error path-missing ${path}`]],
    [{ path: "/x/{slip_id}" }, [`error placeholder-without-parameter ${path}:3`]],
    [{ path: "/x?a=1&b={B}" }, [`error placeholder-without-parameter ${path}:9`]],
    [{ path: "/{filter}" }, [`error path-parameter-object ${path}:1`, `warning path-parameter-optional ${path}:1`]],
    [{ path: "/x?a=1?b={id}" }, [`warning second-question-mark ${path}:6`]],
    [{ path: "/x?{id}=1" }, [`error query-name-placeholder ${path}:3`]],
    [{ path: "/x?{id}" }, [`error query-name-placeholder ${path}:3`]],
    [{ path: "/x/../y" }, [`error path-dots ${path}`]],
    [{ path: "/x/%2E%2e/y" }, [`error path-dots ${path}`]],
    [{ path: "/x/{id" }, [`error path-brace ${path}`]],
    [{ path: "/x\\y" }, [`error path-backslash ${path}`]],
    [{ path: "/x#{id}" }, [`warning path-fragment ${path}:2`]],
    [{ path: "https://api.example.com/x" }, [`error path-absolute ${path}`]],
    [{ method: "FETCH" }, ["error method-unknown api.method"]],
    [{ method: undefined }, ["warning method-missing api.method"]],
    [{ headers: { "X-A": "{nothing}" } }, ["error placeholder-without-parameter api.headers.X-A:0"]],
    [{ headers: { "X A": "1" } }, ["error header-name api.headers.X A"]],
    [{ headers: { Host: "{id}" } }, ["error header-name api.headers.Host"]],
    [{ headers: { "X-A": "1\r\nX-B: 2" } }, ["error header-value api.headers.X-A"]],
    [{ parameters: { other: { in: "query" } } }, ["error place-without-parameter api.parameters.other"]],
    [{ parameters: { id: { in: "path" } } }, ["error place-not-in-path api.parameters.id"]],
    [{ parameters: { id: { in: "body" } } }, ["error body-without-method api.parameters.id"]],
    [{ parameters: { id: { in: "query", style: "matrix" } } }, ["error place-style api.parameters.id"]],
    [{ parameters: { id: { in: "header", name: "Content-Length" } } }, ["error header-name api.parameters.id"]],
    [{ parameters: { id: { in: "cookie", name: "a;b" } } }, ["error cookie-name api.parameters.id"]],
    [{ method: "POST", body: "other" }, ["error body-without-parameter api.body"]],
    [{ method: "POST", body: "id", path: "/x" }, ["error body-beside-body api.body"]],
    [{ body: "id" }, ["error body-without-method api.body"]],
    [{ method: "POST", contentType: "text/csv" }, ["error body-missing api.contentType"]],
    [{ result: { path: "data.items", schema: undefined } }, ["error pointer-invalid api.result.path"]]
  ] as const)("finds what is wrong with %j", (parts: Partial<ManifestEntry.Api>, expected) => {
    assert.deepStrictEqual(check(parts), [...expected])
  })

  it("takes parameters that the call context supplies for present, and those with a default for absent", () => {
    const entry = ManifestEntry.api({
      name: "tool",
      parameters: { type: "object", properties: { customerId: {}, page: { default: 1 } } },
      context: ["customerid"],
      api: { path: "/{customerId}/{page}", method: "GET" }
    })
    assert.deepStrictEqual(
      RestExecutor.factory.check(entry).map(({ message, rule }) => [rule, message.split(" ", 1)[0]]),
      [["path-parameter-optional", "page"]]
    )
  })

  it("cannot know the parameters of a schema that refers to others", () => {
    const entry = ManifestEntry.api({
      name: "tool",
      parameters: { type: "object", allOf: [{ $ref: "#/$defs/order" }] },
      api: { path: "/{id}", method: "GET" }
    })
    assert.deepStrictEqual(RestExecutor.factory.check(entry), [])
  })
})

describe("an API from a configuration", () => {
  const make = (configuration: unknown) =>
    RestExecutor.factory
      .make(configuration, { name: "default", type: "rest", folder: undefined })
      .pipe(Effect.provide(HttpGuard.layer()))

  it.scopedLive("sends what it says", () =>
    Effect.gen(function* () {
      const server = yield* api(({ headers }, response) => json(response, headers))
      const entry = ManifestEntry.api({ name: "tool", api: { path: "/x", method: "GET" } })
      const asked = (auth: unknown) =>
        Effect.gen(function* () {
          const executor = yield* RestExecutor.factory.make(
            { url: server.url, auth, headers: { "x-one": "1", "x-two": Redacted.make("two-2") } },
            { name: "default", type: "rest", folder: undefined }
          )
          const result = yield* executor.prepare(entry)({})
          assert.deepInclude(result, { "x-one": "1", "x-two": "<redacted>" })
          return server.asked.at(-1)?.headers.authorization
        }).pipe(Effect.provide(HttpGuard.layer({ allowedHosts: [server.host] })))
      assert.strictEqual(yield* asked("Bearer literal"), "Bearer literal")
      assert.strictEqual(yield* asked(Redacted.make("Token t")), "Token t")
      assert.strictEqual(yield* asked({ type: "bearer", token: Redacted.make("text") }), "Bearer text")
    })
  )

  it.effect.each([
    [{}, "url"],
    [{ url: 7 }, "url"],
    [{ url: "api.example.com" }, "url"],
    [{ url: "file:///etc" }, "url"],
    [{ url: "https://ann:s3cr3t@api.example.com" }, "url"],
    [{ url: "https://x.example", headers: { a: "s3cr3t\n" } }, "headers.a"],
    [{ url: "https://x.example", timeout: "s3cr3t" }, "timeout"],
    [{ url: "https://x.example", tiemout: 1 }, "tiemout"],
    [
      { url: "https://x.example", auth: { type: "oauth2", tokenUrl: "s3cr3t", clientId: "a", clientSecret: "b" } },
      "tokenUrl"
    ]
  ] as const)("that is wrong is refused, and its values are not told: %j", ([configuration, path]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(make(configuration))
      assert.ok(error instanceof ExecutorFactory.InvalidConfiguration)
      assert.include(error.message, path)
      assert.notInclude(error.message, "s3cr3t")
    })
  )
})
