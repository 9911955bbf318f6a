/** Cohere's Chat API: the events of a stream as turn events, and the turn of the whole response. */
import type { Turn, TurnEvent } from "@wield/core"
import { Json, Turn as Turns } from "@wield/core"
import * as Either from "effect/Either"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import type { Offered } from "../WireFormat.js"
import { streamError } from "./errors.js"
import { formatName, nameRule, table, usageOf } from "./format.js"
import { decodeCall, messageParts, turnOf } from "./turn.js"
import { jsonText } from "../internal/json.js"
import type { NameMap } from "../internal/nameMap.js"
import { nameMap } from "../internal/nameMap.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField, wireError } from "../internal/wireField.js"

const nothing: Pushed = { events: [] }

export const streamAssembler = (offered?: Offered): Assembler =>
  new MessageAssembler(nameMap(offered?.definitions ?? [], nameRule))

/** An item of `content`: thinking or text. */
interface StreamItem {
  readonly start: Fields
  readonly key: "text" | "thinking"
  readonly texts: Array<string>
}

class MessageAssembler implements Assembler {
  readonly #names: NameMap
  readonly #items = new Map<string, StreamItem>()
  readonly #plan: Array<string> = []
  readonly #calls: Array<StreamCall> = []
  readonly #open = new Map<unknown, StreamCall>()
  readonly #citations: Array<Json.Json> = []
  #id: string | undefined
  #role = "assistant"
  #usage: Turn.Usage = Turns.unknownUsage
  #finishReason: string | undefined
  #isEnded = false
  /** A call without arguments, or with broken ones: whether it was cut off shows in what comes next. */
  #doubtful: StreamCall | undefined

  constructor(names: NameMap) {
    this.#names = names
  }

