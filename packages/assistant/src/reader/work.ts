/** What a process of readers and who starts it say to each other: pages and documents, and what they read as. */
import type { Converted, HtmlDocument, HtmlPage, Reading } from "../web/html.js"

/** Tells the program of a process that it was started as one. */
export const purpose = "wield-reader"

/** Said once all modules are loaded. */
export const ready = "ready"

/** By the name of the work, what it is given and what it gives. All of it can be sent to a process and back. */
export interface Works {
  readonly read: { readonly given: HtmlPage; readonly made: Reading }
  readonly convert: { readonly given: HtmlDocument; readonly made: Converted }
  readonly readPdf: { readonly given: PdfDocument; readonly made: PdfReading }
}

export type Name = keyof Works

export interface Task<N extends Name> {
  readonly name: N
  readonly given: Works[N]["given"]
}

export interface PdfDocument {
  readonly bytes: Uint8Array
  readonly limit: number
}

export type PdfReading =
  | { readonly _tag: "Pages"; readonly pages: ReadonlyArray<string> }
  | { readonly _tag: "TooLong"; readonly length: number }
  | { readonly _tag: "Damaged"; readonly detail: string }

/** What is used of a document of pdf.js, whose own types unpdf refers to and does not bring. */
interface Opened {
  readonly numPages: number
  readonly getPage: (number: number) => Promise<{
    readonly getTextContent: () => Promise<{
      /** Pieces of text, and marks, which have none. */
      readonly items: ReadonlyArray<object>
    }>
    readonly cleanup: () => void
  }>
  readonly destroy: () => Promise<void>
}

/** The text of a PDF by page, which may take gigabytes or minutes: it is read where it can be ended. */
const readPdf = async ({ bytes, limit }: PdfDocument): Promise<PdfReading> => {
  // It is a megabyte and a half: loaded with the first PDF.
  const { getDocumentProxy } = await import("unpdf")
  try {
    // A copy: it refuses the Buffers that arrive here. 0: it writes nothing to the console.
    const document: Opened = await getDocumentProxy(new Uint8Array(bytes), { isEvalSupported: false, verbosity: 0 })
    try {
      return await textOf(document, limit)
    } finally {
      await document.destroy()
    }
  } catch (cause) {
    return { _tag: "Damaged", detail: detailOf(cause) }
  }
}

const textOf = async (document: Opened, limit: number): Promise<PdfReading> => {
  const pages: Array<string> = []
  let length = 0
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    const text = items.map(pieceOf).join("")
    pages.push(text)
    length += text.length
    // A few compressed bytes can be any amount of text.
    if (length > limit) return { _tag: "TooLong", length }
  }
  return { _tag: "Pages", pages }
}

const pieceOf = (item: object): string => {
  if (!("str" in item) || typeof item.str !== "string") return ""
  return "hasEOL" in item && item.hasEOL === true ? `${item.str}\n` : item.str
}

const detailOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.name === "PasswordException"
    ? "it can be opened with a password only. Save it without one"
    : cause.message
}

/** A program that reads no HTML itself does without. */
export const loadHtml = () => import("../web/html.js")

const works: {
  readonly [N in Name]: (given: Works[N]["given"]) => Works[N]["made"] | Promise<Works[N]["made"]>
} = {
  read: async (page) => (await loadHtml()).readPage(page),
  convert: async (document) => (await loadHtml()).convertHtml(document),
  readPdf
}

export const perform = async <N extends Name>({ given, name }: Task<N>): Promise<Works[N]["made"]> => works[name](given)
