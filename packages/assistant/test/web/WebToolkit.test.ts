/** The tools as a model has them: what it is shown, what it reads, and what becomes of hostile sites. */
import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@effect/ai"
import { WebPage, WebSearch, WebToolkit, Wikipedia } from "@wield/assistant"
import { ToolRunner, Toolset } from "@wield/core"
import { Context, Deferred, Effect, Layer, Logger, LogLevel, Redacted, Runtime, type Tracer } from "effect"
import { encyclopedia } from "./encyclopedia.js"
import { type Answering, article, paragraph, sends, site } from "./site.js"

interface World {
  readonly pages: Answering
  /** Of a search: paths of the site of pages, or whole URLs. */
  readonly found?: ReadonlyArray<string>
  readonly research?: WebToolkit.ResearchSettings
  /** Instead of the search engine. */
  readonly search?: (pages: string) => Layer.Layer<WebSearch.WebSearch>
}

/** The tools over a search engine, a wiki and a site of pages, all on loopback. */
const toolsIn = ({ found = [], pages, research, search }: World) =>
  Effect.gen(function* () {
    const web = yield* site(pages)
    const engine = yield* site((_, response) => {
      const results = found.map((path) => ({ url: new URL(path, web.url).href, title: `Title of ${path}` }))
      response.end(JSON.stringify({ results }))
    })
    const wiki = yield* site(encyclopedia({ Tea: { extract: "A drink." } }))
    const handlers = yield* Layer.build(
      WebToolkit.layerWith({ research }).pipe(
        Layer.provide([
          search === undefined ? WebSearch.searxng({ url: engine.url }) : search(web.url),
          WebPage.layer({ timeLimit: "2 minutes" }, { allowedHosts: [web.host] }),
          Wikipedia.layer({ url: wiki.url })
        ])
      )
    )
    const runner = yield* Effect.provide(
      Effect.flatMap(Toolset.fromToolkit(WebToolkit.toolkit), (tools) => ToolRunner.make(tools)),
      handlers
    )
    let calls = 0
    const call = (name: string, parameters: object) =>
      Effect.map(
        runner.forRun({ context: {} }).run({ id: `call ${++calls}`, name, arguments: JSON.stringify(parameters) }),
        (outcome) => ({ _tag: outcome._tag, encoded: "encoded" in outcome ? outcome.encoded : undefined })
      )
    return { call, engine, web }
  })

const sites: Answering = (asked, response) => {
  const title = asked.url.slice(1)
  return title.startsWith("missing")
    ? void response.writeHead(404).end()
    : sends("text/html; charset=utf-8", article(title, [`${title}: ${paragraph}`, paragraph]))(asked, response)
}

