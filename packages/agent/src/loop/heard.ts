/**
 * What a model has said so far, kept for the case that its response breaks off.
 */
import type { ToolCall, Turn, TurnEvent } from "@wield/core"

export class Heard {
  readonly #parts: Array<Turn.Part> = []
  isAnything = false
  usage: Turn.Usage | undefined
  turn: Turn.Turn | undefined

  take(event: TurnEvent.TurnEvent): void {
    this.isAnything = true
    switch (event._tag) {
      case "TextDelta":
        return this.#text("Text", event.text)
      case "RefusalDelta":
        return this.#text("Refusal", event.text)
      case "CallComplete":
        this.#parts.push(event.part)
        return
      case "UsageKnown":
        this.usage = event.usage
        return
      case "Finished":
        this.turn = event.turn
        this.usage = event.turn.usage
    }
  }

  /**
   * Text and those calls that were begun. Reasoning is left out: without its end
   * no provider takes it back.
   */
  begun(isBegun: (call: ToolCall.ToolCall) => boolean): ReadonlyArray<Turn.Part> {
    return this.#parts.filter((part) => part._tag !== "Call" || isBegun(part.call))
  }

  #text(_tag: "Text" | "Refusal", text: string): void {
    const last = this.#parts.at(-1)
    if (last?._tag === _tag) this.#parts[this.#parts.length - 1] = { _tag, text: last.text + text }
    else this.#parts.push({ _tag, text })
  }
}
