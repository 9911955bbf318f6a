/** Anthropic's Messages API: the events of a stream as turn events, and the turn of the whole response. */
import type { Json, Turn, TurnEvent } from "@wield/core"
import * as Either from "effect/Either"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import type { Offered } from "../internal/contract.js"
import { streamError } from "./errors.js"
import { formatName, nameRule, table } from "./format.js"
import { isCutting, usageOf } from "../internal/format.js"
import { decodeBlock, turnOf } from "./turn.js"
import { joinBlocks } from "../internal/partList.js"
import { argumentText, StreamedCall, StreamedCalls, withBrokenText } from "../internal/streamedCalls.js"
import { type CallReader, callReader } from "../internal/tools.js"
import {
  type Fields,
  isObject,
  listField,
  objectField,
  placeKey,
  stringField,
  wireError
} from "../internal/wireField.js"

const nothing: Pushed = { events: [] }

export const streamAssembler = (offered?: Offered): Assembler => new MessageAssembler(callReader(offered, nameRule))

class MessageAssembler implements Assembler {
  readonly #blocks: Array<StreamBlock> = []
  readonly #byIndex = new Map<string, StreamBlock>()
  #message: Fields | undefined
  #usage: Fields = {}
  readonly #calls = new StreamedCalls()
  #started = 0
  #hasReason = false
  #isEnded = false

  constructor(private readonly reader: CallReader) {}

