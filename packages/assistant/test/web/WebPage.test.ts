/** What is read of pages of all kinds. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { WebPage } from "@wield/assistant"
import { Context, Effect, Fiber, Layer, ManagedRuntime } from "effect"
import { gzipSync } from "node:zlib"
import { PDFDocument } from "pdf-lib"
import { type Answering, article, paragraph, sends, site } from "./site.js"

/** They live as long as the test. */
const pagesWith = (...settings: Parameters<typeof WebPage.layer>) =>
  Effect.map(Layer.build(WebPage.layer(...settings)), (built) => Context.get(built, WebPage.WebPage))

/** One process for all tests that need no settings: it takes longer to start than to read a page. */
const shared = ManagedRuntime.make(WebPage.layer({}, { allowedHosts: ["127.0.0.1"] }))
afterAll(() => shared.dispose())

const sharedPages = Effect.map(shared.runtimeEffect, ({ context }) => Context.get(context, WebPage.WebPage))

/** Reads a path of a site that answers so. */
const reading = (answer: Answering, path = "/", settings?: WebPage.Settings, part: WebPage.Part = {}) =>
  Effect.gen(function* () {
    const { host, url } = yield* site(answer)
    const pages = settings === undefined ? yield* sharedPages : yield* pagesWith(settings, { allowedHosts: [host] })
    return { url, page: yield* pages.read(`${url}${path}`, part) }
  })

const failing = (answer: Answering, path = "/", settings?: WebPage.Settings, part: WebPage.Part = {}) =>
  Effect.flip(reading(answer, path, settings, part))