describe("the tools", () => {
  it("change nothing, and read an open world", () => {
    for (const tool of Object.values(WebToolkit.toolkit.tools)) {
      assert.isTrue(Context.get(tool.annotations, Tool.Readonly))
      assert.isFalse(Context.get(tool.annotations, Tool.Destructive))
      assert.isTrue(Context.get(tool.annotations, Tool.OpenWorld))
    }
  })

  it("have the names of the documents, and the parameters written down for them", () => {
    const { tools } = WebToolkit.toolkit
    const shown = [
      Tool.getJsonSchema(tools.search_for_urls),
      Tool.getJsonSchema(tools.get_website_from_url),
      Tool.getJsonSchema(tools.get_wikipedia),
      Tool.getJsonSchema(tools.research_topic)
    ].map((schema, at) => {
      const { properties, required } = schema as {
        readonly properties: object
        readonly required?: ReadonlyArray<string>
      }
      return [Object.keys(tools)[at], Object.keys(properties), required]
    })
    assert.deepStrictEqual(shown, [
      ["search_for_urls", ["query"], ["query"]],
      ["get_website_from_url", ["url", "start"], ["url"]],
      ["get_wikipedia", ["topic"], ["topic"]],
      ["research_topic", ["topic"], ["topic"]]
    ])
  })

  it.scopedLive("give what was found, read and looked up, and say whose words it is", () =>
    Effect.gen(function* () {
      const { call, web } = yield* toolsIn({ pages: sites, found: ["/tea"] })
      const { notice } = WebToolkit
      assert.deepStrictEqual(yield* call("search_for_urls", { query: "tea" }), {
        _tag: "Success",
        encoded: { notice, provider: "searxng", results: [{ title: "Title of /tea", url: `${web.url}/tea` }] }
      })
      const page = yield* call("get_website_from_url", { url: `${web.url}/tea` })
      assert.strictEqual(page._tag, "Success")
      assert.deepInclude(page.encoded, { notice, url: `${web.url}/tea`, title: "tea", isTruncated: false })
      assert.deepStrictEqual(yield* call("get_wikipedia", { topic: "tea" }), {
        _tag: "Success",
        encoded: { notice, title: "Tea", extract: "A drink.", url: "https://en.wikipedia.org/wiki/Tea" }
      })
    })
  )

  it.scopedLive("read a long page on from where they stopped", () =>
    Effect.gen(function* () {
      const text = Array.from({ length: 4000 }, (_, at) => `line ${at}`).join("\n")
      const { call, web } = yield* toolsIn({ pages: sends("text/plain", text) })
      const first = yield* call("get_website_from_url", { url: web.url })
      assert.deepInclude(first.encoded, { length: text.length, isTruncated: true, nextStart: 12_000 })
      const second = yield* call("get_website_from_url", { url: web.url, start: 12_000 })
      assert.deepInclude(second.encoded, { text: text.slice(12_000, 24_000) })
      const beyond = yield* call("get_website_from_url", { url: web.url, start: text.length })
      assert.deepInclude(beyond.encoded, { _tag: "PastEnd", length: text.length })
    })
  )

  it.scopedLive("fail in ways that the model reads, with what to do", () =>
    Effect.gen(function* () {
      const { call, web } = yield* toolsIn({ pages: (_, response) => response.writeHead(404).end() })
      for (const [name, parameters, expected] of [
        ["search_for_urls", { query: "xyzzy" }, { _tag: "NoResults", query: "xyzzy" }],
        ["search_for_urls", { query: " " }, { _tag: "BlankQuery" }],
        ["get_website_from_url", { url: "tea" }, { _tag: "UnusableUrl", reason: "syntax" }],
        ["get_website_from_url", { url: web.url }, { _tag: "PageUnavailable", status: 404 }],
        ["get_website_from_url", { url: "http://127.0.0.1:1/" }, { _tag: "Refused", reason: "address" }],
        ["get_wikipedia", { topic: "xyzzy" }, { _tag: "ArticleNotFound", near: [] }],
        ["research_topic", { topic: "xyzzy" }, { _tag: "NoResults" }],
        ["research_topic", { topic: "" }, { _tag: "BlankQuery" }]
      ] as const) {
        const outcome = yield* call(name, parameters)
        assert.strictEqual(outcome._tag, "Failure")
        assert.deepInclude(outcome.encoded, expected)
        assert.match(JSON.stringify(outcome.encoded), /"advice":"[A-Z]/)
      }
    })
  )

  it.scopedLive("let nothing that they were asked for into spans and logs", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const tracer: Tracer.Tracer = {
        [Symbol.for("effect/Tracer") as Tracer.TracerTypeId]: Symbol.for("effect/Tracer") as Tracer.TracerTypeId,
        span: (name, parent, context, links, startTime, kind) => {
          seen.push(name)
          return {
            _tag: "Span",
            name,
            spanId: "1",
            traceId: "1",
            parent,
            context,
            status: { _tag: "Started", startTime },
            attributes: new Map(),
            links,
            sampled: true,
            kind,
            end: (_, exit) => void seen.push(JSON.stringify(exit)),
            attribute: (key, value) => void seen.push(`${key} ${String(value)}`),
            event: (event, _, attributes) => void seen.push(`${event} ${JSON.stringify(attributes)}`),
            addLinks: () => undefined
          }
        },
        context: (run) => run()
      }
      const logger = Logger.make(({ annotations, message }) => {
        seen.push(JSON.stringify([message, [...annotations]]))
      })
      const apiKey = Redacted.make("key-that-is-secret")
      const engine = yield* site((_, response) => response.writeHead(401).end("key-that-is-secret"))
      const { call, web } = yield* toolsIn({ pages: sites, found: ["/wondrous"] })
      yield* Effect.gen(function* () {
        yield* call("search_for_urls", { query: "wondrous" })
        yield* call("get_website_from_url", { url: `${web.url}/wondrous` })
        yield* call("get_website_from_url", { url: `${web.url}/missing-wondrous` })
        yield* call("get_wikipedia", { topic: "wondrous" })
        yield* call("research_topic", { topic: "wondrous" })
        const brave = Context.get(yield* Layer.build(WebSearch.brave({ apiKey, url: engine.url })), WebSearch.WebSearch)
        yield* Effect.flip(brave.search("wondrous"))
      }).pipe(
        Effect.withTracer(tracer),
        Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
        Logger.withMinimumLogLevel(LogLevel.All)
      )
      assert.isNotEmpty(seen)
      assert.notMatch(seen.join("\n"), /wondrous|key-that-is-secret/)
    })
  )
})

