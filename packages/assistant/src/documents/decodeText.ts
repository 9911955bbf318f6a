/** The text of bytes: by their byte order mark, by what is said of them, as UTF-8 where they are that. */
import { getEncoding } from "encoding-sniffer"
import * as Option from "effect/Option"

export const decodeText = (
  bytes: Uint8Array,
  charset: string | undefined,
  isHtml: boolean
): Option.Option<{ readonly text: string; readonly encoding: string }> => {
  const said = charset === undefined ? {} : { transportLayerEncodingLabel: charset }
  // A `<meta charset>` is looked for in HTML only: in another text it is what the text is about.
  const encoding = getEncoding(isHtml ? bytes : bytes.subarray(0, 4), { ...said, defaultEncoding: "x-none" })
  if (encoding !== "x-none") return Option.map(decoded(bytes, encoding, false), (text) => ({ text, encoding }))
  return Option.orElse(
    Option.map(decoded(bytes, "utf-8", true), (text) => ({ text, encoding: "utf-8" })),
    () => Option.map(decoded(bytes, "windows-1252", false), (text) => ({ text, encoding: "windows-1252" }))
  )
}

/** A decoder throws at a name it does not know, and at bytes that are not what they are said to be. */
const decoded = Option.liftThrowable((bytes: Uint8Array, encoding: string, isFatal: boolean) =>
  new TextDecoder(encoding, { fatal: isFatal }).decode(bytes)
)
