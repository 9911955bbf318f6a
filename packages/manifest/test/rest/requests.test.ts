/** What is sent. */
import { assert, describe, it } from "@effect/vitest"
import type * as Executor from "@wield/manifest/Executor"
import * as ManifestEntry from "@wield/manifest/ManifestEntry"
import type * as RestExecutor from "@wield/manifest/RestExecutor"
import { Effect, Redacted } from "effect"
import { call } from "./api.js"

const object = (...names: ReadonlyArray<string>) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}]))
})

/** An entry with parameters of these names. */
const entry = (names: ReadonlyArray<string>, api: Partial<ManifestEntry.Api>) =>
  ManifestEntry.api({ name: "tool", parameters: object(...names), api: { method: "GET", ...api } })

const sent = (
  names: ReadonlyArray<string>,
  api: Partial<ManifestEntry.Api>,
  parameters: Executor.Arguments,
  options: Omit<RestExecutor.Options, "url"> & { readonly base?: string } = {}
) =>
  Effect.map(call(entry(names, api), parameters, options), ({ last, result }) => {
    assert.strictEqual(result._tag, "Right", JSON.stringify(result))
    assert.ok(last !== undefined)
    return last
  })

const refused = (names: ReadonlyArray<string>, api: Partial<ManifestEntry.Api>, parameters: Executor.Arguments) =>
  Effect.map(call(entry(names, api), parameters), ({ asked, result }) => {
    assert.strictEqual(asked.length, 0, asked[0]?.url)
    assert.ok(result._tag === "Left" && result.left._tag === "RequestFailed", JSON.stringify(result))
    assert.strictEqual(result.left.reason, "invalid-request")
    return result.left.message
  })

describe("the template of Acorn's RestUtilTest", () => {
  const names = ["param1", "param2", "param3", "param4", "extra"]
  const path = "/path/{param1}/resource/{param2}?param3={param3}&param4={param4}&staticFilter&anotherFilter=5"
  const parameters = { param1: "value1", param2: "value2", param4: "4" }

  it.scopedLive("drops the pair of an absent argument, and puts pairs without placeholder first", () =>
    Effect.gen(function* () {
      const { body, url } = yield* sent(names, { path, method: "POST" }, parameters)
      assert.strictEqual(url, "/path/value1/resource/value2?staticFilter&anotherFilter=5&param4=4")
      assert.strictEqual(body, "{}")
      const without = yield* sent(names.slice(0, 4), { path, method: "POST" }, parameters)
      assert.strictEqual(without.body, "")
    })
  )

  it.scopedLive("sends what is left over as the body", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* sent(names, { path, method: "POST" }, { ...parameters, extra: { a: [1, null] } })
      assert.strictEqual(body, '{"extra":{"a":[1,null]}}')
      assert.strictEqual(headers["content-type"], "application/json")
    })
  )
})

