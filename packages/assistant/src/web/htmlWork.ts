/** What is done with HTML on a thread: a page of the web is read, a document of somebody's own is put into Markdown. */
import { convertHtml, type Converted, type HtmlDocument } from "../documents/html.js"
import type { Reading } from "./html.js"
import { type HtmlPage, readPage } from "./htmlPage.js"

/** By the name of the work, what it is given and what it gives. All of it can be sent to a thread and back. */
export interface Works {
  readonly read: { readonly given: HtmlPage; readonly made: Reading }
  readonly convert: { readonly given: HtmlDocument; readonly made: Converted }
}

export type Name = keyof Works

export const works: { readonly [N in Name]: (given: Works[N]["given"]) => Works[N]["made"] } = {
  read: readPage,
  convert: convertHtml
}

/** One work with what it is given. */
export interface Task<N extends Name> {
  readonly name: N
  readonly given: Works[N]["given"]
}

export const done = <N extends Name>({ given, name }: Task<N>): Works[N]["made"] => works[name](given)
