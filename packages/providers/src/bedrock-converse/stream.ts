/** Bedrock's ConverseStream: its events as turn events, and the turn that Converse would have given. */
import type { Json, Turn, TurnEvent } from "@wield/core"
import * as Turns from "@wield/core/Turn"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import type { Offered } from "../internal/contract.js"
import { formatName, nameRule, table } from "./format.js"
import { isCutting, usageOf } from "../internal/format.js"
import { callHead, decodeBlock, turnOf } from "./turn.js"
import { joinBlocks } from "../internal/partList.js"
import { argumentText, StreamedCall, StreamedCalls, withBrokenText } from "../internal/streamedCalls.js"
import { type CallReader, callReader } from "../internal/tools.js"
import {
  type Fields,
  isObject,
  listField,
  indexField,
  objectField,
  statedField,
  stringField,
  wireError
} from "../internal/wireField.js"

const nothing: Pushed = { events: [] }

export const streamAssembler = (offered?: Offered): Assembler => new MessageAssembler(callReader(offered, nameRule))

class MessageAssembler implements Assembler {
  readonly #blocks: Array<StreamBlock> = []
  readonly #open = new Map<number, StreamBlock>()
  #role = "assistant"
  #usage: Turn.Usage = Turns.unknownUsage
  #stopReason: string | undefined
  #isStopped = false
  readonly #calls = new StreamedCalls()
  #started = 0

  constructor(private readonly reader: CallReader) {}

  push(message: unknown, event: string | undefined): Pushed {
    if (!isObject(message)) return { events: [], failure: wireError(formatName, [], "an object", message) }
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
        this.#usage = usageOf(table, usage)
        return { events: [{ _tag: "UsageKnown", usage: this.#usage }] }
      }
      default:
        // `initial-response`, and what the API may add.
        return nothing
    }
  }

  end(isWhole: boolean): ReturnType<Assembler["end"]> {
    const isComplete = this.#isStopped && isWhole
    this.#calls.finish(true)
    const answered = new Set<unknown>(
      this.#blocks.filter((block) => block.kind === "toolResult").map((block) => block.start["toolUseId"])
    )
    // Blocks are sent in order; the index is the API's word for it all the same.
    const blocks = this.#blocks
      .toSorted((left, right) => left.index - right.index)
      .flatMap((block) => {
        const json = block.content()
        const isSendable = block.isSendable(answered)
        return json === undefined ? [] : [{ json, part: this.#partOf(block, json), isSendable }]
      })
    const isCutShort = !this.#isStopped || this.#blocks.some(({ call }) => call?.isCut === true)
    const { content, parts } = joinBlocks(blocks, isCutShort)
    const turn = turnOf({
      message: { role: this.#role, content },
      parts,
      nativeFinish: this.#stopReason,
      usage: this.#usage,
      isComplete
    })
    if (isComplete) return { events: [], turn }
    return { events: [], turn: { ...turn, finish: isWhole ? "other" : "error" } }
  }

  #indexOf(message: Fields): number {
    return indexField(message, "contentBlockIndex") ?? this.#blocks.at(-1)?.index ?? 0
  }

  #start(message: Fields): Pushed {
    const index = this.#indexOf(message)
    const start = objectField(message, "start") ?? {}
    const kind = Object.keys(start).find((key) => isObject(start[key]))
    if (kind === undefined) return nothing
    const fields = objectField(start, kind) ?? {}
    const before = this.#open.get(index)
    // Sent twice, it starts one call: the first would run without its arguments.
    if (before?.call !== undefined && before.start["toolUseId"] === fields["toolUseId"]) return nothing
    const events = [...this.#stop(before), ...this.#calls.settle()]
    if (kind !== "toolUse") {
      this.#add(new StreamBlock(kind, index, fields, undefined))
      return { events }
    }
    const read = callHead(fields, ["start", "toolUse"])
    if (Either.isLeft(read)) return { events, failure: read.left }
    const { executedBy, id, name } = read.right
    const call = new StreamedCall(executedBy === "application" ? this.#started++ : undefined)
    this.#add(new StreamBlock(kind, index, fields, call))
    events.push(...call.start(id, this.reader.fromNative(name)))
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
    const kind = kinds.find((key) => statedField(delta, key) !== undefined)
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
      events.push(...this.#stop(block), ...this.#calls.settle())
      block = this.#add(new StreamBlock(wanted, index, {}, undefined))
    }
    const text = block.add(delta)
    if (block.call !== undefined) events.push(...block.call.add(text))
    if (text === "") return { events }
    if (wanted === "text") events.push({ _tag: "TextDelta", text })
    else if (wanted === "reasoningContent") events.push({ _tag: "ReasoningDelta", text })
    return { events }
  }

  #stop(block: StreamBlock | undefined): ReadonlyArray<TurnEvent.TurnEvent> {
    if (block === undefined) return []
    block.isOpen = false
    this.#open.delete(block.index)
    if (block.call === undefined) return []
    return this.#calls.stop(block.call, () => {
      const json = block.content()
      const part = json === undefined ? undefined : this.#partOf(block, json)
      return part?._tag === "Call" ? part : undefined
    })
  }

  #end(stopReason: string | undefined): Array<TurnEvent.TurnEvent> {
    const events = [...this.#open.values()].flatMap((block) => this.#stop(block))
    this.#stopReason = stopReason
    this.#isStopped = true
    return [...events, ...this.#calls.finish(isCutting(table, stopReason))]
  }

  #partOf(block: StreamBlock, native: Json.JsonObject): Turn.Part | undefined {
    const part = Either.getOrUndefined(decodeBlock(native, [], this.reader))
    return part?._tag === "Call" && block.call !== undefined ? withBrokenText(part, block.call.arguments) : part
  }
}

/** What a delta may hold. */
const kinds = ["text", "toolUse", "reasoningContent", "citation", "toolResult", "image"] as const

class StreamBlock {
  isOpen = true
  readonly #texts: Array<string> = []
  readonly #signatures: Array<string> = []
  readonly #redacted: Array<string> = []
  readonly #citations: Array<Json.Json> = []
  readonly #results: Array<Json.Json> = []
  #image: Fields = {}

