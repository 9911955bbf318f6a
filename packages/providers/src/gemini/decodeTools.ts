/**
 * Gemini's API: the `tools` and `toolConfig` of a request body as definitions
 * and options.
 */
import type { Loss } from "@wield/core"
import { Json, ToolDefinition } from "@wield/core"
import * as Either from "effect/Either"
import { fromOpenApi } from "../dialect/fromOpenApi.js"
import { settingsBeside } from "../internal/ownTool.js"
import type { Fields } from "../internal/wireField.js"
import { stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import type { ToolsOptions } from "../WireFormat.js"
import { unsaid } from "./contentPart.js"
import { either, listOf } from "./decodePart.js"
import { formatName } from "./names.js"

export const decodeTools = (
  tools: ReadonlyArray<unknown>,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<ToolDefinition.ToolDefinition>, WireError> => {
  const definitions: Array<ToolDefinition.ToolDefinition> = []
  for (let index = 0; index < tools.length; index++) {
    const tool = tools[index]
    if (!Json.isObject(tool)) return Either.left(wireError(formatName, ["tools", index], "a tool", tool))
    for (const [key, value] of Object.entries(tool)) {
      if (key !== "functionDeclarations" && key !== "function_declarations") {
        definitions.push(decodeServerTool(key, value))
        continue
      }
      const path = ["tools", index, key]
      const declarations = listOf(value)
      if (declarations === undefined) {
        return Either.left(wireError(formatName, path, "an array of declarations", value))
      }
      for (const declaration of declarations) {
        const name = Json.isObject(declaration) ? declaration["name"] : undefined
        if (!Json.isObject(declaration) || typeof name !== "string") {
          return Either.left(wireError(formatName, path, "a declaration with a name", declaration))
        }
        definitions.push(decodeFunction(declaration, name, losses))
      }
    }
  }
  return Either.right(definitions)
}

const said: ReadonlySet<string> = new Set(
  "name description parameters parametersJsonSchema parameters_json_schema".split(" ")
)

const decodeFunction = (declaration: Fields, name: string, losses: Array<Loss.Loss>): ToolDefinition.ToolDefinition => {
  for (const key of Object.keys(declaration)) if (!said.has(key)) losses.push(unsaid(name, [], key))
  const whole = either(declaration, "parametersJsonSchema", "parameters_json_schema")
  const { parameters } = declaration
  return {
    ...ToolDefinition.make({
      name,
      description: stringField(declaration, "description"),
      inputSchema: Json.isObject(whole) ? whole : Json.isObject(parameters) ? fromOpenApi(parameters) : undefined,
      settings: settingsBeside(formatName, declaration, said)
    }),
    // A request's body is JSON.
    native: { format: formatName, json: declaration as Json.JsonObject }
  }
}

const decodeServerTool = (key: string, value: unknown): ToolDefinition.ToolDefinition => {
  // A request's body is JSON.
  const settings = value as Json.Json
  const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return {
    ...ToolDefinition.make({
      name,
      provider: { id: `google.${name}`, name, settings: Json.isObject(value) ? (value as Json.JsonObject) : {} }
    }),
    native: { format: formatName, json: { [key]: settings } }
  }
}

/** What a `toolConfig` says of which functions may be called. */
export const decodeToolConfig = (config: unknown): ToolsOptions => {
  const calling = Json.isObject(config) ? either(config, "functionCallingConfig", "function_calling_config") : undefined
  if (!Json.isObject(calling)) return {}
  const allowed = either(calling, "allowedFunctionNames", "allowed_function_names")
  const names = (Array.isArray(allowed) ? allowed : [allowed]).filter((name) => typeof name === "string")
  const { mode } = calling
  switch (typeof mode === "number" ? numberedModes[mode] : mode) {
    case "AUTO":
      return { choice: { _tag: "Auto" } }
    case "VALIDATED":
      return { choice: { _tag: "Auto" }, isStrict: true }
    case "NONE":
      return { choice: { _tag: "None" } }
    case "ANY":
      return { choice: names.length === 0 ? { _tag: "Required" } : { _tag: "OneOf", names } }
  }
  return {}
}

/** As Google's REST transport for Python numbers them. */
const numberedModes: ReadonlyArray<string> = ["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"]
