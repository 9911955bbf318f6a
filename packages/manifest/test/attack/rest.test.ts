/** Arguments that a model sends to reach further than it may, and answers that an API sends to do harm. */
import { assert, describe, it } from "@effect/vitest"
import * as ManifestEntry from "@wield/manifest/ManifestEntry"
import { check } from "../../src/rest/check.js"
import { Effect, Redacted } from "effect"
import { api, call, executor, json } from "../rest/api.js"

const text = { type: "string" }

const entry = (
  properties: { readonly [name: string]: object },
  parts: Partial<ManifestEntry.Api>,
  more: { readonly context?: ReadonlyArray<string>; readonly schema?: object } = {}
) =>
  ManifestEntry.api({
    name: "get_orders",
    parameters: { type: "object", properties, ...more.schema },
    context: more.context ?? [],
    api: { path: "/orders", method: "GET", ...parts }
  })

describe("a name of the query that belongs to a hidden field or to the API's key", () => {
  const scattered = entry(
    { customerid: text, filter: { type: "object" } },
    { parameters: { filter: { in: "query", style: "form", explode: true } } },
    { context: ["customerid"] }
  )
  const variants = [
    "customerid",
    "customerId",
    "CUSTOMERID",
    "customerid[]",
    "customerId[0]",
    " customerid",
    "cuſtomerid"
  ]
  for (const name of variants) {
    it.scopedLive(`cannot be a key of an object in the query as ${JSON.stringify(name)}`, () =>
      Effect.gen(function* () {
        const { asked, result } = yield* call(scattered, { customerid: "7", filter: { [name]: "8" } })
        assert.deepInclude(result, { _tag: "Left" })
        assert.deepStrictEqual(asked, [])
      })
    )
  }

  const open = entry({ q: text }, {}, { schema: { additionalProperties: true } })
  for (const name of ["api_key", "API_KEY", "api_key[]", "api.key", "api key", "Api_Key[x"]) {
    it.scopedLive(`cannot be an argument that the schema does not name as ${JSON.stringify(name)}`, () =>
      Effect.gen(function* () {
        const auth = { type: "apiKey", in: "query", name: "api_key", value: Redacted.make("k3y-of-the-api") } as const
        const { asked, result } = yield* call(open, { q: "a", [name]: "mine" }, { auth })
        assert.deepInclude(result, { _tag: "Left" })
        assert.deepStrictEqual(asked, [])
      })
    )
  }

  it.scopedLive("cannot be made of an object and its key", () =>
    Effect.gen(function* () {
      const deep = entry(
        { customer: text, filter: { type: "object" } },
        { parameters: { customer: { in: "query", name: "filter[customer]" } } },
        { context: ["customer"] }
      )
      const ways = [
        { customer: "8" },
        { Customer: "8" },
        { customer: ["8"] },
        { customer: { $ne: "7" } },
        { "customer][": "8" }
      ]
      for (const filter of ways) {
        const { asked, result } = yield* call(deep, { customer: "7", filter })
        assert.deepInclude(result, { _tag: "Left" })
        assert.deepStrictEqual(asked, [])
      }
      const { last } = yield* call(deep, { customer: "7", filter: { state: "open" } })
      assert.strictEqual(last?.url, "/orders?filter%5Bcustomer%5D=7&filter%5Bstate%5D=open")
    })
  )
})

describe("an entry whose visible parameter has the wire name of a hidden one", () => {
  const hidden = { context: ["customerid"] }
  const both = { customerid: text, client: text }
  for (const [what, wrong] of Object.entries({
    query: entry(both, { parameters: { client: { in: "query", name: "customerId" } } }, hidden),
    "the query's template": entry(both, { path: "/orders?customerid={customerid}&CustomerId={client}" }, hidden),
    header: entry(
      both,
      { headers: { "X-Customer": "{customerid}" }, parameters: { client: { in: "header", name: "x-customer" } } },
      hidden
    ),
    body: entry(both, { method: "POST", parameters: { client: { in: "body", name: "customerid" } } }, hidden)
  })) {
    it(`is an error (${what})`, () => {
      assert.include(
        check(wrong).map(({ rule }) => rule),
        "hidden-name-taken"
      )
    })
  }

  it("is none where the names differ or the places do", () => {
    const places = { client: { in: "query", name: "client_id" } } as const
    assert.deepStrictEqual(check(entry(both, { parameters: places }, hidden)), [])
    const post = { method: "POST", parameters: { client: { in: "query", name: "customerid" } } } as const
    assert.deepStrictEqual(check(entry(both, post, hidden)), [])
  })
})

describe("a client secret in the body of a request for a token", () => {
  for (const status of [307, 308]) {
    it.scopedLive(`is not sent on to where the token endpoint redirects with ${status}`, () =>
      Effect.gen(function* () {
        const thief = yield* api((_, response) => json(response, { access_token: "stolen" }))
        const tokens = yield* api((_, response) => response.writeHead(status, { location: thief.url }).end())
        const auth = {
          type: "oauth2",
          tokenUrl: `${tokens.url}/token`,
          clientId: "me",
          clientSecret: Redacted.make("s3cret-of-the-client"),
          clientAuthentication: "body"
        } as const
        // Both are on one host, so that the address is no reason to refuse it.
        const made = yield* executor("127.0.0.1", { url: tokens.url, auth })
        const result = yield* Effect.either(made.prepare(entry({ q: text }, {}))({ q: "a" }))
        assert.strictEqual(result._tag, "Left")
        assert.deepStrictEqual(thief.asked, [])
        assert.strictEqual(tokens.asked.length, 1)
        assert.include(tokens.asked[0]?.body, "client_secret=s3cret-of-the-client")
        assert.strictEqual(tokens.asked[0]?.headers["content-length"], String(tokens.asked[0]?.body.length))
      })
    )
  }
})

describe("an answer that is JSON", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000)
  const auth = { type: "bearer", token: Redacted.make("t0ken-of-the-api") } as const
  for (const [what, sent] of Object.entries({
    "nested 100,000 deep": deep,
    "nested 100,000 deep around a secret": `${"[".repeat(100_000)}"t0ken-of-the-api\\n"${"]".repeat(100_000)}`
  })) {
    for (const status of [200, 400]) {
      it.scopedLive(`${what} ends in an outcome with status ${status}`, () =>
        Effect.gen(function* () {
          const exit = yield* Effect.exit(
            call(entry({ q: text }, {}), { q: "a" }, { auth }, (_, response) =>
              response.writeHead(status, { "content-type": "application/json" }).end(sent)
            )
          )
          assert.strictEqual(exit._tag, "Success")
        })
      )
    }

    it.scopedLive(`${what} and asked for a part of ends in an outcome`, () =>
      Effect.gen(function* () {
        const parts = { result: { schema: undefined, path: "/0/0" } }
        const exit = yield* Effect.exit(
          call(entry({ q: text }, parts), { q: "a" }, { auth }, (_, response) =>
            response.writeHead(200, { "content-type": "application/json" }).end(sent)
          )
        )
        assert.strictEqual(exit._tag, "Success")
      })
    )
  }
})
