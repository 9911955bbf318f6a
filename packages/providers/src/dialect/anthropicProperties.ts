/** The input schema of a tool with names of properties that Anthropic's API takes. */
import type { ToolDefinition } from "@wield/core"
import { inputSchema } from "../internal/json.js"
import { type RenamedProperties, renameProperties } from "./propertyNames.js"

/** The pattern of the API's error message for "Property keys". */
export const anthropicName = /^[a-zA-Z0-9_.-]{1,64}$/

const known = new WeakMap<ToolDefinition.ToolDefinition, RenamedProperties>()

/** Made once for a definition: it is needed for every request and every call. */
export const anthropicProperties = (definition: ToolDefinition.ToolDefinition): RenamedProperties => {
  const cached = known.get(definition)
  if (cached !== undefined) return cached
  const { losses, schema } = inputSchema(definition.name, definition.inputSchema)
  const renamed = renameProperties(definition.name, schema, anthropicName)
  const made = { ...renamed, losses: [...losses, ...renamed.losses] }
  known.set(definition, made)
  return made
}
