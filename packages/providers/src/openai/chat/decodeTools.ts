/**
 * What a request says of tools: definitions and how they are offered.
 */
import type { ToolDefinition } from "@wield/core"
import { Json, ToolDefinition as Definition } from "@wield/core"
import * as Either from "effect/Either"
import { functionSettings } from "../../internal/functionEntry.js"
import type { Fields } from "../../internal/wireField.js"
import { objectField, stringField, wireError } from "../../internal/wireField.js"
import type { WireError } from "../../WireError.js"
import type { ToolsOptions } from "../../WireFormat.js"
import { decodeChoice } from "./decodeChoice.js"

export interface DecodedTools {
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  readonly options: ToolsOptions
}

export const decodeTools = (format: string, body: Fields): Either.Either<DecodedTools, WireError> => {
  const definitions: Array<ToolDefinition.ToolDefinition> = []
  let strict = 0
  let functions = 0
  for (const key of ["tools", "functions"]) {
    const list = body[key]
    if (list === undefined || list === null) continue
    if (!Array.isArray(list)) return Either.left(wireError(format, [key], "an array of tools", list))
    for (const [index, tool] of list.entries()) {
      const isTool = Json.isObject(tool) && (key === "functions") === isLegacyFunction(tool)
      if (!isTool) return Either.left(wireError(format, [key, index], "a tool", tool))
      definitions.push(definitionOf(format, tool))
      const described = objectField(tool, "function")
      if (described !== undefined) functions++
      if (described?.["strict"] === true) strict++
    }
  }
  const choice = decodeChoice(body, definitions)
  const isParallel = body["parallel_tool_calls"]
  return Either.right({
    definitions,
    options: {
      ...(choice === undefined ? {} : { choice }),
      ...(typeof isParallel === "boolean" ? { isParallel } : {}),
      // Said of each tool here, and of all of them there.
      ...(strict > 0 && strict === functions ? { isStrict: true } : {})
    }
  })
}

/** An entry of `functions`, of the API's first years: a function without what is around it. */
export const isLegacyFunction = (json: Fields): boolean => !("type" in json) && !("function" in json)

const definitionOf = (format: string, tool: Fields): ToolDefinition.ToolDefinition => {
  // A field of a body that was parsed from JSON is JSON.
  const json = tool as Json.JsonObject
  const native = { format, json }
  const type = stringField(tool, "type")
  const described = objectField(tool, "function") ?? (isLegacyFunction(tool) ? tool : undefined)
  if (described !== undefined) {
    const parameters = objectField(described, "parameters")
    return {
      ...Definition.make({
        name: stringField(described, "name") ?? "",
        description: stringField(described, "description"),
        ...(parameters === undefined ? {} : { inputSchema: parameters }),
        settings: functionSettings(format, tool, described)
      }),
      native
    }
  }
  const custom = stringField(objectField(tool, "custom") ?? {}, "name")
  const { type: _, ...settings } = json
  const name = custom ?? type ?? ""
  return {
    ...Definition.make({
      name,
      // `openrouter:web_search` is OpenRouter's; a word without a prefix is the API's own.
      provider:
        custom === undefined
          ? { id: name.includes(":") ? name.replace(":", ".") : `${ownPrefix(format)}.${name}`, name, settings }
          : { id: `${ownPrefix(format)}.custom`, name, settings: json }
    }),
    native
  }
}

const ownPrefix = (format: string): string => format.replace(/-chat$/, "")
