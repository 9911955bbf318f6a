/** What an answer says in words, whatever its content type. */
import * as Effect from "effect/Effect"
import type { Reader } from "../reader/reader.js"
import { NotReadable, TooLarge } from "../WebError.js"
import { decodeBytes } from "./charset.js"
import { brief, type Reply } from "./exchange.js"
import { tidyText } from "./tidy.js"

export interface Content {
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
