/**
 * The call of the API's first years, `function_call`, while it arrives. There
 * is one at most, and it has no id.
 */
import type { Turn, TurnEvent } from "@wield/core"
import type { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { stringField } from "../../internal/wireField.js"
import type { CallReader } from "./callParts.js"
import { functionCallPart } from "./callParts.js"

type Event = TurnEvent.TurnEvent

export class StreamedFunctionCall {
  readonly #reader: CallReader
  readonly #text: Array<string> = []
  #name = ""
  #part: Turn.CallPart | undefined

  constructor(reader: CallReader) {
    this.#reader = reader
  }

  get part(): Turn.CallPart | undefined {
    return this.#part
  }

  add(call: Fields): ReadonlyArray<Event> {
    if (this.#part !== undefined) return []
    const events: Array<Event> = []
    const name = stringField(call, "name") ?? ""
    // Snowflake sends an empty one always.
    if (this.#name === "" && name !== "") {
      this.#name = name
      const { id } = this.#reader.callId(undefined, 0)
      events.push({ _tag: "CallStarted", index: 0, id, name: this.#reader.fromNative(name) })
    }
    const text = stringField(call, "arguments")
    if (text === undefined || this.#name === "") return events
    this.#text.push(text)
    if (text !== "") events.push({ _tag: "ArgumentsDelta", index: 0, text })
    return events
  }

  complete(): ReadonlyArray<Event> {
    if (this.#part !== undefined) return []
    this.#part = functionCallPart({ function_call: this.entry() }, this.#reader)
    return this.#part === undefined ? [] : [{ _tag: "CallComplete", index: 0, part: this.#part }]
  }

  /** The call as the message has it that does not stream. */
  entry(): Json.JsonObject {
    return { name: this.#name, ...(this.#text.length === 0 ? {} : { arguments: this.#text.join("") }) }
  }
}
