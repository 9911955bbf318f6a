/** Which addresses a request may go to, in all their spellings. */
import { HttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { HttpGuard } from "@wield/http"
import { Effect, Option } from "effect"
import { rangeOf } from "../src/guard/address.js"
import { server } from "./server.js"

const refusal = (url: string, policy: HttpGuard.Policy = {}) =>
  Effect.gen(function* () {
    const client = yield* HttpGuard.make({ connectTimeout: 2000, ...policy })
    return HttpGuard.refusalOf(yield* Effect.flip(client.get(url)))
  })

const literals = [
  "http://127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0177.0.0.1/",
  "http://0x7f.0.0.1/",
  "http://①②⑦.0.0.1/",
  "http://127.0.0.1./",
  "http://0.0.0.0/",
  "http://0/",
  "http://10.1.2.3/",
  "http://172.31.255.255/",
  "http://192.168.1.1/",
  "http://100.64.0.1/",
  "http://169.254.169.254/latest/meta-data",
  "http://2852039166/",
  "http://198.18.0.1/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://[::1]/",
  "http://[::]/",
  "http://[0:0:0:0:0:0:0:1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::ffff:0:127.0.0.1]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::127.0.0.1]/",
  "http://[64:ff9b:1::8.8.8.8]/",
  "http://[2002:7f00:1::]/",
  "http://[2001::1]/",
  "http://[fc00::1]/",
  "http://[fd12:3456::1]/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  "http://[ff02::1]/",
  "http://[4000::1]/",
  "https://127.0.0.1/",
  "http://user:password@127.0.0.1/"
]

describe("a guarded client, before it connects", () => {
  it.scopedLive.each(literals)("refuses %s", (url) =>
    Effect.map(refusal(url), (found) => {
      const error = Option.getOrThrow(found)
      assert.strictEqual(error._tag, "AddressRefused")
      assert.include(error.message, "allowedHosts of the policy of HttpGuard")
    })
  )

  it("takes public addresses for public, however they are carried", () => {
    for (const address of ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"]) {
      assert.strictEqual(rangeOf(address), "unicast", address)
    }
    assert.strictEqual(rangeOf("not an address"), "invalid")
    assert.strictEqual(rangeOf("fe80::1%eth0"), "linkLocal")
  })

  it.scopedLive("refuses a name that resolves to a private address, and does not connect", () =>
    Effect.gen(function* () {
      const target = yield* server((_, response) => response.end("secret"))
      const url = `http://harmless.example:${target.port}/`
      const found = yield* refusal(url, { lookup: async () => ["127.0.0.1"] })
      const expected = {
        _tag: "AddressRefused",
        host: "harmless.example",
        address: "127.0.0.1",
        range: "loopback"
      } as const
      assert.include(Option.getOrThrow(found), expected)
      assert.strictEqual(target.asked.length, 0)
    })
  )

  it.scopedLive("refuses localhost as the system resolves it", () =>
    Effect.map(refusal("http://localhost/"), (found) => {
      assert.strictEqual(Option.getOrThrow(found)._tag, "AddressRefused")
    })
  )

  it.scopedLive("refuses a name that has a private address beside a public one", () =>
    Effect.map(refusal("http://both.example/", { lookup: async () => ["8.8.8.8", "::1"] }), (found) => {
      assert.strictEqual(Option.getOrThrow(found).message.includes("::1"), true)
    })
  )

  it.scopedLive("refuses a name without an address, and one whose address is none", () =>
    Effect.gen(function* () {
      for (const addresses of [[], ["elsewhere.example"], ["127.0.0.1\u0000"]]) {
        const found = yield* refusal("http://odd.example/", { lookup: async () => addresses })
        assert.strictEqual(Option.getOrThrow(found)._tag, "AddressRefused")
      }
    })
  )

  it.scopedLive("resolves a name once for a connection, and goes where that answer said", () =>
    Effect.gen(function* () {
      const target = yield* server((_, response) => response.setHeader("connection", "close").end("ok"))
      let asked = 0
      const rebinding = async () => (asked++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"])
      const client = yield* HttpGuard.make({ lookup: rebinding, allowedHosts: [`127.0.0.1:${target.port}`] })
      const url = `http://rebind.example:${target.port}/`
      assert.strictEqual(yield* Effect.flatMap(client.get(url), (answer) => answer.text), "ok")
      assert.strictEqual(asked, 1)
      const second = HttpGuard.refusalOf(yield* Effect.flip(client.get(url)))
      assert.strictEqual(Option.getOrThrow(second)._tag, "AddressRefused")
      assert.strictEqual(target.asked.length, 1)
    })
  )

  it.scopedLive("does not take the failure of the resolver for a refusal", () =>
    Effect.gen(function* () {
      const client = yield* HttpGuard.make({ lookup: () => Promise.reject(new Error("SERVFAIL")) })
      const error = yield* Effect.flip(client.get("http://nowhere.example/"))
      assert.strictEqual(error._tag, "RequestError")
      assert.ok(Option.isNone(HttpGuard.refusalOf(error)))
    })
  )

  it.scopedLive.each(["ftp://example.com/", "file:///etc/passwd", "data:text/plain,hi", "gopher://127.0.0.1/"])(
    "refuses the protocol of %s",
    (url) =>
      Effect.map(refusal(url), (found) => {
        assert.strictEqual(Option.getOrThrow(found)._tag, "ProtocolRefused")
      })
  )
})

describe("a host that is allowed by name", () => {
  it.scopedLive("may be private: by name, by address, and by either with a port", () =>
    Effect.gen(function* () {
      const target = yield* server((_, response) => response.end("ok"))
      const lookup = async () => ["127.0.0.1"]
      for (const host of ["api.internal", "API.internal", `api.internal:${target.port}`, "127.0.0.1", "127.1"]) {
        const client = yield* HttpGuard.make({ allowedHosts: [host], lookup })
        const answer = yield* client.get(`http://api.internal:${target.port}/`)
        assert.strictEqual(yield* answer.text, "ok", host)
      }
    })
  )

  it.scopedLive("is allowed at no other port, and no other name with it", () =>
    Effect.gen(function* () {
      const lookup = async () => ["127.0.0.1"]
      const policy = { allowedHosts: ["api.internal:8080", "[::1]:8080", "10.0.0.1"], lookup }
      for (const url of [
        "http://api.internal:8081/",
        "http://api.internal/",
        "http://sub.api.internal:8080/",
        "http://api.internal.evil.example:8080/",
        "http://[::1]/",
        "http://127.0.0.1:8080/"
      ]) {
        const found = yield* refusal(url, policy)
        assert.strictEqual(Option.getOrThrow(found)._tag, "AddressRefused", url)
      }
    })
  )
})

describe("the layer", () => {
  it.effect("provides the client of a program", () =>
    HttpClient.get("http://[::1]/").pipe(
      Effect.flip,
      Effect.map((error) => assert.ok(Option.isSome(HttpGuard.refusalOf(error)))),
      Effect.provide(HttpGuard.layer())
    )
  )

  it.scopedLive("asks no proxy of the environment", () =>
    Effect.gen(function* () {
      const proxy = yield* server((_, response) => response.end("from the proxy"))
      const target = yield* server((_, response) => response.end("from the target"))
      yield* Effect.acquireRelease(
        Effect.sync(() => Object.assign(process.env, { HTTP_PROXY: proxy.url, http_proxy: proxy.url })),
        () =>
          Effect.sync(() => {
            delete process.env["HTTP_PROXY"]
            delete process.env["http_proxy"]
          })
      )
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
      assert.strictEqual(yield* Effect.flatMap(client.get(target.url), (answer) => answer.text), "from the target")
      assert.strictEqual(proxy.asked.length, 0)
    })
  )
})
