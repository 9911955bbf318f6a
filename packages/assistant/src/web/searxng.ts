/** SearXNG's JSON: https://docs.searxng.org/dev/search_api */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Searxng } from "../WebSearch.js"
import { type Asked, askJson } from "./ask.js"
import type { Found } from "./results.js"

const Answer = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      url: Schema.String,
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
      Effect.map(({ results }): ReadonlyArray<Found> =>
        results.map(({ content, title, url }) => ({ url, title, snippet: content }))
      )
    )
