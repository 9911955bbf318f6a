/** Chat Completions: the chunks of a stream as turn events, and the turn of the whole response. */
import type { Json, Turn, TurnEvent } from "@wield/core"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import type { Offered } from "../internal/contract.js"
import {
  type Fields,
  isObject,
  listField,
  indexField,
  objectField,
  statedField,
  stringField,
  wireError,
  withLists
} from "../internal/wireField.js"
import { makeErrorDecoders } from "../openai-shared/errors.js"
import { ChatCalls } from "./streamCalls.js"
import {
  type CallReader,
  isCutBy,
  callIds,
  callReader,
  executedToolPart,
  reasoningFields,
  textParts,
  turnOf
} from "./turn.js"
import type { ChatDialect } from "./format.js"
import { usageOf } from "../internal/format.js"

type Event = TurnEvent.TurnEvent

export const streamAssembler = (dialect: ChatDialect, offered: Offered | undefined): Assembler =>
  new ChatAssembler(dialect, (message) => callReader(dialect, offered, message))

class ChatAssembler implements Assembler {
  readonly #reader: CallReader
  readonly #calls: ChatCalls
  readonly #message = new StreamedMessage()
  #choice: Fields | undefined
  #id: string | undefined
  #model: string | undefined
  #usage: Fields | undefined
  #finish: string | undefined
  /** Whether what the response says comes by deltas, not by messages in their place. */
  #isByDeltas = false
  #isDone = false

  constructor(
    private readonly dialect: ChatDialect,
    readerOf: (message: string | undefined) => CallReader
  ) {
    // The response's id, which comes before the first call, names the calls that have none.
    this.#reader = { ...readerOf(undefined), callId: (sent, index) => callIds(dialect, this.#id)(sent, index) }
    this.#calls = new ChatCalls(dialect, this.#reader)
  }

