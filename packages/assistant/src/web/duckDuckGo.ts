/**
 * DuckDuckGo's page for browsers without scripts. It is no API: links lead over
 * its own redirect, advertisements stand among the results, and who asks often
 * gets a puzzle with status 202.
 */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import { SearchUnavailable } from "../WebError.js"
import type { DuckDuckGo } from "../WebSearch.js"
import { ask, type Asked } from "./ask.js"
import { parsePage } from "./dom.js"
import type { Found } from "./results.js"
import { defaultUserAgent } from "./userAgent.js"

export const duckDuckGo =
  (asking: Omit<Asked, "request">, { url = "https://html.duckduckgo.com", userAgent = defaultUserAgent }: DuckDuckGo) =>
  (query: string): Effect.Effect<ReadonlyArray<Found>, SearchUnavailable> =>
    ask({
      ...asking,
      forbidden: "robot",
      request: HttpClientRequest.get(`${url.replace(/\/+$/, "")}/html/`, {
        urlParams: { q: query },
        headers: { "user-agent": userAgent, accept: "text/html" }
      })
    }).pipe(
      Effect.flatMap(({ bytes, status }) => {
        const document = parsePage(new TextDecoder().decode(bytes))
        const unavailable = (reason: SearchUnavailable["reason"]) =>
          new SearchUnavailable({ provider: asking.provider, reason, status })
        if (document === undefined) return unavailable("answer")
        if (status === 202 || document.querySelector(".anomaly-modal__title, #challenge-form") !== null) {
          return unavailable("robot")
        }
        const found = [...document.querySelectorAll(".result:not(.result--ad)")].flatMap(foundIn)
        const saysSo = document.querySelector(".no-results, .result--no-result, #links") !== null
        return found.length > 0 || saysSo ? Effect.succeed(found) : unavailable("answer")
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
