/** Reading a page: may it be asked for, what comes, what it says, and which part of that is wanted. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { PageUnavailable, PastEnd, type PageError, Refused, TimedOut, TooLarge } from "../WebError.js"
import type { Page, Service, Settings } from "../WebPage.js"
import { type Content, contentOf } from "./content.js"
import { type Answer, exchange } from "./exchange.js"
import { pageFailure } from "./failure.js"
import { makeReader } from "../reader/reader.js"
import { robotsOf } from "./robots.js"
import { brief, targetOf } from "./target.js"
import { beginning, cut } from "./tidy.js"
import { defaultUserAgent } from "./userAgent.js"

export const makePages = (
  client: HttpClient.HttpClient,
  settings: Settings
): Effect.Effect<Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    const robots = yield* robotsOf(client, settings.userAgent ?? defaultUserAgent)
    const reader = yield* makeReader()
    const maxBytes = settings.maxBytes ?? 5 * 1024 * 1024
    const timeLimit = Duration.decode(settings.timeLimit ?? Duration.seconds(20))

    const permitted = (url: URL) =>
      settings.respectRobots === true
        ? Effect.filterOrFail(
            robots.isAllowed(url),
            (isAllowed) => isAllowed,
            () => new Refused({ url: brief(url), reason: "robots" })
          )
        : Effect.void

    const asked = (url: URL) =>
      HttpClientRequest.get(url.href, {
        headers: {
          "user-agent": settings.userAgent ?? defaultUserAgent,
          accept:
            "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.8, application/pdf;q=0.7, */*;q=0.1"
        }
      })

    const fetched = (url: URL): Effect.Effect<Answer, PageUnavailable | Refused | TooLarge> =>
      Effect.gen(function* () {
        yield* permitted(url)
        const answer = yield* Effect.mapError(exchange(client, asked(url), maxBytes), pageFailure(brief(url), maxBytes))
        if (answer.status < 200 || answer.status > 299) {
          return yield* new PageUnavailable({ url: brief(url), status: answer.status })
        }
        // Where a redirect led is not known before; what was read there is not used.
        if (answer.url.href !== url.href) yield* permitted(answer.url)
        if (answer.isCut) return yield* new TooLarge({ url: brief(url), limit: maxBytes })
        return answer
      })

    return {
      read: (written, part = {}) =>
        Effect.gen(function* () {
          const url = yield* targetOf(written)
          const { answer, content } = yield* fetched(url).pipe(
            Effect.flatMap((answer) => Effect.map(contentOf(answer, reader), (content) => ({ answer, content }))),
            Effect.timeoutFail({
              duration: timeLimit,
              onTimeout: (): PageError => new TimedOut({ url: brief(url), limit: Duration.toMillis(timeLimit) })
            })
          )
          return yield* partOf(answer, content, part.start ?? 0, part.maxCharacters ?? settings.maxCharacters ?? 12_000)
        })
    }
  })

const partOf = (
  { url }: Answer,
  { contentType, isCut, text, title }: Content,
  start: number,
  maxCharacters: number
): Effect.Effect<Page, PastEnd> => {
  if (!(start >= 0 && start < text.length)) {
    return new PastEnd({ url: brief(url), start, length: text.length })
  }
  const from = beginning(text, Math.floor(start))
  const part = cut(text, from, maxCharacters)
  const end = from + part.length
  const isLast = end >= text.length
  return Effect.succeed({
    url: brief(url),
    title,
    contentType,
    text: part,
    length: text.length,
    isTruncated: !isLast || isCut,
    ...(isLast ? {} : { nextStart: end })
  })
}