describe("a path", () => {
  it.scopedLive.each([
    ["../admin", "..%2Fadmin"],
    ["a/b", "a%2Fb"],
    ["a%2fb", "a%252fb"],
    ["a?b=c", "a%3Fb%3Dc"],
    ["a#b", "a%23b"],
    ["a\\b", "a%5Cb"],
    ["a b", "a%20b"],
    ["a;b=c", "a%3Bb%3Dc"],
    ["a\r\nHost: x", "a%0D%0AHost%3A%20x"],
    ["%2e%2e", "%252e%252e"],
    ["...", "..."],
    ["@evil.example", "%40evil.example"],
    ["ä€😀", "%C3%A4%E2%82%AC%F0%9F%98%80"]
  ])("keeps the value %j in its segment", ([value, expected]) =>
    Effect.map(sent(["id"], { path: "/orders/{id}/items" }, { id: value }), ({ url }) => {
      assert.strictEqual(url, `/orders/${expected}/items`)
    })
  )

  it.scopedLive.each([".", "..", ""])("refuses the value %j, which would make it another path", (value) =>
    refused(["id"], { path: "/orders/{id}/items" }, { id: value })
  )

  it.scopedLive("refuses dots that two values make together", () =>
    refused(["a", "b"], { path: "/orders/{a}{b}" }, { a: ".", b: "." })
  )

  it.scopedLive("refuses dots that a value makes with the template", () =>
    refused(["a"], { path: "/orders/%2e{a}" }, { a: "." })
  )

  it.scopedLive("allows dots beside other text", () =>
    Effect.map(sent(["name"], { path: "/files/{name}.json" }, { name: ".." }), ({ url }) => {
      assert.strictEqual(url, "/files/...json")
    })
  )

  it.scopedLive("refuses an argument that is absent, null or inherited", () =>
    Effect.gen(function* () {
      for (const [name, parameters] of [
        ["id", {}],
        ["id", { id: null }],
        ["toString", {}],
        ["__proto__", {}]
      ] as const) {
        assert.include(yield* refused([], { path: `/orders/{${name}}` }, parameters), `${name} is missing`)
      }
    })
  )

  it.scopedLive("refuses text that has no UTF-8", () => refused(["id"], { path: "/{id}" }, { id: "\ud800" }))

  it.scopedLive("refuses an object, unless its style is said", () =>
    refused(["id"], { path: "/{id}" }, { id: { a: 1 } })
  )

  it.scopedLive.each([
    ["simple", false, [1, "a,b"], "1,a%2Cb"],
    ["simple", false, { a: 1, b: "=" }, "a,1,b,%3D"],
    ["simple", true, { a: 1, b: "=" }, "a=1,b=%3D"],
    ["label", false, "x", ".x"],
    ["label", false, ["x", "y"], ".x,y"],
    ["label", true, ["x", "y"], ".x.y"],
    ["label", true, { a: 1, b: 2 }, ".a=1.b=2"],
    ["matrix", false, "x", ";api_id=x"],
    ["matrix", false, ["x", "y"], ";api_id=x,y"],
    ["matrix", true, ["x", "y"], ";api_id=x;api_id=y"],
    ["matrix", true, { a: 1, b: 2 }, ";a=1;b=2"],
    ["matrix", false, { a: 1, b: 2 }, ";api_id=a,1,b,2"]
  ] as const)("writes style %s, explode %s, of %j", ([style, explode, value, expected]) =>
    Effect.map(
      sent(
        ["id"],
        { path: "/x/{api_id}", parameters: { id: { in: "path", name: "api_id", style, explode } } },
        { id: value }
      ),
      ({ url }) => assert.strictEqual(url, `/x/${expected}`)
    )
  )

  it.scopedLive("comes after that of the API's URL, whose query is sent with each request", () =>
    Effect.gen(function* () {
      const options = { base: "/v1/?version=2" }
      const both = yield* sent(["id", "q"], { path: "/orders/{id}?q={q}" }, { id: 7, q: true }, options)
      assert.strictEqual(both.url, "/v1/orders/7?version=2&q=true")
      assert.strictEqual((yield* sent([], { path: "orders" }, {}, options)).url, "/v1/orders?version=2")
      assert.strictEqual((yield* sent([], { path: "" }, {}, options)).url, "/v1?version=2")
      // It cannot name another host.
      assert.strictEqual((yield* sent([], { path: "//evil.example/x" }, {})).url, "//evil.example/x")
    })
  )
})

