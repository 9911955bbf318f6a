/** Anthropic's Messages API: the events of a stream as turn events, and the turn of the whole response. */
import type { Turn, TurnEvent } from "@wield/core"
import { Json, ToolCall } from "@wield/core"
import * as Either from "effect/Either"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import type { Offered } from "../WireFormat.js"
import { streamError } from "./errors.js"
import { formatName, nameRule, table, usageOf } from "./format.js"
import { isReasoning } from "./messages.js"
import { decodeBlock, turnOf } from "./turn.js"
import { PartList } from "../internal/partList.js"
import type { CallReader } from "../internal/tools.js"
import { callReader } from "../internal/tools.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField, wireError } from "../internal/wireField.js"

const nothing: Pushed = { events: [] }

export const streamAssembler = (offered?: Offered): Assembler => new MessageAssembler(callReader(offered, nameRule))

class MessageAssembler implements Assembler {
  readonly #reader: CallReader
  readonly #blocks: Array<StreamBlock> = []
  readonly #byIndex = new Map<unknown, StreamBlock>()
  #message: Fields | undefined
  #usage: Fields = {}
  #calls = 0
  /** A call that ended without arguments, or with broken ones: whether it was cut off shows in what comes next. */
  #doubtful: StreamBlock | undefined
  #isEnded = false
  #isFailed = false

  constructor(reader: CallReader) {
    this.#reader = reader
  }

