/** From a topic to an article: its own, else a found one, else the first meaning. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ArticleNotFound, BlankQuery, SearchUnavailable } from "../WebError.js"
import type { Article, Service, Settings } from "../Wikipedia.js"
import { type Entry, wikiOf } from "./mediaWiki.js"
import { cut, tidied } from "./tidy.js"
import { defaultUserAgent } from "./userAgent.js"

export const makeWikipedia = (client: HttpClient.HttpClient, settings: Settings): Service => {
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

  const settled = (entry: Entry | undefined) =>
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
        const named = yield* settled(own.get(title))
        if (named !== undefined) return named
        const found = yield* wiki.search(title)
        const candidates = found.filter((entry) => !isListing(entry.title))
        for (const candidate of [...candidates.filter(isArticle), ...candidates.filter((entry) => !isArticle(entry))]) {
          const article = yield* settled(candidate)
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
  extract: cut(tidied(extract), 0, 8000),
  url,
  ...(otherMeanings.length === 0 ? {} : { otherMeanings })
})