describe("a page", () => {
  it.scopedLive("is read as Markdown, without what surrounds the article, with links that are whole", () =>
    Effect.gen(function* () {
      const { page, url } = yield* reading(
        sends(
          "text/html; charset=utf-8",
          article("Tea", [
            `${paragraph} See <a href="../green">green</a> and <a href="javascript:alert(1)">more</a>.`,
            `<img src="leaf.png" alt="a leaf"> <b>Steep</b> it. ${paragraph}`
          ])
        ),
        "/drinks/tea/black#top"
      )
      assert.deepStrictEqual(
        { ...page, text: "" },
        {
          url: `${url}/drinks/tea/black`,
          title: "Tea",
          contentType: "text/html",
          text: "",
          length: page.text.length,
          isTruncated: false
        }
      )
      assert.include(page.text, `[green](${url}/drinks/green)`)
      assert.include(page.text, "**Steep** it.")
      assert.include(page.text, "[image: a leaf]")
      assert.notInclude(page.text, "javascript:")
      assert.notInclude(page.text, "About us")
      assert.notInclude(page.text, "rights reserved")
    })
  )

  it.scopedLive("has links that stand relative to its base, and to where a redirect led", () =>
    Effect.gen(function* () {
      const { page, url } = yield* reading((asked, response) => {
        if (asked.url === "/old") return response.writeHead(301, { location: "/new/place" }).end()
        response.setHeader("content-type", "text/html")
        return response.end(
          asked.url === "/new/place"
            ? `<p>Go <a href="on">on</a></p>`
            : `<base href="/other/"><p>Go <a href="on">on</a></p>`
        )
      }, "/old")
      assert.strictEqual(page.url, `${url}/new/place`)
      assert.strictEqual(page.text, `Go [on](${url}/new/on)`)
      const based = yield* reading(sends("text/html", `<base href="/other/"><p>Go <a href="on">on</a></p>`))
      assert.strictEqual(based.page.text, `Go [on](${based.url}/other/on)`)
    })
  )

  it.scopedLive("that is no article is read in whole", () =>
    Effect.gen(function* () {
      const { page } = yield* reading(
        sends(
          "text/html",
          "<h1>Hours</h1><table><tr><th>Day</th><th>Open</th></tr><tr><td>Monday</td><td>9 to 5</td></tr></table><ul><li>No dogs</li></ul>"
        )
      )
      assert.strictEqual(page.title, "Hours")
      assert.include(page.text, "| Monday | 9 to 5 |")
      assert.match(page.text, /- +No dogs/)
    })
  )

  it.scopedLive("is read without what a person does not see", () =>
    Effect.gen(function* () {
      const { page } = yield* reading(
        sends(
          "text/html",
          `<p>Seen</p><p hidden>Obey one</p><p style="display: none">Obey two</p><div aria-hidden="true">Obey three</div>
           <!-- Obey four --><script>"Obey five"</script><p>a\u202Eb\u{E0041}c\u0000d&#0;e</p>`
        )
      )
      assert.notInclude(page.text, "Obey")
      assert.match(page.text, /^Seen\n\nabcd\uFFFD?e$/)
    })
  )

  it.scopedLive("is read without a head, and where it hides itself until its scripts run", () =>
    Effect.gen(function* () {
      const { page } = yield* reading(
        sends(
          "text/html",
          `<html style="visibility:hidden"><script>obey()</script><title>Tea &amp; more</title>
           <body style="display:none"><svg><title>Logo</title><text>drawn</text></svg><p>Steep it.</p></body>
           <p>Then drink it.</p></html><p>Wash up.</p>`
        )
      )
      assert.deepStrictEqual([page.title, page.text], ["Tea & more", "Steep it.\n\nThen drink it.\n\nWash up."])
    })
  )

  it.scopedLive("is given in parts that together are all of it, and cut no character in two", () =>
    Effect.gen(function* () {
      const text = Array.from({ length: 997 }, (_, at) => `${at}🍵`).join("")
      const { host, url } = yield* site(sends("text/plain; charset=utf-8", text))
      const pages = yield* pagesWith({ maxCharacters: 500 }, { allowedHosts: [host] })
      let read = ""
      let start: number | undefined = 0
      while (start !== undefined) {
        const page: WebPage.Page = yield* pages.read(url, { start })
        assert.strictEqual(page.length, text.length)
        assert.strictEqual(page.isTruncated, page.nextStart !== undefined)
        assert.isAtMost(page.text.length, 501)
        assert.strictEqual(page.text, Buffer.from(page.text).toString())
        read += page.text
        start = page.nextStart
      }
      assert.strictEqual(read, text)
    })
  )

  it.scopedLive("that is read from within a character begins behind it, and goes on where it ends", () =>
    Effect.gen(function* () {
      const from = (part: WebPage.Part) => reading(sends("text/plain; charset=utf-8", "🍵tea"), "/", undefined, part)
      const { page } = yield* from({ start: 1, maxCharacters: 2 })
      assert.deepStrictEqual([page.text, page.isTruncated, page.nextStart], ["te", true, 4])
      const rest = yield* from({ start: 1 })
      assert.deepStrictEqual([rest.page.text, rest.page.isTruncated, rest.page.nextStart], ["tea", false, undefined])
    })
  )

  it.scopedLive("has lines that end in one way, and one empty line between paragraphs", () =>
    Effect.gen(function* () {
      const { page } = yield* reading(sends("text/plain", "green \r\n\r\n\r\n\r\nblack\rwhite\n"))
      assert.strictEqual(page.text, "green\n\nblack\nwhite")
    })
  )

  it.scopedLive("is not read from behind its end, nor from before its beginning", () =>
    Effect.gen(function* () {
      for (const start of [5, 100, -1, Number.NaN]) {
        assert.deepInclude(yield* failing(sends("text/plain", "short"), "/", undefined, { start }), {
          _tag: "PastEnd",
          length: 5
        })
      }
    })
  )
})

