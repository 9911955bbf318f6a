/** The Responses API: the events of a stream as turn events, and the turn that they add up to. */
import type { TurnEvent } from "@wield/core"
import type { ApiError } from "../ApiError.js"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import type { Offered } from "../internal/contract.js"
import {
  type Fields,
  isObject,
  listField,
  numberField,
  objectField,
  statedField,
  stringField,
  wireError,
  withLists
} from "../internal/wireField.js"
import { makeErrorDecoders } from "../openai-shared/errors.js"
import { formatName, table } from "./format.js"
import { usageOf } from "../internal/format.js"
import { withoutLooseReasoning } from "./results.js"
import { type Streamed, type StreamItem, StreamItems, type TextList } from "./streamItems.js"
import {
  type ItemReader,
  type Tools,
  callPart,
  isCutResponse,
  isInDoubt,
  itemReader,
  responseTurn,
  toolsOf,
  withItemLists
} from "./turn.js"

const { streamError } = makeErrorDecoders(table)

type Events = Array<TurnEvent.TurnEvent>

export const streamAssembler = (offered?: Offered): Assembler => {
  const tools = toolsOf(offered)
  let response: Fields = {}
  let isEnded = false
  let error: ApiError | undefined
  const items = makeStreamItems(tools, () => response)

  const failed = (event: Fields, events: Events): Pushed => {
    error = streamError(event)
    return { events, failure: error }
  }

  /** The response as the event has it; its last state ends the stream. */
  const readResponse = (state: string, event: Fields, events: Events): Pushed => {
    // Some servers leave out of the last event what the first one has said.
    const last = objectField(event, "response")
    response = { ...response, ...last }
    const usage = objectField(response, "usage")
    if (usage !== undefined) events.push({ _tag: "UsageKnown", usage: usageOf(table, usage) })
    if (!endings.has(state)) return { events }
    isEnded = true
    // OpenRouter's last event is `response.done`, whatever became of the response.
    const status = stringField(last, "status") ?? (state === "done" ? "completed" : state)
    const output = listField(withLists(response, "output"), "output")
    const merged = mergeItems(
      output.filter(isObject).map(withItemLists),
      items.all(),
      status === "completed" ? endedItem : knownItem
    )
    items.finishAll(merged, isCutResponse({ status }), events)
    response = { ...response, status, output: merged.map(({ item }) => item) }
    return status === "failed" ? failed(response, events) : { events }
  }

  return {
    push: (message, eventName) => {
      const events: Events = []
      if (!isObject(message)) return { events, failure: wireError(formatName, [], "an event object", message) }
      const type = stringField(message, "type") ?? eventName ?? ""
      if (type === "error" || (type === "" && statedField(message, "error") !== undefined))
        return failed(message, events)
      // Events after the end belong to no response.
      if (isEnded) return { events }
      const [, state = ""] = /^response\.([a-z_]+)$/.exec(type) ?? []
      if (states.has(state)) return readResponse(state, message, events)
      items.read(type, message, events)
      return { events }
    },
    isOver: () => isEnded,
    end: (isWhole) => {
      const events: Events = []
      if (isEnded) {
        // All of them are objects: they were put there by `readResponse`.
        const output = response["output"] as ReadonlyArray<Fields>
        const turn = responseTurn(response, output, tools, items.placeOf, items.named())
        return { events, turn: isWhole ? turn : { ...turn, finish: "error", isComplete: false } }
      }
      items.finishHeld(events)
      const partial = items
        .all()
        .map(knownItem)
        .filter((item) => item !== undefined)
      const turn = responseTurn(response, partial, tools, items.placeOf, items.named())
      // In background mode the API goes on after the stream, and is asked for the rest.
      const isBackground = isWhole && response["background"] === true
      return {
        events,
        turn: {
          ...turn,
          ...(isBackground
            ? { finish: "background" }
            : { finish: isWhole ? "other" : "error", nativeFinish: error?.code, isComplete: false }),
          native: withoutLooseReasoning(turn.native)
        }
      }
    }
  }
}

