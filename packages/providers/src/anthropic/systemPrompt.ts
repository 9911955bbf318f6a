/** Anthropic's Messages API: the instructions of a conversation as the `system` of a request. */
import type { Json } from "@wield/core"

export class SystemPrompt {
  readonly #prompts: Array<{ readonly native: Json.Json | undefined; readonly text: string }> = []

  /** `native` is a `system` as it stood in a body, `undefined` for instructions from elsewhere. */
  add(native: Json.Json | undefined, text: string): void {
    if (native !== undefined || text !== "") this.#prompts.push({ native, text })
  }

  value(): Json.Json | undefined {
    const [first, ...others] = this.#prompts
    if (first === undefined) return undefined
    if (others.length === 0) return first.native ?? first.text
    return this.#prompts.flatMap(({ native, text }): ReadonlyArray<Json.Json> => {
      // `isArray` does not narrow a readonly array; only a list of blocks is one here.
      if (Array.isArray(native)) return native as ReadonlyArray<Json.Json>
      return text === "" ? [] : [{ type: "text", text }]
    })
  }
}
