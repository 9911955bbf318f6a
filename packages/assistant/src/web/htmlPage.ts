/** The bytes of an HTML page as its readable text: all of the work that is done on a thread. */
import { decoded } from "./charset.js"
import { type Reading, readingOf } from "./html.js"
import { tidied } from "./tidy.js"

/** Can be sent to a thread. */
export interface HtmlPage {
  readonly bytes: Uint8Array
  /** As the server says it, with the charset. */
  readonly contentType: string
  readonly url: string
}

export const readPage = ({ bytes, contentType, url }: HtmlPage): Reading => {
  const reading = readingOf(decoded(bytes, contentType, true).replaceAll("\0", ""), new URL(url))
  return { ...reading, text: tidied(reading.text) }
}
