/** Tavily's search: https://docs.tavily.com/documentation/api-reference/endpoint/search */
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Keyed } from "../WebSearch.js"
import { type Asked, askJson } from "./ask.js"
import type { Found } from "./results.js"

const Answer = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      url: Schema.optional(Schema.NullOr(Schema.String)),
      title: Schema.optional(Schema.NullOr(Schema.String)),
      content: Schema.optional(Schema.NullOr(Schema.String))
    })
  )
})

export const tavily =
  (asking: Omit<Asked, "request">, { apiKey, url = "https://api.tavily.com" }: Keyed) =>
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
      Answer
    ).pipe(
      Effect.map(({ results }): ReadonlyArray<Found> =>
        results.map(({ content, title, url }) => ({ url: url ?? "", title, snippet: content }))
      )
    )
