/**
 * The output items of a streamed response, and what their events tell.
 */
import type { TurnEvent } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { numberField, objectField, stringField } from "../internal/wireField.js"
import type { Merged } from "./mergeItems.js"
import { callPart } from "./parts.js"
import type { Tools } from "./responseTurn.js"
import { itemReader } from "./responseTurn.js"
import type { Streamed, StreamItem } from "./streamItem.js"
import { streamed, streamItem, untold } from "./streamItem.js"
import type { TextEvent } from "./textEvents.js"
import { textEvent, wholeTexts } from "./textEvents.js"

type Events = Array<TurnEvent.TurnEvent>

export interface StreamItems {
  readonly read: (type: string, event: Fields, events: Events) => void
  /** The last event has listed all items: tells what of them has not been told. */
  readonly finishAll: (items: ReadonlyArray<Merged>, events: Events) => void
  /** The stream has broken off: tells of the calls that were held back. */
  readonly finishHeld: (events: Events) => void
  /** In the order of their places. */
  readonly all: () => ReadonlyArray<StreamItem>
  /** The place at which an item was told of as a call. */
  readonly placeOf: (item: Fields) => number | undefined
}

export const makeStreamItems = (tools: Tools, response: () => Fields): StreamItems => {
  const items = new Map<number, StreamItem>()
  const places = new Map<string, number>()
  const announcedAt = new Map<Fields, number>()
  let latest = -1

  const all = (): ReadonlyArray<StreamItem> =>
    Array.from(items.values()).sort((left, right) => left.index - right.index)

  /** The item of an event: by its place, by its id, or the one that came last. */
  const itemOf = (event: Fields, item: Fields | undefined, type: string): StreamItem => {
    const id = stringField(item ?? {}, "id") ?? stringField(event, "item_id")
    const known = id === undefined ? undefined : places.get(id)
    const index = numberField(event, "output_index") ?? known ?? (item === undefined ? Math.max(latest, 0) : latest + 1)
    latest = Math.max(latest, index)
    if (id !== undefined && known === undefined) places.set(id, index)
    const there = items.get(index)
    if (there !== undefined) return there
    const made = streamItem(index, item ?? { type, ...(id === undefined ? {} : { id }) })
    items.set(index, made)
    return made
  }

  const partOf = (item: Fields, index: number, others: ReadonlyArray<unknown>) =>
    callPart(item, index, itemReader(response(), others, tools))

  const start = (each: StreamItem, item: Fields, index: number, events: Events): void => {
    if (each.isStarted) return
    const part = partOf(item, index, [])
    if (part === undefined || part.executedBy === "provider" || part.nativeName === "" || isUndecided(item)) return
    each.isStarted = true
    events.push({ _tag: "CallStarted", index: each.index, id: part.call.id, name: part.call.name })
    const early = each.texts.get("arguments:0")
    if (early !== undefined && early.length > 0) {
      events.push({ _tag: "ArgumentsDelta", index: each.index, text: early.pieces.join("") })
    }
  }

  const tell = (each: StreamItem, into: Streamed, delta: string, events: Events): void => {
    switch (into.kind) {
      case "text":
        events.push({ _tag: "TextDelta", text: delta })
        return
      case "refusal":
        events.push({ _tag: "RefusalDelta", text: delta })
        return
      case "reasoning":
        // The parts of reasoning stand apart in the turn too.
        events.push({
          _tag: "ReasoningDelta",
          text: into.length === delta.length && into.place > 0 ? `\n\n${delta}` : delta
        })
        return
      case "arguments":
        if (each.isStarted) events.push({ _tag: "ArgumentsDelta", index: each.index, text: delta })
    }
  }

  const finish = (
    each: StreamItem,
    item: Fields,
    index: number,
    others: ReadonlyArray<unknown>,
    events: Events
  ): void => {
    each.item = item
    each.isDone = true
    start(each, item, index, events)
    for (const whole of wholeTexts(item)) {
      const into = streamed(each, whole.kind, whole.list, whole.place)
      const rest = untold(into, whole.text)
      if (rest !== "") tell(each, into, rest, events)
    }
    if (each.isAnnounced || (isUndecided(item) && others === none)) return
    const part = partOf(item, index, others)
    if (part === undefined || part.executedBy === "provider") return
    each.isAnnounced = true
    announcedAt.set(item, index)
    if (!each.isStarted) {
      each.isStarted = true
      events.push({ _tag: "CallStarted", index: each.index, id: part.call.id, name: part.call.name })
    }
    events.push({ _tag: "CallComplete", index: each.index, part })
  }

  const readText = ({ delta, kind, list, place, whole }: TextEvent, each: StreamItem, events: Events): void => {
    if (each.isDone) return
    const into = streamed(each, kind, list, place)
    if (whole !== undefined) {
      const rest = untold(into, whole)
      if (rest !== "") tell(each, into, rest, events)
    } else if (delta !== "") {
      into.pieces.push(delta)
      into.length += delta.length
      tell(each, into, delta, events)
    }
  }

  return {
    all,
    placeOf: (item) => announcedAt.get(item),
    read: (type, event, events) => {
      const item = objectField(event, "item")
      if (type === "response.output_item.added" && item !== undefined) {
        const each = itemOf(event, item, "")
        each.item = { ...each.item, ...item }
        start(each, each.item, each.index, events)
      } else if (type === "response.output_item.done" && item !== undefined) {
        const each = itemOf(event, item, "")
        if (!each.isDone) finish(each, item, each.index, none, events)
      } else {
        const read = textEvent(type, event)
        if (read !== undefined) readText(read, itemOf(event, undefined, read.itemType), events)
      }
    },
    finishAll: (merged, events) => {
      const whole = merged.map(({ item }) => item)
      merged.forEach(({ came, item }, index) => {
        finish(came ?? streamItem(++latest, item), item, index, whole, events)
      })
    },
    finishHeld: (events) => {
      const done = all().filter(({ isDone }) => isDone)
      const others = done.map(({ item }) => item)
      done.forEach((each) => {
        if (isUndecided(each.item)) finish(each, each.item, each.index, others, events)
      })
    }
  }
}

/** Before the last event nobody knows what else the response will hold. */
const none: ReadonlyArray<unknown> = []

/**
 * Who runs a call of the shell shows by its environment; where that is not
 * said, by whether its output follows in the same response.
 */
const isUndecided = (item: Fields): boolean => item["type"] === "shell_call" && !Json.isObject(item["environment"])
