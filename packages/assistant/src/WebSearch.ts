/**
 * Searches the web, by SearXNG, Brave, Tavily or DuckDuckGo's HTML page.
 *
 * The requests and answers are those of the providers' documentation; they are
 * tested against servers that play them, not against recordings.
 */
import { HttpClient } from "@effect/platform/HttpClient"
import * as HttpGuard from "@wield/http/HttpGuard"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import type { Duration, Redacted } from "effect"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { policyFor } from "./web/ask.js"
import { bySettings, checkSettings } from "./web/providers.js"
import type { BlankQuery, NoResults, SearchUnavailable } from "./WebError.js"

/**
 * A page that was found.
 *
 * @category models
 */
export const SearchResult = Schema.Struct({
  title: Schema.String,
  url: Schema.String,
  /** A sentence or two of the page, at most 300 characters, where the engine gives them. */
  snippet: Schema.optional(Schema.String)
})
export interface SearchResult extends Schema.Schema.Type<typeof SearchResult> {}

/**
 * What a search found, and who was asked.
 *
 * @category models
 */
export const Results = Schema.Struct({
  provider: Schema.String,
  /** The best first; at least one. */
  results: Schema.Array(SearchResult)
})
export interface Results extends Schema.Schema.Type<typeof Results> {}

/**
 * Searches the web.
 *
 * @category services
 */
export interface Service {
  /** At most `limit` results, 8 unless given. */
  readonly search: (query: string, limit?: number) => Effect.Effect<Results, BlankQuery | NoResults | SearchUnavailable>
}

/**
 * Searches the web.
 *
 * @category services
 */
export class WebSearch extends Context.Tag("@wield/assistant/WebSearch")<WebSearch, Service>() {}

/**
 * Options that every provider takes.
 *
 * @category models
 */
export interface Common {
  /** For one search. 15 seconds unless given. */
  readonly timeLimit?: Duration.DurationInput | undefined
}

/**
 * An instance of SearXNG whose settings allow the format `json`.
 *
 * @category models
 */
export interface Searxng extends Common {
  /** Where it is, such as `http://localhost:8080`. */
  readonly url: string
  /** Such as `en`; its own default unless given. */
  readonly language?: string | undefined
}

/**
 * A provider that wants a key.
 *
 * @category models
 */
export interface Keyed extends Common {
  readonly apiKey: Redacted.Redacted<string>
  /** The origin of the API, where it is not the provider's own. */
  readonly url?: string | undefined
}

/**
 * DuckDuckGo's page for browsers without scripts. It refuses who asks often, and may change.
 *
 * @category models
 */
export interface DuckDuckGo extends Common {
  /** The origin of the page, where it is not `https://html.duckduckgo.com`. */
  readonly url?: string | undefined
  readonly userAgent?: string | undefined
}

/**
 * A provider and its options.
 *
 * @category models
 */
export type Settings =
  | ({ readonly provider: "searxng" } & Searxng)
  | ({ readonly provider: "brave" } & Keyed)
  | ({ readonly provider: "tavily" } & Keyed)
  | ({ readonly provider: "duckduckgo" } & DuckDuckGo)

/**
 * A provider over the client of the context.
 *
 * @category constructors
 */
export const make = (settings: Settings): Effect.Effect<Service, never, HttpClient> =>
  Effect.map(HttpClient, (client) => {
    checkSettings(settings)
    return bySettings(client, settings)
  })

/**
 * A provider over a client that goes to public addresses and the `url` of the settings.
 *
 * @category layers
 */
export const layer = (settings: Settings): Layer.Layer<WebSearch> =>
  Layer.effect(WebSearch, make(settings)).pipe(
    Layer.provide(Layer.suspend(() => HttpGuard.layer(policyFor(settings?.url))))
  )

/**
 * Searches by an instance of SearXNG.
 *
 * @category layers
 */
export const searxng = (settings: Searxng): Layer.Layer<WebSearch> => layer({ provider: "searxng", ...settings })

/**
 * Searches by the API of Brave.
 *
 * @category layers
 */
export const brave = (settings: Keyed): Layer.Layer<WebSearch> => layer({ provider: "brave", ...settings })

/**
 * Searches by the API of Tavily.
 *
 * @category layers
 */
export const tavily = (settings: Keyed): Layer.Layer<WebSearch> => layer({ provider: "tavily", ...settings })

/**
 * Searches by DuckDuckGo's page for browsers without scripts.
 *
 * @category layers
 */
export const duckDuckGo = (settings: DuckDuckGo = {}): Layer.Layer<WebSearch> =>
  layer({ provider: "duckduckgo", ...settings })

/**
 * The provider that the configuration names: `WEB_SEARCH_PROVIDER` is `searxng`,
 * `brave`, `tavily` or `duckduckgo` (which it is unless given); `WEB_SEARCH_URL`
 * is where to ask, which only `searxng` needs; `WEB_SEARCH_API_KEY` is the key
 * of `brave` or `tavily`. Fails where the provider needs what is not there.
 *
 * @category layers
 */
export const layerConfig: Layer.Layer<WebSearch, ConfigError> = Layer.unwrapEffect(
  Effect.gen(function* () {
    const provider = yield* Config.withDefault(
      Config.literal("searxng", "brave", "tavily", "duckduckgo")("WEB_SEARCH_PROVIDER"),
      "duckduckgo"
    )
    const address = Config.map(Config.url("WEB_SEARCH_URL"), ({ href }) => href)
    if (provider === "searxng") return searxng({ url: yield* address })
    const url = Option.getOrUndefined(yield* Config.option(address))
    if (provider === "duckduckgo") return duckDuckGo({ url })
    return layer({ provider, url, apiKey: yield* Config.redacted("WEB_SEARCH_API_KEY") })
  })
)

/**
 * Asks the second provider where the first fails or finds nothing. Where both fail, it fails as the first.
 *
 * @example
 * ```ts
 * import { WebSearch } from "@wield/assistant"
 * import { Redacted } from "effect"
 *
 * export const search = WebSearch.searxng({ url: "http://localhost:8080" }).pipe(
 *   WebSearch.orElse(WebSearch.brave({ apiKey: Redacted.make("key") })),
 *   WebSearch.orElse(WebSearch.duckDuckGo())
 * )
 * ```
 *
 * @category combinators
 */
export const orElse: {
  <E2, R2>(
    second: Layer.Layer<WebSearch, E2, R2>
  ): <E, R>(first: Layer.Layer<WebSearch, E, R>) => Layer.Layer<WebSearch, E | E2, R | R2>
  <E, R, E2, R2>(
    first: Layer.Layer<WebSearch, E, R>,
    second: Layer.Layer<WebSearch, E2, R2>
  ): Layer.Layer<WebSearch, E | E2, R | R2>
} = dual(
  2,
  <E, R, E2, R2>(
    first: Layer.Layer<WebSearch, E, R>,
    second: Layer.Layer<WebSearch, E2, R2>
  ): Layer.Layer<WebSearch, E | E2, R | R2> =>
    Layer.scoped(
      WebSearch,
      Effect.gen(function* () {
        const one = Context.get(yield* Layer.build(first), WebSearch)
        const other = Context.get(yield* Layer.build(second), WebSearch)
        const search: Service["search"] = (query, limit) => {
          const orOther = (failure: NoResults | SearchUnavailable) =>
            Effect.mapError(other.search(query, limit), () => failure)
          return Effect.catchTags(one.search(query, limit), { NoResults: orOther, SearchUnavailable: orOther })
        }
        return { search }
      })
    )
)
