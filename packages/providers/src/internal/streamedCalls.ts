/**
 * The calls of a response that is still being streamed. Every stream reader reports its calls by this file, so
 * each call is started, gets its argument text and is complete once, in this order.
 */
import type { Json, Turn, TurnEvent } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import { parseJson } from "./json.js"
import { isObject } from "./wireField.js"

type Events = ReadonlyArray<TurnEvent.TurnEvent>

export type StreamedArguments =
  | { readonly _tag: "Whole"; readonly input: Json.JsonObject }
  /** No text: the call has no arguments, or the response ended before them. */
  | { readonly _tag: "None" }
  /** Text that is not a JSON object: cut off, or invalid. */
  | { readonly _tag: "Broken"; readonly text: string }

export class StreamedCall {
  isOpen = true
  /** The response ended inside this call. */
  isCut = false
  readonly #pieces: Array<string> = []
  /** The last piece, while each repeats what the one before it said. */
  #restated: string | undefined = ""
  #arguments: StreamedArguments | undefined
  #isStarted = false
  #part: Turn.CallPart | undefined

  constructor(
    /** The number of the call in the turn; `undefined` for a call that the provider runs, which has no events. */
    readonly index: number | undefined,
    /** Arguments that came when the call began. They count if no text follows. */
    readonly initial: unknown = undefined
  ) {}

  get isStarted(): boolean {
    return this.#isStarted
  }

  /** The call, when it is complete. */
  get part(): Turn.CallPart | undefined {
    return this.#part
  }

  get text(): string {
    const text = this.#pieces.join("")
    const restated = this.#restated
    // Where one could be the value of the other, what is JSON counts.
    return restated !== undefined && this.#pieces.length > 1 && !isJson(text) && isJson(restated) ? restated : text
  }

  /** Whether the text came in several pieces, so that more of it would not repeat it. */
  get isInPieces(): boolean {
    return this.#pieces.length > 1
  }

  /**
   * Whether this piece says the arguments again from their start: some servers repeat them in each piece, or send `{}`
   * before them.
   */
  isRestated(text: string): boolean {
    const before = this.#restated
    if (before === undefined || !before.trimStart().startsWith("{")) return false
    return text.startsWith(before.trimEnd().endsWith("}") ? withoutEnd(before) : before)
  }

  /** What is to be added so that the text is this whole one; nothing where another text has come. */
  restOf(whole: string): string {
    const { text } = this
    if (whole.startsWith(text)) return whole.slice(text.length)
    return this.isRestated(whole) ? whole : ""
  }

  /** The arguments as far as they came. */
  get arguments(): StreamedArguments {
    this.#arguments ??= readArguments(this.text, this.initial)
    return this.#arguments
  }

  /** Text that came before the start is sent behind it. */
  start(id: string, name: string): Events {
    if (this.#isStarted || this.index === undefined) return []
    this.#isStarted = true
    const { index, text } = this
    const started: TurnEvent.TurnEvent = { _tag: "CallStarted", index, id, name }
    return text === "" ? [started] : [started, { _tag: "ArgumentsDelta", index, text }]
  }

  add(text: string): Events {
    if (text === "") return []
    this.#arguments = undefined
    if (this.isRestated(text)) {
      const before = this.#restated ?? ""
      this.#restated = text
      // A value may begin as the object does that it stands in: `{"a":` twice.
      if (!":,[".includes(before.trimEnd().at(-1) ?? "") && this.#pieces.length < 2) {
        this.#pieces[0] = text
        return this.#delta(text.startsWith(before) ? text.slice(before.length) : text)
      }
    } else this.#restated = this.#pieces.length === 0 ? text : undefined
    this.#pieces.push(text)
    return this.#delta(text)
  }

  #delta(text: string): Events {
    if (text === "") return []
    return this.#isStarted && this.index !== undefined ? [{ _tag: "ArgumentsDelta", index: this.index, text }] : []
  }

  complete(part: Turn.CallPart): Events {
    if (this.#part !== undefined) return []
    this.isOpen = false
    this.#part = part
    if (this.index === undefined) return []
    const events = this.start(part.call.id, part.call.name)
    return [...events, { _tag: "CallComplete", index: this.index, part }]
  }

  addWhole(part: Turn.CallPart, text: string | undefined): Events {
    return [...this.start(part.call.id, part.call.name), ...this.add(text ?? ""), ...this.complete(part)]
  }
}

/** Without what closes its strings, lists and objects. */
const withoutEnd = (text: string): string => {
  let end = text.length
  while (end > 0 && '"}] \t\r\n'.includes(text[end - 1] ?? "")) end--
  return text.slice(0, end)
}

const isJson = (text: string): boolean => parseJson(text) !== undefined

const readArguments = (text: string, initial: unknown): StreamedArguments => {
  if (text.trim() === "") {
    return isObject(initial) && Object.keys(initial).length > 0 ? { _tag: "Whole", input: initial } : { _tag: "None" }
  }
  const input = parseJson(text)
  return isObject(input) ? { _tag: "Whole", input } : { _tag: "Broken", text }
}

/** The runner reads broken arguments as text, and says what is wrong with them. */
export const withBrokenText = (part: Turn.CallPart, read: StreamedArguments): Turn.CallPart =>
  read._tag === "Broken" ? { ...part, call: ToolCall.make(part.call.id, part.call.name, read.text) } : part

/**
 * A call whose arguments may lack their end. A runner says so of text that does; it would take no text for no arguments,
 * and an object for all of them.
 */
export const cutOff = (part: Turn.CallPart): Turn.CallPart => {
  const { arguments: sent, id, name } = part.call
  const text = typeof sent === "string" ? sent : JSON.stringify(sent ?? {}).slice(0, -1)
  return { ...part, call: ToolCall.make(id, name, text.trim() === "" ? "{" : text) }
}

/** The text of arguments; some servers send an object in its place. */
export const argumentText = (sent: unknown): string =>
  typeof sent === "string" ? sent : isObject(sent) ? JSON.stringify(sent) : ""

/** Whether there are arguments: text of them shows by itself whether its end is there. */
export const hasArguments = ({ call: { arguments: sent } }: Turn.CallPart): boolean =>
  typeof sent === "string" ? sent.trim() !== "" : Object.keys(sent ?? {}).length > 0

type PartOf = () => Turn.CallPart | undefined

/**
 * The calls of APIs that send one block after another. A call that ends without arguments, or with broken ones, may
 * have been cut off: it is complete when something follows it, or when the response ends well.
 */
export class StreamedCalls {
  #doubtful: { readonly call: StreamedCall; readonly partOf: PartOf } | undefined

  /** The call ended. `partOf` gives it with its arguments. */
  stop(call: StreamedCall, partOf: PartOf): Events {
    if (!call.isOpen) return []
    call.isOpen = false
    if (call.arguments._tag === "Whole") return complete(call, partOf)
    const events = this.settle()
    this.#doubtful = { call, partOf }
    return events
  }

  /** More follows: a call in doubt is complete. */
  settle(): Events {
    const doubtful = this.#doubtful
    this.#doubtful = undefined
    return doubtful === undefined ? [] : complete(doubtful.call, doubtful.partOf)
  }

  /** Nothing follows: a call in doubt is complete, unless the response was cut off. */
  finish(isCut: boolean): Events {
    if (!isCut) return this.settle()
    if (this.#doubtful !== undefined) this.#doubtful.call.isCut = true
    this.#doubtful = undefined
    return []
  }
}

const complete = (call: StreamedCall, partOf: PartOf): Events => {
  const part = partOf()
  return part === undefined ? [] : call.complete(part)
}