const endings: ReadonlySet<string> = new Set(["completed", "incomplete", "failed", "cancelled", "done"])
const states: ReadonlySet<string> = new Set([...endings, "created", "queued", "in_progress"])

interface Merged {
  item: Fields
  /** What came of it by itself, if anything did. */
  came: StreamItem | undefined
}

/**
 * The list of the last event counts: it has items that never came alone, and newer encrypted reasoning. Where it lacks
 * an item, as some servers' lists do, the one that came alone stands. A call that was announced stays as it was.
 */
const mergeItems = (
  listed: ReadonlyArray<Fields>,
  came: ReadonlyArray<StreamItem>,
  itemOf: (came: StreamItem) => Fields | undefined
): ReadonlyArray<Merged> => {
  const merged: Array<Merged> = listed.map((item) => ({ item, came: undefined }))
  const known = new Map<string, Array<Merged>>()
  for (const each of merged.toReversed()) {
    for (const key of keysOf(each.item)) {
      const others = known.get(key)
      if (others === undefined) known.set(key, [each])
      else others.push(each)
    }
  }
  for (const each of came) {
    const there = listedOf(each, merged, known)
    const item = there === undefined ? itemOf(each) : undefined
    if (there !== undefined) {
      if (each.call.part !== undefined) there.item = each.item
      there.came = each
    } else if (item !== undefined) merged.splice(Math.min(each.index, merged.length), 0, { item, came: each })
  }
  return merged
}

/** The item of the list that this one is; `known` has those of a key, the last of them first. */
const listedOf = (
  { index, item }: StreamItem,
  merged: ReadonlyArray<Merged>,
  known: ReadonlyMap<string, Array<Merged>>
): Merged | undefined => {
  for (const key of keysOf(item)) {
    const others = known.get(key) ?? []
    while (others.at(-1)?.came !== undefined) others.pop()
    const first = others.pop()
    if (first !== undefined) return first
  }
  // Some servers give an item another id in each event, or none.
  const there = merged[index]
  const isFree = there?.came === undefined && there?.item["type"] === item["type"]
  return isFree && stringField(item, "call_id") === undefined ? there : undefined
}

/** What two items that are one have in common. */
const keysOf = (item: Fields): ReadonlyArray<string> =>
  ["id", "call_id"].flatMap((key) => {
    const value = stringField(item, key) ?? ""
    return value === "" ? [] : [JSON.stringify([item["type"], key, value])]
  })

