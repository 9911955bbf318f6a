/** Gemini's API: the chunks of a stream as turn events, and the turn of the whole response. */
import type { Json, Turn, TurnEvent } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import * as Either from "effect/Either"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import { WireError } from "../WireError.js"
import type { Offered } from "../internal/contract.js"
import type { Framer } from "../framing/frame.js"
import { jsonValues } from "../framing/jsonValues.js"
import { serverSentEvents } from "../framing/serverSentEvents.js"
import { streamError } from "./errors.js"
import { fail, formatName, nameRule, table } from "./format.js"
import { usageOf } from "../internal/format.js"
import { PartialArguments } from "./partialArguments.js"
import { type ReadArguments, PartDecoder, apiError, asSent, decodeTurn, either, responseIdOf, turnOf } from "./turn.js"
import { jsonText } from "../internal/json.js"
import * as NameMap from "../NameMap.js"
import { PartList } from "../internal/partList.js"
import { StreamedCall } from "../internal/streamedCalls.js"
import {
  type Fields,
  isList,
  isObject,
  listField,
  objectField,
  statedField,
  statedKey,
  stringField,
  wireError,
  withLists
} from "../internal/wireField.js"

export const streamAssembler = (offered?: Offered, read: ReadArguments = asSent): Assembler =>
  new ChunkAssembler(NameMap.make(offered?.definitions ?? [], nameRule), read)

/** A response body: one response, or the array of its chunks, which is what streams without `alt=sse`. */
export const decodeBody = (
  body: unknown,
  offered?: Offered,
  read: ReadArguments = asSent
): Either.Either<Turn.Turn, WireError> => {
  if (!isList(body)) return decodeTurn(body, offered, read)
  if (body.length === 0) return fail([], "a response or the array of its chunks", body)
  const assembler = streamAssembler(offered, read)
  for (const [index, chunk] of body.entries()) {
    const error = objectField(chunk, "error")
    if (error !== undefined) return Either.left(apiError(error))
    const { failure } = assembler.push(chunk, undefined)
    if (failure?._tag !== "WireError") continue
    return Either.left(new WireError({ ...failure, path: [index, ...failure.path] }))
  }
  return Either.right(assembler.end(true).turn)
}

class ChunkAssembler implements Assembler {
  readonly #body = noFields()
  #candidate: { [key: string]: Json.Json } | undefined
  readonly #content = noFields()
  #parts: StreamParts | undefined
  #isFailed = false

  constructor(
    private readonly names: NameMap.NameMap,
    private readonly read: ReadArguments
  ) {}

  push(chunk: unknown): Pushed {
    if (!Array.isArray(chunk)) return this.#push(chunk)
    // Some proxies put the array of chunks into one event; Vertex AI sends some errors as an array of one.
    const events: Array<TurnEvent.TurnEvent> = []
    for (const message of chunk) {
      const pushed = this.#push(message)
      for (const event of pushed.events) events.push(event)
      if (pushed.failure !== undefined) return { events, failure: pushed.failure }
    }
    return { events }
  }