describe("a query", () => {
  const pairs = (url: string) => [...new URL(url, "http://x").searchParams]

  it.scopedLive("repeats a pair for an array, and drops it for an empty one", () =>
    Effect.gen(function* () {
      const path = "/x?tag={tags}&q={q}"
      const { url } = yield* sent(["tags", "q"], { path }, { tags: ["a&b", "c=d"], q: "" })
      assert.strictEqual(url, "/x?tag=a%26b&tag=c%3Dd&q=")
      assert.strictEqual((yield* sent(["tags"], { path }, { tags: [] })).url, "/x")
    })
  )

  it.scopedLive("fills a placeholder within a value", () =>
    Effect.gen(function* () {
      const path = "/x?filter=created:{from}..{to}"
      const full = yield* sent(["from", "to"], { path }, { from: "a&b", to: "c" })
      assert.deepStrictEqual(pairs(full.url), [["filter", "created:a&b..c"]])
      assert.strictEqual((yield* sent(["from", "to"], { path }, { from: "a" })).url, "/x")
    })
  )

  it.scopedLive("takes left-over arguments of GET, HEAD and OPTIONS, which send no body", () =>
    Effect.gen(function* () {
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        const { body, url } = yield* sent(
          ["a", "b", "c"],
          { path: "/x?z=1", method },
          { a: [1, 2], b: { k: "v" }, c: null }
        )
        assert.deepStrictEqual(pairs(url), [
          ["z", "1"],
          ["a", "1"],
          ["a", "2"],
          ["b[k]", "v"]
        ])
        assert.strictEqual(body, "")
      }
    })
  )

  it.scopedLive.each([
    [{}, ["x", "y"], "p=x&p=y"],
    [{ explode: false }, ["x", "y,z"], "p=x,y%2Cz"],
    [{ style: "spaceDelimited" }, ["x", "y"], "p=x%20y"],
    [{ style: "pipeDelimited" }, ["x", "y"], "p=x%7Cy"],
    [{ style: "pipeDelimited", explode: true }, ["x", "y"], "p=x&p=y"],
    [{ style: "form" }, { a: 1, b: 2 }, "a=1&b=2"],
    [{ style: "form", explode: false }, { a: 1, b: 2 }, "p=a,1,b,2"],
    [{ style: "deepObject" }, { a: { b: [1, 2] } }, "p%5Ba%5D%5Bb%5D%5B0%5D=1&p%5Ba%5D%5Bb%5D%5B1%5D=2"],
    [{ style: "deepObject" }, [{ a: 1 }, null, { a: 2 }], "p%5B0%5D%5Ba%5D=1&p%5B1%5D%5Ba%5D=2"],
    [{ allowReserved: true }, "a:/,&=;", "p=a:/,%26%3D%3B"],
    [{ contentType: "text/plain" }, "a b", "p=a%20b"],
    [{ contentType: "application/json" }, { a: ["&"] }, "p=%7B%22a%22%3A%5B%22%26%22%5D%7D"],
    [{ contentType: "application/json" }, ["&"], "p=%5B%22%26%22%5D"]
  ] as const)("writes a parameter with %j", ([place, value, expected]) =>
    Effect.map(
      sent(["own"], { path: "/x", parameters: { own: { in: "query", name: "p", ...place } } }, { own: value }),
      ({ url }) => assert.strictEqual(url, `/x?${expected}`)
    )
  )

  it.scopedLive("refuses keys of an object that are names of something else", () =>
    Effect.gen(function* () {
      const api = {
        path: "/x?limit={limit}&fixed=1",
        parameters: { filter: { in: "query", style: "form" }, other: { in: "query", name: "other_id" } }
      } as const
      const exploded = {
        ...api,
        parameters: { ...api.parameters, filter: { in: "query", style: "pipeDelimited", explode: true } }
      } as const
      for (const key of ["limit", "fixed", "other_id", "limit[x]", "filter"]) {
        for (const one of [api, exploded]) yield* refused(["limit", "filter", "other"], one, { filter: { [key]: "1" } })
      }
      yield* sent(["limit", "filter"], api, { filter: { limits: "1" } })
    })
  )

  it.scopedLive("does not let a key of an object take the name of the API's key", () =>
    Effect.gen(function* () {
      const one = entry(["filter"], { path: "/x", parameters: { filter: { in: "query", style: "form" } } })
      const auth = { type: "apiKey", in: "query", name: "api_key", value: "secret" } as const
      const { asked, result } = yield* call(one, { filter: { api_key: "mine" } }, { auth })
      assert.strictEqual(result._tag, "Left")
      assert.strictEqual(asked.length, 0)
    })
  )
})

