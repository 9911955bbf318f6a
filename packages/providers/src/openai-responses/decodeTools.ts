/**
 * What a request says of tools, as definitions and options.
 */
import type { Loss, ToolDefinition } from "@wield/core"
import { Json, ToolDefinition as Definitions } from "@wield/core"
import { settingsBeside } from "../internal/ownTool.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField } from "../internal/wireField.js"
import type { ToolChoice, ToolsOptions } from "../WireFormat.js"
import { name } from "./name.js"

export const decodeDefinitions = (
  tools: ReadonlyArray<Fields>,
  losses: Array<Loss.Loss>
): ReadonlyArray<ToolDefinition.ToolDefinition> => tools.map((tool) => definitionOf(tool, losses))

const said: ReadonlySet<string> = new Set(["type", "name", "description", "parameters"])

const definitionOf = (tool: Fields, losses: Array<Loss.Loss>): ToolDefinition.ToolDefinition => {
  // A request's body is JSON.
  const native = { format: name, json: tool as Json.JsonObject }
  const type = stringField(tool, "type") ?? "function"
  const description = stringField(tool, "description")
  if (type === "function") {
    return {
      ...Definitions.make({
        name: stringField(tool, "name") ?? "",
        description,
        inputSchema: objectField(tool, "parameters"),
        settings: settingsBeside(name, tool, said)
      }),
      native
    }
  }
  if (type === "namespace") losses.push(namespaced(stringField(tool, "name") ?? type))
  const { type: _, ...settings } = native.json
  return {
    ...Definitions.make({
      name: providerToolName(tool, type),
      description,
      provider: {
        id: `openai.${type}`,
        name: type === "custom" ? (stringField(tool, "name") ?? type) : type,
        // A custom tool has a name of its own, beside its type.
        settings: type === "custom" ? native.json : settings
      }
    }),
    native
  }
}

/** Several MCP servers may be offered, each of which is told apart by its label. */
const providerToolName = (tool: Fields, type: string): string => {
  const own = stringField(tool, "name") ?? stringField(tool, "server_label")
  if (own === undefined) return type
  return type === "custom" ? own : `${type}_${own}`
}

const namespaced = (subject: string): Loss.Loss => ({
  subject,
  path: [],
  keyword: "namespace",
  reason: "The functions of a namespace are offered to the Responses API only."
})

/** What the three keys say, as far as there are words for it. */
export const decodeOptions = (
  body: Fields,
  tools: ReadonlyArray<Fields>,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
): ToolsOptions => {
  const choice = decodeChoice(body["tool_choice"], tools, definitions)
  const isParallel = body["parallel_tool_calls"]
  const functions = tools.filter((tool) => (tool["type"] ?? "function") === "function")
  const isStrict = functions.length > 0 && functions.every((tool) => tool["strict"] === true)
  return {
    ...(choice === undefined ? {} : { choice }),
    ...(typeof isParallel === "boolean" ? { isParallel } : {}),
    ...(isStrict ? { isStrict } : {})
  }
}

/** Undefined where there are no words for it. */
export const decodeChoice = (
  choice: unknown,
  tools: ReadonlyArray<Fields>,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
): ToolChoice | undefined => {
  switch (choice) {
    case "auto":
      return { _tag: "Auto" }
    case "none":
      return { _tag: "None" }
    case "required":
      return { _tag: "Required" }
  }
  if (!Json.isObject(choice)) return undefined
  const isList = choice["type"] === "allowed_tools"
  // A list by which the model may also call nothing has no words here.
  if (isList && choice["mode"] !== "required") return undefined
  const references: ReadonlyArray<unknown> = isList && Array.isArray(choice["tools"]) ? choice["tools"] : [choice]
  const names = references.map((reference) => {
    const index = tools.findIndex((tool) => Json.isObject(reference) && isReferenced(tool, reference))
    return definitions[index]?.name
  })
  return names.every((each) => each !== undefined) ? { _tag: "OneOf", names } : undefined
}

const isReferenced = (tool: Fields, reference: Fields): boolean =>
  (tool["type"] ?? "function") === reference["type"] &&
  ["name", "server_label"].every((key) => reference[key] === undefined || reference[key] === tool[key])
