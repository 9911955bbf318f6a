/** The text of pages: how it is decoded, tidied and cut. */
import { getEncoding } from "encoding-sniffer"
import * as Option from "effect/Option"

/** Text as a model gets it: without what cannot be seen, and without runs of blanks. */
export const tidyText = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(unseen, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()

/** Controls, and the characters of Unicode that reverse or hide text. */
const unseen = /[^\P{Cc}\n\t]|[\u200B\u2060\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu

/** Where a text is read from, so that no character is cut in two. */
export const startAt = (text: string, start: number): number => (isSecondHalf(text, start) ? start + 1 : start)

/** So many units from a beginning, and one more where that would cut a character in two. */
export const sliceText = (text: string, start: number, length: number): string => {
  const end = start + length
  return text.slice(start, isSecondHalf(text, end) ? end + 1 : end)
}

const isSecondHalf = (text: string, index: number): boolean =>
  index > 0 &&
  index < text.length &&
  /[\uDC00-\uDFFF]/.test(text.charAt(index)) &&
  /[\uD800-\uDBFF]/.test(text.charAt(index - 1))

/** By byte order mark, header, and the page itself, unless the bytes show that it is not so. */
export const decodeBytes = (bytes: Uint8Array, contentType: string, isMarkup: boolean): string => {
  const label = /charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1]
  const named = getEncoding(bytes, {
    ...(label === undefined ? {} : { transportLayerEncodingLabel: label }),
    // Without markup there is nothing to look for.
    maxBytes: isMarkup ? 1024 : 4,
    defaultEncoding: "utf-8"
  })
  return byUtf8(bytes, named).pipe(
    Option.orElse(() => decodeStrictly(bytes, named)),
    Option.getOrElse(() => decodeLeniently(bytes, named))
  )
}

/** Pages in UTF-8 whose server says ISO-8859-1 are many; the reverse does not pass as UTF-8. */
const byUtf8 = (bytes: Uint8Array, named: string): Option.Option<string> =>
  /^(windows-125|iso-8859)/i.test(named) ? decodeStrictly(bytes, "utf-8") : Option.none()

const decodeStrictly = (bytes: Uint8Array, encoding: string): Option.Option<string> =>
  Option.liftThrowable(() => new TextDecoder(encoding, { fatal: true }).decode(bytes))()

/** A few bytes that are wrong are left out of a text; many mean that its encoding is another one. */
const decodeLeniently = (bytes: Uint8Array, named: string): string => {
  const read = Option.liftThrowable(() => new TextDecoder(named).decode(bytes))().pipe(
    Option.getOrElse(() => new TextDecoder().decode(bytes))
  )
  const wrong = read.split("\uFFFD").length - 1
  if (wrong * 1000 <= read.length) return read
  return Option.getOrElse(decodeStrictly(bytes, "utf-8"), () => new TextDecoder("windows-1252").decode(bytes))
}
