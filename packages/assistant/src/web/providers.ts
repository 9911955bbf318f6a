/** Which provider answers, and what is the same for all of them. */
import * as Headers from "@effect/platform/Headers"
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Json from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { BlankQuery, NoResults, SearchUnavailable } from "../WebError.js"
import type { DuckDuckGo, Keyed, SearchResult, Searxng, Service, Settings } from "../WebSearch.js"
import { ask, askJson, type ServiceRequest } from "./ask.js"
import { sliceText, tidyText } from "./tidy.js"
import { defaultUserAgent } from "./exchange.js"

type Asking = Omit<ServiceRequest, "request">

type Provider = (query: string, limit: number) => Effect.Effect<ReadonlyArray<Found>, SearchUnavailable>

const options = {
  provider: Options.oneOf("searxng", "brave", "tavily", "duckduckgo"),
  apiKey: Options.aSecret,
  url: Options.aName,
  language: Options.aText,
  userAgent: Options.aText,
  timeLimit: Options.aDuration
}

const needs: { readonly [provider: string]: ReadonlyArray<string> } = {
  searxng: ["url"],
  brave: ["apiKey"],
  tavily: ["apiKey"]
}

export const checkSettings = (settings: unknown): void => {
  const needed = (Json.isObject(settings) && needs[String(settings["provider"])]) || []
  Options.orThrow(Options.fields(options, ["provider", ...needed])(settings), "What searches the web")
}

export const bySettings = (client: HttpClient.HttpClient, settings: Settings): Service => {
  const ask = providerOf(client, settings)
  return {
    search: (query, limit = 8) =>
      Effect.gen(function* () {
        const words = query.trim()
        if (words === "") return yield* new BlankQuery({ parameter: "query" })
        const results = resultsOf(yield* ask(words.slice(0, maxQuery), limit), limit)
        if (results.length === 0) return yield* new NoResults({ query })
        return { provider: settings.provider, results }
      })
  }
}

/** Brave takes 400 characters and 50 words at most; no engine makes use of more. */
const maxQuery = 400

const providerOf = (client: HttpClient.HttpClient, settings: Settings): Provider => {
  const asking = { client, provider: settings.provider, timeLimit: settings.timeLimit ?? Duration.seconds(15) }
  switch (settings.provider) {
    case "searxng":
      return searxng(asking, settings)
    case "brave":
      return brave(asking, settings)
    case "tavily":
      return tavily(asking, settings)
    case "duckduckgo":
      return duckDuckGo(asking, settings)
  }
}

const keyHeader = "x-subscription-token"

const text = Schema.optional(Schema.NullOr(Schema.String))

const BraveAnswer = Schema.Struct({
  web: Schema.optional(
    Schema.Struct({
      results: Schema.Array(
        Schema.Struct({ url: Schema.String, title: Schema.optional(Schema.String), description: text })
      )
    })
  )
})

const brave =
  (asking: Asking, { apiKey, url = "https://api.search.brave.com" }: Keyed) =>
  (query: string, limit: number) =>
    askJson(
      {
        ...asking,
        request: HttpClientRequest.get(`${url.replace(/\/+$/, "")}/res/v1/web/search`, {
          // It gives at most 20, and sets words in bold unless asked not to.
          urlParams: { q: query, count: Math.min(limit, 20), text_decorations: false, result_filter: "web" },
          headers: { [keyHeader]: Redacted.value(apiKey) },
          acceptJson: true
        })
      },
      BraveAnswer
    ).pipe(
      // No trace shows it.
      Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, keyHeader]),
      Effect.map(({ web }): ReadonlyArray<Found> =>
        (web?.results ?? []).map(({ description, title, url }) => ({ url, title, snippet: description }))
      )
    )

/** Answers and tables among the results have no URL. */
const Results = Schema.Array(Schema.Struct({ url: text, title: text, content: text }))

const foundAmong = ({ results }: { readonly results: typeof Results.Type }): ReadonlyArray<Found> =>
  results.map(({ content, title, url }) => ({ url: url ?? "", title, snippet: content }))

/** https://docs.searxng.org/dev/search_api */
const SearxngAnswer = Schema.Struct({
  /** Name and reason of each engine behind it that has not answered. */
  unresponsive_engines: Schema.optional(Schema.Array(Schema.Unknown)),
  results: Results
})

