/** Chat Completions: what a request says of tools, written and read. */
import type { Json, ToolDefinition } from "@wield/core"
import * as Definition from "@wield/core/ToolDefinition"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { EncodedTools, Request, ToolChoice, ToolsOptions, WireFormat } from "../internal/contract.js"
import { functionSettings } from "../internal/tools.js"
import { type Fields, failIn, isList, isObject, objectField, stringField } from "../internal/wireField.js"
import type { ChatDialect } from "./format.js"
import type { Shape } from "../openai-shared/tools.js"

export const toolsBody = (
  format: string,
  encodeTools: WireFormat["encodeTools"],
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions
): EncodedTools => {
  const functions = definitions.flatMap(({ native }) =>
    native?.format === format && isObject(native.json) && isLegacyFunction(native.json) ? [native.json] : []
  )
  if (functions.length === 0 || functions.length < definitions.length) return encodeTools(definitions, options)
  const choice = legacyChoice(options.choice)
  return { body: { functions, ...(choice === undefined ? {} : { function_call: choice }) }, losses: [] }
}

const legacyChoice = (choice: ToolChoice | undefined): Json.Json | undefined => {
  if (choice === undefined) return undefined
  if (choice._tag === "OneOf") return choice.names.length === 1 ? { name: choice.names[0] ?? "" } : undefined
  return choice._tag === "None" ? "none" : "auto"
}

export const makeShape = (isOwnTool: Shape["isOwnTool"]): Shape => ({
  isOwnTool,
  // An entry of the first years' `functions` has neither key.
  isEntry: (tool) => "type" in tool || "function" in tool,
  functionSettings: (settings) => objectField(settings, "function") ?? {},
  functionEntry: ({ name, description, own, parameters, isStrict }) => ({
    type: "function",
    function: {
      ...own,
      name,
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { parameters }),
      // Not said where it is false, the default: some compatible servers refuse keys that they do not know.
      ...(isStrict ? { strict: true } : {})
    }
  }),
  providerReference: (tool, name) => {
    const type = tool["type"] ?? name
    return type === "custom" ? { type, custom: { name } } : { type }
  }
})

export const decodeTools = (
  dialect: ChatDialect,
  body: Fields
): Either.Either<Pick<Request, "definitions" | "options">, WireError> => {
  const fail = failIn(dialect.name)
  const definitions: Array<ToolDefinition.ToolDefinition> = []
  let strict = 0
  let functions = 0
  for (const key of ["tools", "functions"]) {
    const list = body[key]
    if (list === undefined || list === null) continue
    if (!isList(list)) return fail([key], "an array of tools", list)
    for (const [index, tool] of list.entries()) {
      if (!isObject(tool) || (key === "functions") !== isLegacyFunction(tool)) return fail([key, index], "a tool", tool)
      definitions.push(definitionOf(dialect.name, tool))
      const described = objectField(tool, "function")
      if (described !== undefined) functions++
      if (described?.["strict"] === true) strict++
    }
  }
  const choice = decodeChoice(dialect, body, definitions)
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
const isLegacyFunction = (json: Fields): boolean => !("type" in json) && !("function" in json)

const definitionOf = (format: string, tool: Fields): ToolDefinition.ToolDefinition => {
  const native = { format, json: tool }
  const type = stringField(tool, "type")
  const described = objectField(tool, "function") ?? (isLegacyFunction(tool) ? tool : undefined)
  if (described !== undefined) {
    return Definition.make({
      name: stringField(described, "name") ?? "",
      description: stringField(described, "description"),
      inputSchema: objectField(described, "parameters"),
      settings: functionSettings(format, tool, described),
      native
    })
  }
  const custom = stringField(objectField(tool, "custom"), "name")
  const { type: _, ...settings } = tool
  const name = custom ?? type ?? ""
  return Definition.make({
    name,
    // `openrouter:web_search` is OpenRouter's; a word without a prefix is the API's own.
    provider:
      custom === undefined
        ? { id: name.includes(":") ? name.replace(":", ".") : `${ownPrefix(format)}.${name}`, name, settings }
        : { id: `${ownPrefix(format)}.custom`, name, settings: tool },
    native
  })
}

const ownPrefix = (format: string): string => format.replace(/-chat$/, "")

/** Undefined where nothing is said, or something that has no words here. */
export const decodeChoice = (
  { choice }: ChatDialect,
  body: Fields,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
): ToolChoice | undefined => {
  // `function_call` goes with `functions`, and `tool_choice` with `tools`.
  const hasFunctions = isFilled(body["functions"]) && !isFilled(body["tools"])
  const sent = body[hasFunctions ? "function_call" : "tool_choice"]
  if (typeof sent === "string") {
    const own = (["auto", "none", "required"] as const).find((key) => choice[key] === sent)
    return words.get(own ?? sent)
  }
  if (!isObject(sent)) return undefined
  const allowed = objectField(sent, "allowed_tools")
  if (allowed === undefined) {
    const name = nameIn(sent, definitions) ?? stringField(sent, "name")
    return name === undefined ? undefined : { _tag: "OneOf", names: [name] }
  }
  const { mode, tools } = allowed
  if (mode !== "required" || !isList(tools)) return undefined
  const names = tools.map((tool) => nameIn(tool, definitions))
  return names.every((name) => name !== undefined) ? { _tag: "OneOf", names } : undefined
}

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0

const words: ReadonlyMap<string, ToolChoice> = new Map<string, ToolChoice>([
  ["auto", { _tag: "Auto" }],
  ["none", { _tag: "None" }],
  ["required", { _tag: "Required" }],
  // Mistral's, which others take too.
  ["any", { _tag: "Required" }]
])

/** The tool that a reference means, which names a function, a custom tool, or the type of one of the API's own. */
const nameIn = (
  reference: Json.Json,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
): string | undefined => {
  const described = objectField(reference, "function") ?? objectField(reference, "custom")
  if (described !== undefined) return stringField(described, "name")
  const type = stringField(reference, "type")
  return definitions.find(({ provider }) => provider !== undefined && provider.name === type)?.name
}
