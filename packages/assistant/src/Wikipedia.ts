/** Looks topics up in Wikipedia, or in any other wiki of MediaWiki that has the extension TextExtracts. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpGuard from "@wield/http/HttpGuard"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { policyFor } from "./web/ask.js"
import { defaultUserAgent } from "./web/exchange.js"
import { type Entry, wikiOf } from "./web/mediaWiki.js"
import { sliceText, tidyText } from "./web/tidy.js"
import { ArticleNotFound, BlankQuery, SearchUnavailable } from "./WebError.js"

/**
 * What an article says before its first heading.
 *
 * @category models
 */
export const Article = Schema.Struct({
  title: Schema.String,
  /** At most 8,000 characters. */
  extract: Schema.String,
  url: Schema.String,
  /** Other articles that the topic may mean, at most 10; absent where it has one meaning. */
  otherMeanings: Schema.optional(Schema.Array(Schema.String))
})
export interface Article extends Schema.Schema.Type<typeof Article> {}

/**
 * Which wiki is asked, and how.
 *
 * @category models
 */
export interface Settings {
  /** The language of the articles, as in the name of its host: `en` unless given. */
  readonly language?: string | undefined
  /** The origin of the wiki, where it is not `https://<language>.wikipedia.org`. */
  readonly url?: string | undefined
  /** For one topic, which takes up to four requests. 20 seconds unless given. */
  readonly timeLimit?: Duration.DurationInput | undefined
  /** What the wiki reads; Wikipedia asks for one with an address to write to. */
  readonly userAgent?: string | undefined
}

/**
 * Looks topics up.
 *
 * @category services
 */
export interface Service {
  /** The article of this title, or the first that a search finds; of a page of meanings, the first. */
  readonly lookUp: (topic: string) => Effect.Effect<Article, ArticleNotFound | BlankQuery | SearchUnavailable>
}

/**
 * Looks topics up.
 *
 * @category services
 */
export class Wikipedia extends Context.Tag("@wield/assistant/Wikipedia")<Wikipedia, Service>() {}

/**
 * Wikipedia over the client of the context.
 *
 * @category constructors
 */
export const make = (settings: Settings = {}): Effect.Effect<Service, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) => makeWikipedia(client, settings))

/**
 * Wikipedia over a client that goes to public addresses and the `url` of the settings.
 *
 * @example
 * ```ts
 * import { Wikipedia } from "@wield/assistant"
 * import { Effect } from "effect"
 *
 * export const program = Effect.flatMap(Wikipedia.Wikipedia, (wiki) => wiki.lookUp("Tee")).pipe(
 *   Effect.provide(Wikipedia.layer({ language: "de" }))
 * )
 * ```
 *
 * @category layers
 */
export const layer = (settings: Settings = {}): Layer.Layer<Wikipedia> =>
  Layer.effect(Wikipedia, make(settings)).pipe(Layer.provide(HttpGuard.layer(policyFor(settings.url))))

const makeWikipedia = (client: HttpClient.HttpClient, settings: Settings): Service => {
  const timeLimit = Duration.decode(settings.timeLimit ?? Duration.seconds(20))
  const wiki = wikiOf({
    client,
    timeLimit,
    url: settings.url ?? `https://${settings.language ?? "en"}.wikipedia.org`,
    userAgent: settings.userAgent ?? defaultUserAgent
  })

  /** A meaning that is listed may be no article, or a list again. */
  const firstMeaning = (page: string): Effect.Effect<Article | undefined, SearchUnavailable> =>
    Effect.gen(function* () {
      const meanings = (yield* wiki.meanings(page)).filter((title) => !isListing(title)).slice(0, 20)
      const entries = yield* wiki.entries(meanings)
      const usable = meanings.flatMap((title) => entries.get(title) ?? []).filter(isArticle)
      const [first] = usable
      return first === undefined
        ? undefined
        : articleOf(
            first,
            usable.slice(1, 11).map(({ title }) => title)
          )
    })

  const articleFrom = (entry: Entry | undefined) =>
    entry === undefined || isListing(entry.title)
      ? Effect.succeed(undefined)
      : entry.isDisambiguation
        ? firstMeaning(entry.title)
        : Effect.succeed(isArticle(entry) ? articleOf(entry) : undefined)

  return {
    lookUp: (topic) =>
      Effect.gen(function* () {
        const title = topic.trim().slice(0, 300)
        if (title === "") return yield* new BlankQuery({ parameter: "topic" })
        const own = canBeTitle(title) ? yield* wiki.entries([title]) : new Map<string, Entry>()
        const named = yield* articleFrom(own.get(title))
        if (named !== undefined) return named
        const found = yield* wiki.search(title)
        const candidates = found.filter((entry) => !isListing(entry.title))
        for (const candidate of [...candidates.filter(isArticle), ...candidates.filter((entry) => !isArticle(entry))]) {
          const article = yield* articleFrom(candidate)
          if (article !== undefined) return article
        }
        return yield* new ArticleNotFound({ topic, near: found.slice(0, 10).map((entry) => entry.title) })
      }).pipe(
        Effect.timeoutFail({
          duration: timeLimit,
          onTimeout: () => new SearchUnavailable({ provider: "wikipedia", reason: "timeout" })
        })
      )
  }
}

/** What no title of MediaWiki has; `|` would make two of it. */
const canBeTitle = (title: string): boolean => !/[#<>[\]|{}\n]/.test(title) && Buffer.byteLength(title) <= 255

const isListing = (title: string): boolean => /^(lists? of|index of|outline of)\b/i.test(title)

const isArticle = (entry: Entry): boolean => !entry.isDisambiguation && entry.extract.trim() !== ""

const articleOf = ({ extract, title, url }: Entry, otherMeanings: ReadonlyArray<string> = []): Article => ({
  title,
  extract: sliceText(tidyText(extract), 0, 8000),
  url,
  ...(otherMeanings.length === 0 ? {} : { otherMeanings })
})