  push(message: unknown, event: string | undefined): Pushed {
    if (!isObject(message)) return { events: [], failure: wireError(formatName, [], "an object", message) }
    // Gateways send an error without its type.
    const type = stringField(message, "type") ?? event ?? (isObject(message["error"]) ? "error" : undefined)
    if (type === "error") return { events: [], failure: streamError(message) }
    // Only the first message is the response; recordings that hold several have them one behind the other.
    if (this.#isEnded) return nothing
    switch (type) {
      case "message_start":
        return this.#start(message)
      case "content_block_start":
        return this.#startBlock(message["content_block"], message["index"])
      case "content_block_delta":
        return this.#delta(message)
      case "content_block_stop":
        return { events: this.#stopBlock(this.#blockOf(message)) }
      case "message_delta":
        return this.#end(message)
      case "message_stop": {
        const events = this.#blocks.flatMap((block) => this.#stopBlock(block))
        this.#isEnded = true
        return {
          events: [...events, ...this.#calls.finish(isCutting(table, stringField(this.#message, "stop_reason")))]
        }
      }
      default:
        // `ping`, and what the API may add: "handle unknown event types gracefully".
        return nothing
    }
  }

  isOver(): boolean {
    return this.#isEnded
  }

  end(isWhole: boolean): ReturnType<Assembler["end"]> {
    // Servers that copy the API may leave its last event out: the reason has been said.
    this.#isEnded ||= isWhole && this.#hasReason
    // The rest would have shown whether a call in doubt is whole.
    this.#calls.finish(true)
    const answered = new Set<unknown>(this.#blocks.map((block) => block.start["tool_use_id"]))
    const { content, parts } = joinBlocks(
      this.#blocks.map((block) => ({
        json: block.content(),
        part: this.#partOf(block),
        isSendable: block.isSendable(answered)
      })),
      !this.#isEnded || this.#blocks.some(({ call }) => call?.isCut === true)
    )
    const isComplete = this.#isEnded && isWhole
    const turn = turnOf({ ...this.#message, usage: this.#usage }, content, parts, isComplete)
    return { events: [], turn: isComplete ? turn : { ...turn, finish: isWhole ? "other" : "error" } }
  }

  #start(event: Fields): Pushed {
    if (this.#message !== undefined) return nothing
    const message = event["message"]
    if (!isObject(message)) {
      return { events: [], failure: wireError(formatName, ["message"], "a message", message) }
    }
    this.#message = message
    const events = this.#useUsage(message)
    for (const block of listField(message, "content")) {
      const started = this.#startBlock(block, undefined)
      events.push(...started.events, ...this.#stopBlock(this.#blocks.at(-1)))
      if (started.failure !== undefined) return { events, failure: started.failure }
    }
    return { events }
  }

  #startBlock(sent: unknown, index: unknown): Pushed {
    this.#hasReason = false
    const path = ["content_block"]
    if (!isObject(sent)) return { events: [], failure: wireError(formatName, path, "a content block", sent) }
    // Servers that copy the API may state no text where none has come yet.
    const start = sent["type"] === "text" ? { ...sent, text: sent["text"] ?? "" } : sent
    const checked = decodeBlock(start, path, this.reader)
    if (Either.isLeft(checked)) return { events: [], failure: checked.left }
    const part = checked.right
    const before = this.#byIndex.get(placeKey(index))
    // Sent twice, it starts one call: the first would run without its arguments.
    if (before?.isOpen === true && before.call !== undefined && before.start["id"] === start["id"]) return nothing
    const isOwn = part?._tag === "Call" && part.executedBy === "application"
    const call =
      part?._tag === "Call" ? new StreamedCall(isOwn ? this.#started++ : undefined, start["input"]) : undefined
    const block = new StreamBlock(start, call)
    const events = [...this.#stopBlock(before), ...this.#calls.settle()]
    this.#blocks.push(block)
    this.#byIndex.set(placeKey(index), block)
    if (part?._tag === "Call") events.push(...(call?.start(part.call.id, part.call.name) ?? []))
    else if (part !== undefined) events.push(...deltaOf(part._tag, part.text))
    return { events }
  }

  #delta(event: Fields): Pushed {
    const block = this.#blockOf(event)
    const delta = event["delta"]
    if (block === undefined || !block.isOpen) {
      const expected = "the index of a content block that was started"
      return { events: [], failure: wireError(formatName, ["index"], expected, event["index"]) }
    }
    if (!isObject(delta)) return { events: [], failure: wireError(formatName, ["delta"], "a delta", delta) }
    const text = block.add(delta)
    if (block.call !== undefined) return { events: block.call.add(text) }
    if (block.type === "text") return { events: deltaOf("Text", text) }
    if (block.type === "thinking") return { events: deltaOf("Reasoning", text) }
    return nothing
  }

  /** Servers that copy the API may leave the index out: they send one block after the other. */
  #blockOf(event: Fields): StreamBlock | undefined {
    const index = event["index"]
    return index === undefined || index === null ? this.#blocks.at(-1) : this.#byIndex.get(placeKey(index))
  }

  #stopBlock(block: StreamBlock | undefined): ReadonlyArray<TurnEvent.TurnEvent> {
    if (block === undefined) return []
    block.isOpen = false
    if (block.call === undefined) return []
    return this.#calls.stop(block.call, () => {
      const part = this.#partOf(block)
      return part?._tag === "Call" ? part : undefined
    })
  }

  #end(event: Fields): Pushed {
    const delta = objectField(event, "delta") ?? {}
    this.#message = { ...this.#message, ...delta }
    const events = this.#useUsage(event)
    const reason = stringField(delta, "stop_reason")
    if (reason !== undefined) events.push(...this.#calls.finish(isCutting(table, reason)))
    // What is open then is cut off, unless more comes for it.
    if ((reason ?? "") !== "") this.#hasReason = this.#blocks.every((block) => !block.isOpen)
    const explanation = stringField(objectField(delta, "stop_details"), "explanation")
    if (reason === "refusal" && explanation !== undefined) events.push({ _tag: "RefusalDelta", text: explanation })
    return { events }
  }