  push(event: unknown, name: string | undefined): Pushed {
    if (!Json.isObject(event)) return { events: [], failure: wireError(formatName, [], "an object", event) }
    if (this.#isEnded) return nothing
    const type = stringField(event, "type") ?? name
    const delta = objectField(event, "delta") ?? {}
    const message = objectField(delta, "message") ?? {}
    switch (type) {
      case "message-start":
        this.#id = stringField(event, "id") ?? this.#id
        this.#role = stringField(message, "role") ?? this.#role
        return nothing
      case "content-start":
      case "content-delta":
        return { events: this.#content(event["index"], objectField(message, "content") ?? {}) }
      case "tool-plan-delta":
        return { events: this.#planned(stringField(message, "tool_plan") ?? "") }
      case "tool-call-start":
        return this.#startCall(event["index"], entryOf(message))
      case "tool-call-delta":
        return { events: this.#callDelta(this.#callOf(event), entryOf(message)) }
      case "tool-call-end":
        return { events: this.#stopCall(this.#callOf(event)) }
      case "citation-start":
        return this.#cite(message["citations"])
      case "message-end":
        return this.#end(event, delta)
      default:
        // An error in place of an event has no type; events that the API may add have one.
        return type === undefined && typeof event["message"] === "string"
          ? { events: [], failure: streamError(event) }
          : nothing
    }
  }

  end(isWhole: boolean): { readonly events: ReadonlyArray<TurnEvent.TurnEvent>; readonly turn: Turn.Turn } {
    // In a response that broke off, a call that had not ended is not one that could be run.
    const calls = this.#calls.filter(
      (call) => !call.isCut && (this.#isEnded || !call.isOpen) && call !== this.#doubtful
    )
    const content = [...this.#items.values()]
      .map(({ start, key, texts }) => ({ ...start, [key]: texts.join("") }))
      .filter((item) => item["text"] !== "" && item["thinking"] !== "")
    const plan = this.#plan.join("")
    // Keys that have nothing to say are left out, as in a response that does not stream.
    const message = {
      role: this.#role,
      ...(content.length === 0 ? {} : { content }),
      ...(plan === "" ? {} : { tool_plan: plan }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => call.entry()) }),
      ...(this.#citations.length === 0 ? {} : { citations: this.#citations })
    }
    // Every call was decoded when it began.
    const parts = Either.getOrElse(messageParts(message, ["message"], this.#names), () => [])
    const turn = turnOf({
      id: this.#id,
      message,
      parts,
      nativeFinish: this.#finishReason,
      usage: this.#usage,
      isComplete: this.#isEnded && isWhole
    })
    if (this.#isEnded) return { events: [], turn: isWhole ? turn : { ...turn, finish: "error" } }
    // A plan alone is no message that could be sent back.
    const native = content.length === 0 && calls.length === 0 ? [] : turn.native
    return { events: [], turn: { ...turn, native, finish: isWhole ? "other" : "error" } }
  }

  #content(index: unknown, content: Fields): Array<TurnEvent.TurnEvent> {
    const key = content["thinking"] === undefined && content["type"] !== "thinking" ? "text" : "thinking"
    // Were the index missing, thinking and text would still be two items.
    const place = `${key} ${jsonText(index) ?? ""}`
    let item = this.#items.get(place)
    if (item === undefined) {
      item = { start: { type: key, ...content }, key, texts: [] }
      this.#items.set(place, item)
    }
    const text = stringField(content, item.key) ?? ""
    if (text === "") return []
    item.texts.push(text)
    return [{ _tag: item.key === "text" ? "TextDelta" : "ReasoningDelta", text }]
  }

  #planned(text: string): Array<TurnEvent.TurnEvent> {
    if (text === "") return []
    this.#plan.push(text)
    return [{ _tag: "ReasoningDelta", text }]
  }

  #startCall(index: unknown, entry: Fields): Pushed {
    const events = [...this.#stopCall(this.#open.get(index)), ...this.#settle()]
    const call = new StreamCall(entry, this.#calls.length)
    const part = decodeCall(call.entry(), ["delta", "message", "tool_calls"], this.#names)
    if (Either.isLeft(part)) return { events, failure: part.left }
    this.#calls.push(call)
    this.#open.set(index, call)
    const { id, name } = part.right.call
    events.push({ _tag: "CallStarted", index: call.index, id, name })
    const begun = stringField(objectField(entry, "function") ?? {}, "arguments") ?? ""
    if (begun !== "") events.push({ _tag: "ArgumentsDelta", index: call.index, text: begun })
    return { events }
  }

  #callOf(event: Fields): StreamCall | undefined {
    // Calls are sent one behind the other, so one without an index is the last.
    return event["index"] === undefined ? this.#calls.at(-1) : this.#open.get(event["index"])
  }

  #callDelta(call: StreamCall | undefined, entry: Fields): Array<TurnEvent.TurnEvent> {
    if (call === undefined || !call.isOpen) return []
    const text = call.add(entry)
    return text === "" ? [] : [{ _tag: "ArgumentsDelta", index: call.index, text }]
  }

  #stopCall(call: StreamCall | undefined): Array<TurnEvent.TurnEvent> {
    if (call === undefined || !call.isOpen) return []
    call.isOpen = false
    if (call.isWhole()) return this.#complete(call)
    const events = this.#settle()
    this.#doubtful = call
    return events
  }

  /** What was doubtful is complete after all, since more came behind it, or the response ended well. */
  #settle(): Array<TurnEvent.TurnEvent> {
    const call = this.#doubtful
    this.#doubtful = undefined
    return call === undefined ? [] : this.#complete(call)
  }

  #complete(call: StreamCall): Array<TurnEvent.TurnEvent> {
    return Either.match(decodeCall(call.entry(), [], this.#names), {
      onLeft: () => [],
      onRight: (part) => [{ _tag: "CallComplete", index: call.index, part }]
    })
  }

  #cite(citations: unknown): Pushed {
    // One citation at a time; the field's name is that of the list. It came out of JSON text.
    if (Array.isArray(citations)) this.#citations.push(...(citations as ReadonlyArray<Json.Json>))
    else if (Json.isObject(citations)) this.#citations.push(citations as Json.JsonObject)
    return nothing
  }

  #end(event: Fields, delta: Fields): Pushed {
    const events = this.#calls.flatMap((call) => this.#stopCall(call))
    this.#id = stringField(event, "id") ?? this.#id
    this.#finishReason = stringField(delta, "finish_reason")
    this.#isEnded = true
    if (this.#doubtful !== undefined && table.cutting.includes(this.#finishReason ?? "")) {
      this.#doubtful.isCut = true
      this.#doubtful = undefined
    }
    events.push(...this.#settle())
    const usage = objectField(delta, "usage")
    if (usage !== undefined) {
      this.#usage = usageOf(usage)
      events.push({ _tag: "UsageKnown", usage: this.#usage })
    }
    const error = stringField(delta, "error")
    return error === undefined ? { events } : { events, failure: streamError({ message: error }) }
  }
}

/** The call that an event tells of; its field has the name of the list, and one entry of it. */
const entryOf = (message: Fields): Fields => {
  const calls = message["tool_calls"]
  const entry: unknown = Array.isArray(calls) ? calls[0] : calls
  return Json.isObject(entry) ? entry : {}
}

class StreamCall {
  isOpen = true
  /** Set where the response ended inside of this call. */
  isCut = false
  readonly #texts: Array<string> = []

  constructor(
    /** What `tool-call-start` said. */
    readonly start: Fields,
    /** The number of the call in the turn. */
    readonly index: number
  ) {
    this.add(start)
  }

  /** Takes more of the call and gives the argument text that it adds. */
  add(entry: Fields): string {
    const text = stringField(objectField(entry, "function") ?? {}, "arguments") ?? ""
    if (text !== "") this.#texts.push(text)
    return text
  }

  /** The arguments are a whole JSON object; text that is none may have been cut off, as no text may. */
  isWhole(): boolean {
    try {
      return Json.isObject(JSON.parse(this.#texts.join("")))
    } catch {
      // JSON.parse reports by throwing.
      return false
    }
  }

  /** The entry of `tool_calls`. */
  entry(): Json.JsonObject {
    const described = objectField(this.start, "function")
    // It came out of JSON text.
    return { ...this.start, function: { ...described, arguments: this.#texts.join("") } } as Json.JsonObject
  }
}
