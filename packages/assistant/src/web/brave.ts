/** Brave's web search: https://api-dashboard.search.brave.com/app/documentation/web-search */
import * as Headers from "@effect/platform/Headers"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Keyed } from "../WebSearch.js"
import { type Asked, askJson } from "./ask.js"
import type { Found } from "./results.js"

const keyHeader = "x-subscription-token"

/** Without results there is no `web`. */
const Answer = Schema.Struct({
  web: Schema.optional(
    Schema.Struct({
      results: Schema.Array(
        Schema.Struct({
          url: Schema.String,
          title: Schema.optional(Schema.String),
          description: Schema.optional(Schema.NullOr(Schema.String))
        })
      )
    })
  )
})

export const brave =
  (asking: Omit<Asked, "request">, { apiKey, url = "https://api.search.brave.com" }: Keyed) =>
  (query: string, limit: number) =>
    askJson(
      {
        ...asking,
        request: HttpClientRequest.get(`${url.replace(/\/+$/, "")}/res/v1/web/search`, {
          // It gives at most 20, and sets words in bold unless told not to.
          urlParams: { q: query, count: Math.min(limit, 20), text_decorations: false, result_filter: "web" },
          headers: { [keyHeader]: Redacted.value(apiKey) },
          acceptJson: true
        })
      },
      Answer
    ).pipe(
      // A redirect to another origin does not take it along.
      Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, keyHeader]),
      Effect.map(({ web }): ReadonlyArray<Found> =>
        (web?.results ?? []).map(({ description, title, url }) => ({ url, title, snippet: description }))
      )
    )
