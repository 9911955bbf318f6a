/** How redirects are followed. */
import { HttpBody, HttpClientRequest, UrlParams } from "@effect/platform"
import { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { HttpGuard } from "@wield/http"
import { Effect, Either, Option, Stream } from "effect"
import { server } from "./server.js"

const refusalOf = (error: unknown) => Option.getOrThrow(HttpGuard.refusalOf(error))

describe("a redirect", () => {
  it.scopedLive("to a private address is refused, however it is spelled", () =>
    Effect.gen(function* () {
      const hidden = yield* server((_, response) => response.end("secret"))
      for (const location of [
        hidden.url,
        `http://2130706433:${hidden.port}/`,
        `//[::ffff:127.0.0.1]:${hidden.port}/`,
        "http://169.254.169.254/latest/meta-data/iam",
        `http://localhost:${hidden.port}/`
      ]) {
        const open = yield* server((_, response) => response.writeHead(302, { location }).end())
        const client = yield* HttpGuard.make({ allowedHosts: [`127.0.0.1:${open.port}`] })
        assert.strictEqual(refusalOf(yield* Effect.flip(client.get(open.url)))._tag, "AddressRefused", location)
        assert.strictEqual(open.asked.length, 1)
      }
      assert.strictEqual(hidden.asked.length, 0)
    })
  )

  it.scopedLive("to another protocol is refused", () =>
    Effect.gen(function* () {
      const open = yield* server((_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end())
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
      assert.strictEqual(refusalOf(yield* Effect.flip(client.get(open.url)))._tag, "ProtocolRefused")
    })
  )

  it.scopedLive("to nowhere is refused", () =>
    Effect.gen(function* () {
      const open = yield* server((_, response) => response.writeHead(302, { location: "http://[" }).end())
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
      assert.strictEqual(refusalOf(yield* Effect.flip(client.get(open.url)))._tag, "RedirectRefused")
    })
  )

  it.scopedLive("without a location is an answer", () =>
    Effect.gen(function* () {
      const open = yield* server((_, response) => response.writeHead(302).end("see elsewhere"))
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
      const answer = yield* client.get(open.url)
      assert.deepStrictEqual([answer.status, yield* answer.text], [302, "see elsewhere"])
    })
  )

  it.scopedLive("gives an answer that knows where it came from", () =>
    Effect.gen(function* () {
      const there = yield* server((_, response) => response.end("there"))
      const open = yield* server((_, response) => response.writeHead(302, { location: `${there.url}/a/b?c=d` }).end())
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
      const { request } = yield* client.get(open.url)
      assert.strictEqual(
        Either.getOrThrow(UrlParams.makeUrl(request.url, request.urlParams, request.hash)).href,
        `${there.url}/a/b?c=d`
      )
    })
  )

  it.scopedLive("that leads round in a circle ends", () =>
    Effect.gen(function* () {
      const loop = yield* server((asked, response) => response.writeHead(302, { location: `${asked.url}x` }).end())
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"], maxRedirects: 3 })
      assert.include(refusalOf(yield* Effect.flip(client.get(loop.url))), { _tag: "TooManyRedirects", limit: 3 })
      assert.strictEqual(loop.asked.length, 4)
    })
  )

  it.scopedLive("with an endless body does not hold up the next request", () =>
    Effect.gen(function* () {
      const open = yield* server((asked, response) => {
        if (asked.url === "/end") return response.end("there")
        response.writeHead(302, { location: "/end" })
        const timer = setInterval(() => response.write("x".repeat(1000)), 1)
        return response.on("close", () => clearInterval(timer))
      })
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
      assert.strictEqual(yield* Effect.flatMap(client.get(open.url), (answer) => answer.text), "there")
    })
  )
})

describe("what a redirected request sends", () => {
  /** A request to a server that redirects it; `elsewhere` is another origin. */
  const followed = (status: number, request: HttpClientRequest.HttpClientRequest, isElsewhere: boolean) =>
    Effect.gen(function* () {
      const target = yield* server((_, response) => response.end("arrived"))
      const first = yield* server((asked, response) => {
        if (asked.url === "/end") return response.end("arrived")
        return response.writeHead(status, { location: isElsewhere ? `${target.url}/end` : "/end" }).end()
      })
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
      yield* client.execute(request.pipe(HttpClientRequest.prependUrl(first.url)))
      const last = (isElsewhere ? target : first).asked.at(-1)
      assert.ok(last !== undefined)
      return last
    })

  const secrets = { authorization: "Bearer t", cookie: "session=1", "x-api-key": "k", "x-plain": "p" }

  it.scopedLive("keeps credentials for the same origin", () =>
    Effect.gen(function* () {
      const { headers } = yield* followed(302, HttpClientRequest.get("/", { headers: secrets }), false)
      assert.deepInclude(headers, secrets)
    })
  )

  it.scopedLive("leaves out for another origin what may be a credential, which any header may", () =>
    Effect.gen(function* () {
      const common = { accept: "text/plain", "accept-language": "de", "user-agent": "shop/1" }
      const request = HttpClientRequest.get("/", { headers: { ...secrets, ...common, host: "first.example" } })
      const { headers } = yield* followed(302, request, true)
      for (const name of Object.keys(secrets)) assert.notProperty(headers, name)
      assert.notStrictEqual(headers.host, "first.example")
      assert.deepInclude(headers, common)
    })
  )

  it.scopedLive.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [301, "PUT", "PUT"],
    [302, "DELETE", "DELETE"],
    [307, "POST", "POST"],
    [308, "POST", "POST"]
  ] as const)("after a %i of %s is a %s", ([status, method, next]) =>
    Effect.gen(function* () {
      const request = HttpClientRequest.make(method)("/").pipe(HttpClientRequest.bodyUnsafeJson({ a: 1 }))
      const { body, headers, method: sent } = yield* followed(status, request, false)
      assert.strictEqual(sent, next)
      assert.strictEqual(body, next === "GET" ? "" : '{"a":1}')
      assert.strictEqual(headers["content-type"], next === "GET" ? undefined : "application/json")
    })
  )

  it.scopedLive("sends a form again", () =>
    Effect.gen(function* () {
      const form = new FormData()
      form.append("name", "value")
      const request = HttpClientRequest.post("/").pipe(HttpClientRequest.bodyFormData(form))
      assert.include((yield* followed(307, request, false)).body, "value")
    })
  )

  it.scopedLive("cannot send again what a caller gives as it is, where it can be read only once", () =>
    Effect.gen(function* () {
      const there = yield* server((_, response) => response.end("there"))
      const first = yield* server((_, response) => response.writeHead(307, { location: there.url }).end())
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
      const bytes = new TextEncoder().encode("once")
      const pieces = async function* () {
        yield bytes
      }
      for (const body of [Readable.from([bytes]), new Blob([bytes]).stream(), pieces()]) {
        const error = yield* Effect.flip(client.post(first.url, { body: HttpBody.raw(body) }))
        assert.include(refusalOf(error), { _tag: "RedirectRefused", reason: "stream" })
      }
      assert.deepStrictEqual(
        first.asked.map(({ body }) => body),
        ["once", "once", "once"]
      )
      assert.strictEqual(there.asked.length, 0)
      for (const body of ["once", bytes, new Blob([bytes])]) {
        yield* client.post(first.url, { body: HttpBody.raw(body) })
      }
      assert.deepStrictEqual(
        there.asked.map(({ body }) => body),
        ["once", "once", "once"]
      )
    })
  )

  it.scopedLive("that fails is an error of the request that it led to", () =>
    Effect.gen(function* () {
      const there = yield* server((_, response) => response.socket?.destroy())
      const first = yield* server((_, response) => response.writeHead(307, { location: there.url }).end())
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
      const error = yield* Effect.flip(client.post(first.url, { headers: { "idempotency-key": "key" } }))
      assert.strictEqual(new URL(error.request.url).host, new URL(there.url).host)
      assert.notProperty(error.request.headers, "idempotency-key")
    })
  )

  it.scopedLive("cannot send a stream again", () =>
    Effect.gen(function* () {
      const first = yield* server((_, response) => response.writeHead(307, { location: "/end" }).end())
      const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
      const body = HttpBody.stream(Stream.make(new TextEncoder().encode("once")), "text/plain")
      const error = yield* Effect.flip(client.post(first.url, { body }))
      assert.include(refusalOf(error), { _tag: "RedirectRefused", reason: "stream" })
      assert.strictEqual(first.asked[0]?.body, "once")
    })
  )
})
