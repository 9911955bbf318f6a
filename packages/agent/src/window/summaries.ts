/**
 * Summaries among the entries of a conversation: what each stands for.
 */
import type { Entry } from "../Conversation.js"

export interface Made {
  readonly entry: Entry
  /** The cut that it belongs to: it stands for what is before, but for what is shown anyway. */
  readonly from: number
  /** How many messages there were when it was appended. */
  readonly at: number
}

/** The entries that are messages, and the summaries that stand for some of them. */
export const separated = (
  entries: ReadonlyArray<Entry>
): { readonly list: ReadonlyArray<Entry>; readonly summaries: ReadonlyArray<Made> } => {
  const list: Array<Entry> = []
  const summaries: Array<Made> = []
  const places = new Map<string, number>()
  for (const entry of entries) {
    if (entry.summaryOf === undefined) {
      places.set(entry.id, list.length)
      list.push(entry)
      continue
    }
    const last = places.get(entry.summaryOf)
    // What it stood for is not there any more.
    if (last !== undefined) summaries.push({ entry, from: last + 1, at: list.length })
  }
  return { list, summaries }
}
