/** The text of a document, whatever it comes as. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotReadable, TooLarge } from "../DocumentError.js"
import type { Content } from "../Documents.js"
import type { Reader, ReaderFault } from "../reader/reader.js"
import { decodeText } from "./decodeText.js"
import { guessMediaType, kindOf, parseMediaType } from "./mediaType.js"

export interface Text {
  readonly text: string
  readonly mediaType: string
  readonly isMarkdown: boolean
  /** Where the pages of a PDF begin in the text. */
  readonly pages: ReadonlyArray<number> | undefined
}

/** What a document is taken for; a text where nothing tells. */
export const mediaTypeOf = ({ address, content, mediaType }: Content): string =>
  parseMediaType(mediaType ?? guessMediaType(address, content) ?? "text/plain").name

export const read = (source: Content, limit: number, reader: Reader): Effect.Effect<Text, NotReadable | TooLarge> =>
  Effect.gen(function* () {
    const { address, content } = source
    const mediaType = mediaTypeOf(source)
    const kind = kindOf(mediaType)
    const refused = (detail: string) => new NotReadable({ address, mediaType, detail })
    if (kind === undefined) {
      return yield* refused("what can be read is text, Markdown, HTML and PDF. Convert it to one of these")
    }
    if (kind === "pdf") {
      if (typeof content === "string") return yield* refused("a PDF is bytes, and a text was given")
      const reading = yield* Effect.mapError(reader.readPdf({ bytes: content, limit }), faulty(refused))
      switch (reading._tag) {
        case "Pages":
          return yield* ofPages(reading.pages, mediaType, refused)
        case "TooLong":
          return yield* new TooLarge({ address, bytes: reading.length, limit })
        case "Damaged":
          return yield* refused(reading.detail)
      }
    }
    const { charset } = parseMediaType(source.mediaType ?? "")
    const text = typeof content === "string" ? content : yield* textOf(content, charset, kind === "html", refused)
    const readable = kind === "html" ? yield* markdownOf(reader, address, text, refused) : text
    if (readable.trim() === "") return yield* refused("there is no text in it")
    return { text: readable, mediaType, isMarkdown: kind !== "text", pages: undefined }
  })

const faulty =
  (refused: (detail: string) => NotReadable) =>
  ({ detail }: ReaderFault): NotReadable =>
    refused(detail)

const markdownOf = (
  reader: Reader,
  address: string,
  html: string,
  refused: (detail: string) => NotReadable
): Effect.Effect<string, NotReadable> =>
  reader.convert({ html, address }).pipe(
    Effect.mapError(faulty(refused)),
    Effect.filterOrElse(
      ({ isCut }) => !isCut,
      () => refused("it has more text or elements than are read of HTML. Split it, or convert it to Markdown")
    ),
    Effect.map(({ text }) => text)
  )

const textOf = (
  bytes: Uint8Array,
  charset: string | undefined,
  isHtml: boolean,
  refused: (detail: string) => NotReadable
): Effect.Effect<string, NotReadable> =>
  Option.match(decodeText(bytes, charset, isHtml), {
    onNone: () => Effect.fail(refused(`its charset is not known: ${charset ?? "none is said"}`)),
    onSome: (text) =>
      text.includes("\0")
        ? Effect.fail(refused("it is no text: what can be read is text, Markdown, HTML and PDF"))
        : Effect.succeed(text)
  })

const ofPages = (
  pages: ReadonlyArray<string>,
  mediaType: string,
  refused: (detail: string) => NotReadable
): Effect.Effect<Text, NotReadable> => {
  if (pages.every((page) => page.trim() === "")) {
    return Effect.fail(refused("there is no text in it, only pictures perhaps. Run it through text recognition first"))
  }
  const separator = "\n\n"
  const starts: Array<number> = []
  let at = 0
  for (const page of pages) {
    starts.push(at)
    at += page.length + separator.length
  }
  return Effect.succeed({ text: pages.join(separator), mediaType, isMarkdown: false, pages: starts })
}
