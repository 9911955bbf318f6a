/**
 * Cohere's Chat API: one call that streams in. Its arguments are joined once.
 */
import { Json } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField } from "../internal/wireField.js"

export class StreamCall {
  isOpen = true
  /** Set where the response ended inside of this call. */
  isCut = false
  readonly #texts: Array<string> = []

  constructor(
    /** What `tool-call-start` said. */
    readonly start: Fields,
    /** The number of the call in the turn. */
    readonly index: number
  ) {
    this.add(start)
  }

  /** Takes more of the call and gives the argument text that it adds. */
  add(entry: Fields): string {
    const text = stringField(objectField(entry, "function") ?? {}, "arguments") ?? ""
    if (text !== "") this.#texts.push(text)
    return text
  }

  /** The arguments are a whole JSON object; text that is none may have been cut off, as no text may. */
  isWhole(): boolean {
    try {
      return Json.isObject(JSON.parse(this.#texts.join("")))
    } catch {
      // JSON.parse reports by throwing.
      return false
    }
  }

  /** The entry of `tool_calls`. */
  entry(): Json.JsonObject {
    const described = objectField(this.start, "function")
    // It came out of JSON text.
    return { ...this.start, function: { ...described, arguments: this.#texts.join("") } } as Json.JsonObject
  }
}