  /** Counts are totals, and those that have not changed may be left out. */
  #useUsage(event: Fields): Array<TurnEvent.TurnEvent> {
    const usage = objectField(event, "usage")
    if (usage === undefined) return []
    const known = Object.entries(usage).filter(([, count]) => count !== null)
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) }
    return [{ _tag: "UsageKnown", usage: usageOf(table, this.#usage) }]
  }

  #partOf(block: StreamBlock): Turn.Part | undefined {
    const part = Either.getOrUndefined(decodeBlock(block.content(), [], this.reader))
    return part?._tag === "Call" && block.call !== undefined ? withBrokenText(part, block.call.arguments) : part
  }
}

const deltaOf = (tag: "Text" | "Reasoning" | "Refusal", text: string): Array<TurnEvent.TurnEvent> =>
  text === "" ? [] : [{ _tag: `${tag}Delta`, text }]

/** The field in which each kind of block holds the text that streams in. */
const textFields: { readonly [delta: string]: string } = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
  compaction_delta: "content"
}

/** Some servers send the arguments of a call as an object. */
const textOf = (type: string, sent: unknown): string =>
  type === "input_json_delta" ? argumentText(sent) : typeof sent === "string" ? sent : ""

class StreamBlock {
  isOpen = true
  readonly #pieces: Array<string> = []
  readonly #citations: Array<Json.Json> = []
  #signature: string | undefined

  constructor(
    readonly start: Json.JsonObject,
    /** Set for the block of a call. */
    readonly call: StreamedCall | undefined
  ) {}

  get type(): string {
    return stringField(this.start, "type") ?? ""
  }

  /** Takes a delta; gives the text it adds. Deltas that are not known are left out, as the API's versioning asks. */
  add(delta: Fields): string {
    const type = stringField(delta, "type") ?? ""
    if (type === "signature_delta") this.#signature = stringField(delta, "signature") ?? this.#signature
    else if (type === "citations_delta" && isObject(delta["citation"])) this.#citations.push(delta["citation"])
    const field = Object.hasOwn(textFields, type) ? textFields[type] : undefined
    const text = field === undefined ? "" : textOf(type, delta[field])
    if (text !== "" && this.call === undefined) this.#pieces.push(text)
    return text
  }

  /** The block as the non-streaming API would have sent it. */
  content(): Json.JsonObject {
    const text = this.#pieces.join("")
    switch (this.type) {
      case "text": {
        const all = [...listField(this.start, "citations"), ...this.#citations]
        const citations = this.#citations.length === 0 ? {} : { citations: all }
        return { ...this.start, ...citations, text: (stringField(this.start, "text") ?? "") + text }
      }
      case "thinking":
        return {
          ...this.start,
          thinking: (stringField(this.start, "thinking") ?? "") + text,
          signature: this.#signature ?? stringField(this.start, "signature") ?? ""
        }
      case "compaction":
        return text === "" ? this.start : { ...this.start, content: (stringField(this.start, "content") ?? "") + text }
    }
    if (this.call === undefined) return this.start
    const read = this.call.arguments
    switch (read._tag) {
      case "Whole":
        return { ...this.start, input: read.input }
      case "None":
        return { ...this.start, input: this.start["input"] ?? {} }
      case "Broken":
        // The API takes no text here; its guide of fine-grained tool streaming asks for this.
        return { ...this.start, input: { INVALID_JSON: read.text } }
    }
  }

  /** Whether the API takes the block back in a message that was broken off. */
  isSendable(answered: ReadonlySet<unknown>): boolean {
    if (this.call?.isCut === true) return false
    switch (this.type) {
      case "tool_use":
        return !this.isOpen
      // A call of the provider's without its result is refused, but for a paused turn.
      case "server_tool_use":
      case "mcp_tool_use":
        return !this.isOpen && answered.has(this.start["id"])
      case "thinking":
        return (this.#signature ?? stringField(this.start, "signature") ?? "") !== ""
      case "text":
        return this.#pieces.length > 0 || (stringField(this.start, "text") ?? "") !== ""
    }
    return true
  }
}
