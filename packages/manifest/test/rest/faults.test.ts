/** APIs that fail, in all the ways that APIs do. */
import { assert, describe, it } from "@effect/vitest"
import { CurrentCall } from "@wield/core"
import type * as ExecutorError from "@wield/manifest/ExecutorError"
import * as ManifestEntry from "@wield/manifest/ManifestEntry"
import type * as RestExecutor from "@wield/manifest/RestExecutor"
import { Effect, type Either, Logger } from "effect"
import { type Answer, api, call, executor, json } from "./api.js"

const entryOf = (method: string, parts: Partial<ManifestEntry.Api> = {}) =>
  ManifestEntry.api({
    name: "tool",
    parameters: { type: "object", properties: { a: {} } },
    api: { method, path: "/x", ...parts }
  })

const fast = { times: 2, baseDelay: 1 }

const inCall = Effect.provideService(CurrentCall.CurrentCall, {
  id: "call_1",
  name: "tool",
  idempotencyKey: "key_1",
  run: { id: "run_1" },
  attempt: 1,
  progress: () => Effect.void
})

const failing = (
  answer: Answer,
  options: Omit<RestExecutor.Options, "url"> = {},
  method = "GET",
  parts: Partial<ManifestEntry.Api> = {}
) => call(entryOf(method, parts), {}, { retry: fast, ...options }, answer)

const failure = (result: Either.Either<unknown, ExecutorError.ExecutorError>) => {
  assert.ok(result._tag === "Left", JSON.stringify(result))
  return result.left
}

const reason = (result: Either.Either<unknown, ExecutorError.ExecutorError>) => {
  const error = failure(result)
  assert.ok(error._tag === "RequestFailed", JSON.stringify(error))
  return error.reason
}

const body = (result: Either.Either<unknown, ExecutorError.ExecutorError>) => {
  const error = failure(result)
  assert.ok(error._tag === "StatusError", JSON.stringify(error))
  return error.body
}

describe("an answer that is no success", () => {
  it.scopedLive("is a failure with its status and what it says", () =>
    Effect.gen(function* () {
      const { result } = yield* failing((_, response) => json(response, { error: "no such order" }, 404))
      assert.deepInclude(failure(result), { _tag: "StatusError", status: 404, body: { error: "no such order" } })
      const text = yield* failing((_, response) => response.writeHead(403).end("nö"))
      assert.deepInclude(failure(text.result), { status: 403, body: "nö" })
      const nothing = yield* failing((_, response) => response.writeHead(400).end())
      assert.strictEqual(body(nothing.result), undefined)
      const image = yield* failing((_, response) => response.writeHead(400, { "content-type": "image/png" }).end("x"))
      assert.strictEqual(body(image.result), undefined)
    })
  )

  it.scopedLive("tells the beginning of a body that has no end", () =>
    Effect.gen(function* () {
      const { result } = yield* failing((_, response) => {
        response.writeHead(400, { "content-type": "text/plain" })
        const timer = setInterval(() => response.write("x".repeat(10_000)), 1)
        response.on("close", () => clearInterval(timer))
      })
      const error = failure(result)
      assert.ok(error._tag === "StatusError" && typeof error.body === "string")
      assert.strictEqual(error.body.length, 4098)
    })
  )

  it.scopedLive("is told by a redirect that says not where", () =>
    Effect.map(
      failing((_, response) => response.writeHead(304).end()),
      ({ result }) => assert.deepInclude(failure(result), { status: 304 })
    )
  )
})

