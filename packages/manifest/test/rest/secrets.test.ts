/** Credentials: what they are sent with, and that they are told nowhere. */
import { HttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Content } from "@wield/core"
import { HttpGuard } from "@wield/http"
import type * as Executor from "@wield/manifest/Executor"
import * as ManifestEntry from "@wield/manifest/ManifestEntry"
import * as RestExecutor from "@wield/manifest/RestExecutor"
import { Cause, Effect, Exit, Logger, LogLevel, Redacted, TestClock, Tracer } from "effect"
import { type Answer, api, call, executor, json } from "./api.js"

const get = ManifestEntry.api({
  name: "tool",
  parameters: { type: "object", properties: { a: {} } },
  api: { method: "GET", path: "/x?a={a}" }
})

const secret = 's3cr3t/+&="token'

const auths: ReadonlyArray<RestExecutor.Auth> = [
  { type: "bearer", token: secret },
  { type: "basic", username: "ann", password: secret },
  { type: "apiKey", in: "header", name: "x-own-key", value: secret },
  { type: "apiKey", in: "query", name: "key", value: secret },
  { type: "apiKey", in: "cookie", name: "sid", value: secret }
]

/** All that a program, a model or an operator can come to see of a call, as one text. */
const seen = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const told: Array<unknown> = []
    const ends: Array<unknown> = []
    const tracer = Tracer.make({
      span: (name, parent, context, links, startTime, kind) => {
        const attributes = new Map<string, unknown>()
        told.push(name, attributes)
        return {
          _tag: "Span",
          name,
          spanId: "s",
          traceId: "t",
          parent,
          context,
          status: { _tag: "Started", startTime },
          attributes,
          links,
          sampled: true,
          kind,
          end: (_, exit) => {
            const how = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : exit.value
            told.push(how)
            ends.push(how)
          },
          attribute: (key, value) => attributes.set(key, value),
          event: (event, _, values) => told.push(event, values),
          addLinks: () => undefined
        }
      },
      context: (run) => run()
    })
    const logger = Logger.make(({ annotations, cause, message }) => told.push(message, cause, [...annotations]))
    const exit = yield* Effect.exit(effect).pipe(
      Effect.withTracer(tracer),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
    told.push(Exit.isFailure(exit) ? [Cause.pretty(exit.cause), exit.cause.toJSON()] : exit.value)
    const names = told.filter((one) => typeof one === "string")
    return {
      text: JSON.stringify(told, (_, value: unknown) => (value instanceof Map ? [...value] : value)),
      names,
      /** How spans ended. */
      ends
    }
  })

const isHidden = (text: string) => {
  for (const one of [
    "s3cr3t",
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
    Buffer.from(`ann:${secret}`).toString("base64")
  ]) {
    assert.notInclude(text, one)
  }
}

