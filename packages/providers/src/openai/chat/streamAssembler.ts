/**
 * The chunks of a streamed response as events, and as the turn that the
 * response gives that does not stream. Only the first choice is read.
 */
import type { Turn, TurnEvent } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { objectField, stringField, wireError } from "../../internal/wireField.js"
import type { Assembler, Pushed } from "../../StreamDecoder.js"
import type { Offered } from "../../WireFormat.js"
import { callIds } from "./callIds.js"
import type { CallReader } from "./callParts.js"
import { executedToolPart } from "./callParts.js"
import type { ChatDialect } from "./ChatDialect.js"
import { streamedError } from "./decodeError.js"
import type { LookUp } from "./decodeTurn.js"
import { callReader, turnOf } from "./decodeTurn.js"
import { StreamedCalls } from "./streamedCalls.js"
import { StreamedMessage } from "./streamedMessage.js"
import { textParts } from "./textParts.js"
import { usageOf } from "./usage.js"

type Event = TurnEvent.TurnEvent

export const streamAssembler = (dialect: ChatDialect, offeredTools: LookUp, offered: Offered | undefined): Assembler =>
  new ChatAssembler(dialect, (message) => callReader(dialect, offeredTools, offered, message))

class ChatAssembler implements Assembler {
  readonly #dialect: ChatDialect
  readonly #reader: CallReader
  readonly #calls: StreamedCalls
  readonly #message = new StreamedMessage()
  #id: string | undefined
  #model: string | undefined
  #usage: unknown
  #finish: string | undefined
  #isDone = false

  constructor(dialect: ChatDialect, readerOf: (message: string | undefined) => CallReader) {
    this.#dialect = dialect
    // The response's id, which comes before the first call, names the calls that have none.
    this.#reader = { ...readerOf(undefined), callId: (sent, index) => callIds(dialect, this.#id)(sent, index) }
    this.#calls = new StreamedCalls(dialect, this.#reader)
  }

  push(message: unknown): Pushed {
    if (!Json.isObject(message)) {
      return { events: [], failure: wireError(this.#dialect.name, [], "a chunk of a response", message) }
    }
    // Azure's first chunk, about its filters, has both empty.
    if (this.#id === undefined || this.#id === "") this.#id = stringField(message, "id") ?? this.#id
    if (this.#model === undefined || this.#model === "") this.#model = stringField(message, "model") ?? this.#model
    const choice = firstChoice(message["choices"])
    const error = errorOf(message, choice)
    const events: Array<Event> = []
    if (choice !== undefined) events.push(...this.#addChoice(choice, error !== undefined))
    events.push(...this.#addUsage(message, choice))
    return error === undefined ? { events } : { events, failure: streamedError(this.#dialect.name, error) }
  }

  done(): ReadonlyArray<Event> {
    this.#isDone = true
    return this.#calls.complete()
  }

  end(isWhole: boolean): ReturnType<Assembler["end"]> {
    const isComplete = isWhole && (this.#isDone || (this.#finish !== undefined && this.#finish !== ""))
    const events = isComplete ? this.#calls.complete() : []
    const message = this.#message.json()
    const calls = this.#calls.parts()
    const native: Json.JsonObject = { ...message, ...this.#calls.fields() }
    const response = { id: this.#id, model: this.#model, usage: this.#usage }
    const parts = [...this.#executed(message["executed_tools"]), ...textParts(message, this.#dialect.name), ...calls]
    const messages = isComplete || isSayable(native) ? [native] : []
    const turn = turnOf(this.#dialect.name, response, this.#finish, parts, messages)
    if (isComplete) return { events, turn }
    // What broke off says nothing of how it would have ended.
    return { events, turn: { ...turn, finish: isWhole ? "other" : "error", isComplete: false } }
  }

  #executed(entries: unknown): ReadonlyArray<Turn.Part> {
    if (!Array.isArray(entries)) return []
    return entries.filter(Json.isObject).map((entry, index) => executedToolPart(entry, index, this.#reader))
  }

  #addChoice(choice: Fields, isFailed: boolean): ReadonlyArray<Event> {
    // Writer sends the delta as a message too; some servers send a whole message in its place.
    const delta = objectField(choice, "delta") ?? objectField(choice, "message") ?? {}
    const events = [...this.#message.add(delta), ...this.#calls.add(delta)]
    const finish = stringField(choice, "finish_reason")
    // Servers that say "" in each chunk have not finished by it.
    if (finish === undefined || (finish === "" && this.#finish !== undefined)) return events
    this.#finish = finish
    return finish === "" || isFailed ? events : [...events, ...this.#calls.complete()]
  }

  /** Groq counts under a key of its own, Moonshot in the choice. */
  #addUsage(message: Fields, choice: Fields | undefined): ReadonlyArray<Event> {
    const usage =
      objectField(message, "usage") ??
      objectField(objectField(message, "x_groq") ?? {}, "usage") ??
      (choice === undefined ? undefined : objectField(choice, "usage"))
    if (usage === undefined) return []
    this.#usage = usage
    return [{ _tag: "UsageKnown", usage: usageOf(usage) }]
  }
}

/** OpenRouter tells the failure of a model's provider in the choice or beside it; Mistral and vLLM send `object: "error"`. */
const errorOf = (message: Fields, choice: Fields | undefined): unknown => {
  if ((message["error"] ?? undefined) !== undefined || message["object"] === "error") return message
  const error = choice?.["error"] ?? undefined
  return error === undefined ? undefined : { error }
}

/** Choices of a higher index are other answers. */
const firstChoice = (choices: unknown): Fields | undefined => {
  if (!Array.isArray(choices)) return undefined
  return choices.find((choice): choice is Fields => Json.isObject(choice) && (choice["index"] ?? 0) === 0)
}

/** Whether a broken-off message can go back: the API refuses one that neither says nor calls anything. */
const isSayable = (message: Fields): boolean =>
  [message["content"], message["refusal"], message["tool_calls"], message["function_call"]].some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ""
  )
