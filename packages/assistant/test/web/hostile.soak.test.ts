/** Sites that are made to be read badly, or to lead where nobody may go. */
import { assert, describe, it, layer } from "@effect/vitest"
import { WebPage } from "@wield/assistant"
import { Context, Deferred, Effect, Layer, Runtime } from "effect"
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { type Answering, paragraph, sends, site } from "./site.js"

const pagesWith = (...settings: Parameters<typeof WebPage.layer>) =>
  Effect.map(Layer.build(WebPage.layer(...settings)), (built) => Context.get(built, WebPage.WebPage))

/** What comes of reading a site that answers so. */
const read = (answer: Answering, settings: WebPage.Settings = {}) =>
  Effect.gen(function* () {
    const { host, url } = yield* site(answer)
    const pages = yield* pagesWith(settings, { allowedHosts: [host] })
    return yield* pages.read(url)
  })

const failing = (answer: Answering, settings: WebPage.Settings = {}) => Effect.flip(read(answer, settings))

/** Writes a piece again and again as the reader takes it, and holds no more than one. */
const pour = (response: ServerResponse, piece: Uint8Array, times: number, sent: (times: number) => void): void => {
  let left = times
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left--
      sent(times - left)
      if (!response.write(piece)) return void response.once("drain", more)
    }
    response.end()
  }
  more()
}

describe("a body without end", () => {
  const gibibyte = 16 * 1024
  const piece = Buffer.alloc(64 * 1024, "tea ")

  for (const [name, headers] of [
    ["that is announced", { "content-type": "text/html", "content-length": String(gibibyte * piece.length) }],
    ["that is not announced", { "content-type": "text/html" }]
  ] as const) {
    it.scopedLive(`of 1 GiB ${name} is not taken in`, () =>
      Effect.gen(function* () {
        let pieces = 0
        const failure = yield* failing((_, response) => {
          response.writeHead(200, headers)
          pour(response, piece, gibibyte, (sent) => (pieces = sent))
        })
        assert.deepInclude(failure, { _tag: "TooLarge", limit: 5 * 1024 * 1024 })
        assert.isBelow(pieces * piece.length, 64 * 1024 * 1024)
      })
    )
  }

  it.scopedLive("that is a gzip bomb of 1 GiB is not unpacked", () =>
    Effect.gen(function* () {
      // Members of gzip that follow each other are one body.
      const bomb = gzipSync(Buffer.alloc(1024 * 1024))
      const failure = yield* failing((_, response) => {
        response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" })
        pour(response, bomb, 1024, () => undefined)
      })
      assert.strictEqual(failure._tag, "TooLarge")
    })
  )

  it.scopedLive("that drips ends with the time, and the connection with it", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime()
      const closed = yield* Deferred.make<void>()
      const failure = yield* failing(
        (_, response) => {
          response.writeHead(200, { "content-type": "text/html" })
          const timer = setInterval(() => response.write("."), 10)
          response.on("close", () => {
            clearInterval(timer)
            Runtime.runSync(runtime)(Deferred.succeed(closed, undefined))
          })
        },
        { timeLimit: "300 millis" }
      )
      assert.deepInclude(failure, { _tag: "TimedOut", limit: 300 })
      yield* Deferred.await(closed)
    })
  )

  it.scopedLive("that never begins ends with the time", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* failing(() => undefined, { timeLimit: "200 millis" }))._tag, "TimedOut")
    })
  )

  it.scopedLive("of robots.txt is read as far as RFC 9309 has it, and no further", () =>
    Effect.gen(function* () {
      let pieces = 0
      const { host, url } = yield* site((asked, response) => {
        response.setHeader("content-type", "text/plain")
        if (asked.url !== "/robots.txt") return void response.end("a page")
        response.write("User-agent: *\nDisallow: /no\n")
        return pour(response, piece, gibibyte, (sent) => (pieces = sent))
      })
      const pages = yield* pagesWith({ respectRobots: true }, { allowedHosts: [host] })
      assert.strictEqual((yield* pages.read(url)).text, "a page")
      assert.deepInclude(yield* Effect.flip(pages.read(`${url}/no`)), { _tag: "Refused", reason: "robots" })
      assert.isBelow(pieces * piece.length, 64 * 1024 * 1024)
    })
  )

  it.scopedLive("of wildcards in robots.txt is taken for a site that cannot be asked", () =>
    Effect.gen(function* () {
      const rules = `User-agent: *\n${`Disallow: /${"*a".repeat(50)}c$\n`.repeat(4000)}`
      const { host, url } = yield* site((_, response) => response.setHeader("content-type", "text/plain").end(rules))
      const pages = yield* pagesWith({ respectRobots: true }, { allowedHosts: [host] })
      const failure = yield* Effect.flip(pages.read(`${url}/${"a".repeat(1900)}b`))
      assert.deepInclude(failure, { _tag: "Refused", reason: "robots" })
    })
  )

  it.scopedLive("of headers is no answer", () =>
    Effect.gen(function* () {
      const failure = yield* failing((_, response) => {
        response.writeHead(200, { "content-type": "text/html", "x-long": "x".repeat(100_000) }).end("x")
      })
      assert.strictEqual(failure._tag, "PageUnavailable")
    })
  )
})

