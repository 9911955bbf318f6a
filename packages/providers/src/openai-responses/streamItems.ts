/** The Responses API: the items of a stream, and which of them an event is about. */
import { StreamedCall } from "../internal/streamedCalls.js"
import { type Fields, indexField, stringField } from "../internal/wireField.js"

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
  /** Whether an event had the item itself, and not only text of it. */
  isAnnounced: boolean
  /** Of the item: some servers give it another one in each event. */
  readonly ids: Set<string>
  readonly texts: Map<string, Streamed>
  /** Its events, where it is a call. */
  readonly call: StreamedCall
}

const streamItem = (index: number, item: Fields): StreamItem => ({
  index,
  item,
  isDone: false,
  isAnnounced: false,
  ids: new Set(),
  texts: new Map(),
  call: new StreamedCall(index)
})

export class StreamItems {
  readonly #items = new Map<number, StreamItem>()
  readonly #byKey = new Map<string, StreamItem>()
  /** The latest item of each `output_index`, and those before it that are not done: some servers give all items the same. */
  readonly #byPlace = new Map<number, Array<StreamItem>>()
  #latest = -1

  /** In the order of their places. */
  all(): ReadonlyArray<StreamItem> {
    return Array.from(this.#items.values()).sort((left, right) => left.index - right.index)
  }

  /** The item of an event: by its id, by its place, or the one that came last. */
  of(event: Fields, item: Fields, by: Said["by"]): StreamItem {
    const said = saidOf(event, item, by)
    const place = indexField(event, "output_index")
    const latest = this.#items.get(this.#latest)
    const there = place === undefined ? latest && [latest] : this.#byPlace.get(place)
    const keys = keysSaid(said)
    const named = keys.flatMap((key) => [this.#byKey.get(`${place} ${key}`), this.#byKey.get(key)])
    const isAtNewPlace = place !== undefined && there === undefined
    const found = [...named, ...(there ?? [])].find(
      (each) => each && !isOther(each, said) && !(isAtNewPlace && isOtherElsewhere(each, said))
    )
    const each = found ?? this.#open(place, said)
    if (said.id !== undefined) each.ids.add(said.id)
    for (const key of keys) {
      this.#byKey.set(key, each)
      this.#byKey.set(`${place} ${key}`, each)
    }
    return each
  }

  /** One of which no event has come, behind all others. */
  next(item: Fields): StreamItem {
    return streamItem(++this.#latest, item)
  }

  #open(place: number | undefined, { id, item }: Said): StreamItem {
    const index = place === undefined || this.#items.has(place) ? this.#latest + 1 : place
    this.#latest = Math.max(this.#latest, index)
    const made = streamItem(index, { ...(id === undefined ? {} : { id }), ...item })
    this.#items.set(index, made)
    if (place !== undefined) {
      this.#byPlace.set(place, [made, ...(this.#byPlace.get(place) ?? []).filter(({ isDone }) => !isDone)])
    }
    return made
  }
}

/** What an event says of the item that it is about. */
interface Said {
  readonly by: "added" | "delta" | "whole" | "done"
  /** The id of the item. */
  readonly id: string | undefined
  /** As the event has it, or only its type. */
  readonly item: Fields
}

const saidOf = (event: Fields, item: Fields, by: Said["by"]): Said => ({
  by,
  // Some servers write an empty id for none.
  id: (stringField(item, "id") ?? "") || (stringField(event, "item_id") ?? "") || undefined,
  item
})

const callIdOf = (item: Fields): string => stringField(item, "call_id") ?? ""

const keysSaid = ({ id, item }: Said): ReadonlyArray<string> => [
  ...(id === undefined ? [] : [`id:${id}`]),
  // The output of a call has its id, too.
  ...(callIdOf(item) === "" ? [] : [`call:${stringField(item, "type") ?? ""}:${callIdOf(item)}`])
]

/** Whether an event that points at this item, by its place or by its id, is of another one. */
const isOther = ({ ids, isAnnounced, isDone, item }: StreamItem, { by, id, item: said }: Said): boolean => {
  const isOfText = by === "delta" || by === "whole"
  const [known = "", type = ""] = [stringField(item, "type"), stringField(said, "type")]
  if (known !== "" && type !== "" && known !== type) {
    if (!isOfText && isAnnounced) return true
    if (isSpoken(known) || isSpoken(type)) return true
  }
  const [knownCall, call] = [callIdOf(item), callIdOf(said)]
  if (knownCall !== "" && call !== "" && knownCall !== call) return true
  if (id !== undefined && ids.has(id)) return false
  // Some servers give an item another id in each event: it is the same while nothing else says that another began.
  const hasOtherId = id !== undefined && ids.size > 0
  const isSameCall = call !== "" && knownCall === call
  switch (by) {
    case "added":
      return isSameCall ? isDone && hasOtherId : isDone || isAnnounced || hasOtherId
    case "done":
      return isDone && !isSameCall && (hasOtherId || JSON.stringify(item) !== JSON.stringify(said))
    case "delta":
      return isDone && (hasOtherId || isSpoken(known))
    case "whole":
      return false
  }
}

/** Whether what comes at a new place is of another item than this one, which has the same id: all may have one. */
const isOtherElsewhere = ({ isDone }: StreamItem, { by, item }: Said): boolean =>
  by === "added" || (by !== "whole" && isDone && callIdOf(item) === "")

const isSpoken = (type: string): boolean => type === "message" || type === "reasoning"
