/** What the robots.txt of a site asks of those who read it (RFC 9309), kept for an hour. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import robotsModule from "robots-parser"
import { exchange } from "./exchange.js"

export interface Robots {
  readonly isAllowed: (url: URL) => Effect.Effect<boolean>
}

type Parse = (
  url: string,
  text: string
) => { readonly isAllowed: (url: string, userAgent?: string) => boolean | undefined }

// It is CommonJS that exports the function itself, which some ways of resolving modules take for one with a default.
const robotsParser = robotsModule as unknown as Parse

/** Each is looked for in all of an address. Sites with thousands of rules have a few hundred. */
const mostWildcards = 5000

type Allows = (url: string) => boolean

/** As much as RFC 9309 has readers read at least. */
const maxBytes = 500 * 1024

export const robotsOf = (client: HttpClient.HttpClient, userAgent: string): Effect.Effect<Robots> =>
  Effect.map(
    Cache.make({
      capacity: 500,
      timeToLive: Duration.hours(1),
      lookup: (origin: string) => rulesOf(client, origin, userAgent)
    }),
    (sites) => ({ isAllowed: (url) => Effect.map(sites.get(url.origin), (allows) => allows(url.href)) })
  )

const rulesOf = (client: HttpClient.HttpClient, origin: string, userAgent: string): Effect.Effect<Allows> => {
  const address = `${origin}/robots.txt`
  const request = HttpClientRequest.get(address, { headers: { "user-agent": userAgent } })
  return exchange(client, request, maxBytes).pipe(
    Effect.timeout(Duration.seconds(10)),
    Effect.map(({ bytes, status }): Allows => {
      if (status >= 400 && status < 500) return () => true
      if (status !== 200) return () => false
      const text = new TextDecoder().decode(bytes)
      if (text.split("*").length > mostWildcards) return () => false
      const rules = robotsParser(address, text)
      return (url) => rules.isAllowed(url, userAgent) ?? true
    }),
    // A site that cannot be asked may have asked not to be read.
    Effect.orElseSucceed((): Allows => () => false)
  )
}
