/** Reading a page: may it be asked for, what comes, what it says, and which part of that is wanted. */
import type * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { once } from "@wield/core/Fibers"
import { refusalOf } from "@wield/http/Refusal"
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import robotsModule from "robots-parser"
import { makeReader, type Reader } from "../reader/reader.js"
import { type PageError, PageUnavailable, PastEnd, Refused, TimedOut, TooLarge, NotReadable } from "../WebError.js"
import type { Service, Settings } from "../WebPage.js"
import { brief, defaultUserAgent, fetchReply, type Reply, targetOf } from "./exchange.js"
import { sliceText, startAt, tidyText, decodeBytes } from "./tidy.js"

export const makePages = (
  client: HttpClient.HttpClient,
  settings: Settings
): Effect.Effect<Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    const userAgent = settings.userAgent ?? defaultUserAgent
    const isAllowed = yield* robotsOf(client, userAgent)
    const reader = yield* makeReader()
    const maxBytes = settings.maxBytes ?? 5 * 1024 * 1024
    const timeLimit = Duration.decode(settings.timeLimit ?? Duration.seconds(20))

    const checkRobots = (url: URL) =>
      settings.respectRobots === true
        ? Effect.filterOrFail(
            isAllowed(url),
            (isAllowed) => isAllowed,
            () => new Refused({ url: brief(url), reason: "robots" })
          )
        : Effect.void

    const requestOf = (url: URL) =>
      HttpClientRequest.get(url.href, {
        headers: {
          "user-agent": userAgent,
          accept:
            "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.8, application/pdf;q=0.7, */*;q=0.1"
        }
      })

    const fetchPage = (url: URL): Effect.Effect<Reply, PageUnavailable | Refused | TooLarge> =>
      Effect.gen(function* () {
        yield* checkRobots(url)
        const answer = yield* Effect.mapError(
          fetchReply(client, requestOf(url), maxBytes),
          pageFailure(brief(url), maxBytes)
        )
        if (answer.status < 200 || answer.status > 299) {
          return yield* new PageUnavailable({ url: brief(url), status: answer.status })
        }
        // Where a redirect led is not known before; what was read there is not used.
        if (answer.url.href !== url.href) yield* checkRobots(answer.url)
        if (answer.isCut) return yield* new TooLarge({ url: brief(url), limit: maxBytes })
        return answer
      })

    return {
      read: (written, part = {}) =>
        Effect.gen(function* () {
          const url = yield* targetOf(written)
          const { answer, content } = yield* fetchPage(url).pipe(
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

const partOf = ({ url }: Reply, { contentType, isCut, text, title }: Content, start: number, maxCharacters: number) => {
  if (!(start >= 0 && start < text.length)) {
    return new PastEnd({ url: brief(url), start, length: text.length })
  }
  const from = startAt(text, Math.floor(start))
  const part = sliceText(text, from, maxCharacters)
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

/** A failed request for a model. It never says which address is not public: that would map the network. */
const pageFailure =
  (url: string, maxBytes: number) =>
  (error: HttpClientError): PageUnavailable | Refused | TooLarge =>
    Option.match(refusalOf(error), {
      onNone: () => new PageUnavailable({ url, reason: isOfName(error) ? "name" : "connection" }),
      onSome: (refusal) => {
        switch (refusal._tag) {
          case "AddressRefused":
          case "ProtocolRefused":
            return new Refused({ url, reason: "address" })
          case "TooManyRedirects":
          case "RedirectRefused":
            return new Refused({ url, reason: "redirects" })
          case "BodyTooLarge":
            return new TooLarge({ url, limit: Math.min(maxBytes, refusal.limit) })
          case "EncodingRefused":
          case "StatusRefused":
            return new Refused({ url, reason: "answer" })
        }
      }
    })

/** What the system says of a name that has no address, or whose address cannot be found now. */
const ofName = new Set<unknown>(["ENOTFOUND", "EAI_AGAIN", "ENODATA", "EAI_NONAME", "EAI_NODATA"])

const isOfName = (error: unknown): boolean => {
  let current = error
  // Causes may form a circle.
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    if ("code" in current && ofName.has(current.code)) return true
    current = current.cause
  }
  return false
}

type ParseRobots = (
  url: string,
  text: string
) => { readonly isAllowed: (url: string, userAgent?: string) => boolean | undefined }

// It is CommonJS that exports the function itself, which some ways of resolving modules take for one with a default.
const robotsParser = robotsModule as unknown as ParseRobots

/** Each is looked for in all of an address. Sites with thousands of rules have a few hundred. */
const mostWildcards = 5000

type Allows = (url: string) => boolean

/** As much as RFC 9309 has readers read at least. */
const maxBytes = 500 * 1024

/** Whether the robots.txt of its site (RFC 9309), cached for an hour, allows a page. */
const robotsOf = (
  client: HttpClient.HttpClient,
  userAgent: string
): Effect.Effect<(url: URL) => Effect.Effect<boolean>> =>
  Effect.map(
    Cache.make({
      capacity: 500,
      timeToLive: Duration.hours(1),
      lookup: (origin: string) => Effect.sync(() => once(rulesOf(client, origin, userAgent)))
    }),
    (sites) => (url) => Effect.map(Effect.flatten(sites.get(url.origin)), (allows) => allows(url.href))
  )

const rulesOf = (client: HttpClient.HttpClient, origin: string, userAgent: string): Effect.Effect<Allows> => {
  const address = `${origin}/robots.txt`
  const request = HttpClientRequest.get(address, { headers: { "user-agent": userAgent } })
  return fetchReply(client, request, maxBytes).pipe(
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

interface Content {
  readonly title: string | null
  readonly contentType: string
  readonly text: string
  readonly isCut: boolean
}

const maxText = 2_000_000

export const contentOf = (answer: Reply, reader: Reader): Effect.Effect<Content, NotReadable | TooLarge> =>
  Effect.gen(function* () {
    const contentType = typeOf(answer)
    const url = brief(answer.url)
    const notReadable = (reason: NotReadable["reason"]) => new NotReadable({ url, contentType, reason })
    if (answer.encoding !== "") return yield* notReadable("damaged")
    if (isPdf.test(contentType)) {
      const reading = yield* reader
        .readPdf({ bytes: answer.bytes, limit: maxText })
        .pipe(Effect.mapError(() => notReadable("damaged")))
      switch (reading._tag) {
        case "Pages": {
          const text = tidyText(reading.pages.join("\n\n"))
          return yield* requireText({ title: null, contentType, text, isCut: false }, notReadable)
        }
        case "TooLong":
          return yield* new TooLarge({ url, limit: maxText })
        case "Damaged":
          return yield* notReadable("damaged")
      }
    }
    if (isHtml.test(contentType)) {
      const { bytes, contentType: said } = answer
      if (isBinary(answer)) return yield* notReadable("damaged")
      const { isScriptOnly, leadsTo, ...reading } = yield* reader
        .read({ bytes, contentType: said, url: answer.url.href })
        .pipe(Effect.mapError(() => notReadable("damaged")))
      if (leadsTo.length > 0) {
        return yield* new NotReadable({ url, contentType, reason: "elsewhere", leadsTo, advice: "Read those instead" })
      }
      if (isScriptOnly) return yield* notReadable("script")
      return yield* requireText({ ...reading, contentType }, notReadable)
    }
    if (!isText.test(contentType)) return yield* notReadable("contentType")
    if (isBinary(answer)) return yield* notReadable("damaged")
    const whole = decodeBytes(answer.bytes, answer.contentType, isXml.test(contentType)).slice(0, maxText)
    const text = tidyText(whole)
    return yield* requireText({ title: null, contentType, text, isCut: text.length >= maxText }, notReadable)
  })

const requireText = (content: Content, unreadable: (reason: "empty") => NotReadable) =>
  content.text === "" ? unreadable("empty") : Effect.succeed(content)

/** Bytes at the beginning by which a text differs from other content. */
const sniffed = 256

/** Pictures and archives are full of control characters; one may slip into a text. In UTF-16 every byte may be one. */
const isBinary = ({ bytes, contentType }: Reply): boolean =>
  !/utf-?16|ucs-?2|unicode/i.test(contentType) &&
  !/^(?:\xFE\xFF|\xFF\xFE)/.test(String.fromCharCode(...bytes.subarray(0, 2))) &&
  bytes.subarray(0, sniffed).filter((byte) => byte < 0x20 && !blanks.has(byte)).length > 1

/** NUL, which is left out, tab, line feed, form feed, carriage return, and escape, which ISO-2022-JP has. */
const blanks = new Set([0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x1b])

const isHtml = /^(text\/html|application\/xhtml\+xml)$/
const isPdf = /^application\/(x-)?pdf$/
const isXml = /^(text|application)\/xml$|\+xml$/
const isText =
  /^text\/|^application\/(json|xml|javascript|x-javascript|yaml|x-yaml|toml|x-ndjson|ld\+json|sql)$|\+(json|xml|yaml)$/

/** Behind a byte order mark, comments and what XML begins with. */
const beginsHtml = /^(?:ï»¿)?(?:\s|<\?xml[^>]*>|<!--(?:(?!-->)[\s\S])*-->)*<(?:!doctype html|html|head|body)\b/i

/** Of a server that does not say, the first bytes tell. */
const typeOf = ({ bytes, contentType }: Reply): string => {
  const named = contentType.split(/[;,]/, 1).join("").trim().toLowerCase().slice(0, 100)
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1024))
  const isUnknown = named === "" || named === "application/octet-stream" || named === "unknown/unknown"
  if (head.startsWith("%PDF-") && (isUnknown || named.startsWith("text/"))) return "application/pdf"
  const isMarkup = beginsHtml.test(head)
  // XHTML, whose scripts and attributes are not read.
  if (isXml.test(named) && isMarkup) return "text/html"
  if (!isUnknown) return named
  if (isMarkup) return "text/html"
  // A text has none of these; the rest of what it may be is not text.
  return named === "" && !/[^\P{Cc}\t\n\r\f]/u.test(head) ? "text/plain" : named || "application/octet-stream"
}