describe("headers and cookies", () => {
  const api = {
    path: "/x",
    headers: { "X-Trace": "{trace}", "X-Version": "v{version}", accept: "application/json" },
    parameters: {
      list: { in: "header", name: "X-List" },
      session: { in: "cookie", name: "sid" },
      theme: { in: "cookie" }
    }
  } as const
  const names = ["trace", "version", "list", "session", "theme"]

  it.scopedLive("are filled with their arguments, and absent without them", () =>
    Effect.gen(function* () {
      const parameters = { trace: "t 1", version: 2, list: ["a", "b"], session: "x; admin=1", theme: "dark" }
      const { headers, url } = yield* sent(names, api, parameters)
      assert.strictEqual(url, "/x")
      assert.deepInclude(headers, {
        "x-trace": "t 1",
        "x-version": "v2",
        accept: "application/json",
        "x-list": "a,b",
        cookie: "sid=x%3B%20admin%3D1; theme=dark"
      })
      const without = yield* sent(names, api, {})
      for (const name of ["x-trace", "x-version", "x-list", "cookie"]) assert.notProperty(without.headers, name)
    })
  )

  it.scopedLive.each(["a\r\nX-Admin: 1", "a\nb", "a\0b", "a€"])("refuse the value %j", (trace) =>
    Effect.map(refused(names, api, { trace }), (message) => assert.include(message, "trace"))
  )

  it.scopedLive("begin no other cookie in the header of an entry", () =>
    Effect.gen(function* () {
      const own = { path: "/x", headers: { Cookie: "theme={theme}" } }
      assert.strictEqual((yield* sent(["theme"], own, { theme: "YQ==" })).headers.cookie, "theme=YQ==")
      assert.include(yield* refused(["theme"], own, { theme: "dark; admin=1" }), "semicolon")
    })
  )
})

describe("a body", () => {
  it.scopedLive("has left-over arguments of POST, PUT, PATCH and DELETE", () =>
    Effect.gen(function* () {
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const {
          body,
          method: used,
          url
        } = yield* sent(["id", "a"], { path: "/x/{id}", method }, { id: 1, a: "\ud800" })
        assert.deepStrictEqual([used, url, body], [method, "/x/1", '{"a":"\\ud800"}'])
        const empty = yield* sent(["id"], { path: "/x/{id}", method }, { id: 1 })
        assert.deepStrictEqual([empty.body, empty.headers["content-type"]], ["", undefined])
      }
      assert.strictEqual((yield* sent(["a"], { path: "/x", method: "DELETE" }, {})).body, "")
      assert.strictEqual((yield* sent(["a"], { path: "/x", method: "POST" }, {})).body, "{}")
    })
  )

  it.scopedLive("has what the schema names, and more only if the schema says so", () =>
    Effect.gen(function* () {
      const api = { path: "/x", method: "POST", parameters: { userId: { in: "body", name: "user_id" } } } as const
      const parameters = { a: 1, is_admin: true, userId: "u" }
      const closed = yield* sent(["a", "userId"], api, parameters)
      assert.deepStrictEqual(JSON.parse(closed.body), { user_id: "u", a: 1 })
      const open = ManifestEntry.api({
        name: "tool",
        parameters: { ...object("a", "userId"), additionalProperties: true },
        api
      })
      assert.deepStrictEqual(JSON.parse((yield* call(open, parameters)).last?.body ?? ""), {
        user_id: "u",
        a: 1,
        is_admin: true
      })
      // Not instead of one that the entry places, which may be hidden.
      assert.strictEqual((yield* call(open, { ...parameters, user_id: "other" })).asked.length, 0)
    })
  )

  it.scopedLive("may be the value of one parameter", () =>
    Effect.gen(function* () {
      const api = { path: "/x", method: "POST", body: "items" }
      assert.strictEqual((yield* sent(["items"], api, { items: [1, "a"] })).body, '[1,"a"]')
      assert.strictEqual((yield* sent(["items"], api, {})).body, "")
      const text = yield* sent(["items"], { ...api, contentType: "text/csv" }, { items: "a,b\n1,2" })
      assert.deepStrictEqual([text.body, text.headers["content-type"]], ["a,b\n1,2", "text/csv"])
      // An argument beside it has no place in the request, and is not lost without a word.
      const open = ManifestEntry.api({
        name: "tool",
        parameters: { ...object("items"), additionalProperties: true },
        api
      })
      const { asked, result } = yield* call(open, { items: [1], note: "x" })
      assert.deepStrictEqual([asked.length, result._tag], [0, "Left"])
      assert.include(JSON.stringify(result), "there is no argument of the name note")
      assert.strictEqual((yield* call(open, { items: [1] })).last?.body, "[1]")
    })
  )

  it.scopedLive("may be a form", () =>
    Effect.gen(function* () {
      const api = { path: "/x", method: "POST", contentType: "application/x-www-form-urlencoded" }
      const { body, headers } = yield* sent(["a", "b", "c", "d"], api, {
        a: "1&b=2",
        b: ["x", "y"],
        c: { k: "v" },
        d: null
      })
      assert.strictEqual(headers["content-type"], "application/x-www-form-urlencoded")
      assert.deepStrictEqual(
        [...new URLSearchParams(body)],
        [
          ["a", "1&b=2"],
          ["b", "x"],
          ["b", "y"],
          ["c[k]", "v"]
        ]
      )
    })
  )

  it.scopedLive("may have several parts, with files", () =>
    Effect.gen(function* () {
      const api = {
        path: "/x",
        method: "POST",
        contentType: "multipart/form-data",
        parameters: { photo: { in: "body", name: "image", isFile: true } }
      } as const
      const photo = { content: "AAEC", encoding: "base64", filename: 'a"\r\nX: y.png', contentType: "image/png" }
      const { body, headers } = yield* sent(["photo", "note", "meta"], api, {
        photo,
        note: "hi\r\n--x",
        meta: { a: 1 }
      })
      const form = yield* Effect.promise(() =>
        new Response(body, { headers: { "content-type": String(headers["content-type"]) } }).formData()
      )
      assert.deepStrictEqual([...form.keys()].sort(), ["image", "meta", "note"])
      assert.strictEqual(form.get("note"), "hi\r\n--x")
      const image = form.get("image")
      assert.ok(image instanceof File)
      assert.strictEqual(image.type, "image/png")
      assert.deepStrictEqual([...new Uint8Array(yield* Effect.promise(() => image.arrayBuffer()))], [0, 1, 2])
      // JSON is no file: servers take a part with a filename for one.
      assert.strictEqual(form.get("meta"), '{"a":1}')
      assert.include(body, 'name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n')
      yield* refused(["photo"], api, { photo: { content: "?", encoding: "base64" } })
      yield* refused(["photo"], api, { photo: { content: "x", contentType: "a\r\nb: c" } })
    })
  )
})