describe("a request is sent again", () => {
  const thenFine =
    (status: number, headers: Record<string, string> = {}): Answer =>
    (_, response, index) =>
      index < 2 ? response.writeHead(status, headers).end() : json(response, "fine")

  it.scopedLive.each([408, 429, 500, 502, 503, 504])("after status %i, when its method is idempotent", (status) =>
    Effect.gen(function* () {
      for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]) {
        const { asked, result } = yield* failing(thenFine(status), {}, method)
        assert.strictEqual(asked.length, 3)
        assert.strictEqual(result._tag, "Right")
      }
      for (const method of ["POST", "PATCH"]) {
        const { asked, result } = yield* failing(thenFine(status), {}, method)
        assert.strictEqual(asked.length, 1)
        assert.deepInclude(failure(result), { status })
      }
    })
  )

  it.scopedLive.each([400, 401, 403, 404, 409, 422, 501])("but not after status %i", (status) =>
    Effect.map(failing(thenFine(status)), ({ asked }) => assert.strictEqual(asked.length, 1))
  )

  it.scopedLive("as often as is allowed", () =>
    Effect.gen(function* () {
      const down: Answer = (_, response) => response.writeHead(503).end()
      assert.strictEqual((yield* failing(down, { retry: { ...fast, times: 4 } })).asked.length, 5)
      assert.strictEqual((yield* failing(down, { retry: { times: 0 } })).asked.length, 1)
    })
  )

  it.scopedLive("after a connection that broke, before or within the answer", () =>
    Effect.gen(function* () {
      const before = yield* failing((_, response, index) =>
        index === 0 ? response.socket?.destroy() : json(response, "fine")
      )
      assert.strictEqual(before.result._tag, "Right")
      const within = yield* failing((_, response, index) => {
        if (index > 0) return json(response, "fine")
        response.writeHead(200, { "content-type": "application/json", "content-length": 100 })
        return response.write('{"a":', () => response.socket?.destroy())
      })
      assert.strictEqual(within.result._tag, "Right")
      assert.strictEqual(within.asked.length, 2)
    })
  )

  it.scopedLive("when the API says", () =>
    Effect.gen(function* () {
      const started = Date.now()
      const { asked } = yield* failing((_, response, index) =>
        index === 0 ? response.writeHead(429, { "retry-after": "1" }).end() : json(response, "fine")
      )
      assert.strictEqual(asked.length, 2)
      assert.isAtLeast(Date.now() - started, 990)
      const date = new Date(Date.now() - 5000).toUTCString()
      assert.strictEqual((yield* failing(thenFine(503, { "retry-after": date }))).asked.length, 3)
    })
  )

  it.scopedLive("but not when the API wants to be left alone for long", () =>
    Effect.map(failing(thenFine(429, { "retry-after": "3600" })), ({ asked, result }) => {
      assert.strictEqual(asked.length, 1)
      assert.deepInclude(failure(result), { status: 429 })
    })
  )

  it.scopedLive("with the key of its call, when the API knows one", () =>
    Effect.gen(function* () {
      const options = { idempotencyHeader: "Idempotency-Key" }
      const { asked, result } = yield* inCall(failing(thenFine(503), options, "POST"))
      assert.strictEqual(result._tag, "Right")
      assert.deepStrictEqual(
        asked.map(({ headers }) => headers["idempotency-key"]),
        ["key_1", "key_1", "key_1"]
      )
      const outside = yield* failing(thenFine(503), options, "POST")
      assert.strictEqual(outside.asked.length, 1)
      assert.notProperty(outside.last?.headers, "idempotency-key")
      const get = yield* inCall(failing(thenFine(503), options))
      assert.notProperty(get.last?.headers, "idempotency-key")
    })
  )
})

