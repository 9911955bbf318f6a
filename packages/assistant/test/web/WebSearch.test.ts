/**
 * What search engines are asked and what is made of their answers. No answers
 * were recorded: the servers here play what the documentation of each says.
 */
import { HttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { WebSearch } from "@wield/assistant"
import { HttpGuard } from "@wield/http"
import { ConfigProvider, Context, Effect, Exit, Layer, Redacted } from "effect"
import { type Answering, sends, site } from "./site.js"

const built = <E>(layer: Layer.Layer<WebSearch.WebSearch, E>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, WebSearch.WebSearch))

const json =
  (value: unknown, status = 200): Answering =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
  }

const apiKey = Redacted.make("key-that-is-secret")

const duckDuckGoPage = (results: string) =>
  `<!DOCTYPE html><html><body><div id="links" class="results">${results}</div></body></html>`

const duckDuckGoResult = (title: string, href: string, extra = "") =>
  `<div class="result results_links results_links_deep web-result ${extra}"><div class="links_main result__body">
    <h2 class="result__title"><a rel="nofollow" class="result__a" href="${href}">${title}</a></h2>
    <a class="result__snippet" href="${href}">About <b>${title.toLowerCase()}</b></a></div></div>`

const found = {
  searxng: { query: "tea", results: [{ url: "https://example.org/tea", title: "Tea", content: "About tea" }] },
  brave: {
    type: "search",
    web: { results: [{ url: "https://example.org/tea", title: "Tea", description: "About tea" }] }
  },
  tavily: {
    query: "tea",
    results: [{ url: "https://example.org/tea", title: "Tea", content: "About tea", score: 0.9 }]
  }
}

/** A provider of each kind at a site. */
const providers = {
  searxng: (url: string) => WebSearch.searxng({ url }),
  brave: (url: string) => WebSearch.brave({ url, apiKey }),
  tavily: (url: string) => WebSearch.tavily({ url, apiKey }),
  duckduckgo: (url: string) => WebSearch.duckDuckGo({ url })
}

const answering = {
  searxng: json(found.searxng),
  brave: json(found.brave),
  tavily: json(found.tavily),
  duckduckgo: sends(
    "text/html",
    duckDuckGoPage(duckDuckGoResult("Tea", "//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2Ftea&amp;rut=1"))
  )
}

/** What it means when who is asked does not want to answer. */
const forbidden = { searxng: "format", brave: "key", tavily: "key", duckduckgo: "robot" } as const

const names = ["searxng", "brave", "tavily", "duckduckgo"] as const

