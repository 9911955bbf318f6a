/**
 * The calls of a streamed message: which of them each delta belongs to, and
 * when each is complete.
 */
import type { Turn, TurnEvent } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { numberField, objectField } from "../../internal/wireField.js"
import type { CallReader } from "./callParts.js"
import type { ChatDialect } from "./ChatDialect.js"
import { callDelta, StreamedCall } from "./streamedCall.js"
import { StreamedFunctionCall } from "./streamedFunctionCall.js"

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
