/**
 * Bedrock's ConverseStream: its events as turn events, and the turn that
 * Converse would have given.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
import type { Turn, TurnEvent } from "@wield/core"
import { Json, ToolCall, Turn as Turns } from "@wield/core"
import * as Either from "effect/Either"
import type { CallReader } from "../internal/callReader.js"
import { callReader } from "../internal/callReader.js"
import { PartList } from "../internal/partList.js"
import type { Fields } from "../internal/wireField.js"
import { numberField, objectField, stringField, wireError } from "../internal/wireField.js"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import type { Offered } from "../WireFormat.js"
import { callHead, decodeBlock } from "./decodeBlock.js"
import { decodeUsage, isLimit, turnOf } from "./decodeTurn.js"
import { formatName, nameRule } from "./names.js"
import { StreamBlock } from "./streamBlock.js"

const nothing: Pushed = { events: [] }

export const streamAssembler = (offered?: Offered): Assembler => new MessageAssembler(callReader(offered, nameRule))

class MessageAssembler implements Assembler {
  readonly #reader: CallReader
  readonly #blocks: Array<StreamBlock> = []
  readonly #open = new Map<number, StreamBlock>()
  #role = "assistant"
  #usage: Turn.Usage = Turns.unknownUsage
  #stopReason: string | undefined
  #isStopped = false
  #calls = 0
  /** A call without arguments, or with broken ones: whether it was cut off shows in what comes next. */
  #doubtful: StreamBlock | undefined

  constructor(reader: CallReader) {
    this.#reader = reader
  }

  push(message: unknown, event: string | undefined): Pushed {
    if (!Json.isObject(message)) return { events: [], failure: wireError(formatName, [], "an object", message) }
    // Only the counts come behind the end.
    if (this.#isStopped && event !== "metadata") return nothing
    switch (event) {
      case "messageStart":
        this.#role = stringField(message, "role") ?? this.#role
        return nothing
      case "contentBlockStart":
        return this.#start(message)
      case "contentBlockDelta":
        return this.#delta(message)
      case "contentBlockStop":
        return { events: this.#stop(this.#open.get(this.#indexOf(message))) }
      case "messageStop":
        return { events: this.#end(stringField(message, "stopReason")) }
      case "metadata": {
        const usage = objectField(message, "usage")
        if (usage === undefined) return nothing
        this.#usage = decodeUsage(usage)
        return { events: [{ _tag: "UsageKnown", usage: this.#usage }] }
      }
      default:
        // `initial-response`, and what the API may add.
        return nothing
    }
  }

  end(isWhole: boolean): { readonly events: ReadonlyArray<TurnEvent.TurnEvent>; readonly turn: Turn.Turn } {
    const isComplete = this.#isStopped && isWhole
    if (this.#doubtful !== undefined) this.#doubtful.isCut = true
    const isShort = !this.#isStopped || this.#blocks.some((block) => block.isCut)
    const answered = new Set<unknown>(
      this.#blocks.filter((block) => block.kind === "toolResult").map((block) => block.start["toolUseId"])
    )
    const content: Array<Json.JsonObject> = []
    const list = new PartList()
    // Blocks are sent in order; the index is the API's word for it all the same.
    for (const block of this.#blocks.toSorted((left, right) => left.index - right.index)) {
      const isSendable = !isShort || block.isSendable(answered)
      // What was shown of the reasoning stays in the turn, though it cannot be sent back.
      if (!isSendable && block.kind !== "reasoningContent") continue
      const native = block.content()
      if (native === undefined) continue
      const part = this.#partOf(block, native)
      if (part === undefined) list.addWordless(native)
      else list.add(isSendable || part._tag !== "Reasoning" ? part : { _tag: "Reasoning", text: part.text })
      if (isSendable) content.push(native)
    }
    // Claude: a message may not end with its reasoning.
    while (isShort && content.at(-1)?.["reasoningContent"] !== undefined) content.pop()
    const turn = turnOf({
      message: { role: this.#role, content },
      parts: list.parts,
      nativeFinish: this.#stopReason,
      usage: this.#usage,
      isComplete
    })
    if (isComplete) return { events: [], turn }
    return { events: [], turn: { ...turn, finish: isWhole ? "other" : "error" } }
  }

  #indexOf(message: Fields): number {
    return numberField(message, "contentBlockIndex") ?? this.#blocks.at(-1)?.index ?? 0
  }

  #start(message: Fields): Pushed {
    const index = this.#indexOf(message)
    const start = objectField(message, "start") ?? {}
    const kind = Object.keys(start).find((key) => Json.isObject(start[key]))
    if (kind === undefined) return nothing
    // It came out of JSON text.
    const fields = (objectField(start, kind) ?? {}) as Json.JsonObject
    const events = [...this.#stop(this.#open.get(index)), ...this.#settle()]
    if (kind !== "toolUse") {
      this.#add(new StreamBlock(kind, index, fields, undefined, undefined))
      return { events }
    }
    const read = callHead(fields, ["start", "toolUse"])
    if (Either.isLeft(read)) return { events, failure: read.left }
    const head = read.right
    const callIndex = head.executedBy === "application" ? this.#calls++ : undefined
    this.#add(new StreamBlock(kind, index, fields, head, callIndex))
    if (callIndex !== undefined) {
      events.push({ _tag: "CallStarted", index: callIndex, id: head.id, name: this.#reader.fromNative(head.name) })
    }
    return { events }
  }

  #add(block: StreamBlock): StreamBlock {
    this.#blocks.push(block)
    this.#open.set(block.index, block)
    return block
  }

  #delta(message: Fields): Pushed {
    const delta = objectField(message, "delta") ?? {}
    // A citation belongs to the text that it stands behind.
    const kind = kinds.find((key) => delta[key] !== undefined)
    if (kind === undefined) return nothing
    const index = this.#indexOf(message)
    const wanted = kind === "citation" ? "text" : kind
    const events: Array<TurnEvent.TurnEvent> = []
    let block = this.#open.get(index)
    if (block?.kind !== wanted) {
      if (wanted === "toolUse") {
        const expected = "the index of a call that was started"
        return { events: [], failure: wireError(formatName, ["contentBlockIndex"], expected, index) }
      }
      // Only calls are announced by a start; some models go from one kind to another under one index.
      events.push(...this.#stop(block), ...this.#settle())
      block = this.#add(new StreamBlock(wanted, index, {}, undefined, undefined))
    }
    const text = block.add(delta)
    if (text === "") return { events }
    if (wanted === "text") events.push({ _tag: "TextDelta", text })
    else if (wanted === "reasoningContent") events.push({ _tag: "ReasoningDelta", text })
    else if (block.callIndex !== undefined) events.push({ _tag: "ArgumentsDelta", index: block.callIndex, text })
    return { events }
  }

  #stop(block: StreamBlock | undefined): Array<TurnEvent.TurnEvent> {
    if (block === undefined) return []
    block.isOpen = false
    this.#open.delete(block.index)
    if (block.kind !== "toolUse") return []
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
    const native = block.content()
    const part = native === undefined ? undefined : this.#partOf(block, native)
    return part?._tag === "Call" && block.callIndex !== undefined
      ? [{ _tag: "CallComplete", index: block.callIndex, part }]
      : []
  }

  #end(stopReason: string | undefined): Array<TurnEvent.TurnEvent> {
    const events = [...this.#open.values()].flatMap((block) => this.#stop(block))
    this.#stopReason = stopReason
    this.#isStopped = true
    if (this.#doubtful !== undefined && isLimit(stopReason)) {
      this.#doubtful.isCut = true
      this.#doubtful = undefined
    }
    return [...events, ...this.#settle()]
  }

  #partOf(block: StreamBlock, native: Json.JsonObject): Turn.Part | undefined {
    const part = Either.getOrUndefined(decodeBlock(native, [], this.#reader))
    if (part?._tag !== "Call") return part
    const read = block.arguments()
    // As text the runner reads it as what it is, and tells the model what is wrong with it.
    return read._tag === "Broken" ? { ...part, call: ToolCall.make(part.call.id, part.call.name, read.text) } : part
  }
}

/** What a delta may hold. */
const kinds = ["text", "toolUse", "reasoningContent", "citation", "toolResult", "image"] as const
