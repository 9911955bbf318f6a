/** SearXNG's JSON: https://docs.searxng.org/dev/search_api */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SearchUnavailable } from "../WebError.js"
import type { Searxng } from "../WebSearch.js"
import { type Asked, askJson } from "./ask.js"
import type { Found } from "./results.js"

const Answer = Schema.Struct({
  /** Name and reason of each engine behind it that has not answered. */
  unresponsive_engines: Schema.optional(Schema.Array(Schema.Unknown)),
  results: Schema.Array(
    Schema.Struct({
      // Answers and tables among the results have none.
      url: Schema.optional(Schema.NullOr(Schema.String)),
      title: Schema.optional(Schema.NullOr(Schema.String)),
      content: Schema.optional(Schema.NullOr(Schema.String))
    })
  )
})

export const searxng =
  (asking: Omit<Asked, "request">, { language, url }: Searxng) =>
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
      Answer
    ).pipe(
      // Nothing was found only where somebody has looked.
      Effect.filterOrFail(
        ({ results, unresponsive_engines = [] }) => results.length > 0 || unresponsive_engines.length === 0,
        () => new SearchUnavailable({ provider: asking.provider, reason: "engines" })
      ),
      Effect.map(({ results }): ReadonlyArray<Found> =>
        results.map(({ content, title, url }) => ({ url: url ?? "", title, snippet: content }))
      )
    )
