/** The Responses API: what a request says of tools, written and read. */
import type { Loss, ToolDefinition } from "@wield/core"
import * as Definitions from "@wield/core/ToolDefinition"
import type { ToolChoice, ToolsOptions } from "../internal/contract.js"
import { settingsBeside } from "../internal/tools.js"
import { type Fields, isObject, objectField, statedField, stringField } from "../internal/wireField.js"
import { formatName, table } from "./format.js"
import { type Shape, isNotForeign, makeEncodeTools } from "../openai-shared/tools.js"

const shape: Shape = {
  isEntry: () => true,
  isOwnTool: isNotForeign,
  functionSettings: (settings) => settings,
  functionEntry: ({ name, description, own, parameters, isStrict }) => ({
    ...own,
    type: "function",
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    // Where it is left out, this API rewrites the schema into a strict one by itself.
    ...(own === undefined || isStrict ? { strict: isStrict } : {})
  }),
  providerReference: (tool, name) => {
    const type = tool["type"] ?? name
    if (type === "custom") return { type, name }
    const server = tool["server_label"]
    return type === "mcp" && server !== undefined ? { type, server_label: server } : { type }
  }
}

export const encodeTools = makeEncodeTools(table, shape)

export const decodeDefinitions = (
  tools: ReadonlyArray<Fields>,
  losses: Array<Loss.Loss>
): ReadonlyArray<ToolDefinition.ToolDefinition> => tools.map((tool) => definitionOf(tool, losses))

const said: ReadonlySet<string> = new Set(["type", "name", "description", "parameters"])

const definitionOf = (tool: Fields, losses: Array<Loss.Loss>): ToolDefinition.ToolDefinition => {
  // A request's body is JSON.
  const native = { format: formatName, json: tool }
  const type = stringField(tool, "type") ?? "function"
  const description = stringField(tool, "description")
  if (type === "function") {
    return Definitions.make({
      name: stringField(tool, "name") ?? "",
      description,
      inputSchema: objectField(tool, "parameters"),
      settings: settingsBeside(formatName, tool, said),
      native
    })
  }
  if (type === "namespace") losses.push(namespaced(stringField(tool, "name") ?? type))
  const { type: _, ...settings } = native.json
  return Definitions.make({
    name: providerToolName(tool, type),
    description,
    provider: {
      id: `openai.${type}`,
      name: type === "custom" ? (stringField(tool, "name") ?? type) : type,
      // A custom tool has a name of its own, beside its type.
      settings: type === "custom" ? native.json : settings
    },
    native
  })
}

/** Several MCP servers may be offered, each under its label. */
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
  if (!isObject(choice)) return undefined
  const isList = choice["type"] === "allowed_tools"
  // A list by which the model may also call nothing has no words here.
  if (isList && choice["mode"] !== "required") return undefined
  const references: ReadonlyArray<unknown> = isList && Array.isArray(choice["tools"]) ? choice["tools"] : [choice]
  const names = references.map((reference) => {
    const index = tools.findIndex((tool) => isObject(reference) && isReferenced(tool, reference))
    return definitions[index]?.name
  })
  return names.every((each) => each !== undefined) ? { _tag: "OneOf", names } : undefined
}

const isReferenced = (tool: Fields, reference: Fields): boolean =>
  (tool["type"] ?? "function") === reference["type"] &&
  ["name", "server_label"].every((key) => statedField(reference, key) === undefined || reference[key] === tool[key])