describe("a search", () => {
  for (const name of names) {
    it.scopedLive(`by ${name} gives titles, URLs and snippets`, () =>
      Effect.gen(function* () {
        const { asked, url } = yield* site(answering[name])
        const results = [{ title: "Tea", url: "https://example.org/tea", snippet: "About tea" }]
        const { search } = yield* built(providers[name](url))
        assert.deepStrictEqual(yield* search(" tea "), { provider: name, results })
        // An address may be written with the slash at its end.
        const slashed = yield* built(providers[name](`${url}/`))
        assert.deepStrictEqual(yield* slashed.search("tea"), { provider: name, results })
        assert.strictEqual(asked[1]?.url, asked[0]?.url)
      })
    )

    it.scopedLive(`by ${name} tells why it cannot be asked, and never the key`, () =>
      Effect.gen(function* () {
        for (const [status, reason] of [
          [401, forbidden[name]],
          [403, forbidden[name]],
          [429, "limit"],
          [500, "status"]
        ] as const) {
          const { url } = yield* site(json({ error: "no" }, status))
          const failure = yield* Effect.flip(Effect.flatMap(built(providers[name](url)), ({ search }) => search("tea")))
          assert.deepInclude(failure, { _tag: "SearchUnavailable", provider: name, reason, status })
          assert.notInclude(JSON.stringify(failure) + failure.message, "key-that-is-secret")
        }
        const { url } = yield* site((_, response) => response.destroy())
        const cut = yield* Effect.flip(Effect.flatMap(built(providers[name](url)), ({ search }) => search("tea")))
        assert.deepInclude(cut, { _tag: "SearchUnavailable", reason: "unreachable" })
      })
    )

    it.scopedLive(`by ${name} that answers with something else says so`, () =>
      Effect.gen(function* () {
        const { url } = yield* site(sends("text/html", "<h1>It works</h1>"))
        const failure = yield* Effect.flip(Effect.flatMap(built(providers[name](url)), ({ search }) => search("tea")))
        assert.deepInclude(failure, { _tag: "SearchUnavailable", reason: "answer" })
      })
    )
  }

  it.scopedLive("that finds nothing, or asks for nothing, says so", () =>
    Effect.gen(function* () {
      for (const [name, answer] of [
        ["searxng", json({ results: [] })],
        ["brave", json({ type: "search" })],
        ["tavily", json({ results: [] })],
        ["duckduckgo", sends("text/html", duckDuckGoPage('<div class="no-results">No results.</div>'))]
      ] as const) {
        const { asked, url } = yield* site(answer)
        const { search } = yield* built(providers[name](url))
        assert.deepInclude(yield* Effect.flip(search("xyzzy")), { _tag: "NoResults", query: "xyzzy" })
        assert.deepInclude(yield* Effect.flip(search(" \n")), { _tag: "BlankQuery", parameter: "query" })
        assert.strictEqual(asked.length, 1)
      }
    })
  )

  it.scopedLive("takes no longer than it may", () =>
    Effect.gen(function* () {
      const { url } = yield* site(() => undefined)
      const { search } = yield* built(WebSearch.searxng({ url, timeLimit: "100 millis" }))
      assert.deepInclude(yield* Effect.flip(search("tea")), { _tag: "SearchUnavailable", reason: "timeout" })
    })
  )

  it.scopedLive("gives each page once, pages of the web only, and no more than are wanted", () =>
    Effect.gen(function* () {
      const { url } = yield* site(
        json({
          results: [
            { url: "https://example.org/1", title: null },
            { url: "https://example.org/1", title: "again" },
            { url: "javascript:alert(1)", title: "bad" },
            { url: "magnet:?xt=1", title: "bad" },
            { url: "not a url", title: "bad" },
            ...Array.from({ length: 30 }, (_, at) => ({
              url: `https://example.org/${at + 2}`,
              title: `T${at}\n\u202Ex`
            }))
          ]
        })
      )
      const { search } = yield* built(WebSearch.searxng({ url }))
      const { results } = yield* search("tea")
      assert.strictEqual(results.length, 8)
      assert.deepStrictEqual(results.slice(0, 2), [
        { title: "https://example.org/1", url: "https://example.org/1" },
        { title: "T0 x", url: "https://example.org/2" }
      ])
      assert.strictEqual((yield* search("tea", 15)).results.length, 15)
    })
  )
})

