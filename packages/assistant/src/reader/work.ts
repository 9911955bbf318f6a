/** What a process of readers and who starts it say to each other: pages and documents, and what they read as. */
import { type Converted, convertHtml, type HtmlDocument } from "../documents/html.js"
import { type HtmlPage, type Reading, readPage } from "../web/html.js"
import { type PdfDocument, type PdfReading, readPdf } from "./pdf.js"

/** Tells the program of a process that it was started as one. */
export const purpose = "wield-reader"

/** When a process ends itself. */
export interface Limits {
  readonly bytes: number
  /** Microseconds of processor time for one task. */
  readonly processorTime: number
  /** The process that started it: without that one, there is nothing to do. */
  readonly parent: number
}

/** Said once all modules are loaded. */
export const ready = "ready"

/** By the name of the work, what it is given and what it gives. All of it can be sent to a process and back. */
export interface Works {
  readonly read: { readonly given: HtmlPage; readonly made: Reading }
  readonly convert: { readonly given: HtmlDocument; readonly made: Converted }
  readonly readPdf: { readonly given: PdfDocument; readonly made: PdfReading }
}

export type Name = keyof Works

const works: {
  readonly [N in Name]: (given: Works[N]["given"]) => Works[N]["made"] | Promise<Works[N]["made"]>
} = {
  read: readPage,
  convert: convertHtml,
  readPdf
}

/** One work with what it is given. */
export interface Task<N extends Name> {
  readonly name: N
  readonly given: Works[N]["given"]
}

export const perform = async <N extends Name>({ given, name }: Task<N>): Promise<Works[N]["made"]> => works[name](given)