describe("the charset of a page", () => {
  const bytes = (...codes: ReadonlyArray<number>) => Uint8Array.from(codes)
  const joined = (...pieces: ReadonlyArray<string | Uint8Array>) =>
    Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece, "latin1") : piece)))

  for (const [name, contentType, body, expected] of [
    ["its header", "text/html; charset=iso-8859-1", joined("<p>caf", bytes(0xe9)), "café"],
    ["its header, in quotes", 'text/html; charset="windows-1251"', joined("<p>", bytes(0xf7, 0xe0, 0xe9)), "чай"],
    ["its meta element", "text/html", joined('<meta charset="shift_jis"><p>', bytes(0x92, 0x83)), "茶"],
    [
      "its meta element for HTTP",
      "text/html",
      joined('<meta http-equiv="content-type" content="text/html; charset=euc-kr"><p>', bytes(0xc2, 0xf7)),
      "차"
    ],
    [
      "its byte order mark, whatever the header says",
      "text/html; charset=iso-8859-1",
      Buffer.concat([bytes(0xff, 0xfe), Buffer.from("<p>čaj</p>", "utf16le")]),
      "čaj"
    ],
    ["its bytes, where the header says Latin and they are UTF-8", "text/html; charset=iso-8859-1", "<p>čaj", "čaj"],
    [
      "its bytes, where the header says UTF-8 and they are Latin",
      "text/html; charset=utf-8",
      joined("<p>caf", bytes(0xe9)),
      "café"
    ],
    ["UTF-8 where nothing says", "text/html", "<p>茶</p>", "茶"],
    [
      "UTF-8 where a text that is no markup has a meta element in it",
      "text/plain",
      '<meta charset="koi8-r"> 茶',
      '<meta charset="koi8-r"> 茶'
    ],
    [
      "its header, also where a few bytes are wrong",
      "text/html; charset=utf-8",
      joined("<p>", Buffer.from("茶".repeat(2000)), bytes(0xe9)),
      "茶茶\uFFFD"
    ],
    ["UTF-8 where the header names none that there is", "text/plain; charset=klingon", "茶", "茶"],
    [
      "its XML declaration",
      "application/xml",
      joined('<?xml version="1.0" encoding="windows-1251"?><t>', bytes(0xf7, 0xe0, 0xe9), "</t>"),
      "чай"
    ]
  ] as const) {
    it.scopedLive(`is known by ${name}`, () =>
      Effect.gen(function* () {
        const { page } = yield* reading(sends(contentType, body))
        assert.include(page.text, expected)
      })
    )
  }
})