const searxng =
  (asking: Asking, { language, url }: Searxng) =>
  (query: string) =>
    askJson(
      {
        ...asking,
        forbidden: "format",
        request: HttpClientRequest.get(`${url.replace(/\/+$/, "")}/search`, {
          urlParams: { q: query, format: "json", ...(language === undefined ? {} : { language }) },
          acceptJson: true
        })
      },
      SearxngAnswer
    ).pipe(
      // "Nothing found" is true only where an engine has looked.
      Effect.filterOrFail(
        ({ results, unresponsive_engines = [] }) => results.length > 0 || unresponsive_engines.length === 0,
        () => new SearchUnavailable({ provider: asking.provider, reason: "engines" })
      ),
      Effect.map(foundAmong)
    )

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
const TavilyAnswer = Schema.Struct({ results: Results })

const tavily =
  (asking: Asking, { apiKey, url = "https://api.tavily.com" }: Keyed) =>
  (query: string, limit: number) =>
    askJson(
      {
        ...asking,
        request: HttpClientRequest.post(`${url.replace(/\/+$/, "")}/search`, {
          headers: { authorization: `Bearer ${Redacted.value(apiKey)}` },
          body: HttpBody.unsafeJson({ query, max_results: Math.min(limit, 20) }),
          acceptJson: true
        })
      },
      TavilyAnswer
    ).pipe(Effect.map(foundAmong))

/** DuckDuckGo's page without scripts, no API: redirects of its own, advertisements, a puzzle with status 202. */
const duckDuckGo =
  (asking: Asking, { url = "https://html.duckduckgo.com", userAgent = defaultUserAgent }: DuckDuckGo) =>
  (query: string): Effect.Effect<ReadonlyArray<Found>, SearchUnavailable> =>
    ask({
      ...asking,
      forbidden: "robot",
      request: HttpClientRequest.get(`${url.replace(/\/+$/, "")}/html/`, {
        urlParams: { q: query },
        headers: { "user-agent": userAgent, accept: "text/html" }
      })
    }).pipe(
      // Most programs never read HTML here, and what does is slow to load.
      Effect.zip(Effect.promise(() => import("./dom.js"))),
      Effect.flatMap(([{ bytes, status }, { parsePage }]) => {
        const document = parsePage(new TextDecoder().decode(bytes))
        const fail = (reason: SearchUnavailable["reason"]) =>
          new SearchUnavailable({ provider: asking.provider, reason, status })
        if (document === undefined) return fail("answer")
        if (status === 202 || document.querySelector(".anomaly-modal__title, #challenge-form") !== null) {
          return fail("robot")
        }
        const found = [...document.querySelectorAll(".result:not(.result--ad)")].flatMap(foundIn)
        const saysSo = document.querySelector(".no-results, .result--no-result, #links") !== null
        return found.length > 0 || saysSo ? Effect.succeed(found) : fail("answer")
      })
    )

const foundIn = (result: Element): ReadonlyArray<Found> => {
  const link = result.querySelector("a.result__a")
  const url = targetOf(link?.getAttribute("href") ?? "")
  return url === undefined
    ? []
    : [{ url, title: link?.textContent, snippet: result.querySelector(".result__snippet")?.textContent }]
}

/** Where `//duckduckgo.com/l/?uddg=…` leads; what leads to DuckDuckGo itself is an advertisement. */
const targetOf = (href: string): string | undefined => {
  if (!URL.canParse(href, "https://duckduckgo.com")) return undefined
  const url = new URL(href, "https://duckduckgo.com")
  const target = isOwn(url) ? url.searchParams.get("uddg") : url.href
  return target === null || !URL.canParse(target) || isOwn(new URL(target)) ? undefined : target
}

const isOwn = ({ hostname }: URL): boolean => hostname === "duckduckgo.com" || hostname.endsWith(".duckduckgo.com")

interface Found {
  readonly title?: string | null | undefined
  readonly url: string
  readonly snippet?: string | null | undefined
}

const resultsOf = (found: ReadonlyArray<Found>, limit: number): ReadonlyArray<SearchResult> => {
  const results = new Map<string, SearchResult>()
  for (const { snippet, title, url } of found) {
    if (results.size >= limit) break
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) continue
    const { href } = new URL(url)
    if (href.length > 2000 || results.has(href)) continue
    const summary = line(snippet, 300)
    results.set(href, { title: line(title, 200) || href, url: href, ...(summary === "" ? {} : { snippet: summary }) })
  }
  return [...results.values()]
}

const line = (text: string | null | undefined, length: number): string =>
  sliceText(tidyText(text ?? "").replace(/\s+/g, " "), 0, length)