const makeStreamItems = (tools: Tools, response: () => Fields) => {
  const items = new StreamItems()
  const announcedAt = new Map<Fields, number>()

  /** The response as it was known at its first call: what a call was announced by, its turn has, too. */
  let named: Fields | undefined

  const readers = new Map<ReadonlyArray<unknown>, ItemReader>()
  const partOf = (item: Fields, index: number, others: ReadonlyArray<unknown>, isCut = false) => {
    named ??= response()
    const reader = readers.get(others) ?? itemReader(named, others, tools)
    readers.set(others, reader)
    return callPart(item, index, reader, isCut)
  }

  const start = (each: StreamItem, item: Fields, index: number, events: Events): void => {
    if (each.call.isStarted) return
    const part = partOf(item, index, none)
    if (part === undefined || part.executedBy === "provider" || part.nativeName === "" || isUndecided(item)) return
    events.push(...each.call.start(part.call.id, part.call.name))
  }

  const addDelta = (each: StreamItem, into: Streamed, delta: string, events: Events): void => {
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
        events.push(...each.call.add(delta))
    }
  }

  const finish = (
    each: StreamItem,
    item: Fields,
    index: number,
    others: ReadonlyArray<unknown>,
    events: Events,
    isCut = false
  ): void => {
    each.item = item
    each.isDone = true
    start(each, item, index, events)
    for (const whole of wholeTexts(item)) {
      const into = streamed(each, whole.kind, whole.list, whole.place)
      const rest = restOf(into, whole.text)
      if (rest !== "") addDelta(each, into, rest, events)
    }
    if (each.call.part !== undefined || (others === none && (isUndecided(item) || isInDoubt(item)))) return
    const part = partOf(item, index, others, isCut)
    if (part === undefined || part.executedBy === "provider") return
    announcedAt.set(item, index)
    events.push(...each.call.complete(part))
  }

  const readText = ({ delta, kind, list, place, whole }: TextEvent, each: StreamItem, events: Events): void => {
    if (each.isDone) return
    const into = streamed(each, kind, list, place)
    if (whole !== undefined) {
      const rest = restOf(into, whole)
      if (rest !== "") addDelta(each, into, rest, events)
    } else if (delta !== "") {
      into.pieces.push(delta)
      into.length += delta.length
      addDelta(each, into, delta, events)
    }
  }

  return {
    all: () => items.all(),
    named: () => named ?? response(),
    /** The place at which an item was announced as a call. */
    placeOf: (item: Fields) => announcedAt.get(item),
    read: (type: string, event: Fields, events: Events) => {
      const sent = objectField(event, "item")
      const item = sent && withItemLists(sent)
      if (type === "response.output_item.added" && item !== undefined) {
        const each = items.of(event, item, "added")
        // What is done stays as it was.
        if (each.isDone) return
        each.isAnnounced = true
        each.item = { ...each.item, ...item }
        start(each, each.item, each.index, events)
      } else if (type === "response.output_item.done" && item !== undefined) {
        const each = items.of(event, item, "done")
        if (!each.isDone) finish(each, item, each.index, none, events)
      } else {
        const read = textEvent(type, event)
        if (read === undefined) return
        const by = read.whole === undefined && read.delta !== "" ? "delta" : "whole"
        readText(read, items.of(event, { type: read.itemType }, by), events)
      }
    },
    /** The last event has listed all items: gives the events that are still missing. */
    finishAll: (merged: ReadonlyArray<Merged>, isCut: boolean, events: Events) => {
      const whole = merged.map(({ item }) => item)
      merged.forEach(({ came, item }, index) => {
        finish(came ?? items.next(item), item, index, whole, events, isCut && index === whole.length - 1)
      })
    },
    /** The stream has broken off: gives the events of calls that were held back. */
    finishHeld: (events: Events) => {
      const done = items.all().filter(({ isDone }) => isDone)
      const others = done.map(({ item }) => item)
      done.forEach((each) => {
        if (isUndecided(each.item)) finish(each, each.item, each.index, others, events)
      })
    }
  }
}

/** Before the last event, the other items are not known. */
const none: ReadonlyArray<unknown> = []

/** Whether a shell call's output has to show who runs it: its environment does not. */
const isUndecided = (item: Fields): boolean => item["type"] === "shell_call" && !isObject(item["environment"])

const streamed = (into: StreamItem, kind: Streamed["kind"], list: Streamed["list"], place: number): Streamed => {
  const key = `${list ?? kind}:${place}`
  const known = into.texts.get(key)
  if (known !== undefined) return known
  const made: Streamed = { kind, list, place, pieces: [], length: 0 }
  into.texts.set(key, made)
  return made
}

/** The part of a whole text that no delta had; it counts as sent from now on. */
const restOf = (text: Streamed, whole: string): string => {
  const rest = whole.length > text.length ? whole.slice(text.length) : ""
  if (rest !== "") {
    text.pieces.push(rest)
    text.length += rest.length
  }
  return rest
}

