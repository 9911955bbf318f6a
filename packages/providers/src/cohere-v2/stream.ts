/** Cohere's Chat API: the events of a stream as turn events, and the turn of the whole response. */
import type { Json, Turn, TurnEvent } from "@wield/core"
import * as Turns from "@wield/core/Turn"
import * as Either from "effect/Either"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import type { Offered } from "../internal/contract.js"
import { streamError } from "./errors.js"
import { formatName, nameRule, table } from "./format.js"
import { isCutting, usageOf } from "../internal/format.js"
import { decodeCall, messageParts, turnOf } from "./turn.js"
import { jsonText } from "../internal/json.js"
import * as NameMap from "../NameMap.js"
import { argumentText, StreamedCall, StreamedCalls } from "../internal/streamedCalls.js"
import {
  type Fields,
  isList,
  isObject,
  objectField,
  placeKey,
  statedField,
  stringField,
  wireError,
  withLists,
  listField
} from "../internal/wireField.js"

const nothing: Pushed = { events: [] }

export const streamAssembler = (offered?: Offered): Assembler =>
  new MessageAssembler(NameMap.make(offered?.definitions ?? [], nameRule))

/** An item of `content`: thinking or text. */
interface StreamItem {
  readonly start: Fields
  readonly key: "text" | "thinking"
  readonly texts: Array<string>
}

class MessageAssembler implements Assembler {
  readonly #items = new Map<string, StreamItem>()
  readonly #plan: Array<string> = []
  readonly #calls: Array<CallEntry> = []
  readonly #byIndex = new Map<string, CallEntry>()
  readonly #tracker = new StreamedCalls()
  readonly #citations: Array<Json.Json> = []
  #id: string | undefined
  #role = "assistant"
  #usage: Turn.Usage = Turns.unknownUsage
  #finishReason: string | undefined
  #isEnded = false

  constructor(private readonly names: NameMap.NameMap) {}

  push(event: unknown, name: string | undefined): Pushed {
    if (!isObject(event)) return { events: [], failure: wireError(formatName, [], "an object", event) }
    const type = stringField(event, "type") ?? name
    if (isError(event, type)) return { events: [], failure: streamError(event) }
    if (this.#isEnded) return nothing
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
        return this.#startCall(event["index"], callIn(message))
      case "tool-call-delta": {
        const call = this.#callOf(event)?.call
        return call?.isOpen === true ? { events: call.add(argumentsOf(callIn(message))) } : nothing
      }
      case "tool-call-end":
        return { events: this.#stopCall(this.#callOf(event)) }
      case "citation-start":
        return this.#cite(message["citations"])
      case "message-end":
        return this.#end(event, delta)
      default:
        // Events that the API may add.
        return nothing
    }
  }

  isOver(): boolean {
    return this.#isEnded
  }

  end(isWhole: boolean): ReturnType<Assembler["end"]> {
    this.#tracker.finish(true)
    // In a response that broke off, a call that had not ended is not one that could be run.
    const calls = this.#calls.filter(({ call }) => !call.isCut && (this.#isEnded || !call.isOpen))
    const content = [...this.#items.values()]
      .map(({ start, key, texts }) => ({ ...start, [key]: texts.join("") }))
      .filter((item) => item["text"] !== "" && item["thinking"] !== "")
    const plan = this.#plan.join("")
    // Keys that have nothing to say are left out, as in a response that does not stream.
    const message = {
      role: this.#role,
      ...(content.length === 0 ? {} : { content }),
      ...(plan === "" ? {} : { tool_plan: plan }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(entryOf) }),
      ...(this.#citations.length === 0 ? {} : { citations: this.#citations })
    }
    // Every call was decoded when it began.
    const parts = Either.getOrElse(messageParts(message, ["message"], this.names), () => [])
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
    const key = statedField(content, "thinking") !== undefined || content["type"] === "thinking" ? "thinking" : "text"
    // Were the index missing, thinking and text would still be two items.
    const place = `${key} ${jsonText(index) ?? ""}`
    let item = this.#items.get(place)
    if (item === undefined) {
      item = { start: { ...content, type: stringField(content, "type") ?? key }, key, texts: [] }
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

  #startCall(index: unknown, start: Fields): Pushed {
    const before = this.#byIndex.get(placeKey(index))
    // Sent twice, it starts one call: the first would run without its arguments.
    if (before?.call.isOpen === true && before.start["id"] === start["id"]) return nothing
    const events = [...this.#stopCall(before), ...this.#tracker.settle()]
    const call = new StreamedCall(this.#calls.length)
    const entry: CallEntry = { start, call }
    call.add(argumentsOf(start))
    const part = decodeCall(entryOf(entry), ["delta", "message", "tool_calls"], this.names)
    if (Either.isLeft(part)) return { events, failure: part.left }
    this.#calls.push(entry)
    this.#byIndex.set(placeKey(index), entry)
    return { events: [...events, ...call.start(part.right.call.id, part.right.call.name)] }
  }

  #callOf(event: Fields): CallEntry | undefined {
    // Calls are sent one behind the other, so one without an index, or of another than it was started by, is the last.
    return this.#byIndex.get(placeKey(event["index"])) ?? this.#calls.at(-1)
  }

  #stopCall(entry: CallEntry | undefined): ReadonlyArray<TurnEvent.TurnEvent> {
    if (entry === undefined) return []
    const partOf = () => Either.getOrUndefined(decodeCall(entryOf(entry), [], this.names))
    return this.#tracker.stop(entry.call, partOf)
  }

  #cite(citations: unknown): Pushed {
    // One citation at a time; the field's name is that of the list.
    if (isList(citations)) for (const each of citations) this.#citations.push(each)
    else if (isObject(citations)) this.#citations.push(citations)
    return nothing
  }

  #end(event: Fields, delta: Fields): Pushed {
    const events = this.#calls.flatMap((call) => this.#stopCall(call))
    this.#id = stringField(event, "id") ?? this.#id
    this.#finishReason = stringField(delta, "finish_reason")
    this.#isEnded = true
    events.push(...this.#tracker.finish(isCutting(table, this.#finishReason)))
    const usage = objectField(delta, "usage")
    if (usage !== undefined) {
      this.#usage = usageOf(table, usage)
      events.push({ _tag: "UsageKnown", usage: this.#usage })
    }
    // The error's words stand under `error`, its code under `error_type`.
    return stringField(delta, "error") === undefined ? { events } : { events, failure: streamError(delta) }
  }
}

/** An error in place of an event has no type; events have one. */
const isError = (event: Fields, type: string | undefined): boolean =>
  type === "error" ||
  (type === undefined && (typeof event["message"] === "string" || statedField(event, "error") !== undefined))

/** The call of an event; its field has the name of the list, and one entry of it. */
const callIn = (message: Fields): Fields => {
  const [entry] = listField(withLists(message, "tool_calls"), "tool_calls")
  return isObject(entry) ? entry : {}
}

const argumentsOf = (entry: Fields): string => argumentText(objectField(entry, "function")?.["arguments"])

interface CallEntry {
  /** As `tool-call-start` has it. */
  readonly start: Fields
  readonly call: StreamedCall
}

/** The entry of `tool_calls`. */
const entryOf = ({ call, start }: CallEntry): Json.JsonObject => ({
  ...start,
  function: { ...objectField(start, "function"), arguments: call.text }
})