describe("what another origin may have carried out", () => {
  const outside = (status: number, answer: Answer) =>
    Effect.gen(function* () {
      const there = yield* api(answer)
      const server = yield* api(({ url }, response) =>
        url === "/token"
          ? json(response, { access_token: "token", expires_in: 3600 })
          : response.writeHead(status, { location: there.url }).end()
      )
      const rest = yield* executor("127.0.0.1", {
        url: server.url,
        retry: fast,
        idempotencyHeader: "Idempotency-Key",
        auth: { type: "oauth2", tokenUrl: `${server.url}/token`, clientId: "id", clientSecret: "secret" }
      })
      return { there, rest, sent: () => server.asked.filter(({ url }) => url === "/x").length }
    })

  it.scopedLive.each([301, 302, 303])("is not sent again with another token, after status %i", (status) =>
    Effect.gen(function* () {
      const { rest, sent, there } = yield* outside(status, (_, response) => response.writeHead(401).end())
      assert.deepInclude(yield* Effect.flip(rest.prepare(entryOf("POST"))({})), { status: 401 })
      assert.strictEqual(sent(), 1)
      assert.strictEqual(there.asked[0]?.method, "GET")
      yield* Effect.flip(rest.prepare(entryOf("GET"))({}))
      assert.strictEqual(sent(), 3)
    })
  )

  it.scopedLive.each([307, 308])("is not sent again without the key, after status %i", (status) =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<Answer> = [
        (_, response) => response.writeHead(503).end(),
        (_, response) => response.socket?.destroy(),
        (_, response) => {
          response.writeHead(200, { "content-length": 100 })
          response.write("half", () => response.socket?.destroy())
        }
      ]
      for (const answer of answers) {
        const { rest, there } = yield* outside(status, answer)
        yield* Effect.flip(rest.prepare(entryOf("POST"))({})).pipe(inCall)
        assert.strictEqual(there.asked.length, 1)
        assert.notProperty(there.asked[0]?.headers, "idempotency-key")
      }
    })
  )
})

