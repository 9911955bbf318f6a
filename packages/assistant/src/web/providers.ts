/** Which provider answers, and what is the same for all of them. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { BlankQuery, NoResults, type SearchUnavailable } from "../WebError.js"
import type { Service, Settings } from "../WebSearch.js"
import { brave } from "./brave.js"
import { duckDuckGo } from "./duckDuckGo.js"
import { type Found, resultsOf } from "./results.js"
import { searxng } from "./searxng.js"
import { tavily } from "./tavily.js"

/** What one provider does: a question, and how many answers are wanted. */
export type Provider = (query: string, limit: number) => Effect.Effect<ReadonlyArray<Found>, SearchUnavailable>

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