  #push(message: unknown): Pushed {
    if (!isObject(message)) return { events: [], failure: wireError(formatName, [], "an object", message) }
    if (isObject(message["error"])) {
      this.#isFailed = true
      return { events: [], failure: streamError(message) }
    }
    setFields(this.#body, message, "candidates")
    const events = usageEvents(message)
    const candidate = this.#pick(listField(message, "candidates"))
    if (candidate === undefined) return { events }
    this.#candidate ??= noFields()
    setFields(this.#candidate, candidate, "content")
    const content = candidate["content"]
    return isObject(content) ? this.#read(content, events) : { events }
  }

  end(isWhole: boolean): ReturnType<Assembler["end"]> {
    const isEnded = isWhole && this.#hasReason()
    const { native, parts } = this.#parts?.end(isEnded) ?? { native: [], parts: [] }
    const content = native.length === 0 ? undefined : { ...this.#content, parts: native }
    const turn = turnOf(this.#body, this.#candidate, parts, content, isEnded)
    const refusal = turn.parts.at(-1)
    return {
      events: refusal?._tag === "Refusal" ? [{ _tag: "RefusalDelta", text: refusal.text }] : [],
      turn: isEnded ? turn : { ...turn, finish: this.#isFailed ? "error" : "other" }
    }
  }

  /** The first candidate; each may come in chunks of its own, known by its index. */
  #pick(candidates: ReadonlyArray<Json.Json>): Fields | undefined {
    const known = this.#candidate?.["index"] ?? 0
    const found =
      this.#candidate === undefined
        ? candidates[0]
        : candidates.find((other) => isObject(other) && (other["index"] ?? 0) === known)
    return isObject(found) ? found : undefined
  }

  #read(content: Fields, events: Array<TurnEvent.TurnEvent>): Pushed {
    setFields(this.#content, content, "parts")
    // Every chunk repeats the response's id.
    this.#parts ??= new StreamParts(this.names, responseIdOf(this.#body), this.read)
    const sent = listField(withLists(content, "parts"), "parts")
    for (let index = 0; index < sent.length; index++) {
      const added = this.#parts.add(sent[index], index === 0)
      if (Either.isLeft(added)) return { events, failure: added.left }
      for (const event of added.right) events.push(event)
    }
    return { events }
  }

  /** The candidate's finish reason is the end; a request that was refused, at once or midway, has a feedback instead. */
  #hasReason(): boolean {
    const reason = either(this.#candidate ?? {}, "finishReason", "finish_reason")
    if (reason !== undefined) return true
    const feedback = either(this.#body, "promptFeedback", "prompt_feedback")
    return isObject(feedback) && either(feedback, "blockReason", "block_reason") !== undefined
  }
}

/** Fields put together from chunks. Without a prototype, so that `__proto__` is a key like any other. */
const noFields = (): { [key: string]: Json.Json } => Object.create(null) as { [key: string]: Json.Json }

/** The last chunk counts; where it has none of a field, what was said before stands. */
const setFields = (fields: { [key: string]: Json.Json }, chunk: Fields, except: string): void => {
  for (const key of Object.keys(chunk)) {
    const value = chunk[key]
    if (key !== except && value !== null) fields[key] = value
  }
}

const usageEvents = (chunk: Fields): Array<TurnEvent.TurnEvent> => {
  const sent = objectField(chunk, "usageMetadata") ?? objectField(chunk, "usage_metadata")
  if (sent === undefined) return []
  const usage = usageOf(table, sent)
  return Object.values(usage).some((count) => count !== undefined) ? [{ _tag: "UsageKnown", usage }] : []
}

type Events = Array<TurnEvent.TurnEvent>

interface TextEntry {
  readonly _tag: "Text"
  readonly sent: Fields
  readonly isThought: boolean
  readonly pieces: Array<string>
  /** The same text went on in it, but Google asks not to put a signed part together with another. */
  readonly continues: boolean
}

interface CallEntry {
  readonly _tag: "Call"
  readonly call: StreamedCall
  sent: Fields
  part: Turn.CallPart
  /** As they were sent whole. */
  args: unknown
  readonly partial: PartialArguments
  isPartial: boolean
}

interface OtherEntry {
  readonly _tag: "Other"
  readonly sent: Fields
  readonly part: Turn.Part | undefined
}

type Entry = TextEntry | CallEntry | OtherEntry

class StreamParts {
  readonly #decoder: PartDecoder
  readonly #entries: Array<Entry> = []
  /** The calls that may go on. */
  #open: Array<CallEntry> = []
  #calls = 0

  constructor(
    names: NameMap.NameMap,
    responseId: string | undefined,
    private readonly read: ReadArguments
  ) {
    this.#decoder = new PartDecoder(names, responseId, read)
  }

  /** `isFirst`: of its chunk, where a text may go on that the chunk before began. */
  add(part: unknown, isFirst: boolean): Either.Either<Events, WireError> {
    if (!isObject(part)) return fail(["parts"], "a part", part)
    const call = either(part, "functionCall", "function_call")
    if (call !== undefined) return this.#addCall(part, call)
    const text = stringField(part, "text")
    if (text !== undefined) return Either.right(this.#addText(part, text, isFirst))
    const decoded = this.#decoder.add(part, ["parts"])
    if (Either.isLeft(decoded)) return Either.left(decoded.left)
    this.#entries.push({ _tag: "Other", sent: part, part: decoded.right })
    return Either.right([])
  }

  /** The parts of the turn, and those of the native content. */
  end(isComplete: boolean): { readonly parts: ReadonlyArray<Turn.Part>; readonly native: ReadonlyArray<Json.Json> } {
    const list = new PartList()
    const native: Array<Fields> = []
    /** A text that may go on in the next entry; it is put into the list when it is whole. */
    let open: { isThought: boolean; text: string; readonly json: Array<Json.JsonObject> } | undefined
    const close = (): void => {
      if (open === undefined) return
      const { isThought, json, text } = open
      if (text === "") for (const each of json) list.addWordless(each)
      else if (isThought) list.add({ _tag: "Reasoning", text, native: { format: formatName, json } })
      else list.add({ _tag: "Text", text })
      open = undefined
    }
    this.#entries.forEach((entry, index) => {
      if (entry._tag === "Call") {
        if (entry.call.isOpen) return
        close()
        list.add(entry.part)
        native.push(entry.sent)
      } else if (entry._tag === "Other") {
        if (!isComplete && this.#isUnanswered(entry, index)) return
        close()
        if (entry.part === undefined) list.addWordless(entry.sent)
        else list.add(entry.part)
        native.push(entry.sent)
      } else {
        const text = entry.pieces.join("")
        const sent = { ...entry.sent, text }
        native.push(sent)
        if (!entry.continues) close()
        open ??= { isThought: entry.isThought, text: "", json: [] }
        open.text += text
        open.json.push(sent)
      }
    })
    close()
    return { parts: list.parts, native }
  }

  #addText(part: Fields, text: string, isFirst: boolean): Events {
    const isThought = part["thought"] === true
    const isPlain = isOnlyText(part)
    const last = this.#entries.at(-1)
    const goesOn = isFirst && last?._tag === "Text" && last.isThought === isThought && isOnlyText(last.sent)
    if (goesOn && isPlain) last.pieces.push(text)
    // An empty text is how a chunk says that it has none.
    else if (text !== "" || !isPlain) {
      this.#entries.push({ _tag: "Text", sent: part, isThought, pieces: [text], continues: goesOn && text !== "" })
    }
    return text === "" ? [] : [{ _tag: isThought ? "ReasoningDelta" : "TextDelta", text }]
  }

  #addCall(part: Fields, call: unknown): Either.Either<Events, WireError> {
    if (!isObject(call)) return fail(["functionCall"], "a function call", call)
    const open = this.#openCall(call)
    if (open !== undefined) {
      const { functionCall: _, function_call: __, ...beside } = part
      open.sent = { ...open.sent, ...beside }
      return this.#goOn(open, call, [])
    }
    // What ends a call that was already complete.
    if (statedKey(call) === undefined) return Either.right([])
    const decoded = this.#decoder.add({ functionCall: call }, [])
    if (Either.isLeft(decoded)) return Either.left(decoded.left)
    const started = decoded.right
    if (started?._tag !== "Call") return Either.right([])
    const streamed = new StreamedCall(this.#calls++)
    const entry: CallEntry = {
      _tag: "Call",
      call: streamed,
      sent: part,
      part: started,
      args: undefined,
      partial: new PartialArguments(),
      isPartial: false
    }
    this.#entries.push(entry)
    this.#open.push(entry)
    return this.#goOn(entry, call, [...streamed.start(started.call.id, started.call.name)])
  }

  /** The call that this goes on with: the one of its id, or the last one, whose name may be repeated. */
  #openCall(call: Fields): CallEntry | undefined {
    const id = stringField(call, "id") ?? ""
    const name = stringField(call, "name") ?? ""
    this.#open = this.#open.filter((entry) => entry.call.isOpen)
    return this.#open.findLast((entry) => {
      if (id !== "" && entry.part.nativeId !== undefined) return entry.part.nativeId === id
      return name === "" || name === entry.part.nativeName
    })
  }