describe("what is asked", () => {
  it.scopedLive("of SearXNG is its JSON", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* site(answering.searxng)
      const { search } = yield* built(WebSearch.searxng({ url: `${url}/searx/`, language: "de" }))
      yield* search("grüner tee & mehr")
      const sent = new URL(asked[0]?.url ?? "", url)
      assert.strictEqual(sent.pathname, "/searx/search")
      assert.deepStrictEqual(Object.fromEntries(sent.searchParams), {
        q: "grüner tee & mehr",
        format: "json",
        language: "de"
      })
    })
  )

  it.scopedLive("of SearXNG leaves out what is no page, and tells when none of its engines has answered", () =>
    Effect.gen(function* () {
      const results = [{ template: "keyvalue.html" }, { url: null, title: "Answer" }, ...found.searxng.results]
      const mixed = yield* site(json({ results, unresponsive_engines: [["google", "captcha"]] }))
      const { search } = yield* built(providers.searxng(mixed.url))
      assert.deepStrictEqual((yield* search("tea")).results.length, 1)
      const silent = yield* site(json({ results: [], unresponsive_engines: [["google", "suspended"]] }))
      const unasked = yield* built(providers.searxng(silent.url))
      assert.deepInclude(yield* Effect.flip(unasked.search("tea")), { _tag: "SearchUnavailable", reason: "engines" })
    })
  )

  it.scopedLive("of Brave has the key in a header of its own", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* site(answering.brave)
      const { search } = yield* built(providers.brave(url))
      yield* search("tea", 50)
      const sent = new URL(asked[0]?.url ?? "", url)
      assert.strictEqual(sent.pathname, "/res/v1/web/search")
      assert.deepInclude(Object.fromEntries(sent.searchParams), { q: "tea", count: "20", text_decorations: "false" })
      assert.strictEqual(asked[0]?.headers["x-subscription-token"], "key-that-is-secret")
      assert.notInclude(asked[0]?.url ?? "", "secret")
    })
  )

  it.scopedLive("takes no key along where a redirect leads to another origin", () =>
    Effect.gen(function* () {
      for (const name of ["brave", "tavily"] as const) {
        const elsewhere = yield* site(answering[name])
        const open = yield* site((_, response) => response.writeHead(307, { location: `${elsewhere.url}/x` }).end())
        const service = yield* WebSearch.make({ provider: name, url: open.url, apiKey }).pipe(
          Effect.provideServiceEffect(
            HttpClient.HttpClient,
            HttpGuard.make({ allowedHosts: [open.host, elsewhere.host] })
          )
        )
        yield* service.search("tea")
        assert.include(JSON.stringify(open.asked[0]?.headers), "key-that-is-secret")
        assert.notInclude(JSON.stringify(elsewhere.asked), "key-that-is-secret")
      }
    })
  )

  it.scopedLive("of Tavily is a POST with the key as bearer", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* site(answering.tavily)
      const { search } = yield* built(providers.tavily(url))
      yield* search("tea", 5)
      assert.deepInclude(asked[0], { method: "POST", url: "/search" })
      assert.strictEqual(asked[0]?.headers.authorization, "Bearer key-that-is-secret")
      assert.deepStrictEqual(JSON.parse(asked[0]?.body ?? ""), { query: "tea", max_results: 5 })
    })
  )

  it.scopedLive("of DuckDuckGo is no page that is nested deeper than one of its own", () =>
    Effect.gen(function* () {
      const { url } = yield* site(sends("text/html", duckDuckGoPage('<div class="result">'.repeat(100_000))))
      const failure = yield* Effect.flip(
        Effect.flatMap(built(providers.duckduckgo(url)), ({ search }) => search("tea"))
      )
      assert.deepInclude(failure, { _tag: "SearchUnavailable", reason: "answer" })
    })
  )

  it.scopedLive("of DuckDuckGo is the page, whose advertisements and own links are left out", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* site(
        sends(
          "text/html",
          duckDuckGoPage(
            duckDuckGoResult("Buy tea", "https://duckduckgo.com/y.js?ad_domain=shop.example", "result--ad") +
              duckDuckGoResult("Sold", "//duckduckgo.com/y.js?ad_domain=shop.example") +
              duckDuckGoResult(
                "Tea &amp; more",
                "//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2F%3Fa%3D1%262&rut=2"
              ) +
              duckDuckGoResult("Direct", "https://example.com/") +
              duckDuckGoResult("Alike", "https://notduckduckgo.com/") +
              duckDuckGoResult("Help", "//duckduckgo.com/l/?uddg=https%3A%2F%2Fhelp.duckduckgo.com%2F") +
              duckDuckGoResult("Torn", "//duckduckgo.com/l/?uddg=https%3A%2F%2F") +
              duckDuckGoResult("Odd", "https://[") +
              duckDuckGoResult("None", "")
          )
        )
      )
      const { search } = yield* built(providers.duckduckgo(url))
      const { results } = yield* search("tea")
      assert.deepStrictEqual(
        results.map(({ title, url }) => [title, url]),
        [
          ["Tea & more", "https://example.org/?a=1&2"],
          ["Direct", "https://example.com/"],
          ["Alike", "https://notduckduckgo.com/"]
        ]
      )
      assert.strictEqual(asked[0]?.url, "/html/?q=tea")
    })
  )

  it.scopedLive("of DuckDuckGo is understood by its results alone, however the page around them is made", () =>
    Effect.gen(function* () {
      const { url } = yield* site(sends("text/html", `<main>${duckDuckGoResult("Tea", "https://example.org/")}</main>`))
      const { search } = yield* built(providers.duckduckgo(url))
      assert.strictEqual((yield* search("tea")).results.length, 1)
    })
  )

  it.scopedLive("of DuckDuckGo in vain, where it wants to see a person, is told", () =>
    Effect.gen(function* () {
      const { url } = yield* site((_, response) => response.writeHead(202).end("<html><body>Select all ducks"))
      const failure = yield* Effect.flip(
        Effect.flatMap(built(providers.duckduckgo(url)), ({ search }) => search("tea"))
      )
      assert.deepInclude(failure, { _tag: "SearchUnavailable", reason: "robot" })
    })
  )

  it.scopedLive("goes to no private address but the one that was named", () =>
    Effect.gen(function* () {
      const hidden = yield* site(answering.searxng)
      const open = yield* site((_, response) => response.writeHead(302, { location: hidden.url }).end())
      const failure = yield* Effect.flip(
        Effect.flatMap(built(providers.searxng(open.url)), ({ search }) => search("tea"))
      )
      assert.deepInclude(failure, { _tag: "SearchUnavailable", reason: "unreachable" })
      assert.strictEqual(hidden.asked.length, 0)
    })
  )
})