  push(message: unknown, event: string | undefined): Pushed {
    // Only the first message is the response; recordings that hold several have them one behind the other.
    if (this.#isEnded) return nothing
    if (!Json.isObject(message)) return { events: [], failure: wireError(formatName, [], "an object", message) }
    switch (stringField(message, "type") ?? event) {
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
        return { events: [...events, ...this.#settle()] }
      }
      case "error":
        this.#isFailed = true
        return { events: [], failure: streamError(message) }
      default:
        // `ping`, and what the API may add: "handle unknown event types gracefully".
        return nothing
    }
  }

  end(): { readonly events: ReadonlyArray<TurnEvent.TurnEvent>; readonly turn: Turn.Turn } {
    // Whether it is whole would have shown in what did not come.
    if (this.#doubtful !== undefined) this.#doubtful.isCut = true
    const isShort = !this.#isEnded || this.#blocks.some((block) => block.isCut)
    const blocks: Array<Json.JsonObject> = []
    const list = new PartList()
    const answered = new Set<unknown>(this.#blocks.map((block) => block.start["tool_use_id"]))
    for (const block of this.#blocks) {
      const isSendable = !isShort || block.isSendable(answered)
      if (!isSendable && block.type !== "thinking") continue
      const part = this.#partOf(block)
      if (part === undefined) list.addWordless(block.content())
      // Reasoning whose signature did not come is not taken back.
      else list.add(isSendable || part._tag !== "Reasoning" ? part : { _tag: "Reasoning", text: part.text })
      if (isSendable) blocks.push(block.content())
    }
    // Anthropic: "The final block in an assistant message cannot be `thinking`."
    while (isShort && isReasoning(blocks.at(-1))) blocks.pop()
    const turn = turnOf({ ...this.#message, usage: this.#usage }, blocks, list.parts, this.#isEnded)
    return { events: [], turn: this.#isEnded ? turn : { ...turn, finish: this.#isFailed ? "error" : "other" } }
  }

  #start(event: Fields): Pushed {
    if (this.#message !== undefined) return nothing
    const message = event["message"]
    if (!Json.isObject(message)) {
      return { events: [], failure: wireError(formatName, ["message"], "a message", message) }
    }
    this.#message = message
    const events = this.#useUsage(message)
    const content = message["content"]
    for (const block of Array.isArray(content) ? content : []) {
      const started = this.#startBlock(block, undefined)
      events.push(...started.events, ...this.#stopBlock(this.#blocks.at(-1)))
      if (started.failure !== undefined) return { events, failure: started.failure }
    }
    return { events }
  }

  #startBlock(start: unknown, index: unknown): Pushed {
    const checked = decodeBlock(start, ["content_block"], this.#reader)
    if (Either.isLeft(checked)) return { events: [], failure: checked.left }
    const part = checked.right
    const isCall = part?._tag === "Call" && part.executedBy === "application"
    // `decodeBlock` has shown that it is an object, and it came out of JSON text.
    const block = new StreamBlock(start as Json.JsonObject, isCall ? this.#calls++ : undefined)
    const events = [...this.#stopBlock(this.#byIndex.get(index)), ...this.#settle()]
    this.#blocks.push(block)
    this.#byIndex.set(index, block)
    if (isCall) events.push({ _tag: "CallStarted", index: this.#calls - 1, id: part.call.id, name: part.call.name })
    else if (part !== undefined && part._tag !== "Call") events.push(...deltaOf(part._tag, part.text))
    return { events }
  }

  #delta(event: Fields): Pushed {
    const block = this.#blockOf(event)
    const delta = event["delta"]
    if (block === undefined || !block.isOpen) {
      const expected = "the index of a content block that was started"
      return { events: [], failure: wireError(formatName, ["index"], expected, event["index"]) }
    }
    if (!Json.isObject(delta)) return { events: [], failure: wireError(formatName, ["delta"], "a delta", delta) }
    const text = block.add(delta)
    if (text === "") return nothing
    if (block.type === "text") return { events: deltaOf("Text", text) }
    if (block.type === "thinking") return { events: deltaOf("Reasoning", text) }
    return block.callIndex === undefined
      ? nothing
      : { events: [{ _tag: "ArgumentsDelta", index: block.callIndex, text }] }
  }

  /** Servers that copy the API may leave the index out: they send one block after the other. */
  #blockOf(event: Fields): StreamBlock | undefined {
    const index = event["index"]
    return index === undefined || index === null ? this.#blocks.at(-1) : this.#byIndex.get(index)
  }

  #stopBlock(block: StreamBlock | undefined): Array<TurnEvent.TurnEvent> {
    if (block === undefined || !block.isOpen) return []
    block.isOpen = false
    if (!block.isCall) return []
    if (block.arguments()._tag === "Whole") return this.#complete(block)
    const events = this.#settle()
    this.#doubtful = block
    return events
  }

  /** What was doubtful is complete after all, since more came behind it, or the response ended well. */
  #settle(): Array<TurnEvent.TurnEvent> {
    const block = this.#doubtful
    this.#doubtful = undefined
    return block === undefined ? [] : this.#complete(block)
  }

  #complete(block: StreamBlock): Array<TurnEvent.TurnEvent> {
    const part = block.callIndex === undefined ? undefined : this.#partOf(block)
    return part?._tag === "Call" && block.callIndex !== undefined
      ? [{ _tag: "CallComplete", index: block.callIndex, part }]
      : []
  }

  #end(event: Fields): Pushed {
    const delta = objectField(event, "delta") ?? {}
    this.#message = { ...this.#message, ...delta }
    const events = this.#useUsage(event)
    const reason = stringField(delta, "stop_reason")
    if (reason !== undefined && this.#doubtful !== undefined && table.cutting.includes(reason)) {
      // The non-streaming API sends such a call with what it has of the input, so it cannot be told there.
      this.#doubtful.isCut = true
      this.#doubtful = undefined
    } else if (reason !== undefined) events.push(...this.#settle())
    const explanation = stringField(objectField(delta, "stop_details") ?? {}, "explanation")
    if (reason === "refusal" && explanation !== undefined) events.push({ _tag: "RefusalDelta", text: explanation })
    return { events }
  }

  /** Counts are totals, and those that have not changed may be left out. */
  #useUsage(event: Fields): Array<TurnEvent.TurnEvent> {
    const usage = objectField(event, "usage")
    if (usage === undefined) return []
    const known = Object.entries(usage).filter(([, count]) => count !== null)
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) }
    return [{ _tag: "UsageKnown", usage: usageOf(this.#usage) }]
  }

  #partOf(block: StreamBlock): Turn.Part | undefined {
    const part = Either.getOrUndefined(decodeBlock(block.content(), [], this.#reader))
    if (part?._tag !== "Call") return part
    const read = block.arguments()
    // As text the runner reads it as what it is, and tells the model what is wrong with it.
    return read._tag === "Broken" ? { ...part, call: ToolCall.make(part.call.id, part.call.name, read.text) } : part
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

type Arguments =
  /** A JSON object. */
  | { readonly _tag: "Whole"; readonly input: Json.JsonObject }
  /** No text: no parameters, or cut off before the first of them. */
  | { readonly _tag: "None" }
  /** Text that is no JSON object: cut off, or invalid, which fine-grained tool streaming does not prevent. */
  | { readonly _tag: "Broken"; readonly text: string }

class StreamBlock {
  readonly start: Json.JsonObject
  /** Tells the application's calls of a turn apart; `undefined` for other blocks. */
  readonly callIndex: number | undefined
  isOpen = true
  /** The token limit, or a filter, ended the response inside of this call. */
  isCut = false
  readonly #pieces: Array<string> = []
  readonly #citations: Array<Json.Json> = []
  #signature: string | undefined

  constructor(start: Json.JsonObject, callIndex: number | undefined) {
    this.start = start
    this.callIndex = callIndex
  }

  get type(): string {
    return stringField(this.start, "type") ?? ""
  }

  get isCall(): boolean {
    return this.type === "tool_use" || this.type === "server_tool_use" || this.type === "mcp_tool_use"
  }

  /** Takes a delta; gives the text it adds. Deltas that are not known are left out, as the API's versioning asks. */
  add(delta: Fields): string {
    const type = stringField(delta, "type") ?? ""
    if (type === "signature_delta") this.#signature = stringField(delta, "signature") ?? this.#signature
    else if (type === "citations_delta" && delta["citation"] !== undefined) {
      // The delta is parsed JSON: it came out of the stream.
      this.#citations.push(delta["citation"] as Json.Json)
    }
    const field = Object.hasOwn(textFields, type) ? textFields[type] : undefined
    const text = field === undefined ? "" : (stringField(delta, field) ?? "")
    if (text !== "") this.#pieces.push(text)
    return text
  }

  arguments(): Arguments {
    const text = this.#pieces.join("")
    if (text === "") {
      // Calls that code in Anthropic's container made arrive with their input at the start.
      const { input } = this.start
      return Json.isObject(input) && Object.keys(input).length > 0 ? { _tag: "Whole", input } : { _tag: "None" }
    }
    const input = parsed(text)
    return input === undefined ? { _tag: "Broken", text } : { _tag: "Whole", input }
  }

  /** The block as the non-streaming API would have sent it. */
  content(): Json.JsonObject {
    const text = this.#pieces.join("")
    switch (this.type) {
      case "text": {
        const cited = Array.isArray(this.start["citations"])
          ? (this.start["citations"] as ReadonlyArray<Json.Json>)
          : []
        const citations = this.#citations.length === 0 ? {} : { citations: [...cited, ...this.#citations] }
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
    if (!this.isCall) return this.start
    const read = this.arguments()
    switch (read._tag) {
      case "Whole":
        return { ...this.start, input: read.input }
      case "None":
        return { ...this.start, input: this.start["input"] ?? {} }
      case "Broken":
        // The API takes no text here; its guide of fine-grained tool streaming tells to send it back like this.
        return { ...this.start, input: { INVALID_JSON: read.text } }
    }
  }

  /** Whether the API takes the block back in a message that was broken off. */
  isSendable(answered: ReadonlySet<unknown>): boolean {
    if (this.isCut) return false
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

const parsed = (text: string): Json.JsonObject | undefined => {
  // JSON.parse reports by throwing; no effect is involved.
  try {
    const value: unknown = JSON.parse(text)
    // An object out of JSON text is JSON.
    return Json.isObject(value) ? (value as Json.JsonObject) : undefined
  } catch {
    return undefined
  }
}
