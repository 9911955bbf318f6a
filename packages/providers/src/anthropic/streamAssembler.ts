/**
 * Anthropic's Messages API: the events of a stream as turn events, and the
 * turn that the non-streaming response would have given.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { Turn, TurnEvent } from "@wield/core"
import { Json, ToolCall } from "@wield/core"
import * as Either from "effect/Either"
import type { CallReader } from "../internal/callReader.js"
import { callReader } from "../internal/callReader.js"
import { PartList } from "../internal/partList.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField, wireError } from "../internal/wireField.js"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import type { Offered } from "../WireFormat.js"
import { streamError } from "./decodeError.js"
import { decodeBlock, decodeUsage, turnOf } from "./decodeTurn.js"
import { formatName, nameRule } from "./names.js"
import { isReasoning } from "./sayParts.js"
import { StreamBlock } from "./streamBlock.js"

const nothing: Pushed = { events: [] }

/** The response ended inside of whatever stood last, not after it. */
const cutting: ReadonlySet<string> = new Set([
  "max_tokens",
  "model_context_window_exceeded",
  "refusal",
  "stop_sequence"
])

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
    if (reason !== undefined && this.#doubtful !== undefined && cutting.has(reason)) {
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
    return [{ _tag: "UsageKnown", usage: decodeUsage(this.#usage) }]
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