describe("a second provider", () => {
  it.scopedLive("is asked where the first fails or finds nothing, and only there", () =>
    Effect.gen(function* () {
      const second = yield* site(answering.brave)
      const fallback = WebSearch.orElse(providers.brave(second.url))
      for (const [answer, provider] of [
        [json({}, 500), "brave"],
        [json({ results: [] }), "brave"],
        [answering.searxng, "searxng"]
      ] as const) {
        const first = yield* site(answer)
        const { search } = yield* built(providers.searxng(first.url).pipe(fallback))
        assert.strictEqual((yield* search("tea")).provider, provider)
        assert.strictEqual((yield* Effect.flip(search("")))._tag, "BlankQuery")
      }
      assert.strictEqual(second.asked.length, 2)
    })
  )

  it.scopedLive("that fails too leaves the failure of the first", () =>
    Effect.gen(function* () {
      const first = yield* site(json({ results: [] }))
      const second = yield* site(json({}, 500))
      const { search } = yield* built(WebSearch.orElse(providers.searxng(first.url), providers.brave(second.url)))
      assert.strictEqual((yield* Effect.flip(search("tea")))._tag, "NoResults")
    })
  )
})

describe("the configuration", () => {
  const configured = (entries: ReadonlyArray<readonly [string, string]>) =>
    Effect.withConfigProvider(built(WebSearch.layerConfig), ConfigProvider.fromMap(new Map(entries)))

  it.scopedLive("chooses the provider, where it is and its key", () =>
    Effect.gen(function* () {
      for (const name of names) {
        const { asked, url } = yield* site(answering[name])
        const { search } = yield* configured([
          ["WEB_SEARCH_PROVIDER", name],
          ["WEB_SEARCH_URL", url],
          ["WEB_SEARCH_API_KEY", "key-that-is-secret"]
        ])
        assert.strictEqual((yield* search("tea")).provider, name)
        assert.strictEqual(asked.length, 1)
      }
    })
  )

  it.scopedLive("fails where the provider is unknown, or its key or address is missing", () =>
    Effect.gen(function* () {
      for (const [provider, missing] of [
        ["askjeeves", "WEB_SEARCH_PROVIDER"],
        ["brave", "WEB_SEARCH_API_KEY"],
        ["tavily", "WEB_SEARCH_API_KEY"],
        ["searxng", "WEB_SEARCH_URL"]
      ] as const) {
        const exit = yield* Effect.exit(configured([["WEB_SEARCH_PROVIDER", provider]]))
        assert.isTrue(Exit.isFailure(exit))
        assert.include(JSON.stringify(exit), missing)
      }
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(configured([]))))
    })
  )
})
