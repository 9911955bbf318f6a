/**
 * A definition as both of OpenAI's APIs describe a function; they differ only
 * in where the fields stand.
 */
import type { Json, Loss, ToolDefinition } from "@wield/core"
import { openAiStrict } from "../dialect/openAiStrict.js"
import { inputSchema } from "../internal/inputSchema.js"
import { objectRoot } from "../internal/objectRoot.js"
import { toJsonObject } from "../internal/toJson.js"

export interface FunctionTool {
  readonly name: string
  readonly description: string | undefined
  readonly parameters: Json.JsonObject
  /** False also where strict mode was wanted and the schema has no strict form. */
  readonly isStrict: boolean
  readonly losses: ReadonlyArray<Loss.Loss>
}

export const functionTool = (
  definition: ToolDefinition.ToolDefinition,
  nativeName: string,
  isStrict: boolean
): FunctionTool => {
  // Also without strict mode both APIs refuse a root that is a union, or an
  // object without `properties`.
  const sendable = inputSchema(definition.name, definition.inputSchema)
  const root = objectRoot(definition.name, sendable.schema)
  const strict = isStrict ? openAiStrict(definition.name, root.schema) : undefined
  return {
    name: nativeName,
    description: definition.description,
    parameters: strict?.schema ?? withProperties(toJsonObject(root.schema)),
    isStrict: strict?.schema !== undefined,
    losses: [...sendable.losses, ...root.losses, ...(strict?.losses ?? [])]
  }
}

const withProperties = (schema: Json.JsonObject): Json.JsonObject =>
  schema["properties"] === undefined ? { ...schema, properties: {} } : schema
