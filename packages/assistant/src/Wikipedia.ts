/**
 * Looks topics up in Wikipedia, or in any other wiki of MediaWiki that has the
 * extension TextExtracts.
 */
import { HttpClient } from "@effect/platform/HttpClient"
import { HttpGuard } from "@wield/http"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { namedBy } from "./web/allowed.js"
import { makeWikipedia } from "./web/wikipedia.js"
import type { ArticleNotFound, BlankQuery, SearchUnavailable } from "./WebError.js"

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

/**
 * What an article says before its first heading.
 *
 * @category models
 */
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
  /** What the wiki is told; Wikipedia asks for one with an address to write to. */
  readonly userAgent?: string | undefined
}

/**
 * Looks topics up.
 *
 * @category services
 */
export interface Service {
  /**
   * The article of this title, otherwise the first that a search finds. Of a
   * page that lists meanings, the first meaning; lists and indexes are skipped.
   */
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
export const make = (settings: Settings = {}): Effect.Effect<Service, never, HttpClient> =>
  Effect.map(HttpClient, (client) => makeWikipedia(client, settings))

/**
 * Wikipedia over a client that goes to public addresses and to the `url` of the
 * settings only.
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
  Layer.effect(Wikipedia, make(settings)).pipe(Layer.provide(HttpGuard.layer(namedBy(settings.url))))