describe("a credential", () => {
  /** It says all that it was sent, in every way that there is. */
  const echo =
    (status: number, type: string): Answer =>
    ({ headers, url }, response) => {
      const told = {
        url,
        headers,
        decoded: decodeURIComponent(url),
        [secret]: secret,
        base64: Buffer.from(secret).toString("base64"),
        base64url: Buffer.from(secret).toString("base64url"),
        percentEncoded: encodeURIComponent(secret).replaceAll(/%../g, (octet) => octet.toLowerCase())
      }
      const text = JSON.stringify(told)
      // The same with escapes that JSON allows.
      const escaped = text.replaceAll("s3cr3t", "s3cr\\u0033t")
      response.writeHead(status, { "content-type": type }).end(type.includes("json") ? escaped : text)
    }

  for (const auth of auths) {
    const name = auth.type === "apiKey" ? `API key in a ${auth.in}` : auth.type
    it.scopedLive(`(${name}) that an API says again is taken out of results and errors, and is in no span or log`, () =>
      Effect.gen(function* () {
        for (const [status, type] of [
          [200, "application/json"],
          [200, "text/plain"],
          [400, "application/json"],
          [500, "text/html"]
        ] as const) {
          const server = yield* api(echo(status, type))
          const rest = yield* executor(server.host, { url: server.url, auth, retry: { times: 1, baseDelay: 1 } })
          const { names, text } = yield* seen(rest.prepare(get)({ a: "argument" }))
          assert.include(JSON.stringify(server.asked[0]), auth.type === "basic" ? "Basic " : "s3cr3t")
          isHidden(text)
          assert.include(text, "<redacted>")
          assert.deepStrictEqual(
            names.filter((one) => one.startsWith("wield.") || one.startsWith("http")),
            ["wield.rest"]
          )
        }
      })
    )

    it.scopedLive(`(${name}) is not told when the API cannot be reached`, () =>
      Effect.gen(function* () {
        const server = yield* Effect.scoped(api(() => undefined))
        const rest = yield* executor(server.host, { url: server.url, auth, retry: { times: 1, baseDelay: 1 } })
        const { text } = yield* seen(rest.prepare(get)({ a: "argument" }))
        assert.include(text, "cannot be reached")
        isHidden(text)
        assert.notInclude(text, "argument")
      })
    )
  }

  it.scopedLive("and what an API says of a request besides, is not how its span ends", () =>
    Effect.gen(function* () {
      const server = yield* api(({ url }, response) => json(response, { url, error: "no such person" }, 404))
      const rest = yield* executor(server.host, { url: server.url })
      const { ends, text } = yield* seen(rest.prepare(get)({ a: "argument" }))
      assert.include(text, "no such person")
      assert.strictEqual(ends.length, 1)
      assert.include(String(ends), "It ended with StatusError")
      assert.notInclude(String(ends), "no such person")
      assert.notInclude(String(ends), "argument")
      assert.include(text, '["error.type","StatusError"]')
    })
  )

  it.scopedLive("is not sent to another origin that the API redirects to", () =>
    Effect.gen(function* () {
      for (const auth of auths) {
        const other = yield* api((_, response) => json(response, "fine"))
        const first = yield* api((_, response) => response.writeHead(302, { location: `${other.url}/y` }).end())
        const client = yield* HttpGuard.make({ allowedHosts: [first.host, other.host] })
        const headers = { "x-more": Redacted.make("s3cr3t-too") }
        const rest = yield* RestExecutor.make({ url: first.url, auth, headers }).pipe(
          Effect.provideService(HttpClient.HttpClient, client)
        )
        yield* rest.prepare(get)({})
        assert.strictEqual(other.asked.length, 1)
        isHidden(JSON.stringify(other.asked))
      }
    })
  )

  it.scopedLive("of a header that is Redacted is hidden, too; other headers are not", () =>
    Effect.gen(function* () {
      const headers = { "X-Tenant": Redacted.make("tenant-9"), accept: "application/json" }
      const { result } = yield* call(get, {}, { headers }, (asked, response) => json(response, asked.headers))
      assert.ok(result._tag === "Right")
      assert.deepInclude(result.right, { "x-tenant": "<redacted>", accept: "application/json" })
    })
  )

  it.scopedLive("is taken out of files that are texts, and their names; any other that has it is no answer", () =>
    Effect.gen(function* () {
      const answering = (type: string | undefined, prefix: string) =>
        call(get, {}, { auth: { type: "bearer", token: secret } }, ({ headers }, response) => {
          response.writeHead(200, type === undefined ? {} : { "content-type": type })
          response.end(Buffer.from(`${prefix}${headers.authorization} ${btoa(`ann:${secret}`)}`, "latin1"))
        })
      const { result } = yield* answering("application/octet-stream", "sent ")
      assert.ok(result._tag === "Right" && result.right instanceof Content.Answer)
      const [file] = result.right.parts
      assert.ok(file?._tag === "File" && file.source._tag === "Base64")
      const text = Buffer.from(file.source.data, "base64").toString()
      assert.include(text, "sent Bearer <redacted>")
      isHidden(text)
      for (const type of ["application/octet-stream", "image/png", undefined]) {
        const other = yield* answering(type, "\u0089\0")
        assert.ok(other.result._tag === "Left" && other.result.left._tag === "RequestFailed")
        assert.strictEqual(other.result.left.reason, "invalid-answer")
        isHidden(other.result.left.message)
      }
    })
  )

  it.scopedLive("is taken out of the name of a file", () =>
    Effect.gen(function* () {
      const { result } = yield* call(get, {}, { auth: { type: "bearer", token: "s3cr3t" } }, (_, response) =>
        response
          .writeHead(200, { "content-type": "a/s3cr3t", "content-disposition": 'attachment; filename="s3cr3t.bin"' })
          .end("x")
      )
      assert.ok(result._tag === "Right")
      assert.notInclude(JSON.stringify(result.right), "s3cr3t")
    })
  )

  it.scopedLive("in the query of the API's URL is hidden; what else stands there is not", () =>
    Effect.gen(function* () {
      const server = yield* api(({ url }, response) => json(response, { url }))
      const url = Redacted.make(`${server.url}?format=json&key=k-123&sig=abcdefghijkl`)
      const rest = yield* executor(server.host, { url })
      const result = yield* rest.prepare(get)({})
      assert.deepStrictEqual(result, { url: "/x?format=json&key=<redacted>&sig=<redacted>" })
    })
  )

  it.scopedLive("is not sent beside a parameter of its name and place", () =>
    Effect.gen(function* () {
      for (const place of ["query", "cookie"] as const) {
        const api = yield* executor("x.example", {
          url: "https://x.example",
          auth: { type: "apiKey", in: place, name: "api_key", value: "secret" }
        })
        const entry = (name: string, where: "query" | "cookie") =>
          ManifestEntry.api({
            name: "tool",
            parameters: { type: "object", properties: { own: { type: "string" } } },
            api: { path: "/x", method: "GET", parameters: { own: { in: where, name } } }
          })
        const rules = (one: ManifestEntry.ApiEntry) => api.check(one).map(({ rule }) => rule)
        assert.deepStrictEqual(rules(entry("API.key", place)), ["credential-name-taken"])
        assert.deepStrictEqual(rules(entry("api_key", place === "query" ? "cookie" : "query")), [])
        assert.deepStrictEqual(rules(entry("page", place)), [])
      }
    })
  )

  it.scopedLive("is not missed where an answer is nested too deep to be looked through", () =>
    Effect.gen(function* () {
      const depth = 200_000
      const text = `${"[".repeat(depth)}"s3cr\\u0033t"${"]".repeat(depth)}`
      const answer: Answer = (_, response) => response.writeHead(200, { "content-type": "application/json" }).end(text)
      const { result } = yield* call(get, {}, { auth: { type: "bearer", token: "s3cr3t" } }, answer)
      assert.ok(result._tag === "Left" && result.left._tag === "RequestFailed")
      assert.strictEqual(result.left.reason, "invalid-answer")
    })
  )

  it.effect("that a header cannot carry is refused without being told", () =>
    Effect.gen(function* () {
      for (const auth of [
        { type: "bearer", token: "s3cr3t\n" },
        { type: "apiKey", in: "header", name: "a b", value: "s3cr3t" }
      ] as const) {
        const error = yield* RestExecutor.make({ url: "https://api.example.com", auth }).pipe(
          Effect.flip,
          Effect.provide(HttpGuard.layer())
        )
        assert.strictEqual(error._tag, "InvalidConfiguration")
        assert.notInclude(error.message, "s3cr3t")
      }
    })
  )
})

