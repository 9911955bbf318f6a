/**
 * How topics become articles. The wiki here plays the documentation of
 * MediaWiki's API; nothing of it was recorded.
 */
import { assert, describe, it } from "@effect/vitest"
import { Wikipedia } from "@wield/assistant"
import { Context, Effect, Layer } from "effect"
import { encyclopedia } from "./encyclopedia.js"
import { type Answering, sends, site } from "./site.js"

const wikiAt = (settings: Wikipedia.Settings) =>
  Effect.map(Layer.build(Wikipedia.layer(settings)), (built) => Context.get(built, Wikipedia.Wikipedia))

const lookingUp = (answer: Answering, topic: string) =>
  Effect.gen(function* () {
    const { asked, url } = yield* site(answer)
    const article = yield* Effect.flatMap(wikiAt({ url }), ({ lookUp }) => lookUp(topic))
    return { article, asked }
  })

const failing = (answer: Answering, topic: string) => Effect.flip(lookingUp(answer, topic))

const wiki = encyclopedia({
  Tea: { extract: "Tea is a drink made of leaves." },
  Chai: { redirect: "Tea" },
  "List of teas": { extract: "These are teas that are rare." },
  "Index of tea articles": { extract: "An index of rare teas." },
  "White tea": { extract: "White tea is a rare tea." },
  Mercury: {
    meanings: `<p><b>Mercury</b> most commonly refers to:</p><ul>
      <li><a href="/wiki/Help:Disambiguation" title="Help:Disambiguation">help</a></li>
      <li><a href="/w/index.php?title=Mercury_(gone)&redlink=1" class="new" title="Mercury (gone)">gone</a></li>
      <li><a href="/wiki/Mercury_(disambiguation)" title="Mercury (disambiguation)">more</a></li>
      <li><a href="/wiki/List_of_Mercuries" title="List of Mercuries">list</a></li>
      <li><a href="/wiki/Mercury_(planet)" title="Mercury (planet)">Mercury</a>, nearest to the <a href="/wiki/Sun" title="Sun">Sun</a></li>
      <li><a href="/wiki/Mercury_(element)" title="Mercury (element)">Mercury</a></li></ul>`
  },
  "Mercury (planet)": { extract: "Mercury is the first planet." },
  "Mercury (element)": { extract: "Mercury is a metal." },
  Sun: { extract: "A star." },
  Nowhere: { meanings: "<ul><li>Nothing</li></ul>" },
  Stub: { extract: "" }
})

describe("a topic", () => {
  it.scopedLive("that is a title is that article, in one request", () =>
    Effect.gen(function* () {
      const { article, asked } = yield* lookingUp(wiki, "tea")
      assert.deepStrictEqual(article, {
        title: "Tea",
        extract: "Tea is a drink made of leaves.",
        url: "https://en.wikipedia.org/wiki/Tea"
      })
      assert.strictEqual(asked.length, 1)
      assert.match(asked[0]?.headers["user-agent"] ?? "", /^Wield\/.*https:/)
    })
  )

  it.scopedLive("that has moved is the article where it went", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* lookingUp(wiki, "chai")).article.title, "Tea")
    })
  )

  it.scopedLive("that is no title is the first that a search finds, but no list nor index", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* lookingUp(wiki, "rare")).article.title, "White tea")
    })
  )

  it.scopedLive("that is the title of a list is the article that a search finds", () =>
    Effect.gen(function* () {
      const { article } = yield* lookingUp(
        encyclopedia({ "List of teas": { extract: "Teas." }, Overview: { extract: "More than a list of teas." } }),
        "List of teas"
      )
      assert.strictEqual(article.title, "Overview")
    })
  )

  it.scopedLive("with several meanings is the first that is an article, and the others are named", () =>
    Effect.gen(function* () {
      const { article } = yield* lookingUp(wiki, "Mercury")
      assert.deepInclude(article, { title: "Mercury (planet)", otherMeanings: ["Mercury (element)"] })
    })
  )

  it.scopedLive("without an article is a failure that names near titles", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* failing(wiki, "xyzzy"), { _tag: "ArticleNotFound", topic: "xyzzy", near: [] })
      assert.deepInclude(yield* failing(wiki, "Nowhere"), { _tag: "ArticleNotFound", near: ["Nowhere"] })
      assert.deepInclude(yield* failing(wiki, "Stub"), { _tag: "ArticleNotFound", near: ["Stub"] })
      assert.deepInclude(yield* failing(wiki, "  "), { _tag: "BlankQuery", parameter: "topic" })
    })
  )

  it.scopedLive("that no title can be is searched for, and is never two titles", () =>
    Effect.gen(function* () {
      for (const topic of ["Tea|Sun", "tea [drink]", "x".repeat(300), "茶".repeat(100)]) {
        const { asked, url } = yield* site(wiki)
        const { lookUp } = yield* wikiAt({ url })
        assert.strictEqual((yield* Effect.flip(lookUp(topic)))._tag, "ArticleNotFound")
        assert.strictEqual(asked.length, 1)
        assert.include(asked[0]?.url, "gsrsearch=")
      }
    })
  )

  it.scopedLive("with a long introduction is given in part", () =>
    Effect.gen(function* () {
      const { article } = yield* lookingUp(encyclopedia({ Tea: { extract: `a${"🍵".repeat(9000)}` } }), "Tea")
      assert.strictEqual(article.extract, `a${"🍵".repeat(4000)}`)
    })
  )
})

describe("a wiki", () => {
  it.scopedLive("that cannot be asked is told, with the status", () =>
    Effect.gen(function* () {
      for (const [answer, expected] of [
        [(_, response) => response.writeHead(503).end(), { reason: "status", status: 503 }],
        [(_, response) => response.writeHead(429).end(), { reason: "limit", status: 429 }],
        [(_, response) => response.writeHead(403).end(), { reason: "robot", status: 403 }],
        [(_, response) => response.destroy(), { reason: "unreachable" }],
        [sends("application/json", `{"error":{"code":"ratelimited","info":"Slow down"}}`), { reason: "limit" }],
        [sends("application/json", `{"error":{"code":"maxlag","info":"Waiting"}}`), { reason: "status" }],
        [sends("application/json", "{"), { reason: "answer" }]
      ] as ReadonlyArray<readonly [Answering, object]>) {
        assert.deepInclude(yield* failing(answer, "Tea"), {
          _tag: "SearchUnavailable",
          provider: "wikipedia",
          ...expected
        })
      }
    })
  )

  it.scopedLive("that takes too long is not waited for", () =>
    Effect.gen(function* () {
      const { url } = yield* site(() => undefined)
      const { lookUp } = yield* wikiAt({ url, timeLimit: "100 millis" })
      assert.deepInclude(yield* Effect.flip(lookUp("Tea")), { _tag: "SearchUnavailable", reason: "timeout" })
    })
  )
})
