/**
 * One output item while it streams: what it was announced as, the text that
 * came for it, and what of that has been told.
 */
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"

/** A list of the item that holds text: of a message, or of reasoning. */
export type TextList = "content" | "summary"

/** One streamed text. It is kept in pieces: arguments may be megabytes long. */
export interface Streamed {
  readonly kind: "text" | "refusal" | "reasoning" | "arguments"
  readonly list: TextList | undefined
  readonly place: number
  readonly pieces: Array<string>
  /** In UTF-16 units. */
  length: number
}

export interface StreamItem {
  readonly index: number
  /** As it was announced, or as far as its deltas tell. */
  item: Fields
  isDone: boolean
  readonly texts: Map<string, Streamed>
  isStarted: boolean
  isAnnounced: boolean
}

export const streamItem = (index: number, item: Fields): StreamItem => ({
  index,
  item,
  isDone: false,
  texts: new Map(),
  isStarted: false,
  isAnnounced: false
})

export const streamed = (into: StreamItem, kind: Streamed["kind"], list: Streamed["list"], place: number): Streamed => {
  const key = `${list ?? kind}:${place}`
  const known = into.texts.get(key)
  if (known !== undefined) return known
  const made: Streamed = { kind, list, place, pieces: [], length: 0 }
  into.texts.set(key, made)
  return made
}

/** What of a whole text has not been told yet, which is noted as told. */
export const untold = (text: Streamed, whole: string): string => {
  const rest = whole.length > text.length ? whole.slice(text.length) : ""
  if (rest !== "") {
    text.pieces.push(rest)
    text.length += rest.length
  }
  return rest
}

/**
 * The item as far as it came, when the stream broke off: a message or
 * reasoning with the text that is there; nothing of a call, whose arguments
 * nobody knows.
 */
export const partialItem = ({ item, texts }: StreamItem): Fields | undefined => {
  const type = stringField(item, "type")
  if (type !== "message" && type !== "reasoning") return undefined
  const list = (name: TextList) =>
    Array.from(texts.values())
      .filter((text) => text.list === name)
      .sort((left, right) => left.place - right.place)
      .map((text) => entry(type, name, text))
  const content = list("content")
  const summary = list("summary")
  if (content.length === 0 && summary.length === 0) return undefined
  if (type === "message") return { role: "assistant", ...item, status: "incomplete", content }
  return { ...item, summary, ...(content.length === 0 ? {} : { content }) }
}

const entry = (type: "message" | "reasoning", list: TextList, { kind, pieces }: Streamed): Fields => {
  const text = pieces.join("")
  if (kind === "refusal") return { type: "refusal", refusal: text }
  if (type === "message") return { type: "output_text", text, annotations: [] }
  return { type: list === "summary" ? "summary_text" : "reasoning_text", text }
}