describe("a token of OAuth 2.0", () => {
  interface Tokens {
    readonly issued: ReadonlyArray<{ readonly body: string; readonly authorization: string | undefined }>
    readonly execute: Executor.Execute
    readonly refuse: (token: string) => void
    readonly used: ReadonlyArray<string | undefined>
  }

  const withTokens = (
    token: (count: number) => object,
    auth: Partial<Extract<RestExecutor.Auth, { type: "oauth2" }>> = {},
    entry = get
  ) =>
    Effect.gen(function* () {
      const issued: Array<{ body: string; authorization: string | undefined }> = []
      const used: Array<string | undefined> = []
      const refused = new Set<string>()
      const server = yield* api(({ body, headers, url }, response) => {
        if (url === "/token") {
          issued.push({ body, authorization: headers.authorization })
          return setTimeout(() => json(response, token(issued.length)), 20)
        }
        used.push(headers.authorization)
        const isRefused = [...refused].some((one) => headers.authorization === `Bearer ${one}`)
        return json(response, { echo: headers.authorization }, isRefused ? 401 : 200)
      })
      const rest = yield* executor(server.host, {
        url: server.url,
        auth: { type: "oauth2", tokenUrl: `${server.url}/token`, clientId: "my id", clientSecret: secret, ...auth }
      })
      const tokens: Tokens = { issued, used, execute: rest.prepare(entry), refuse: (one) => refused.add(one) }
      return tokens
    })

  it.scopedLive("is asked for once, by all who need it, and is in no result", () =>
    Effect.gen(function* () {
      const { execute, issued, used } = yield* withTokens(
        (count) => ({ access_token: `token-${count}`, expires_in: 3600 }),
        {
          scope: "orders:read all",
          audience: "https://api"
        }
      )
      const results = yield* Effect.all(
        Array.from({ length: 10 }, () => execute({})),
        { concurrency: "unbounded" }
      )
      yield* execute({})
      assert.strictEqual(issued.length, 1)
      assert.deepStrictEqual(
        [...new URLSearchParams(issued[0]?.body)],
        [
          ["grant_type", "client_credentials"],
          ["scope", "orders:read all"],
          ["audience", "https://api"]
        ]
      )
      const [id = "", sent = ""] = Buffer.from(String(issued[0]?.authorization).slice(6), "base64")
        .toString()
        .split(":")
      assert.deepStrictEqual([...new URLSearchParams(`id=${id}&secret=${sent}`).values()], ["my id", secret])
      assert.deepStrictEqual([...new Set(used)], ["Bearer token-1"])
      assert.deepStrictEqual(results[0], { echo: "Bearer <redacted>" })
    })
  )

  it.scopedLive("may be asked for with the client's secret in the body", () =>
    Effect.gen(function* () {
      const { execute, issued } = yield* withTokens(() => ({ access_token: "token" }), { clientAuthentication: "body" })
      yield* execute({})
      assert.strictEqual(issued[0]?.authorization, undefined)
      assert.strictEqual(new URLSearchParams(issued[0]?.body).get("client_secret"), secret)
    })
  )

  it.scoped("is asked for anew when it has expired", () =>
    Effect.gen(function* () {
      const { execute, issued } = yield* withTokens((count) => ({ access_token: `token-${count}`, expires_in: 3600 }))
      yield* execute({})
      yield* execute({})
      assert.strictEqual(issued.length, 1)
      yield* TestClock.adjust("1 hour")
      yield* execute({})
      assert.strictEqual(issued.length, 2)
    })
  )

  it.scopedLive("is asked for anew once, when the API does not take it, for POST as well", () =>
    Effect.gen(function* () {
      const post = ManifestEntry.api({ name: "tool", api: { method: "POST", path: "/x" } })
      const tokens = yield* withTokens((count) => ({ access_token: `token-${count}`, expires_in: 3600 }), {}, post)
      yield* tokens.execute({})
      tokens.refuse("token-1")
      yield* Effect.all([tokens.execute({}), tokens.execute({}), tokens.execute({})], { concurrency: "unbounded" })
      assert.strictEqual(tokens.issued.length, 2)
      tokens.refuse("token-2")
      tokens.refuse("token-3")
      const error = yield* Effect.flip(tokens.execute({}))
      assert.deepInclude(error, { _tag: "StatusError", status: 401, body: { echo: "Bearer <redacted>" } })
      assert.strictEqual(tokens.issued.length, 3)
    })
  )

  it.scopedLive("that cannot be had is a failure without secrets", () =>
    Effect.gen(function* () {
      for (const answer of [{ error: secret }, { access_token: `${secret}\r\nx: y` }, { access_token: 7 }]) {
        const { execute, used } = yield* withTokens(() => answer)
        const { text } = yield* seen(execute({}))
        assert.include(text, "no token could be had")
        isHidden(text)
        assert.strictEqual(used.length, 0)
      }
    })
  )
})
