/** The guard as a `fetch`. */
import { assert, it } from "@effect/vitest"
import { HttpGuard, RequestGuard } from "@wield/http"
import { Effect, Option } from "effect"
import { server } from "./server.js"
import { causeOf, untyped } from "../../../test/untyped.js"

it.scopedLive("sends what fetch would send, and gives a web response", () =>
  Effect.gen(function* () {
    const { asked, port, url } = yield* server((_, response) => response.writeHead(201).end("made"))
    const fetch = yield* HttpGuard.makeFetch({ allowedHosts: [`127.0.0.1:${port}`] })
    const response = yield* Effect.promise(() =>
      fetch(url, { method: "post", body: "{}", headers: { "content-type": "application/json" } })
    )
    assert.strictEqual(response.status, 201)
    assert.strictEqual(yield* Effect.promise(() => response.text()), "made")
    assert.deepStrictEqual(
      asked.map(({ body, headers, method }) => [method, body, headers["content-type"]]),
      [["POST", "{}", "application/json"]]
    )
    yield* Effect.promise(() => fetch(url, { method: "POST", body: new URLSearchParams({ a: "b c" }) }))
    assert.strictEqual(asked[1]?.body, "a=b+c")
    assert.match(asked[1]?.headers["content-type"] ?? "", /^application\/x-www-form-urlencoded/)
  })
)

it.scopedLive("refuses what the guard refuses, also behind a redirect", () =>
  Effect.gen(function* () {
    const open = yield* server((_, response) => response.writeHead(307, { location: "http://169.254.169.254/" }).end())
    const fetch = yield* HttpGuard.makeFetch({ allowedHosts: [`127.0.0.1:${open.port}`] })
    const { error } = yield* Effect.flip(Effect.tryPromise(() => fetch(open.url)))
    assert.strictEqual(Option.getOrThrow(HttpGuard.refusalOf(error))._tag, "AddressRefused")
    const left = yield* Effect.promise(() => fetch(open.url, { redirect: "manual" }))
    assert.strictEqual(left.status, 307)
  })
)

it.scopedLive("warns of no leak where many requests share a signal", () =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const note = ({ name }: Error) => void warnings.push(name)
    process.on("warning", note)
    yield* Effect.addFinalizer(() => Effect.sync(() => process.off("warning", note)))
    const { port, url } = yield* server((_, response) => setTimeout(() => response.end("late"), 50))
    const fetch = yield* HttpGuard.makeFetch({ allowedHosts: [`127.0.0.1:${port}`] })
    const { signal } = new AbortController()
    yield* Effect.promise(() => Promise.all(Array.from({ length: 12 }, () => fetch(url, { signal }))))
    assert.deepStrictEqual(warnings, [])
  })
)

it.scopedLive("takes a signal that is not Node's", () =>
  Effect.gen(function* () {
    const { port, url } = yield* server((_, response) => response.end("done"))
    const fetch = yield* HttpGuard.makeFetch({ allowedHosts: [`127.0.0.1:${port}`] })
    const { signal } = new AbortController()
    // Of a library that brings a signal of its own.
    const foreign = Object.create(null, {
      aborted: { value: false },
      addEventListener: { value: signal.addEventListener.bind(signal) },
      removeEventListener: { value: signal.removeEventListener.bind(signal) }
    }) as AbortSignal
    assert.strictEqual(yield* Effect.promise(async () => (await fetch(url, { signal: foreign })).text()), "done")
  })
)

it.scopedLive("ends with its signal", () =>
  Effect.gen(function* () {
    const { port, url } = yield* server(() => undefined)
    const fetch = yield* HttpGuard.makeFetch({ allowedHosts: [`127.0.0.1:${port}`] })
    const controller = new AbortController()
    const reason = new Error("no longer wanted")
    const failure = Effect.flip(Effect.tryPromise(() => fetch(url, { signal: controller.signal })))
    yield* Effect.sync(() => setTimeout(() => controller.abort(reason), 20))
    assert.strictEqual((yield* failure).error, reason)
  })
)

it.scopedLive("fails at a redirect where it is to, and knows no other word for what to do at one", () =>
  Effect.gen(function* () {
    const { port, url } = yield* server((_, response) => response.writeHead(307, { location: "/" }).end())
    const fetch = yield* HttpGuard.makeFetch({ allowedHosts: [`127.0.0.1:${port}`] })
    const refused = yield* Effect.flip(Effect.tryPromise(() => fetch(url, { redirect: "error" })))
    assert.strictEqual(Option.getOrThrow(HttpGuard.refusalOf(refused.error))._tag, "TooManyRedirects")
    const untypedFetch = untyped<Promise<Response>>(fetch)
    const misspelt = yield* Effect.flip(Effect.tryPromise(() => untypedFetch(url, { redirect: "manul" })))
    assert.match(String(misspelt.error), /redirect of a guarded fetch must be follow, error or manual/)
  })
)

it.scopedLive("is not made with a time that undici would take for none, nor with options that are not its own", () =>
  Effect.gen(function* () {
    const make = untyped<ReturnType<typeof HttpGuard.make>>(HttpGuard.make)
    class Policy {
      get maxBytes() {
        return NaN
      }
    }
    const wrong: ReadonlyArray<unknown> = [
      { headersTimeout: 0 },
      { bodyTimeout: Infinity },
      { connectTimeout: 1.5 },
      { maxHeaderBytes: 0 },
      new Policy(),
      Object.create({ maxBytes: NaN })
    ]
    for (const policy of wrong) assert.match(yield* causeOf(make(policy)), /The policy of HttpGuard/)
  })
)

it.scopedLive("says what a lookup must give", () =>
  Effect.gen(function* () {
    const lookup = untyped<Promise<ReadonlyArray<string>>>(async () => [{ address: "93.184.216.34", family: 4 }])
    const fetch = yield* HttpGuard.makeFetch({ lookup })
    const { error } = yield* Effect.flip(Effect.tryPromise(() => fetch("http://name.example/")))
    assert.match(String(error), /What the lookup of HttpGuard gives must be an array of texts/)
  })
)

it.live("a body is not read by a limit that is no number", () =>
  Effect.gen(function* () {
    const request = new Request("http://localhost/", { method: "POST", body: "{}" })
    for (const maxBytes of [NaN, undefined, "10 kB", -1]) {
      const read = untyped<Promise<unknown>>(RequestGuard.readText)
      const { error } = yield* Effect.flip(Effect.tryPromise(() => read(request, maxBytes)))
      assert.match(String(error), /maxBytes of RequestGuard must be a number of at least 0/)
    }
  })
)
