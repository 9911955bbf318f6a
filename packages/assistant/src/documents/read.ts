/** The text of a document, whatever it comes as. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { getEncoding } from "encoding-sniffer"
import { NotReadable, TooLarge } from "../DocumentError.js"
import type { Content } from "../Documents.js"
import type { Reader, ReaderFault } from "../reader/reader.js"

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

export const readText = (source: Content, limit: number, reader: Reader): Effect.Effect<Text, NotReadable | TooLarge> =>
  Effect.gen(function* () {
    const { address, content } = source
    const mediaType = mediaTypeOf(source)
    const kind = kindOf(mediaType)
    const notReadable = (detail: string) => new NotReadable({ address, mediaType, detail })
    const fromFault = ({ detail }: ReaderFault) => notReadable(detail)
    if (kind === undefined) {
      return yield* notReadable("what can be read is text, Markdown, HTML and PDF. Convert it to one of these")
    }
    if (kind === "pdf") {
      if (typeof content === "string") return yield* notReadable("a PDF is bytes, and a text was given")
      const reading = yield* Effect.mapError(reader.readPdf({ bytes: content, limit }), fromFault)
      switch (reading._tag) {
        case "Pages":
          return yield* ofPages(reading.pages, mediaType, notReadable)
        case "TooLong":
          return yield* new TooLarge({ address, bytes: reading.length, limit })
        case "Damaged":
          return yield* notReadable(reading.detail)
      }
    }
    const { charset } = parseMediaType(source.mediaType ?? "")
    const isHtml = kind === "html"
    const decoded = typeof content === "string" ? Option.some(content) : decodeText(content, charset, isHtml)
    if (Option.isNone(decoded)) return yield* notReadable(`its charset is not known: ${charset ?? "none is said"}`)
    if (typeof content !== "string" && decoded.value.includes("\0")) {
      return yield* notReadable("it is no text: what can be read is text, Markdown, HTML and PDF")
    }
    const converted = isHtml
      ? yield* Effect.mapError(reader.convert({ html: decoded.value, address }), fromFault)
      : undefined
    if (converted?.isCut === true) {
      return yield* notReadable(
        "it has more text or elements than are read of HTML. Split it, or convert it to Markdown"
      )
    }
    const text = converted?.text ?? decoded.value
    if (text.trim() === "") return yield* notReadable("there is no text in it")
    return { text, mediaType, isMarkdown: kind !== "text", pages: undefined }
  })

const ofPages = (pages: ReadonlyArray<string>, mediaType: string, refused: (detail: string) => NotReadable) => {
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

/** Decodes bytes by their byte order mark, their declared charset, or as UTF-8 if they are valid. */
const decodeText = (bytes: Uint8Array, charset: string | undefined, isHtml: boolean): Option.Option<string> => {
  // A `<meta charset>` is looked for in HTML only: in another text it is what the text is about.
  const beginning = isHtml ? bytes : bytes.subarray(0, 4)
  const encodingOf = (otherwise: string) =>
    getEncoding(beginning, {
      ...(charset === undefined ? {} : { transportLayerEncodingLabel: charset }),
      defaultEncoding: otherwise
    })
  const encoding = encodingOf("utf-8")
  // Two defaults come to the same where nothing of a default is needed.
  if (encoding === encodingOf("windows-1252")) return decodeAs(bytes, encoding, false)
  return Option.orElse(decodeAs(bytes, "utf-8", true), () => decodeAs(bytes, "windows-1252", false))
}

/** A decoder throws at a name it does not know, and at bytes that are not what they are said to be. */
const decodeAs = Option.liftThrowable((bytes: Uint8Array, encoding: string, isFatal: boolean) =>
  new TextDecoder(encoding, { fatal: isFatal }).decode(bytes)
)

type Kind = "text" | "markdown" | "html" | "pdf"

const parseMediaType = (said: string) => {
  const [name = "", ...parameters] = said.split(";").map((part) => part.trim())
  const charset = parameters.find((parameter) => /^charset\s*=/i.test(parameter))?.replace(/^[^=]*=\s*/, "")
  return { name: name.toLowerCase(), charset: charset?.replace(/^"(.*)"$/, "$1") }
}

const byExtension: ReadonlyMap<string, string> = new Map([
  ["md", "text/markdown"],
  ["markdown", "text/markdown"],
  ["mdx", "text/markdown"],
  ["html", "text/html"],
  ["htm", "text/html"],
  ["xhtml", "application/xhtml+xml"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"]
])

const guessMediaType = (address: string, content: string | Uint8Array): string | undefined => {
  const beginning = typeof content === "string" ? content.slice(0, 1024) : latin1.decode(content.subarray(0, 1024))
  // No text begins like this, whatever it is called.
  if (beginning.startsWith("%PDF-") && typeof content !== "string") return "application/pdf"
  const path = address.replace(/[?#].*$/s, "")
  const known = byExtension.get(/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "")
  if (known !== undefined) return known
  // Readers of PDF look for this within the first kilobyte.
  if (beginning.includes("%PDF-")) return "application/pdf"
  return /^\s*(?:\u00ef\u00bb\u00bf|\ufeff)?\s*(?:<!doctype html|<html[\s>])/i.test(beginning) ? "text/html" : undefined
}

const latin1 = new TextDecoder("latin1")

const kindOf = (mediaType: string): Kind | undefined => {
  if (mediaType === "application/pdf") return "pdf"
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") return "html"
  if (mediaType === "text/markdown" || mediaType === "text/x-markdown") return "markdown"
  return /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|typescript|x-ndjson)$/.test(mediaType)
    ? "text"
    : undefined
}