  #goOn(entry: CallEntry, call: Fields, events: Events): Either.Either<Events, WireError> {
    const pieces = either(call, "partialArgs", "partial_args")
    const willContinue = either(call, "willContinue", "will_continue")
    entry.isPartial ||= pieces !== undefined || willContinue !== undefined
    for (const piece of Array.isArray(pieces) ? pieces : []) {
      if (!isObject(piece) || !entry.partial.put(piece)) {
        const expected = "an argument with its JSON path"
        return fail(["functionCall", "partialArgs"], expected, piece)
      }
    }
    entry.args = call["args"] ?? entry.args
    if (willContinue === true) return Either.right(events)
    if (entry.isPartial) closeCall(entry)
    const args = entry.args ?? {}
    const { id, name } = entry.part.call
    entry.part = { ...entry.part, call: ToolCall.make(id, name, this.read(name, args)) }
    return Either.right([...events, ...entry.call.addWhole(entry.part, jsonText(args))])
  }

  /** A call of Google's own tools whose result had not come yet. */
  #isUnanswered(entry: OtherEntry, index: number): boolean {
    if (entry.part?._tag !== "Call") return false
    return !this.#entries
      .slice(index + 1)
      .some((later) => later._tag === "Other" && results.some((key) => statedField(later.sent, key) !== undefined))
  }
}

const results = ["codeExecutionResult", "code_execution_result", "toolResponse", "tool_response"] as const

const isOnlyText = (part: Fields): boolean =>
  Object.keys(part).every((key) => key === "text" || key === "thought" || part[key] === null)

/** The arguments in one object, and the part as if they had come so. */
const closeCall = (entry: CallEntry): void => {
  const args = { ...(isObject(entry.args) ? entry.args : {}), ...entry.partial.value() }
  entry.args = args
  const key = isObject(entry.sent["functionCall"]) ? "functionCall" : "function_call"
  const sent = entry.sent[key]
  const {
    partialArgs: _,
    partial_args: __,
    willContinue: ___,
    will_continue: ____,
    ...rest
  } = isObject(sent) ? sent : {}
  entry.sent = { ...entry.sent, [key]: { ...rest, args } }
}

export const streamFraming = (): Framer => {
  let framer: Framer | undefined
  return {
    push: (bytes) => {
      if (framer !== undefined) return framer.push(bytes)
      const start = bytes.findIndex((byte) => byte > 0x20 && !byteOrderMark.has(byte))
      if (start === -1) return []
      framer = bytes[start] === openBracket || bytes[start] === openBrace ? jsonValues() : serverSentEvents()
      // Without the mark: its beginning may have come, and gone, in a piece before.
      return framer.push(bytes.subarray(start))
    },
    end: () => framer?.end() ?? []
  }
}

/** Its bytes begin no body in another place. */
const byteOrderMark: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf])

const openBracket = 0x5b
const openBrace = 0x7b
