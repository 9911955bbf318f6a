/**
 * Which tools a request lets the model call.
 */
import type { ToolDefinition } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { objectField, stringField } from "../../internal/wireField.js"
import type { ToolChoice } from "../../WireFormat.js"

/** Undefined where nothing is said, or something that has no words here. */
export const decodeChoice = (
  body: Fields,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
): ToolChoice | undefined => {
  // `function_call` goes with `functions`, and `tool_choice` with `tools`.
  const hasFunctions = isFilled(body["functions"]) && !isFilled(body["tools"])
  const sent = body[hasFunctions ? "function_call" : "tool_choice"]
  if (typeof sent === "string") return words.get(sent)
  if (!Json.isObject(sent)) return undefined
  const allowed = objectField(sent, "allowed_tools")
  if (allowed === undefined) {
    const name = nameIn(sent, definitions) ?? stringField(sent, "name")
    return name === undefined ? undefined : { _tag: "OneOf", names: [name] }
  }
  const tools: unknown = allowed["tools"]
  if (allowed["mode"] !== "required" || !Array.isArray(tools)) return undefined
  const names = tools.map((tool) => (Json.isObject(tool) ? nameIn(tool, definitions) : undefined))
  return names.some((name) => name === undefined)
    ? undefined
    : { _tag: "OneOf", names: names.filter((name) => name !== undefined) }
}

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0

const words: ReadonlyMap<string, ToolChoice> = new Map<string, ToolChoice>([
  ["auto", { _tag: "Auto" }],
  ["none", { _tag: "None" }],
  ["required", { _tag: "Required" }],
  // Mistral's word, and its word before the others'.
  ["any", { _tag: "Required" }]
])

/** The tool that a reference means, which names a function, a custom tool, or the type of one of the API's own. */
const nameIn = (reference: Fields, definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): string | undefined => {
  const described = objectField(reference, "function") ?? objectField(reference, "custom")
  if (described !== undefined) return stringField(described, "name")
  const type = stringField(reference, "type")
  return definitions.find(({ provider }) => provider !== undefined && provider.name === type)?.name
}