describe("a way that leads elsewhere", () => {
  it.scopedLive("without end is not followed to it", () =>
    Effect.gen(function* () {
      const failure = yield* failing((asked, response) => {
        response.writeHead(302, { location: `${asked.url}a` }).end()
      })
      assert.deepInclude(failure, { _tag: "Refused", reason: "redirects" })
    })
  )

  it.scopedLive("to a private address, or a name that has one, is not gone, and tells nothing of it", () =>
    Effect.gen(function* () {
      const hidden = yield* site((_, response) => response.end("secret"))
      for (const location of [
        hidden.url,
        `http://localhost:${hidden.port}/`,
        `http://2130706433:${hidden.port}/`,
        `http://[::1]:${hidden.port}/`,
        `http://inside.example.org:${hidden.port}/`,
        "http://169.254.169.254/latest/meta-data"
      ]) {
        const open = yield* site((_, response) => response.writeHead(302, { location }).end())
        const pages = yield* pagesWith({}, { allowedHosts: [open.host], lookup: async () => ["127.0.0.1"] })
        const failure = yield* Effect.flip(pages.read(open.url))
        assert.deepInclude(failure, { _tag: "Refused", reason: "address" }, location)
        assert.notInclude(JSON.stringify(failure).replaceAll(open.url, ""), "127.0.0.1")
      }
      assert.strictEqual(hidden.asked.length, 0)
    })
  )

  it.scopedLive("is not asked for at all where the URL itself is private", () =>
    Effect.gen(function* () {
      const hidden = yield* site((_, response) => response.end("secret"))
      const pages = yield* pagesWith({}, { lookup: async () => ["8.8.8.8", "10.0.0.7"] })
      for (const url of [hidden.url, `http://127.1:${hidden.port}`, "http://10.0.0.1/", "http://mixed.example.org/"]) {
        const failure = yield* Effect.flip(pages.read(url))
        assert.deepInclude(failure, { _tag: "Refused", reason: "address" }, url)
        assert.notInclude(JSON.stringify(failure), "10.0.0.7")
      }
      assert.strictEqual(hidden.asked.length, 0)
    })
  )

  it.scopedLive("to another protocol is not gone", () =>
    Effect.gen(function* () {
      const failure = yield* failing((_, response) => {
        response.writeHead(302, { location: "file:///etc/passwd" }).end()
      })
      assert.deepInclude(failure, { _tag: "Refused", reason: "address" })
    })
  )
})

/** Where the site of these pages is. */
class Site extends Context.Tag("Site")<Site, string>() {}

describe("a page that is made to be hard to read", () => {
  const many = 300_000
  const bodies: ReadonlyArray<readonly [name: string, html: string]> = [
    ["is very deep", "<div>".repeat(many / 5)],
    ["is 1,300 tables deep", "<table><tr><td>".repeat(1300)],
    ["has many elements beside each other", "<p>x".repeat(many / 4)],
    ["has many links", "<a href=x>y</a>".repeat(many / 10)],
    ["has many breaks", "x<br>".repeat(many / 10)],
    ["has a long attribute", `<p title="${"x".repeat(many)}">`],
    ["has a class of many names", `<p class="${"x ".repeat(many / 2)}">`],
    ["has a long style", `<p style="${"display :".repeat(many / 9)}">`],
    ["has many attributes", `<p ${Array.from({ length: many / 5 }, (_, at) => `a${at}=1`).join(" ")}>`],
    ["has many blanks", `<p>x${" ".repeat(many)}x`],
    ["has many blanks that do not break", `<p>x${"&nbsp;".repeat(many / 5)}x`],
    ["has many blanks to be kept", `<pre>x${" ".repeat(many)}x</pre>`],
    ["is all <", "<".repeat(many)],
    ["is all &", "&".repeat(many)],
    ["is all </", "</".repeat(many / 2)],
    ["is all <!--", "<!--".repeat(many / 2)],
    ["has many marks of Markdown", `<p>${"*_`[\\".repeat(many / 16)}`],
    ["has a title without end", `<title>${"a - b | ".repeat(many / 8)}`],
    ["is all NUL", "\0".repeat(many)]
  ]

  const answer: Answering = (asked, response) => {
    const [, place = "", behind] = asked.url.split("/")
    const html = bodies[Number(place)]?.[1] ?? ""
    sends("text/html", behind === undefined ? `<h1>Tea</h1><p>${paragraph}</p>${html}` : html)(asked, response)
  }

  // One process for all: one that compiles its sources takes longer to start than it does to read.
  const services = Layer.unwrapScoped(
    Effect.map(site(answer), ({ host, url }) =>
      Layer.merge(WebPage.layer({ timeLimit: "4 minutes" }, { allowedHosts: [host] }), Layer.succeed(Site, url))
    )
  )
  layer(services, { excludeTestServices: true })((it) => {
    bodies.forEach(([name], place) => {
      it.effect(`is read in spite of it where it ${name}`, () =>
        Effect.gen(function* () {
          const pages = yield* WebPage.WebPage
          const url = `${yield* Site}/${place}`
          assert.include((yield* pages.read(url)).text, "withered")
          const behind = yield* Effect.either(pages.read(`${url}/behind`))
          // Whatever there is in it: an answer that says so.
          if (behind._tag === "Left") assert.strictEqual(behind.left._tag, "NotReadable")
          else assert.isAtMost(behind.right.text.length, 12_001)
        })
      )
    })
  })
})
