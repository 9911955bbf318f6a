/**
 * Anthropic's Messages API: one content block of a stream, put together from
 * its deltas as the non-streaming API would have sent it.
 */
import { Json } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"

/** The field in which each kind of block holds the text that streams in. */
const textFields: { readonly [delta: string]: string } = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
  compaction_delta: "content"
}

export type Arguments =
  /** A JSON object. */
  | { readonly _tag: "Whole"; readonly input: Json.JsonObject }
  /** No text: no parameters, or cut off before the first of them. */
  | { readonly _tag: "None" }
  /** Text that is no JSON object: cut off, or invalid, which fine-grained tool streaming does not prevent. */
  | { readonly _tag: "Broken"; readonly text: string }

export class StreamBlock {
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