  constructor(
    /** The key of the block, such as `text` or `toolUse`. */
    readonly kind: string,
    readonly index: number,
    /** What `contentBlockStart` said; only calls and results have one. */
    readonly start: Json.JsonObject,
    /** Set for a call. */
    readonly call: StreamedCall | undefined
  ) {}

  add(delta: Fields): string {
    switch (this.kind) {
      case "text": {
        const citation = delta["citation"]
        if (isObject(citation)) this.#citations.push(citation)
        return this.#more(delta)
      }
      case "toolUse":
        return argumentText(objectField(delta, "toolUse")?.["input"])
      case "reasoningContent": {
        const reasoning = objectField(delta, "reasoningContent") ?? {}
        const signature = stringField(reasoning, "signature")
        const redacted = stringField(reasoning, "redactedContent")
        if (signature !== undefined) this.#signatures.push(signature)
        if (redacted !== undefined) this.#redacted.push(redacted)
        return this.#more(reasoning)
      }
      case "toolResult": {
        for (const each of listField(delta, "toolResult")) this.#results.push(each)
        return ""
      }
      case "image":
        this.#image = { ...this.#image, ...objectField(delta, "image") }
        return ""
      default:
        return ""
    }
  }

  #more(delta: Fields): string {
    const text = stringField(delta, "text") ?? ""
    if (text !== "") this.#texts.push(text)
    return text
  }

  /** `undefined` for a block that came out empty: the API refuses a blank one. */
  content(): Json.JsonObject | undefined {
    const text = this.#texts.join("")
    switch (this.kind) {
      case "text":
        if (this.#citations.length > 0) return { citationsContent: { content: [{ text }], citations: this.#citations } }
        return text === "" ? undefined : { text }
      case "toolUse": {
        const read = this.call?.arguments
        // The API takes an object only; broken text stands in the turn's part.
        return { toolUse: { ...this.start, input: read?._tag === "Whole" ? read.input : {} } }
      }
      case "reasoningContent": {
        if (this.#redacted.length > 0) return { reasoningContent: { redactedContent: joinedBase64(this.#redacted) } }
        const signature = this.#signatures.length === 0 ? {} : { signature: this.#signatures.join("") }
        return { reasoningContent: { reasoningText: { text, ...signature } } }
      }
      case "toolResult":
        return { toolResult: { ...this.start, content: this.#results } }
      case "image":
        return { image: { ...this.start, ...this.#image } }
      default:
        return undefined
    }
  }

  /** Whether a turn that broke off can be sent back with this block in it. */
  isSendable(answered: ReadonlySet<unknown>): boolean {
    switch (this.kind) {
      case "text":
        return true
      case "toolUse": {
        if (this.isOpen || this.call?.isCut === true) return false
        // A call that Bedrock runs needs its result, which stands in the same message.
        return this.call?.index !== undefined || answered.has(this.start["toolUseId"])
      }
      // A signature of reasoning covers the whole text, and comes last.
      default:
        return !this.isOpen
    }
  }
}

/** Base64 of the bytes that these pieces are base64 of: each may be padded. */
const joinedBase64 = (pieces: ReadonlyArray<string>): string => {
  const [only, ...others] = pieces
  if (only !== undefined && others.length === 0) return only
  const bytes = pieces.flatMap((piece) => Array.from(Either.getOrElse(Encoding.decodeBase64(piece), () => [])))
  return Encoding.encodeBase64(Uint8Array.from(bytes))
}
