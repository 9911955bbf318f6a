/** Bytes as text: by byte order mark, header, and the page itself, unless the bytes show that it is not so. */
import { getEncoding } from "encoding-sniffer"
import * as Option from "effect/Option"

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
