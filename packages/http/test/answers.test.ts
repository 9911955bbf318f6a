/** What is taken of an answer. */
import { assert, describe, it } from "@effect/vitest"
import { HttpGuard } from "@wield/http"
import { Effect, Option, Stream } from "effect"
import { randomBytes } from "node:crypto"
import type { ServerResponse } from "node:http"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { type Asked, server } from "./server.js"

const answering = (answer: (asked: Asked, response: ServerResponse) => void, policy: HttpGuard.Policy = {}) =>
  Effect.gen(function* () {
    const target = yield* server(answer)
    const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"], ...policy })
    return { client, url: target.url }
  })

const refusalOf = (error: unknown) => Option.getOrThrow(HttpGuard.refusalOf(error))

describe("the body of an answer", () => {
  it.scopedLive("is refused by its length, before it is read", () =>
    Effect.gen(function* () {
      const { client, url } = yield* answering((_, response) => response.end("x".repeat(1001)), { maxBytes: 1000 })
      assert.include(refusalOf(yield* Effect.flip(client.get(url))), { _tag: "BodyTooLarge", limit: 1000 })
    })
  )

  it.scopedLive("may have exactly as many bytes as are allowed", () =>
    Effect.gen(function* () {
      const { client, url } = yield* answering((_, response) => response.end("x".repeat(1000)), { maxBytes: 1000 })
      assert.strictEqual((yield* Effect.flatMap(client.get(url), (answer) => answer.text)).length, 1000)
    })
  )

  it.scopedLive("is cut off where it does not end, and so is its connection", () =>
    Effect.gen(function* () {
      let isClosed = false
      const { client, url } = yield* answering(
        (_, response) => {
          const timer = setInterval(() => response.write("x".repeat(10_000)), 1)
          response.on("close", () => {
            isClosed = true
            clearInterval(timer)
          })
        },
        { maxBytes: 100_000 }
      )
      const answer = yield* client.get(url)
      assert.strictEqual(refusalOf(yield* Effect.flip(answer.text))._tag, "BodyTooLarge")
      yield* Effect.repeat(Effect.sleep(5), { until: () => isClosed })
    })
  )

  it.scopedLive("comes whole where it has no length, and is unpacked more slowly than it comes", () =>
    Effect.gen(function* () {
      const bytes = randomBytes(1_000_000)
      const { client, url } = yield* answering((_, response) => {
        response.useChunkedEncodingByDefault = false
        response.writeHead(200, { "content-encoding": "gzip", connection: "close" })
        // At once, it would get a length.
        response.write(gzipSync(bytes))
        response.end()
      })
      const answer = yield* client.get(url)
      assert.strictEqual((yield* answer.arrayBuffer).byteLength, bytes.byteLength)
    })
  )

  // The least that a bomb takes to be packed.
  const gzipBomb = gzipSync(Buffer.alloc(200 * 1024 * 1024), { level: 1 })
  const brotliBomb = brotliCompressSync(Buffer.alloc(200 * 1024 * 1024), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5 }
  })
  it.scopedLive.each([
    ["gzip", gzipBomb],
    ["br", brotliBomb],
    ["gzip, gzip", gzipSync(gzipBomb)]
  ] as const)("is counted after decompression: a bomb of %s is not unpacked", ([encoding, bomb]) =>
    Effect.gen(function* () {
      const { client, url } = yield* answering(
        (_, response) => response.writeHead(200, { "content-encoding": encoding }).end(bomb),
        { maxBytes: 1024 * 1024 }
      )
      const before = process.memoryUsage().rss
      const answer = yield* client.get(url)
      assert.strictEqual(refusalOf(yield* Effect.flip(answer.text))._tag, "BodyTooLarge")
      assert.isBelow(process.memoryUsage().rss - before, 64 * 1024 * 1024)
    })
  )

  it.scopedLive("is refused when it is compressed more often than anybody means to", () =>
    Effect.gen(function* () {
      const { client, url } = yield* answering((_, response) =>
        response.writeHead(200, { "content-encoding": "gzip, gzip, gzip" }).end("x")
      )
      assert.strictEqual(refusalOf(yield* Effect.flip(client.get(url)))._tag, "EncodingRefused")
    })
  )

  it.scopedLive("is decompressed, and its headers no longer speak of the packed one", () =>
    Effect.gen(function* () {
      const { client, url } = yield* answering((asked, response) => {
        const encoding = asked.url.slice(1)
        const packed = encoding === "br" ? brotliCompressSync("hällo") : gzipSync("hällo")
        response.writeHead(200, { "content-encoding": encoding, "content-length": packed.length }).end(packed)
      })
      for (const encoding of ["gzip", "x-gzip", "br", "GZIP"]) {
        const answer = yield* client.get(`${url}/${encoding}`)
        assert.strictEqual(yield* answer.text, "hällo")
        assert.notProperty(answer.headers, "content-encoding")
        assert.notProperty(answer.headers, "content-length")
      }
    })
  )

  it.scopedLive("fails where it is cut short, packed or not", () =>
    Effect.gen(function* () {
      const packed = gzipSync("x".repeat(1000))
      const { client, url } = yield* answering((asked, response) => {
        if (asked.url === "/packed") {
          response.writeHead(200, { "content-encoding": "gzip" }).end(packed.subarray(0, packed.length - 9))
        } else {
          response.writeHead(200, { "content-length": 1000 })
          response.write("x".repeat(10), () => response.socket?.destroy())
        }
      })
      for (const path of ["/packed", "/plain"]) {
        const error = yield* Effect.flip(Effect.flatMap(client.get(url + path), (answer) => answer.text))
        assert.ok(Option.isNone(HttpGuard.refusalOf(error)))
        assert.strictEqual(error.reason, "Decode")
      }
    })
  )

  it.scopedLive("can be read piece by piece, in bytes", () =>
    Effect.gen(function* () {
      const { client, url } = yield* answering((_, response) => {
        response.write("one")
        setTimeout(() => response.end("two"), 20)
      })
      const answer = yield* client.get(url)
      const pieces = yield* Stream.runCollect(answer.stream)
      assert.strictEqual(Buffer.concat([...pieces]).toString(), "onetwo")
    })
  )

  it.scopedLive("is absent after HEAD and with status 204", () =>
    Effect.gen(function* () {
      const { client, url } = yield* answering((asked, response) =>
        asked.method === "HEAD"
          ? response.writeHead(200, { "content-length": 100_000_000, "content-encoding": "gzip" }).end()
          : response.writeHead(204).end()
      )
      assert.strictEqual(yield* Effect.flatMap(client.head(url), (answer) => answer.text), "")
      assert.strictEqual(yield* Effect.flatMap(client.get(url), (answer) => answer.text), "")
    })
  )
})