describe("the content type of a page", () => {
  it.scopedLive("may be JSON, XML or any text, which is given as it is", () =>
    Effect.gen(function* () {
      for (const [contentType, body] of [
        ["application/json", `{ "tea": ["green", "black"] }`],
        ["application/ld+json; charset=utf-8", `{"@type":"Drink"}`],
        ["application/rss+xml", "<rss><title>Tea & more</title></rss>"],
        ["text/markdown", "# Tea\n\n  - green\n"],
        ["text/x-python", "def tea():\n    return 1"]
      ] as const) {
        const { page } = yield* reading(sends(contentType, body))
        assert.deepStrictEqual([page.text, page.contentType], [body.trim(), contentType.split(";")[0]])
      }
    })
  )

  it.scopedLive("may be PDF, whose words are read page by page", () =>
    Effect.gen(function* () {
      const pdf = yield* Effect.promise(async () => {
        const document = await PDFDocument.create()
        for (const text of ["Green tea", "Black tea"]) document.addPage().drawText(text)
        return document.save()
      })
      for (const contentType of ["application/pdf", "application/octet-stream", "text/html"]) {
        const { page } = yield* reading(sends(contentType, pdf))
        assert.strictEqual(page.contentType, "application/pdf")
        assert.match(page.text, /Green tea\s+Black tea/)
      }
    })
  )

  it.scopedLive("is found in the bytes where the server does not say", () =>
    Effect.gen(function* () {
      const html = yield* reading((_, response) => response.end("<!doctype html><title>Tea</title><p>green"))
      assert.deepStrictEqual([html.page.contentType, html.page.text], ["text/html", "green"])
      const text = yield* reading((_, response) => response.end("green"))
      assert.deepStrictEqual([text.page.contentType, text.page.text], ["text/plain", "green"])
    })
  )

  it.scopedLive("that is not text, and text that is not what it is said to be, are told", () =>
    Effect.gen(function* () {
      const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
      for (const [answer, expected] of [
        [sends("image/png", png), { contentType: "image/png", reason: "contentType" }],
        [sends("application/octet-stream", png), { contentType: "application/octet-stream", reason: "contentType" }],
        [(_, response) => void response.end(png), { reason: "contentType" }],
        [sends("application/pdf", "%PDF-1.7 and no more"), { contentType: "application/pdf", reason: "damaged" }],
        [sends("text/html", "<html><body>  </body></html>"), { reason: "empty" }],
        [sends("text/plain", ""), { reason: "empty" }]
      ] as ReadonlyArray<readonly [Answering, object]>) {
        assert.deepInclude(yield* failing(answer), { _tag: "NotReadable", ...expected })
      }
    })
  )

  it.scopedLive("does not make a text of bytes that are none, nor of a packing that is unknown here", () =>
    Effect.gen(function* () {
      const png = Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "base64"
      )
      const packed = gzipSync(article("Tea", [paragraph]))
      const encoded: Answering = (_, response) => {
        response.writeHead(200, { "content-type": "text/html", "content-encoding": "zstd" }).end("(\xb5/\xfd tea")
      }
      for (const answer of [
        sends("text/html", png),
        sends("text/plain", png),
        sends("application/json", packed),
        sends("text/html; charset=utf-8", packed),
        encoded
      ]) {
        assert.deepInclude(yield* failing(answer), { _tag: "NotReadable", reason: "damaged" })
      }
      // One that has slipped into a text does not make it another thing.
      const { page } = yield* reading(sends("text/plain", `Tea\u0002 ${paragraph}`))
      assert.match(page.text, /^Tea Tea is made/)
    })
  )

  it.scopedLive("is HTML where it is written as XML, and where its name or its beginning is odd", () =>
    Effect.gen(function* () {
      const html = article("Tea", [paragraph])
      const xhtml = `<?xml version="1.0"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml"><body><script>1</script><p>${paragraph}</p></body></html>`
      for (const answer of [
        sends("text/xml", xhtml),
        sends("application/xml; charset=utf-8", html),
        sends("text/html, text/html", html),
        sends("application/octet-stream", `\uFEFF<!-- a comment -->\n${html}`)
      ] as ReadonlyArray<Answering>) {
        const { page } = yield* reading(answer)
        assert.strictEqual(page.contentType, "text/html")
        assert.match(page.text, /Tea is made/)
        assert.notMatch(page.text, /<|script/)
      }
      const feed = `<?xml version="1.0"?><feed><entry><html>no page</html></entry></feed>`
      assert.strictEqual((yield* reading(sends("application/xml", feed))).page.text, feed)
    })
  )

  it.scopedLive("is HTML that shows other pages and says nothing itself: it is told which", () =>
    Effect.gen(function* () {
      for (const [body, path] of [
        [
          `<frameset><frame src="/menu"><frame src="main?a=1&amp;b=2"><noframes>No frames</noframes></frameset>`,
          "/menu"
        ],
        [`<body><iframe src="/menu" title="x"></iframe></body>`, "/menu"],
        [
          `<head><meta http-equiv="Refresh" content="0; url='latest/index.html'"></head><body></body>`,
          "/latest/index.html"
        ],
        [`<meta http-equiv=refresh content="5;/there"><p>Redirecting…</p>`, "/there"]
      ] as const) {
        const { host, url } = yield* site(sends("text/html", body))
        const failure = yield* Effect.flip((yield* pagesWith({}, { allowedHosts: [host] })).read(url))
        assert.ok(failure._tag === "NotReadable" && failure.reason === "elsewhere", body)
        assert.strictEqual(failure.leadsTo?.[0], `${url}${path}`)
        assert.include(failure.message, `${url}${path}`)
      }
      const { page } = yield* reading(
        sends(
          "text/html",
          `<meta http-equiv=refresh content="300">${article("Tea", [paragraph])}<iframe src="/ad"></iframe>`
        )
      )
      assert.include(page.text, "withered")
    })
  )

  it.scopedLive("is HTML that says nothing before its scripts have run: so it is told", () =>
    Effect.gen(function* () {
      for (const body of [
        `<div id="root"></div><script src="/app.js"></script>`,
        `<title>App</title><div id="root">Loading…</div><script>start()</script>`,
        `<noscript>You need to enable JavaScript to run this app.</noscript><header>My application</header><p>One moment please, we are there soon</p><script src="a.js"></script>`
      ]) {
        assert.deepInclude(yield* failing(sends("text/html", body)), { _tag: "NotReadable", reason: "script" })
      }
      const { page } = yield* reading(sends("text/html", article("Tea", [paragraph]) + "<script>1</script>"))
      assert.include(page.text, "withered")
    })
  )
})

