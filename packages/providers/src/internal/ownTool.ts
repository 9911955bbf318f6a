/**
 * A tool that came from a request of the API it is sent to. What has words
 * here is said by them; its other keys stand in the definition's settings. Its
 * schema was accepted as it is, so that no dialect rewrites it.
 */
import type { Json, ToolDefinition } from "@wield/core"
import { ToolDefinition as Definition } from "@wield/core"
import { isBounded } from "./jsonExtent.js"
import { toJsonObject } from "./toJson.js"
import type { Fields } from "./wireField.js"

/** The keys that have no words, as a definition holds them; null says that what has words is not stated. */
export const settingsBeside = (
  format: string,
  tool: Fields,
  said: ReadonlySet<string>
): NonNullable<ToolDefinition.ToolDefinition["settings"]> => ({
  format,
  // A request's body is JSON.
  json: Object.fromEntries(
    Object.entries(tool).filter(([key, value]) => !said.has(key) || value === null)
  ) as Json.JsonObject
})

/** `undefined` for a tool of another API, or of none. */
export const ownSettings = ({ settings }: ToolDefinition.ToolDefinition, format: string): Json.JsonObject | undefined =>
  settings?.format === format ? settings.json : undefined

/**
 * The schema under its key; without the key where the tool stated no schema.
 * `undefined` where it has to be written like any other: the tool did not say
 * whether the API holds the model to it, and now it is to.
 */
export const ownSchema = (
  { inputSchema }: ToolDefinition.ToolDefinition,
  key: string,
  own: Json.JsonObject | undefined,
  isStrict: boolean
): Json.JsonObject | undefined => {
  if (own === undefined || (isStrict && own["strict"] === undefined)) return undefined
  if (inputSchema === Definition.noParameters) return {}
  return isBounded(inputSchema) ? { [key]: toJsonObject(inputSchema) } : undefined
}
