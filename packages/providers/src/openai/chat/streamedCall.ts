/**
 * One call of a streamed message, while it arrives.
 */
import type { Turn, TurnEvent } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { objectField, stringField } from "../../internal/wireField.js"
import { sentId } from "./callIds.js"
import type { CallReader } from "./callParts.js"
import { toolCallPart } from "./callParts.js"
import type { ChatDialect } from "./ChatDialect.js"
import type { ClosedObject } from "./closedObject.js"
import { closedObject } from "./closedObject.js"

type Event = TurnEvent.TurnEvent

/** What one delta says of a call. */
export interface CallDelta {
  readonly id: string | undefined
  /** Empty where it is not said again. */
  readonly name: string
  /** More text of the arguments, or all of them as an object. */
  readonly sent: string | Json.JsonObject | undefined
  readonly isCustom: boolean
  readonly entry: Fields
}

export const callDelta = (dialect: ChatDialect, entry: Fields): CallDelta => {
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

export class StreamedCall {
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