describe("credentials", () => {
  const get = entry([], { path: "/x?a=1" })

  it.scopedLive("are sent as the API wants them", () =>
    Effect.gen(function* () {
      const asked = (auth: RestExecutor.Auth) => Effect.map(call(get, {}, { auth }), ({ last }) => last)
      const token = Redacted.make("secret")
      assert.strictEqual((yield* asked({ type: "bearer", token }))?.headers.authorization, "Bearer secret")
      const basic = yield* asked({ type: "basic", username: "ann", password: "pä:ss" })
      assert.strictEqual(basic?.headers.authorization, `Basic ${Buffer.from("ann:pä:ss").toString("base64")}`)
      const header = yield* asked({ type: "apiKey", in: "header", name: "X-Api-Key", value: token })
      assert.strictEqual(header?.headers["x-api-key"], "secret")
      const query = yield* asked({ type: "apiKey", in: "query", name: "key", value: "a&b" })
      assert.strictEqual(query?.url, "/x?a=1&key=a%26b")
      const cookie = yield* asked({ type: "apiKey", in: "cookie", name: "sid", value: "a;b" })
      assert.strictEqual(cookie?.headers.cookie, "sid=a%3Bb")
    })
  )

  it.scopedLive("go before a header that the entry or the arguments fill", () =>
    Effect.gen(function* () {
      const one = entry(["a"], { path: "/x", headers: { Authorization: "{a}", "X-One": "entry" } })
      const options = {
        auth: { type: "bearer", token: "real" },
        headers: { "x-one": "api", "X-Two": "api" }
      } as const
      const { last } = yield* call(one, { a: "forged" }, options)
      assert.deepInclude(last?.headers, { authorization: "Bearer real", "x-one": "entry", "x-two": "api" })
    })
  )
})