describe("a page that is not there", () => {
  it.scopedLive("is told with the status that the server answers", () =>
    Effect.gen(function* () {
      for (const status of [300, 304, 403, 404, 410, 429, 500, 503]) {
        assert.deepInclude(yield* failing((_, response) => response.writeHead(status).end()), {
          _tag: "PageUnavailable",
          status
        })
      }
    })
  )

  it.scopedLive("is told without a status where no server answers", () =>
    Effect.gen(function* () {
      const hangsUp = yield* failing((_, response) => response.destroy())
      assert.strictEqual(hangsUp._tag, "PageUnavailable")
      assert.isUndefined("status" in hangsUp ? hangsUp.status : undefined)
      assert.include(hangsUp.message, "did not answer")
      assert.deepInclude(hangsUp, { reason: "connection" })
    })
  )

  it.scopedLive("is told to be of no known host where its name has no address", () =>
    Effect.gen(function* () {
      const pages = yield* pagesWith()
      const unknown = yield* Effect.flip(pages.read("http://no-such-host.invalid/tea"))
      assert.deepInclude(unknown, { _tag: "PageUnavailable", reason: "name" })
      assert.include(unknown.message, "no address is known for its name")
    })
  )

  it.scopedLive("is told where its redirects do not end", () =>
    Effect.gen(function* () {
      const failure = yield* failing((_, response) => response.writeHead(302, { location: "/again" }).end())
      assert.deepInclude(failure, { _tag: "Refused", reason: "redirects" })
    })
  )

  it.scopedLive("is not asked for where the text is no URL of one", () =>
    Effect.gen(function* () {
      const pages = yield* pagesWith()
      for (const [url, reason] of [
        ["tea", "syntax"],
        ["", "syntax"],
        ["file:///etc/passwd", "protocol"],
        ["javascript:alert(1)", "protocol"],
        ["http://user:secret@example.org/", "credentials"]
      ] as const) {
        const failure = yield* Effect.flip(pages.read(url))
        assert.deepInclude(failure, { _tag: "UnusableUrl", reason })
        assert.notInclude(JSON.stringify(failure), "secret")
      }
    })
  )
})

describe("robots.txt", () => {
  const rules = "User-agent: *\nDisallow: /private\n\nUser-agent: wield\nDisallow: /tools\n"
  const withRobots =
    (text: string, status = 200): Answering =>
    (asked, response) => {
      response.setHeader("content-type", "text/plain")
      if (asked.url === "/robots.txt") return response.writeHead(status).end(text)
      if (asked.url === "/moved") return response.writeHead(302, { location: "/tools/a" }).end()
      return response.end("a page")
    }

  it.scopedLive("is respected on request, after redirects too, and asked for once", () =>
    Effect.gen(function* () {
      const { asked, host, url } = yield* site(withRobots(rules))
      const pages = yield* pagesWith({ respectRobots: true }, { allowedHosts: [host] })
      assert.strictEqual((yield* pages.read(`${url}/private`)).text, "a page")
      for (const path of ["/tools/a", "/moved"]) {
        assert.deepInclude(yield* Effect.flip(pages.read(`${url}${path}`)), { _tag: "Refused", reason: "robots" })
      }
      assert.strictEqual(asked.filter((one) => one.url === "/robots.txt").length, 1)
      assert.isFalse(asked.some((one) => one.url === "/tools/a" && one.headers["user-agent"] === undefined))
    })
  )

  it.scopedLive("is asked for by the next who waits for it, where the first was interrupted", () =>
    Effect.gen(function* () {
      let isFirst = true
      const { asked, host, url } = yield* site((one, response) => {
        if (one.url === "/robots.txt" && isFirst) return void (isFirst = false)
        withRobots(rules)(one, response)
      })
      const pages = yield* pagesWith({ respectRobots: true }, { allowedHosts: [host] })
      const first = yield* Effect.fork(pages.read(`${url}/private`))
      yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => asked.length > 0 })
      const second = yield* Effect.fork(pages.read(`${url}/private`))
      yield* Effect.sleep("20 millis")
      yield* Fiber.interrupt(first)
      assert.strictEqual((yield* Fiber.join(second)).text, "a page")
    })
  )

  it.scopedLive("is not asked for unless it is to be respected", () =>
    Effect.gen(function* () {
      const { asked, host, url } = yield* site(withRobots("User-agent: *\nDisallow: /"))
      const pages = yield* pagesWith({}, { allowedHosts: [host] })
      assert.strictEqual((yield* pages.read(url)).text, "a page")
      assert.deepStrictEqual(
        asked.map((one) => one.url),
        ["/"]
      )
    })
  )

  it.scopedLive("that is not there allows all, and one that cannot be had allows nothing", () =>
    Effect.gen(function* () {
      const settings = { respectRobots: true }
      assert.strictEqual((yield* reading(withRobots("", 404), "/", settings)).page.text, "a page")
      assert.deepInclude(yield* failing(withRobots("", 500), "/", settings), { _tag: "Refused", reason: "robots" })
    })
  )
})
