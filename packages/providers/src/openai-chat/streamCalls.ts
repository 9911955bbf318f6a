/** Chat Completions: the calls of a streamed message. Which of them a delta belongs to, and when each is complete. */
import type { Turn, TurnEvent } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { numberField, objectField, stringField } from "../internal/wireField.js"
import type { ChatDialect } from "./format.js"
import type { CallReader } from "./turn.js"
import { functionCallPart, sentId, toolCallPart } from "./turn.js"

type Event = TurnEvent.TurnEvent

export class StreamedCalls {
  readonly #dialect: ChatDialect
  readonly #reader: CallReader
  readonly #calls: Array<StreamedCall> = []
  readonly #byIndex = new Map<number, StreamedCall>()
  readonly #byId = new Map<string, StreamedCall>()
  readonly #function: StreamedFunctionCall
  #current: StreamedCall | undefined

  constructor(dialect: ChatDialect, reader: CallReader) {
    this.#dialect = dialect
    this.#reader = reader
    this.#function = new StreamedFunctionCall(reader)
  }

  /** What a delta's `tool_calls` and `function_call` tell. */
  add(delta: Fields): ReadonlyArray<Event> {
    const events: Array<Event> = []
    const entries = delta["tool_calls"]
    if (Array.isArray(entries)) {
      for (const entry of entries) if (Json.isObject(entry)) events.push(...this.#addEntry(entry))
    }
    const call = objectField(delta, "function_call")
    // A message that has both means the newer.
    if (call !== undefined && this.#calls.length === 0) events.push(...this.#function.add(call))
    return events
  }

  /** The response ended: whatever was started is complete. */
  complete(): ReadonlyArray<Event> {
    return this.#calls.length === 0 ? this.#function.complete() : this.#calls.flatMap((call) => call.complete())
  }

  /** The calls that are complete, in the order in which they started. */
  parts(): ReadonlyArray<Turn.CallPart> {
    const all = this.#calls.length === 0 ? [this.#function] : this.#calls
    return all.flatMap(({ part }) => (part === undefined ? [] : [part]))
  }

  /** The same calls as fields of the message. */
  fields(): Json.JsonObject {
    if (this.#calls.length === 0)
      return this.#function.part === undefined ? {} : { function_call: this.#function.entry() }
    const entries = this.#calls.flatMap((call) => (call.part === undefined ? [] : [call.entry()]))
    return entries.length === 0 ? {} : { tool_calls: entries }
  }

  #addEntry(entry: Fields): ReadonlyArray<Event> {
    const delta = callDelta(this.#dialect, entry)
    const index = numberField(entry, "index")
    const known = this.#known(index, delta.id)
    const call = known === undefined || known.isOther(delta) ? this.#start(index) : known
    if (delta.id !== undefined) this.#byId.set(delta.id, call)
    const before = this.#current
    this.#current = call
    if (before === undefined || before === call) return call.add(delta)
    return [...before.completeIfClosed(), ...call.add(delta)]
  }

  /** Gemini's OpenAI-compatible endpoint leaves out the index, in the deltas that follow the id too. */
  #known(index: number | undefined, id: string | undefined): StreamedCall | undefined {
    if (index !== undefined) return this.#byIndex.get(index)
    return id === undefined ? this.#current : this.#byId.get(id)
  }

  #start(index: number | undefined): StreamedCall {
    const call = new StreamedCall(this.#dialect, this.#reader, this.#calls.length)
    this.#calls.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    return call
  }
}

/** What one delta says of a call. */
interface CallDelta {
  readonly id: string | undefined
  /** Empty where it is not said again. */
  readonly name: string
  /** More text of the arguments, or all of them as an object. */
  readonly sent: string | Json.JsonObject | undefined
  readonly isCustom: boolean
  readonly entry: Fields
}

const callDelta = (dialect: ChatDialect, entry: Fields): CallDelta => {
  const described = objectField(entry, "function") ?? {}
  const custom = objectField(entry, "custom")
  const isCustom = custom !== undefined && (stringField(described, "name") ?? "") === ""
  const source = isCustom ? custom : described
  const sent = source[isCustom ? "input" : "arguments"]
  return {
    id: sentId(dialect, entry["id"]),
    name: stringField(source, "name") ?? "",
    // A field of a message that was parsed from JSON is JSON.
    sent: typeof sent === "string" ? sent : Json.isObject(sent) ? (sent as Json.JsonObject) : undefined,
    isCustom,
    entry
  }
}

class StreamedCall {
  readonly #dialect: ChatDialect
  readonly #reader: CallReader
  readonly #extra = new Map<string, unknown>()
  readonly #text: Array<string> = []
  readonly #closed: ClosedObject = closedObject()
  #id: string | undefined
  #name = ""
  #isCustom = false
  #value: Json.JsonObject | undefined
  #hasArguments = false
  #announced = 0
  #isStarted = false
  #isBroken = false
  #part: Turn.CallPart | undefined

  constructor(
    dialect: ChatDialect,
    reader: CallReader,
    /** Its place among the calls of the message. */
    readonly index: number
  ) {
    this.#dialect = dialect
    this.#reader = reader
  }

  /** The call, once its arguments are complete. */
  get part(): Turn.CallPart | undefined {
    return this.#part
  }

  get isClosed(): boolean {
    return this.#value !== undefined || (this.#text.length > 0 && this.#closed.isClosed())
  }

  /** Whether a delta that points at this call is of another one. */
  isOther({ id, name, sent }: CallDelta): boolean {
    if (name === "") return false
    // Gemini's OpenAI-compatible endpoint gives parallel calls one index, or none.
    if (id !== undefined && this.#id !== undefined && id !== this.#id) return this.#name !== name || this.isClosed
    const hasText = typeof sent === "string" ? sent.trim() !== "" : sent !== undefined
    return hasText && this.isClosed
  }

  /** More of the call; what comes after its arguments are complete can only be white space. */
  add(delta: CallDelta): ReadonlyArray<Event> {
    this.#keep(delta.entry)
    if (this.#part !== undefined) return []
    this.#isCustom ||= delta.isCustom
    if (this.#name === "") this.#name = delta.name
    if (!this.#isStarted) this.#id ??= delta.id
    if (typeof delta.sent === "object") this.#value = delta.sent
    else if (delta.sent !== undefined) {
      this.#text.push(delta.sent)
      if (!this.#isCustom) this.#closed.add(delta.sent)
    }
    if (delta.sent !== undefined && delta.sent !== "") this.#hasArguments = true
    const events = this.#name !== "" && (this.#id !== undefined || this.#hasArguments) ? this.#progress() : []
    if (this.#name === "" || !this.#isWhole()) return events
    return [...events, ...this.complete()]
  }

  /** Nothing more will come for it, unless it is not closed yet. */
  completeIfClosed(): ReadonlyArray<Event> {
    return this.#name !== "" && !this.#isCustom && this.isClosed && this.#isParsed() ? this.complete() : []
  }

  /** Nothing more will come for it. */
  complete(): ReadonlyArray<Event> {
    if (this.#part !== undefined) return []
    const events = this.#progress()
    this.#part = toolCallPart(this.entry(), this.index, this.#reader)
    return [...events, { _tag: "CallComplete", index: this.index, part: this.#part }]
  }

  /** The call as the message has it that does not stream. */
  entry(): Json.JsonObject {
    const sent = this.#value ?? (this.#text.length === 0 ? undefined : this.#text.join(""))
    const described = this.#isCustom
      ? { custom: { name: this.#name, input: sent ?? "" } }
      : { function: { name: this.#name, ...(sent === undefined ? {} : { arguments: sent }) } }
    return {
      ...(this.#id === undefined ? {} : { id: this.#id }),
      ...(this.#dialect.hasCallType ? { type: this.#isCustom ? "custom" : "function" } : {}),
      // What is kept stood in a message that was parsed from JSON.
      ...(Object.fromEntries(this.#extra) as Json.JsonObject),
      ...described
    }
  }

  /**
   * A server may send `{}` before the arguments proper, as translators of
   * Anthropic's streams do: an empty object waits for another sign of its end.
   */
  #isWhole(): boolean {
    if (this.#value !== undefined) return true
    return !this.#isCustom && this.isClosed && this.#closed.hasContent() && this.#isParsed()
  }

  /** Text that only looks closed is complete when the stream says so. It is read once. */
  #isParsed(): boolean {
    if (this.#value !== undefined) return true
    if (this.#isBroken) return false
    try {
      JSON.parse(this.#text.join(""))
      return true
    } catch {
      this.#isBroken = true
      return false
    }
  }

  #progress(): ReadonlyArray<Event> {
    const events: Array<Event> = []
    if (!this.#isStarted) {
      this.#isStarted = true
      const { id } = this.#reader.callId(this.#id, this.index)
      events.push({ _tag: "CallStarted", index: this.index, id, name: this.#reader.fromNative(this.#name) })
    }
    const text = this.#text.slice(this.#announced).join("")
    this.#announced = this.#text.length
    if (text !== "") events.push({ _tag: "ArgumentsDelta", index: this.index, text })
    return events
  }

  #keep(entry: Fields): void {
    for (const [key, value] of Object.entries(entry)) {
      if (key === "id" || key === "function" || key === "custom" || value === null) continue
      if (key === "index" && !this.#dialect.hasCallIndex) continue
      this.#extra.set(key, value)
    }
  }
}

class StreamedFunctionCall {
  readonly #reader: CallReader
  readonly #text: Array<string> = []
  #name = ""
  #part: Turn.CallPart | undefined

  constructor(reader: CallReader) {
    this.#reader = reader
  }

  get part(): Turn.CallPart | undefined {
    return this.#part
  }

  add(call: Fields): ReadonlyArray<Event> {
    if (this.#part !== undefined) return []
    const events: Array<Event> = []
    const name = stringField(call, "name") ?? ""
    // Snowflake sends an empty one always.
    if (this.#name === "" && name !== "") {
      this.#name = name
      const { id } = this.#reader.callId(undefined, 0)
      events.push({ _tag: "CallStarted", index: 0, id, name: this.#reader.fromNative(name) })
    }
    const text = stringField(call, "arguments")
    if (text === undefined || this.#name === "") return events
    this.#text.push(text)
    if (text !== "") events.push({ _tag: "ArgumentsDelta", index: 0, text })
    return events
  }

  complete(): ReadonlyArray<Event> {
    if (this.#part !== undefined) return []
    this.#part = functionCallPart({ function_call: this.entry() }, this.#reader)
    return this.#part === undefined ? [] : [{ _tag: "CallComplete", index: 0, part: this.#part }]
  }

  /** The call as the message has it that does not stream. */
  entry(): Json.JsonObject {
    return { name: this.#name, ...(this.#text.length === 0 ? {} : { arguments: this.#text.join("") }) }
  }
}

/**
 * Whether JSON text that comes in pieces has become a whole object. Every
 * piece is looked at once.
 */

interface ClosedObject {
  readonly add: (piece: string) => void
  /** The object's braces are closed; text that is no JSON can look so too. */
  readonly isClosed: () => boolean
  /** It is closed and has something between its braces. */
  readonly hasContent: () => boolean
}

const quote = 0x22
const backslash = 0x5c

/** A space, tab or line end. */
const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const closedObject = (): ClosedObject => {
  let depth = 0
  let isInString = false
  let isEscaped = false
  let isBegun = false
  let isFilled = false
  const read = (code: number): void => {
    if (isInString) {
      if (isEscaped) isEscaped = false
      else if (code === backslash) isEscaped = true
      else if (code === quote) isInString = false
      return
    }
    if (isBlank(code)) return
    const isOpening = code === 0x7b || code === 0x5b
    const isClosing = code === 0x7d || code === 0x5d
    if (isOpening) depth++
    else if (isClosing) depth--
    else if (code === quote) isInString = true
    if (isBegun && !(isClosing && depth === 0)) isFilled = true
    isBegun = true
  }
  return {
    add: (piece) => {
      for (let index = 0; index < piece.length; index++) read(piece.charCodeAt(index))
    },
    isClosed: () => isBegun && depth <= 0 && !isInString,
    hasContent: () => isFilled
  }
}