describe("research", () => {
  const sources = (outcome: { readonly encoded: unknown }) =>
    (outcome.encoded as { readonly sources: ReadonlyArray<WebToolkit.Source> }).sources

  it.scopedLive("quotes several pages, the best first, each with its URL and title", () =>
    Effect.gen(function* () {
      const { call, web } = yield* toolsIn({ pages: sites, found: ["/a", "/b", "/c", "/d"] })
      const outcome = yield* call("research_topic", { topic: "tea" })
      assert.strictEqual(outcome._tag, "Success")
      assert.deepInclude(outcome.encoded, { topic: "tea", failures: [], isComplete: true, notice: WebToolkit.notice })
      assert.deepStrictEqual(
        sources(outcome).map(({ title, url }) => [url, title]),
        ["a", "b", "c"].map((name) => [`${web.url}/${name}`, name])
      )
      for (const { text, title } of sources(outcome)) assert.include(text, `${title}: Tea is made`)
      assert.deepStrictEqual(web.asked.map(({ url }) => url).sort(), ["/a", "/b", "/c"])
    })
  )

  it.scopedLive("goes on to the next page where one cannot be read, and tells why", () =>
    Effect.gen(function* () {
      const { call, web } = yield* toolsIn({
        pages: sites,
        found: ["/missing1", "/a", "/film.mp4", "http://10.0.0.1/router", "/b", "/missing2", "/c"]
      })
      const outcome = yield* call("research_topic", { topic: "tea" })
      assert.deepStrictEqual(
        sources(outcome).map(({ title }) => title),
        ["a", "b", "c"]
      )
      const { failures } = outcome.encoded as WebToolkit.Research
      assert.deepStrictEqual(failures.map(({ url }) => url).sort(), [
        "http://10.0.0.1/router",
        `${web.url}/film.mp4`,
        `${web.url}/missing1`,
        `${web.url}/missing2`
      ])
      assert.include(failures.find(({ url }) => url.endsWith("missing1"))?.reason, "404")
      assert.isFalse(web.asked.some(({ url }) => url === "/film.mp4"))
    })
  )

  it.scopedLive("counts a result that is no URL as one that could not be read, whatever has found it", () =>
    Effect.gen(function* () {
      const broken = ["no url", "", "http://", "//example.com/a", "javascript:alert(1)", "http://[::1"]
      const { call } = yield* toolsIn({
        pages: sites,
        search: (pages) =>
          Layer.succeed(WebSearch.WebSearch, {
            search: () =>
              Effect.succeed({
                provider: "of the application",
                results: [...broken, `${pages}/a`].map((url) => ({ url, title: "Tea" }))
              })
          })
      })
      const outcome = yield* call("research_topic", { topic: "tea" })
      assert.strictEqual(outcome._tag, "Success")
      assert.strictEqual(sources(outcome).length, 1)
      const { failures } = outcome.encoded as WebToolkit.Research
      assert.deepStrictEqual(failures.map(({ url }) => url).sort(), [...broken].sort())
      for (const { reason } of failures) assert.notStrictEqual(reason, "")
    })
  )

  it.scopedLive("with fewer pages than were wanted gives those, and says that they are not all", () =>
    Effect.gen(function* () {
      const { call } = yield* toolsIn({ pages: sites, found: ["/missing1", "/a"] })
      const outcome = yield* call("research_topic", { topic: "tea" })
      assert.strictEqual(sources(outcome).length, 1)
      assert.deepInclude(outcome.encoded, { isComplete: false })
    })
  )

  it.scopedLive("fails only where nothing could be read, and tells why for each", () =>
    Effect.gen(function* () {
      const found = Array.from({ length: 15 }, (_, at) => `/missing${at}`)
      const { call, web } = yield* toolsIn({ pages: sites, found })
      const outcome = yield* call("research_topic", { topic: "tea" })
      assert.strictEqual(outcome._tag, "Failure")
      assert.deepInclude(outcome.encoded, { _tag: "NothingRead", topic: "tea" })
      const { failures } = outcome.encoded as { readonly failures: WebToolkit.Research["failures"] }
      assert.strictEqual(failures.length, 15)
      for (const { reason } of failures) assert.include(reason, "404")
      assert.strictEqual(web.asked.length, 15)
    })
  )

  it.scopedLive("gives what was read in time, of no more characters than it may", () =>
    Effect.gen(function* () {
      const { call } = yield* toolsIn({
        pages: (asked, response) => (asked.url === "/never" ? undefined : sites(asked, response)),
        found: ["/never", "/a", "/b"],
        research: { timeLimit: "5 seconds", maxCharacters: 300 }
      })
      const outcome = yield* call("research_topic", { topic: "tea" })
      assert.deepInclude(outcome.encoded, { isComplete: false })
      assert.deepStrictEqual(
        sources(outcome).map(({ isTruncated, text, title }) => [title, text.length, isTruncated]),
        [
          ["a", 100, true],
          ["b", 100, true]
        ]
      )
    })
  )

  it.scopedLive("reads at most three pages at a time", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime()
      const three = yield* Deferred.make<void>()
      let open = 0
      let most = 0
      const { call } = yield* toolsIn({
        found: ["/a", "/b", "/c", "/d", "/e", "/f"],
        research: { sources: 6 },
        pages: (asked, response) => {
          open++
          most = Math.max(most, open)
          // None is answered before three have been asked for.
          if (open === 3) Runtime.runSync(runtime)(Deferred.succeed(three, undefined))
          void Runtime.runPromise(runtime)(Deferred.await(three)).then(() => {
            open--
            sites(asked, response)
          })
        }
      })
      assert.strictEqual(sources(yield* call("research_topic", { topic: "tea" })).length, 6)
      assert.strictEqual(most, 3)
    })
  )
})
