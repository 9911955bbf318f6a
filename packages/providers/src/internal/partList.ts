/**
 * The parts of a turn in the making. What has no words of its own (the results
 * of a search that the provider ran) goes with a neighbour that its API takes
 * back as it stood.
 */
import type { Json, Turn } from "@wield/core"

export class PartList {
  readonly parts: Array<Turn.Part> = []
  /** The JSON of the last part, where it is one that is kept. */
  #kept: Array<Json.Json> | undefined
  /** Pieces without words that no kept part has followed yet. */
  #loose: Array<Json.Json> = []

  add(part: Turn.Part): void {
    this.#kept = undefined
    const native = part._tag === "Reasoning" || part._tag === "Call" ? part.native : undefined
    if (native === undefined) this.parts.push(part)
    else {
      this.#kept = [...this.#loose, ...native.json]
      this.parts.push({ ...part, native: { ...native, json: this.#kept } } as Turn.Part)
    }
    this.#loose = []
  }

  /** A piece that no part says. */
  addWordless(json: Json.Json): void {
    if (this.#kept === undefined) this.#loose.push(json)
    else this.#kept.push(json)
  }
}
