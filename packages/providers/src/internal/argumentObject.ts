/** Arguments as the JSON object that an API has in its messages. */
import { Json } from "@wield/core"

/** `undefined` for text that is no JSON object: what the model broke, or broke off. */
export const argumentObject = (value: unknown): Json.JsonObject | undefined => {
  // Arguments are JSON text, or JSON that was parsed: copied, they would have to be cut somewhere.
  if (typeof value !== "string") return Json.isObject(value) ? (value as Json.JsonObject) : undefined
  // A model that has no arguments to send often sends no text.
  if (value.trim() === "") return {}
  try {
    const parsed: unknown = JSON.parse(value)
    // What was parsed from JSON is JSON.
    return Json.isObject(parsed) ? (parsed as Json.JsonObject) : undefined
  } catch {
    return undefined
  }
}
