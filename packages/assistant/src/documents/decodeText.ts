/** The text of bytes: by their byte order mark, by what is said of them, as UTF-8 where they are that. */
import { getEncoding } from "encoding-sniffer"
import * as Option from "effect/Option"

export const decodeText = (bytes: Uint8Array, charset: string | undefined, isHtml: boolean): Option.Option<string> => {
  // A `<meta charset>` is looked for in HTML only: in another text it is what the text is about.
  const beginning = isHtml ? bytes : bytes.subarray(0, 4)
  const named = (otherwise: string) =>
    getEncoding(beginning, {
      ...(charset === undefined ? {} : { transportLayerEncodingLabel: charset }),
      defaultEncoding: otherwise
    })
  const encoding = named("utf-8")
  // Two defaults come to the same where nothing of a default is needed.
  if (encoding === named("windows-1252")) return decoded(bytes, encoding, false)
  return Option.orElse(decoded(bytes, "utf-8", true), () => decoded(bytes, "windows-1252", false))
}

/** A decoder throws at a name it does not know, and at bytes that are not what they are said to be. */
const decoded = Option.liftThrowable((bytes: Uint8Array, encoding: string, isFatal: boolean) =>
  new TextDecoder(encoding, { fatal: isFatal }).decode(bytes)
)
