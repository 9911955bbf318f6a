/**
 * Gemini's API: the instructions of a conversation as the system instruction
 * of a request. A native one that a body spelled `system_instruction` is kept
 * with its key, so that it can be put back under it.
 */
import type { Json } from "@wield/core"
import { Json as JsonGuards } from "@wield/core"

const snakeCase = "system_instruction"

export class SystemInstruction {
  readonly #prompts: Array<{ readonly native: Json.Json | undefined; readonly text: string }> = []

  add(native: Json.Json | undefined, text: string): void {
    if (native !== undefined || text !== "") this.#prompts.push({ native, text })
  }

  /** A key of the body with its value; no key where there are no instructions. */
  value(): Json.JsonObject {
    const [first, ...others] = this.#prompts
    if (first === undefined) return {}
    if (others.length > 0) return { systemInstruction: { parts: this.#prompts.map(({ text }) => ({ text })) } }
    const { native, text } = first
    if (native === undefined) return { systemInstruction: { parts: [{ text }] } }
    // Only an object has the key.
    return JsonGuards.isObject(native) && snakeCase in native
      ? (native as Json.JsonObject)
      : { systemInstruction: native }
  }
}

/** What a body states under either key, as it is kept. */
export const nativeInstruction = (body: { readonly [key: string]: unknown }): unknown =>
  body["systemInstruction"] ?? (JsonGuards.isObject(body[snakeCase]) ? { [snakeCase]: body[snakeCase] } : undefined)