  push(message: unknown): Pushed {
    const expected = "a chunk of a response"
    if (!isObject(message)) return { events: [], failure: wireError(this.dialect.name, [], expected, message) }
    // Azure's first chunk, about its filters, has both empty.
    if (this.#id === undefined || this.#id === "") this.#id = stringField(message, "id") ?? this.#id
    if (this.#model === undefined || this.#model === "") this.#model = stringField(message, "model") ?? this.#model
    // What comes behind the end is another response.
    const choice = this.#isDone ? undefined : this.#pick(listField(withLists(message, "choices"), "choices"))
    const error = errorOf(message, choice)
    const said = choice === undefined ? [] : this.#addChoice(choice, error !== undefined)
    const events = this.#isDone ? said : [...said, ...this.#addUsage(message, choice)]
    return error === undefined ? { events } : { events, failure: makeErrorDecoders(this.dialect).streamError(error) }
  }

  done(): ReadonlyArray<Event> {
    this.#isDone = true
    return this.#complete()
  }

  #complete(): ReadonlyArray<Event> {
    return this.#calls.complete(this.#isCut())
  }

  #isCut(): boolean {
    return isCutBy(this.dialect, this.#finish)
  }

  end(isWhole: boolean): ReturnType<Assembler["end"]> {
    const isComplete = isWhole && (this.#isDone || (this.#finish !== undefined && this.#finish !== ""))
    const events = isComplete ? this.#complete() : []
    const message = this.#message.json()
    const calls = this.#calls.parts()
    const native: Json.JsonObject = { ...message, ...this.#calls.fields() }
    const response = { id: this.#id, model: this.#model, usage: this.#usage }
    const parts = [...this.#executed(message["executed_tools"]), ...textParts(message, this.dialect.name), ...calls]
    const messages = isComplete || isSayable(native) ? [native] : []
    const turn = turnOf(this.dialect, response, this.#finish, parts, messages)
    if (isComplete) return { events, turn }
    // What broke off says nothing of how it would have ended.
    return { events, turn: { ...turn, finish: isWhole ? "other" : "error", isComplete: false } }
  }

  #executed(entries: unknown): ReadonlyArray<Turn.Part> {
    if (!Array.isArray(entries)) return []
    return entries.filter(isObject).map((entry, index) => executedToolPart(entry, index, this.#reader))
  }

  /** The first choice that comes: those of another index are other answers. */
  #pick(choices: ReadonlyArray<Json.Json>): Fields | undefined {
    this.#choice ??= choices.find(isObject)
    const index = this.#choice?.["index"] ?? 0
    return choices.find((choice): choice is Fields => isObject(choice) && (choice["index"] ?? 0) === index)
  }

  #addChoice(choice: Fields, isFailed: boolean): ReadonlyArray<Event> {
    // Writer sends the delta as a message too; some servers send a whole message in its place.
    const sent = objectField(choice, "delta")
    const said = withLists(sent ?? objectField(choice, "message") ?? {}, "content", "tool_calls")
    const finish = stringField(choice, "finish_reason")
    // Some servers end by the whole message.
    const isWhole = sent === undefined && this.#isByDeltas && (finish ?? "") !== ""
    const events = isWhole
      ? [...this.#message.addWhole(said), ...this.#calls.addWhole(said)]
      : [...this.#message.add(said), ...this.#calls.add(said)]
    if (!isWhole && (events.length > 0 || listField(said, "tool_calls").length > 0))
      this.#isByDeltas = sent !== undefined
    // Servers that say "" in each chunk have not finished by it.
    if (finish === undefined || (finish === "" && this.#finish !== undefined)) return events
    this.#finish = finish
    return finish === "" || isFailed ? events : [...events, ...this.#calls.completeClosed(this.#isCut())]
  }

  /** Groq counts under a key of its own, Moonshot in the choice. */
  #addUsage(message: Fields, choice: Fields | undefined): ReadonlyArray<Event> {
    const usage =
      objectField(message, "usage") ??
      objectField(objectField(message, "x_groq"), "usage") ??
      (choice === undefined ? undefined : objectField(choice, "usage"))
    if (usage === undefined) return []
    this.#usage = usage
    return [{ _tag: "UsageKnown", usage: usageOf(this.dialect, usage) }]
  }
}

/** OpenRouter tells the failure of a model's provider in the choice or beside it; Mistral and vLLM send `object: "error"`. */
const errorOf = (message: Fields, choice: Fields | undefined): unknown => {
  if (statedField(message, "error") !== undefined || message["object"] === "error") return message
  const error = statedField(choice, "error")
  if (error !== undefined) return { error }
  // Gateways in front of a server say it in words alone.
  const isWordsAlone = ["choices", "usage", "id"].every((key) => statedField(message, key) === undefined)
  return isWordsAlone && ["message", "detail"].some((key) => stringField(message, key) !== undefined)
    ? message
    : undefined
}

/** Whether a broken-off message can go back: the API refuses one that neither says nor calls anything. */
const isSayable = (message: Fields): boolean =>
  [message["content"], message["refusal"], message["tool_calls"], message["function_call"]].some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ""
  )

/** Text that comes in pieces. */
const growing: ReadonlySet<string> = new Set(["refusal", "reasoning_content", "reasoning"])

/** What belongs to the stream, or is put together elsewhere. `channel` is Groq's, of gpt-oss. */
const apart: ReadonlySet<string> = new Set(["role", "tool_calls", "function_call", "content", "index", "channel"])

class StreamedMessage {
  readonly #content = new StreamedContent()
  readonly #texts = new Map<string, Array<string>>()
  readonly #details = new StreamedDetails()
  readonly #executed = new Map<number, Json.JsonObject>()
  readonly #audio = new Map<string, Array<string>>()
  readonly #rest = new Map<string, Json.Json>()
  /** The lists of `#rest`, which grow. */
  readonly #lists = new Map<string, Array<Json.Json>>()

  /** Takes a delta in, and gives what it says besides calls. */
  add(delta: Fields): ReadonlyArray<Event> {
    this.#content.add(delta["content"])
    for (const key of Object.keys(delta)) {
      if (!apart.has(key)) this.#addField(key, delta[key])
    }
    return textParts(delta).flatMap(eventOf)
  }

  /** Takes in what a whole message has beyond what came of it by deltas; what came counts where the two differ. */
  addWhole(whole: Fields): ReadonlyArray<Event> {
    const came = this.json()
    const reasoning = wordsOf(came, "Reasoning")
    const delta = new Map<string, Json.Json>()
    for (const [key, value] of Object.entries(whole)) {
      const before = came[key] ?? ""
      if (key === "content" && before !== "")
        delta.set(key, restOf(wordsOf({ content: value }, "Text"), wordsOf({ content: before }, "Text")))
      else if (key === "refusal" && typeof before === "string" && typeof value === "string")
        delta.set(key, restOf(value, before))
      else if (!this.#hasParts(key) && (reasoning === "" || !reasoningFields.has(key))) delta.set(key, value)
    }
    // Servers call it by one name in deltas, and by another in messages.
    for (const key of reasoning === "" ? [] : reasoningFields) {
      if (stringField(came, key)) delta.set(key, restOf(wordsOf(whole, "Reasoning"), reasoning))
    }
    return this.add(Object.fromEntries(delta))
  }

  /** Whether something has come that is no text, in parts which would be there twice. */
  #hasParts(key: string): boolean {
    switch (key) {
      case "reasoning_details":
        return this.#details.json().length > 0
      case "executed_tools":
        return this.#executed.size > 0
      case "audio":
        return this.#audio.size > 0
      default:
        return this.#lists.has(key)
    }
  }

  /** The message; a field of which only `null` came is `null`. */
  json(): Json.JsonObject {
    const content = this.#content.json()
    const details = this.#details.json()
    return {
      role: "assistant",
      ...(content === undefined ? {} : { content }),
      ...Object.fromEntries(this.#rest),
      ...joined(this.#texts),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...(this.#executed.size === 0 ? {} : { executed_tools: [...this.#executed.values()] }),
      ...this.#audioJson()
    }
  }

  #addField(key: string, value: Json.Json): void {
    if (value === null) {
      if (!this.#rest.has(key)) this.#rest.set(key, null)
    } else if (growing.has(key) && typeof value === "string") push(this.#texts, key, value)
    else if (key === "reasoning_details" && Array.isArray(value)) this.#details.add(value)
    else if (key === "executed_tools" && Array.isArray(value)) this.#addExecuted(value)
    else if (key === "audio" && isObject(value)) this.#addAudio(value)
    else {
      const before = this.#rest.get(key)
      const list = before === this.#lists.get(key) ? this.#lists.get(key) : undefined
      // Lists such as OpenRouter's `annotations` and `images` come item by item.
      if (Array.isArray(value) && list !== undefined) for (const item of value) list.push(item)
      else if (Array.isArray(value)) {
        const items: Array<Json.Json> = [...value]
        this.#lists.set(key, items)
        this.#rest.set(key, items)
      } else this.#rest.set(key, value)
    }
  }

  /** Groq states a tool that it runs, and states it again with its output. */
  #addExecuted(items: ReadonlyArray<Json.Json>): void {
    for (const item of items) {
      if (!isObject(item)) continue
      const index = indexField(item, "index") ?? this.#executed.size
      this.#executed.set(index, { ...this.#executed.get(index), ...item })
    }
  }

  #addAudio(audio: Json.JsonObject): void {
    for (const [key, value] of Object.entries(audio)) {
      if ((key === "transcript" || key === "data") && typeof value === "string") push(this.#audio, key, value)
      else if (value !== null) this.#rest.set("audio", { ...this.#audioRest(), [key]: value })
    }
  }

  #audioRest(): Json.JsonObject {
    const audio = this.#rest.get("audio")
    return isObject(audio) ? audio : {}
  }

  #audioJson(): Json.JsonObject {
    return this.#audio.size === 0 ? {} : { audio: { ...this.#audioRest(), ...joined(this.#audio) } }
  }
}

const push = (texts: Map<string, Array<string>>, key: string, piece: string): void => {
  const pieces = texts.get(key)
  if (pieces === undefined) texts.set(key, [piece])
  else pieces.push(piece)
}

const joined = (texts: ReadonlyMap<string, ReadonlyArray<string>>): { readonly [key: string]: string } =>
  Object.fromEntries(Array.from(texts, ([key, pieces]) => [key, pieces.join("")]))

const eventOf = (part: ReturnType<typeof textParts>[number]): ReadonlyArray<Event> => {
  if (part._tag === "Call" || part.text === "") return []
  return [{ _tag: `${part._tag}Delta`, text: part.text }]
}

const wordsOf = (message: Fields, tag: "Text" | "Reasoning"): string =>
  textParts(message)
    .flatMap((part) => (part._tag === tag ? [part.text] : []))
    .join("")

/** What a whole text has beyond the beginning that came; servers trim it. */
const restOf = (whole: string, came: string): string => {
  const [text, start] = [whole.trimStart(), came.trimStart()]
  if (came === "") return whole
  if (text.startsWith(start)) return text.slice(start.length)
  return text.startsWith(start.trimEnd()) ? text.trimEnd().slice(start.trimEnd().length) : ""
}

/** A chunk whose text is still growing, or one that came whole. */
type Chunk =
  | { readonly kind: "text"; readonly pieces: Array<string> }
  | { readonly kind: "thinking"; readonly inner: Array<Chunk>; rest: Json.JsonObject }
  | { readonly kind: "whole"; readonly json: Json.Json }

class StreamedContent {
  readonly #text: Array<string> = []
  readonly #chunks: Array<Chunk> = []
  #isSeen = false

  add(content: unknown): void {
    if (content === undefined) return
    this.#isSeen = true
    if (typeof content === "string") {
      // Mistral goes on with plain text after its chunks of reasoning.
      if (this.#chunks.length === 0) this.#text.push(content)
      else append(this.#chunks, content)
    } else if (Array.isArray(content)) {
      const before = this.#text.splice(0).join("")
      append(this.#chunks, before)
      for (const item of content) append(this.#chunks, item)
    }
  }

  /** As the message has it that does not stream; undefined where no delta said anything of it. */
  json(): Json.Json | undefined {
    if (this.#chunks.length > 0) return this.#chunks.map(chunkJson)
    if (this.#text.length > 0) return this.#text.join("")
    return this.#isSeen ? null : undefined
  }
}

const append = (chunks: Array<Chunk>, item: Json.Json): void => {
  const text = textOf(item)
  const last = chunks.at(-1)
  if (text !== undefined) {
    if (text === "") return
    if (last?.kind === "text") last.pieces.push(text)
    else chunks.push({ kind: "text", pieces: [text] })
    return
  }
  const { thinking, ...rest } = isObject(item) ? item : {}
  if (!Array.isArray(thinking)) {
    chunks.push({ kind: "whole", json: item })
    return
  }
  const open: Chunk = last?.kind === "thinking" ? last : { kind: "thinking", inner: [], rest: {} }
  if (open !== last) chunks.push(open)
  open.rest = { ...open.rest, ...rest }
  for (const piece of thinking) append(open.inner, piece)
}

/** The text of an item that is nothing but text. */
const textOf = (item: Json.Json): string | undefined => {
  if (typeof item === "string") return item
  if (!isObject(item)) return undefined
  if (Object.keys(item).some((key) => key !== "type" && key !== "text" && item[key] !== null)) return undefined
  const { text } = item
  return typeof text === "string" ? text : undefined
}

const chunkJson = (chunk: Chunk): Json.Json => {
  switch (chunk.kind) {
    case "text":
      return { type: "text", text: chunk.pieces.join("") }
    case "thinking":
      return { ...chunk.rest, thinking: chunk.inner.map(chunkJson) }
    case "whole":
      return chunk.json
  }
}

/** The fields that grow; the last value of any other counts. */
const growingKeys: ReadonlySet<string> = new Set(["text", "summary", "data"])

interface Entry {
  readonly pieces: Map<string, Array<string>>
  rest: { readonly [key: string]: Json.Json }
}

class StreamedDetails {
  readonly #entries: Array<Entry> = []

  add(items: ReadonlyArray<unknown>): void {
    for (const item of items) {
      if (!isObject(item)) continue
      const last = this.#entries.at(-1)
      const entry = last !== undefined && goesOn(last.rest, item) ? last : this.#start()
      for (const [key, value] of Object.entries(item)) {
        if (typeof value === "string" && growingKeys.has(key)) push(entry.pieces, key, value)
        else if (value !== null || !Object.hasOwn(entry.rest, key)) entry.rest = { ...entry.rest, [key]: value }
      }
    }
  }

  json(): ReadonlyArray<Json.Json> {
    return this.#entries.map(({ pieces, rest }) => ({ ...rest, ...joined(pieces) }))
  }

  #start(): Entry {
    const entry = { pieces: new Map<string, Array<string>>(), rest: {} }
    this.#entries.push(entry)
    return entry
  }
}

/** Whether an item is more of the entry before it: of its type, at its index, and of no other id. */
const goesOn = (before: Entry["rest"], item: Json.JsonObject): boolean =>
  before["type"] === item["type"] &&
  before["index"] === item["index"] &&
  (item["id"] === undefined ||
    item["id"] === null ||
    before["id"] === undefined ||
    before["id"] === null ||
    before["id"] === item["id"])