describe("the head of an answer", () => {
  it.scopedLive("has to come in time", () =>
    Effect.gen(function* () {
      const { client, url } = yield* answering(() => undefined, { headersTimeout: 200 })
      const error = yield* Effect.flip(client.get(url))
      assert.include(error.message, "Headers Timeout")
    })
  )

  it.scopedLive("is bounded", () =>
    Effect.gen(function* () {
      const { client, url } = yield* answering(
        (_, response) => response.writeHead(200, { "x-long": "x".repeat(5000) }).end("ok"),
        { maxHeaderBytes: 4096 }
      )
      const error = yield* Effect.flip(client.get(url))
      assert.include(error.message, "Headers Overflow")
    })
  )

  it.scopedLive("keeps each cookie", () =>
    Effect.gen(function* () {
      const { client, url } = yield* answering((_, response) =>
        response.writeHead(200, { "set-cookie": ["a=1; Path=/", "b=2"] }).end()
      )
      const { cookies } = yield* client.get(url)
      assert.deepStrictEqual(Object.keys(cookies.cookies), ["a", "b"])
    })
  )
})

describe("interrupting a request", () => {
  it.scopedLive("closes its connection", () =>
    Effect.gen(function* () {
      let isClosed = false
      const { client, url } = yield* answering((_, response) => {
        response.on("close", () => {
          isClosed = true
        })
      })
      yield* Effect.timeout(client.get(url), 100).pipe(Effect.flip)
      yield* Effect.repeat(Effect.sleep(5), { until: () => isClosed })
    })
  )
})
