/** Chat Completions: the calls of a streamed message. Which of them a delta belongs to, and when each is complete. */
import type { Json, Turn, TurnEvent } from "@wield/core"
import { canonical } from "@wield/core/Json"
import { parseJson } from "../internal/json.js"
import { argumentText, cutOff, hasArguments, StreamedCall } from "../internal/streamedCalls.js"
import {
  type Fields,
  indexField,
  objectField,
  statedField,
  stringField,
  isObject,
  listField
} from "../internal/wireField.js"
import type { ChatDialect } from "./format.js"
import { type CallReader, functionCallPart, isCustomCall, sentId, toolCallPart } from "./turn.js"

type Event = TurnEvent.TurnEvent

export class ChatCalls {
  readonly #calls: Array<ToolCallEntry> = []
  readonly #byIndex = new Map<number, ToolCallEntry>()
  readonly #byId = new Map<string, ToolCallEntry>()
  readonly #function: FunctionCallEntry
  #current: ToolCallEntry | undefined

  constructor(
    private readonly dialect: ChatDialect,
    private readonly reader: CallReader
  ) {
    this.#function = new FunctionCallEntry(reader)
  }

  /** What a delta's `tool_calls` and `function_call` tell. */
  add(delta: Fields): ReadonlyArray<Event> {
    const events: Array<Event> = []
    const entries = new Map<ToolCallEntry, string | undefined>()
    for (const entry of listField(delta, "tool_calls"))
      if (isObject(entry)) events.push(...this.#addEntry(entry, entries))
    const call = objectField(delta, "function_call")
    // A message that has both means the newer.
    if (call !== undefined && this.#calls.length === 0) events.push(...this.#function.add(call))
    return events
  }

  /** What the calls of a whole message have beyond what came of them by deltas. */
  addWhole(message: Fields): ReadonlyArray<Event> {
    const open = [...this.#calls]
    const events: Array<Event> = []
    const all = listField(message, "tool_calls")
      .filter(isObject)
      .map((entry) => callDelta(this.dialect, entry))
    const isNamed = (call: ToolCallEntry) => all.some((delta) => call.hasId(delta))
    for (const [place, delta] of all.entries()) {
      const call =
        open.find((each) => each.hasId(delta)) ?? open.find((each) => each.isAt(place, delta) && !isNamed(each))
      if (call === undefined) events.push(...this.#addTo(this.#start(undefined), delta))
      else {
        open.splice(open.indexOf(call), 1)
        events.push(...call.addWhole(delta))
      }
    }
    const call = objectField(message, "function_call")
    if (call !== undefined && this.#calls.length === 0) events.push(...this.#function.addWhole(call))
    return events
  }

  /** The stream ended: whatever was started is complete, but for the last call where the response `isCut`. */
  complete(isCut: boolean): ReadonlyArray<Event> {
    if (this.#calls.length === 0) return this.#function.complete(isCut)
    return this.#calls.flatMap((call) => call.complete(isCut && call === this.#calls.at(-1)))
  }

  /**
   * The response said why it ended: what is whole is complete. Some servers say so in each chunk, and more may come. Calls
   * begin in their order, and the end of the stream shows whether the last one `isCut`.
   */
  completeClosed(isCut: boolean): ReadonlyArray<Event> {
    const events: Array<Event> = []
    for (const call of isCut ? this.#calls.slice(0, -1) : this.#calls) {
      events.push(...call.completeIfClosed())
      if (call.part === undefined) break
    }
    return events
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

  /** `beside` are the calls that entries before this one, in the same delta, were of, with the ids that they gave. */
  #addEntry(entry: Fields, beside: Map<ToolCallEntry, string | undefined>): ReadonlyArray<Event> {
    const delta = callDelta(this.dialect, entry)
    const index = indexField(entry, "index")
    const known = this.#known(index, delta.id)
    const idBeside = known === undefined ? undefined : beside.get(known)
    const isBeside = idBeside !== undefined && delta.id !== undefined && delta.id !== idBeside
    const call = known === undefined || isBeside || known.isOther(delta) ? this.#start(index) : known
    beside.set(call, delta.id)
    return this.#addTo(call, delta)
  }

  #addTo(call: ToolCallEntry, delta: CallDelta): ReadonlyArray<Event> {
    if (delta.id !== undefined) this.#byId.set(delta.id, call)
    const before = this.#current
    this.#current = call
    if (before === undefined || before === call) return call.add(delta)
    return [...before.completeIfClosed(), ...call.add(delta)]
  }

  /** Gemini's OpenAI-compatible endpoint leaves out the index, in the deltas that follow the id too. */
  #known(index: number | undefined, id: string | undefined): ToolCallEntry | undefined {
    if (index !== undefined) return this.#byIndex.get(index)
    return id === undefined ? this.#current : this.#byId.get(id)
  }

  #start(index: number | undefined): ToolCallEntry {
    const call = new ToolCallEntry(this.dialect, this.reader, this.#calls.length)
    this.#calls.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    return call
  }
}

type CallDelta = ReturnType<typeof callDelta>

/** What one delta says of a call. */
const callDelta = (dialect: ChatDialect, entry: Fields) => {
  const isCustom = isCustomCall(entry)
  const source = objectField(entry, isCustom ? "custom" : "function") ?? {}
  const sent = source[isCustom ? "input" : "arguments"]
  return {
    id: sentId(dialect, entry["id"]),
    /** Empty where it is not said again. */
    name: stringField(source, "name") ?? "",
    /** More text of the arguments, or all of them as an object. */
    sent: typeof sent === "string" ? sent : isObject(sent) ? sent : undefined,
    isCustom,
    entry
  }
}

/** The same text for the same arguments, however they are written. */
const meaningOf = (sent: CallDelta["sent"]): string => {
  const text = argumentText(sent)
  const value = text === "" ? {} : parseJson(text)
  return value === undefined ? text : canonical(value)
}

class ToolCallEntry {
  readonly #call: StreamedCall
  readonly #extra = new Map<string, unknown>()
  #closed = closedObject()
  #id: string | undefined
  #name = ""
  #isCustom = false
  #value: Json.JsonObject | undefined
  #hasArguments = false
  #hasText = false
  #isBroken = false

  constructor(
    private readonly dialect: ChatDialect,
    private readonly reader: CallReader,
    /** Its place among the calls of the message. */
    readonly index: number
  ) {
    this.#call = new StreamedCall(index)
  }

  /** The call, once its arguments are complete. */
  get part(): Turn.CallPart | undefined {
    return this.#call.part
  }

  get isClosed(): boolean {
    return this.#value !== undefined || (this.#hasText && this.#closed.isClosed())
  }

  hasId({ id }: CallDelta): boolean {
    return id !== undefined && id === this.#id
  }

  /** Whether an entry of a whole message is of this call: where each has an id of its own, by the same arguments. */
  isAt(place: number, { id, name, sent }: CallDelta): boolean {
    if (place !== this.index || name !== this.#name) return false
    if (id === undefined || this.#id === undefined) return true
    return meaningOf(sent) === meaningOf(this.#value ?? this.#call.text)
  }

  /** Whether a delta that points at this call is of another one. */
  isOther({ id, name, sent }: CallDelta): boolean {
    if (name === "") return false
    // Gemini's OpenAI-compatible endpoint gives parallel calls one index, or none.
    const hasText = typeof sent === "string" ? sent.trim() !== "" : sent !== undefined
    if (id !== undefined && this.#id !== undefined && id !== this.#id) {
      // Of one call whose deltas have ids of their own, only the first has no arguments.
      return this.#name !== name || this.isClosed || !(hasText || this.#hasArguments)
    }
    return hasText && this.isClosed && !this.#isRepeated({ id, sent }) && !this.#isRestated({ id, name, sent })
  }

  /** Some servers send `{}`, or the arguments so far, before the arguments proper. */
  #isRestated({ id, name, sent }: Pick<CallDelta, "id" | "name" | "sent">): boolean {
    if (typeof sent === "string" && this.#isEmptyObject()) return id === this.#id || (id === undefined && name === "")
    if (id === undefined || id !== this.#id || this.part !== undefined) return false
    return typeof sent === "string" ? this.#call.isRestated(sent) : Object.keys(this.#value ?? {}).length === 0
  }

  #isEmptyObject(): boolean {
    return this.#value !== undefined && Object.keys(this.#value).length === 0
  }

  /** Some servers send the whole call once more at the end. */
  #isRepeated({ id, sent }: Pick<CallDelta, "id" | "sent">): boolean {
    return id !== undefined && id === this.#id && this.isClosed && sent === this.#call.text
  }

  /** More of the call; what comes after its arguments are complete can only be white space. */
  add(delta: CallDelta): ReadonlyArray<Event> {
    this.#keep(delta.entry)
    if (this.part !== undefined || this.#isRepeated(delta)) return []
    if (typeof delta.sent === "string" && this.isClosed && delta.sent.trim() === "") return []
    this.#isCustom ||= delta.isCustom
    if (!this.#hasArguments) this.#name = longerName(this.#name, delta.name)
    if (!this.#call.isStarted) this.#id ??= delta.id
    const events: Array<Event> = []
    if (typeof delta.sent === "object") this.#value = delta.sent
    else if (delta.sent !== undefined) {
      this.#hasText = true
      if (delta.sent.trim() !== "" && this.#isEmptyObject()) this.#value = undefined
      if (!this.#isCustom) {
        if (this.#call.isRestated(delta.sent)) {
          this.#closed = closedObject()
          this.#isBroken = false
        }
        this.#closed.add(delta.sent)
      }
      events.push(...this.#call.add(delta.sent))
    }
    if (delta.sent !== undefined && delta.sent !== "") this.#hasArguments = true
    if (this.#name === "") return events
    // Some servers send the name in pieces, all of them before the arguments.
    if (this.#hasArguments) events.push(...this.#start())
    return this.#isWhole() ? [...events, ...this.complete()] : events
  }

  /** The same call out of a whole message: the rest of it, if there is one. */
  addWhole(delta: CallDelta): ReadonlyArray<Event> {
    const whole = argumentText(delta.sent)
    if (this.part === undefined && this.#isEmptyObject()) this.#value = undefined
    return this.add({ ...delta, sent: this.#value === undefined ? this.#call.restOf(whole) : "" })
  }

  /** Nothing more will come for it, unless it is not closed yet. */
  completeIfClosed(): ReadonlyArray<Event> {
    return this.#name !== "" && !this.#isCustom && this.isClosed && this.#isParsed() ? this.complete() : []
  }

  /** Nothing more will come for it. */
  complete(isCut = false): ReadonlyArray<Event> {
    if (this.part !== undefined) return []
    const events = this.#start()
    const part = toolCallPart(this.entry(), this.index, this.reader)
    return [...events, ...this.#call.complete(isCut && (this.#isCustom || !hasArguments(part)) ? cutOff(part) : part)]
  }

  /** The call as the message has it that does not stream. */
  entry(): Json.JsonObject {
    const sent = this.#value ?? (this.#hasText ? this.#call.text : undefined)
    const described = this.#isCustom
      ? { custom: { name: this.#name, input: sent ?? "" } }
      : { function: { name: this.#name, ...(sent === undefined ? {} : { arguments: sent }) } }
    return {
      ...(this.#id === undefined ? {} : { id: this.#id }),
      ...(this.dialect.hasCallType ? { type: this.#isCustom ? "custom" : "function" } : {}),
      ...Object.fromEntries(this.#extra),
      ...described
    }
  }

  /**
   * A server may send `{}` before the arguments proper, as translators of
   * Anthropic's streams do, or repeat them from their start: what came in one
   * piece waits for another sign of its end.
   */
  #isWhole(): boolean {
    return this.#value === undefined && !this.#isCustom && this.isClosed && this.#call.isInPieces && this.#isParsed()
  }

  /** Text that only looks closed is complete when the stream says so: more of it does not mend it. It is read once. */
  #isParsed(): boolean {
    if (this.#value !== undefined) return true
    if (this.#isBroken) return false
    try {
      JSON.parse(this.#call.text)
      return true
    } catch {
      this.#isBroken = true
      return false
    }
  }

  #start(): ReadonlyArray<Event> {
    if (this.#call.isStarted) return []
    return this.#call.start(this.reader.callId(this.#id, this.index).id, this.reader.fromNative(this.#name))
  }

  #keep(entry: Fields): void {
    for (const [key, value] of Object.entries(entry)) {
      if (key === "id" || key === "function" || key === "custom" || value === null) continue
      if (key === "index" && !this.dialect.hasCallIndex) continue
      this.#extra.set(key, value)
    }
  }
}

class FunctionCallEntry {
  readonly #call = new StreamedCall(0)
  #name = ""
  #hasText = false
  #hasArguments = false

  constructor(private readonly reader: CallReader) {}

  get part(): Turn.CallPart | undefined {
    return this.#call.part
  }

  add(call: Fields): ReadonlyArray<Event> {
    if (this.part !== undefined) return []
    const events: Array<Event> = []
    const name = stringField(call, "name") ?? ""
    // Snowflake sends an empty one always.
    if (!this.#hasArguments) this.#name = longerName(this.#name, name)
    const text = argumentText(call["arguments"])
    if (statedField(call, "arguments") === undefined || this.#name === "") return events
    this.#hasText = true
    if (text !== "") {
      this.#hasArguments = true
      events.push(...this.#call.start(this.reader.callId(undefined, 0).id, this.reader.fromNative(this.#name)))
    }
    return [...events, ...this.#call.add(text)]
  }

  addWhole(call: Fields): ReadonlyArray<Event> {
    return this.add({ ...call, arguments: this.#call.restOf(argumentText(call["arguments"])) })
  }

  complete(isCut: boolean): ReadonlyArray<Event> {
    const part = functionCallPart({ function_call: this.entry() }, this.reader)
    if (part === undefined) return []
    return this.#call.complete(isCut && !hasArguments(part) ? cutOff(part) : part)
  }

  /** The call as the message has it that does not stream. */
  entry(): Json.JsonObject {
    return { name: this.#name, ...(this.#hasText ? { arguments: this.#call.text } : {}) }
  }
}

/** A name with a further piece of it; most servers send it whole, some in each delta. */
const longerName = (name: string, piece: string): string =>
  piece === name ? name : piece.startsWith(name) ? piece : name + piece

const quote = 0x22
const backslash = 0x5c

/** A space, tab or line end. */
const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Whether JSON text that comes in pieces has become a whole object. Every piece is looked at once. */
const closedObject = () => {
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
    add: (piece: string) => {
      for (let index = 0; index < piece.length; index++) read(piece.charCodeAt(index))
    },
    /** The object's braces are closed; text that is no JSON can look so too. */
    isClosed: () => isBegun && depth <= 0 && !isInString,
    /** It is closed and has something between its braces. */
    hasContent: () => isFilled
  }
}