/** The item, or, where its end did not come, a message or reasoning with its text so far; nothing of a call. */
const knownItem = ({ call, isDone, item, texts }: StreamItem): Fields | undefined => {
  if (isDone) return call.part === undefined && isInDoubt(item) ? undefined : item
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

/** Of a response that ended well, a call too whose end did not come, if its arguments are whole. */
const endedItem = (came: StreamItem): Fields | undefined =>
  (came.isDone ? came.item : knownItem(came)) ??
  (came.item["type"] === "function_call" && came.call.arguments._tag === "Whole"
    ? { ...came.item, arguments: came.call.text }
    : undefined)

const entry = (type: "message" | "reasoning", list: TextList, { kind, pieces }: Streamed): Fields => {
  const text = pieces.join("")
  if (kind === "refusal") return { type: "refusal", refusal: text }
  if (type === "message") return { type: "output_text", text, annotations: [] }
  return { type: list === "summary" ? "summary_text" : "reasoning_text", text }
}

interface TextPlace {
  readonly kind: Streamed["kind"]
  readonly list: Streamed["list"]
  readonly place: number
}

interface TextEvent extends TextPlace {
  /** The kind of item that it is of, where the item was never announced. */
  readonly itemType: string
  readonly delta: string
  /** The whole text, in the event that ends it. */
  readonly whole: string | undefined
}

interface Known extends Omit<TextPlace, "place"> {
  readonly itemType: string
  /** The field of the last event that has the whole text. */
  readonly whole: string
}

const content = { list: "content", itemType: "message" } as const
const reasoning = { kind: "reasoning", list: "content", itemType: "reasoning", whole: "text" } as const
const summary = { kind: "reasoning", list: "summary", itemType: "reasoning", whole: "text" } as const

/** Deltas of the API's own calls (code, patches, MCP servers) are left out: only their whole items count. */
const known: ReadonlyMap<string, Known> = new Map<string, Known>([
  ["response.output_text", { kind: "text", ...content, whole: "text" }],
  ["response.refusal", { kind: "refusal", ...content, whole: "refusal" }],
  ["response.reasoning_text", reasoning],
  // So named by the open-responses specification.
  ["response.reasoning", reasoning],
  ["response.reasoning_summary_text", summary],
  [
    "response.function_call_arguments",
    { kind: "arguments", list: undefined, itemType: "function_call", whole: "arguments" }
  ],
  [
    "response.custom_tool_call_input",
    { kind: "arguments", list: undefined, itemType: "custom_tool_call", whole: "input" }
  ]
])

const textEvent = (type: string, event: Fields): TextEvent | undefined => {
  const dot = type.lastIndexOf(".")
  const ending = type.slice(dot + 1)
  const read = known.get(type.slice(0, dot))
  if (read === undefined || (ending !== "delta" && ending !== "done")) return undefined
  const { itemType, kind, list, whole } = read
  return {
    itemType,
    kind,
    list,
    place: numberField(event, list === "summary" ? "summary_index" : "content_index") ?? 0,
    delta: stringField(event, "delta") ?? "",
    whole: ending === "done" ? (stringField(event, whole) ?? "") : undefined
  }
}

/** The texts of a whole item, for what its deltas lacked. */
const wholeTexts = (item: Fields): ReadonlyArray<TextPlace & { readonly text: string }> => {
  switch (item["type"]) {
    case "message":
      return listTexts(item["content"], "content", (piece) =>
        typeof piece["refusal"] === "string" ? "refusal" : "text"
      )
    case "reasoning": {
      const own = listTexts(item["content"], "content", () => "reasoning")
      return own.some(({ text }) => text !== "") ? own : listTexts(item["summary"], "summary", () => "reasoning")
    }
    case "function_call":
      return text("arguments", undefined, 0, item["arguments"])
    case "custom_tool_call":
      return text("arguments", undefined, 0, item["input"])
    default:
      return []
  }
}

const listTexts = (
  value: unknown,
  list: "content" | "summary",
  kindOf: (piece: Fields) => Streamed["kind"]
): ReadonlyArray<TextPlace & { readonly text: string }> => {
  if (typeof value === "string") return text("text", list, 0, value)
  if (!Array.isArray(value)) return []
  return value.flatMap((piece, place) => {
    if (!isObject(piece)) return []
    const kind = kindOf(piece)
    return text(kind, list, place, kind === "refusal" ? piece["refusal"] : piece["text"])
  })
}

const text = (kind: Streamed["kind"], list: Streamed["list"], place: number, value: unknown) =>
  typeof value === "string" ? [{ kind, list, place, text: value }] : []
