/** Ollama's chat API: the lines of a stream as turn events. Calls come whole. */
import type { Json, Turn, TurnEvent } from "@wield/core"
import * as Either from "effect/Either"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import type { Offered } from "../internal/contract.js"
import * as NameMap from "../NameMap.js"
import { argumentText } from "../internal/resultText.js"
import { StreamedCall } from "../internal/streamedCalls.js"
import {
  type Fields,
  isObject,
  listField,
  objectField,
  statedField,
  stringField,
  wireError,
  withLists
} from "../internal/wireField.js"
import { streamError } from "./errors.js"
import { formatName, nameRule, table } from "./format.js"
import { usageOf } from "../internal/format.js"
import { callId, callParts, messageParts, turnOf } from "./turn.js"
import type { Frame, Framer } from "../framing/frame.js"

export const streamAssembler = (offered?: Offered): Assembler =>
  new MessageAssembler(NameMap.make(offered?.definitions ?? [], nameRule))

class MessageAssembler implements Assembler {
  readonly #thinking: Array<string> = []
  readonly #texts: Array<string> = []
  readonly #entries: Array<Json.Json> = []
  readonly #calls: Array<Turn.CallPart> = []
  #last: Fields = {}
  #message: Fields = {}
  #isDone = false

  constructor(private readonly names: NameMap.NameMap) {}

  push(line: unknown): Pushed {
    if (!isObject(line)) return { events: [], failure: wireError(formatName, [], "an object", line) }
    // Once a stream has begun the status is sent, so an error takes the place of a line.
    if (statedField(line, "error") !== undefined) return { events: [], failure: streamError(line) }
    if (this.#isDone) return { events: [] }
    this.#last = { ...this.#last, ...line }
    const message = withLists(objectField(line, "message") ?? {}, "tool_calls")
    const { thinking: _1, content: _2, tool_calls: calls, ...others } = message
    this.#message = { ...this.#message, ...others }
    const events: Array<TurnEvent.TurnEvent> = []
    const thinking = stringField(message, "thinking") ?? ""
    const text = stringField(message, "content") ?? ""
    if (thinking !== "") {
      this.#thinking.push(thinking)
      events.push({ _tag: "ReasoningDelta", text: thinking })
    }
    if (text !== "") {
      this.#texts.push(text)
      events.push({ _tag: "TextDelta", text })
    }
    // Servers before 0.9 count `index` from zero in each line.
    const first = this.#calls.length
    const read = callParts(calls, ["message", "tool_calls"], this.names, (index) => callId(line, first + index))
    if (Either.isLeft(read)) return { events, failure: read.left }
    for (const each of listField(message, "tool_calls")) this.#entries.push(each)
    for (const part of read.right) {
      const call = new StreamedCall(this.#calls.length)
      events.push(...call.addWhole(part, argumentText(part.call.arguments)))
      this.#calls.push(part)
    }
    if (line["done"] === true) {
      this.#isDone = true
      events.push({ _tag: "UsageKnown", usage: usageOf(table, this.#last) })
    }
    return { events }
  }

  isOver(): boolean {
    return this.#isDone
  }

  end(isWhole: boolean): ReturnType<Assembler["end"]> {
    const thinking = this.#thinking.join("")
    const text = this.#texts.join("")
    const message = {
      role: "assistant",
      ...this.#message,
      // There even where it is empty, as in a response that does not stream.
      content: text,
      ...(thinking === "" ? {} : { thinking }),
      ...(this.#entries.length === 0 ? {} : { tool_calls: this.#entries })
    }
    // There is nothing in it that could be wrong.
    const texts = Either.getOrElse(messageParts({ content: text, thinking }, [], this.names, String), () => [])
    const parts = [...texts, ...this.#calls]
    const isComplete = this.#isDone && isWhole
    const turn = turnOf({ response: this.#last, message, parts, isComplete })
    return { events: [], turn: isComplete ? turn : { ...turn, finish: isWhole ? "other" : "error" } }
  }
}

/** The framing: newline-delimited JSON. */
export const jsonLines = (): Framer => {
  const decoder = new TextDecoder()
  // The line that is not finished yet, in pieces: joined once, so that a long
  // line in many small pieces is not searched and copied again with each.
  let pieces: Array<string> = []
  const frameOf = (line: string): ReadonlyArray<Frame> =>
    line.trim() === "" ? [] : [{ event: undefined, data: line, isError: false }]
  const finished = (end: string): string => {
    const line = pieces.join("") + end
    pieces = []
    return line
  }
  return {
    push: (bytes) => {
      const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n")
      const rest = others.pop()
      if (rest === undefined) {
        pieces.push(first)
        return []
      }
      const lines = [finished(first), ...others]
      pieces.push(rest)
      return lines.flatMap(frameOf)
    },
    end: () => frameOf(finished(decoder.decode()))
  }
}
