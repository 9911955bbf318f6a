/** Arguments as the JSON object that an API has in its messages. */
import { Json } from "@wield/core"
import { toJsonObject } from "./toJson.js"

/** `undefined` for text that is no JSON object: what the model broke, or broke off. */
export const argumentObject = (value: unknown): Json.JsonObject | undefined => {
  if (typeof value !== "string") return Json.isObject(value) ? toJsonObject(value) : undefined
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
