/**
 * A definition as both of OpenAI's APIs describe a function; they differ only
 * in where the fields stand.
 */
import type { Json, Loss, ToolDefinition } from "@wield/core"
import { openAiStrict } from "../dialect/openAiStrict.js"
import { inputSchema } from "../internal/inputSchema.js"
import { objectRoot } from "../internal/objectRoot.js"
import { ownSchema } from "../internal/ownTool.js"
import { toJsonObject } from "../internal/toJson.js"

export interface FunctionTool {
  readonly name: string
  readonly description: string | undefined
  /** `undefined` where a tool of this API stated none. */
  readonly parameters: Json.JsonObject | undefined
  /** False also where strict mode was wanted and the schema has no strict form. */
  readonly isStrict: boolean
  /** What a tool of this API stated beside; it stands for all that is not above. */
  readonly own: Json.JsonObject | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
}

export const functionTool = (
  definition: ToolDefinition.ToolDefinition,
  nativeName: string,
  isStrict: boolean,
  own?: Json.JsonObject
): FunctionTool => {
  const { description } = definition
  const stated = ownSchema(definition, "parameters", own, isStrict)
  if (stated !== undefined) {
    const { parameters } = stated
    return {
      name: nativeName,
      description,
      parameters: parameters as Json.JsonObject | undefined,
      isStrict: false,
      own,
      losses: []
    }
  }
  // Also without strict mode both APIs refuse a root that is a union, or an
  // object without `properties`.
  const sendable = inputSchema(definition.name, definition.inputSchema)
  const root = objectRoot(definition.name, sendable.schema)
  const strict = isStrict ? openAiStrict(definition.name, root.schema) : undefined
  return {
    name: nativeName,
    description,
    parameters: strict?.schema ?? withProperties(toJsonObject(root.schema)),
    isStrict: strict?.schema !== undefined,
    own,
    losses: [...sendable.losses, ...root.losses, ...(strict?.losses ?? [])]
  }
}

const withProperties = (schema: Json.JsonObject): Json.JsonObject =>
  schema["properties"] === undefined ? { ...schema, properties: {} } : schema