describe("a call fails", () => {
  it.scopedLive("when the answer takes too long, in its head or in its body", () =>
    Effect.gen(function* () {
      const head = yield* failing(() => undefined, { timeout: 100 })
      assert.strictEqual(reason(head.result), "timeout")
      const body = yield* failing(
        (_, response) => response.writeHead(200, { "content-type": "application/json" }).write('{"a":'),
        { timeout: 5000 },
        "GET",
        { limits: { timeout: 100, maxBytes: undefined, maxRows: undefined } }
      )
      assert.strictEqual(reason(body.result), "timeout")
      assert.include(failure(body.result).message, "100 ms")
    })
  )

  it.scopedLive("in doubt, where it may have been carried out, and would be once more", () =>
    Effect.gen(function* () {
      const limits = { timeout: 200, maxBytes: 100, maxRows: undefined }
      const answers: ReadonlyArray<readonly [Answer, string | undefined]> = [
        [() => undefined, "timeout"],
        [(_, response) => response.socket?.destroy(), "unreachable"],
        [(_, response) => json(response, "x".repeat(200)), "too-large"],
        [(_, response) => response.writeHead(303, { location: "http://127.0.0.1:9/" }).end(), "refused"],
        [(_, response) => json(response, {}, 504), undefined],
        [(_, response) => json(response, {}, 408), undefined]
      ]
      for (const [answer, expected] of answers) {
        for (const [method, mayHaveTakenEffect] of [
          ["POST", true],
          ["PATCH", true],
          ["PUT", undefined],
          ["GET", undefined]
        ] as const) {
          const { result } = yield* failing(answer, { retry: { times: 0 } }, method, { limits })
          const error = failure(result)
          assert.strictEqual("reason" in error ? error.reason : undefined, expected)
          assert.strictEqual("mayHaveTakenEffect" in error ? error.mayHaveTakenEffect : undefined, mayHaveTakenEffect)
          assert.strictEqual(error.message.includes("may have taken effect"), mayHaveTakenEffect === true)
        }
      }
    })
  )

  it.scopedLive("in no doubt, where nothing was sent or the API refused", () =>
    Effect.gen(function* () {
      const certain = (error: ExecutorError.ExecutorError) => assert.notProperty(error, "mayHaveTakenEffect")
      const refused = yield* failing((_, response) => json(response, {}, 422), {}, "POST")
      certain(failure(refused.result))
      const server = yield* Effect.scoped(api(() => undefined))
      const gone = yield* executor(server.host, { url: server.url, retry: fast })
      certain(yield* Effect.flip(gone.prepare(entryOf("POST"))({})))
      const elsewhere = yield* executor("127.0.0.1:1", { url: server.url, retry: fast })
      certain(yield* Effect.flip(elsewhere.prepare(entryOf("POST"))({})))
    })
  )

  it.scopedLive("when the API is not there", () =>
    Effect.gen(function* () {
      const server = yield* Effect.scoped(api(() => undefined))
      const gone = yield* executor(server.host, { url: server.url, retry: fast })
      const result = yield* Effect.either(gone.prepare(entryOf("GET"))({}))
      assert.strictEqual(reason(result), "unreachable")
      assert.include(failure(result).message, "ECONNREFUSED")
      assert.notInclude(failure(result).message, "127.0.0.1")
    })
  )

  it.scopedLive("when the answer is cut short every time", () =>
    Effect.gen(function* () {
      const { asked, result } = yield* failing((_, response) => {
        response.writeHead(200, { "content-type": "text/plain", "content-length": 100 })
        response.write("half", () => response.socket?.destroy())
      })
      assert.strictEqual(reason(result), "unreachable")
      assert.strictEqual(asked.length, 3)
    })
  )

  it.scopedLive("when the answer is too large: a hundred megabytes are not taken in", () =>
    Effect.gen(function* () {
      let written = 0
      let isClosed = false
      const piece = Buffer.alloc(1024 * 1024)
      const big: Answer = (_, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.on("close", () => {
          isClosed = true
        })
        const more = (): void => {
          while (written < 100 && !isClosed) {
            written++
            if (!response.write(piece)) {
              response.once("drain", more)
              return
            }
          }
          response.end()
        }
        more()
      }
      const { asked, result } = yield* failing(big)
      assert.strictEqual(reason(result), "too-large")
      assert.strictEqual(asked.length, 1)
      assert.isBelow(written, 60)
      const limits = { timeout: undefined, maxBytes: 100, maxRows: undefined }
      const small = yield* failing((_, response) => json(response, "x".repeat(200)), {}, "GET", { limits })
      assert.strictEqual(reason(small.result), "too-large")
    })
  )

  it.scopedLive("when the API redirects to a private address, whose address is not told", () =>
    Effect.gen(function* () {
      const hidden = yield* api((_, response) => json(response, "secret"))
      const { asked, result } = yield* failing((_, response) => response.writeHead(302, { location: hidden.url }).end())
      assert.strictEqual(reason(result), "refused")
      assert.notInclude(JSON.stringify(failure(result)), "127.0.0.1")
      assert.strictEqual(asked.length, 1)
      assert.strictEqual(hidden.asked.length, 0)
    })
  )

  it.scopedLive("when the API redirects without end", () =>
    Effect.map(
      failing(({ url }, response) => response.writeHead(302, { location: `${url}x` }).end()),
      ({ result }) => assert.strictEqual(reason(result), "refused")
    )
  )

  it.scopedLive("when its client is closed, and the log says what to do", () =>
    Effect.gen(function* () {
      const logs: Array<unknown> = []
      const server = yield* api((_, response) => json(response, 1))
      const rest = yield* Effect.scoped(executor(server.host, { url: server.url, retry: { times: 0 } }))
      const logger = Logger.make(({ message }) => logs.push(message))
      const result = yield* Effect.either(rest.prepare(entryOf("GET"))({})).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      assert.strictEqual(reason(result), "unreachable")
      assert.match(
        String(logs),
        /the scope of its HttpClient is closed\. Keep the client's layer around what runs the tools/
      )
    })
  )

  it.scopedLive("and closes the connection, when it is interrupted", () =>
    Effect.gen(function* () {
      let isClosed = false
      const server = yield* api((_, response) => {
        response.on("close", () => {
          isClosed = true
        })
      })
      const rest = yield* executor(server.host, { url: server.url })
      yield* Effect.timeoutOption(rest.prepare(entryOf("GET"))({}), 100)
      yield* Effect.sleep(20).pipe(Effect.repeat({ until: () => isClosed, times: 100 }))
      assert.strictEqual(isClosed, true)
    })
  )
})
