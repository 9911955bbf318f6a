/** Anthropic's Messages API: `tools` and `tool_choice`, written and read. */
import type { Loss } from "@wield/core"
import * as Facts from "@wield/core/Facts"
import * as Json from "@wield/core/Json"
import * as ToolDefinition from "@wield/core/ToolDefinition"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { EncodedTools, Request, ToolsOptions } from "../internal/contract.js"
import { fail, formatName, table } from "./format.js"
import { markTools } from "../internal/cache.js"
import { encodeChoice } from "../internal/format.js"
import { lossOf } from "../internal/losses.js"
import { claudeFunction, settingsBeside, toolEncoder } from "../internal/tools.js"
import { type Fields, isList, isObject, objectField, stringField } from "../internal/wireField.js"

export const encodeTools = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions = {},
  found: ReadonlyArray<ToolDefinition.ToolDefinition> = []
): EncodedTools => {
  const { losses, offered, toNative } = encode([...definitions, ...found], options)
  const deferred = new Set(found)
  // The API reads such a definition where a result refers to it, behind all that it has cached.
  const tools = offered.map(({ definition, tool }) =>
    deferred.has(definition) ? { ...tool, defer_loading: true } : tool
  )
  // Anthropic: "tool_choice may only be specified while providing tools".
  if (tools.length === 0) return { body: {}, losses }
  const choice = toolChoice(options, toNative, losses)
  const sent = options.isCached === true ? markTools(tools) : tools
  return { body: choice === undefined ? { tools: sent } : { tools: sent, tool_choice: choice }, losses }
}

const prefix = `${formatName}.`

const encode = toolEncoder({
  ...table,
  hasExamples: true,
  functionTool: (definition, nativeName, isStrict, losses) => {
    const { description, facts } = definition
    const { own, rename, schema, strict } = claudeFunction(definition, formatName, "input_schema", isStrict, losses)
    return {
      ...own,
      name: nativeName,
      ...(description === undefined ? {} : { description }),
      ...schema,
      ...(facts.examples.length === 0
        ? {}
        : { input_examples: facts.examples.map((example) => Json.from(rename(example))) }),
      ...strict
    }
  },
  providerTool: ({ id, name, settings }) => {
    if (!id.startsWith(prefix)) return undefined
    const type = id.slice(prefix.length)
    // A set of MCP tools is named by its server, not by itself.
    return { type, ...(type === "mcp_toolset" ? {} : { name }), ...settings }
  }
})

const toolChoice = (
  options: ToolsOptions,
  toNative: (name: string) => string,
  losses: Array<Loss.Loss>
): Json.JsonObject | undefined => {
  const choice = encodeChoice(table, options, toNative, losses)
  const { isParallel } = options
  if (isParallel === undefined || options.choice?._tag === "None") return isObject(choice) ? choice : undefined
  return {
    ...(isObject(choice) ? choice : { type: "auto" }),
    disable_parallel_tool_use: !isParallel
  }
}

export const decodeTools = (
  tools: ReadonlyArray<Json.Json>,
  choice: unknown,
  losses: Array<Loss.Loss>
): Either.Either<Pick<Request, "definitions" | "options">, WireError> => {
  const definitions: Array<ToolDefinition.ToolDefinition> = []
  const isStrict = tools.some(isFunction) && tools.filter(isFunction).every((tool) => tool["strict"] === true)
  const isCached = isMarked(tools.at(-1))
  for (const [index, tool] of tools.entries()) {
    const path = ["tools", index]
    if (!isObject(tool)) return fail(path, "a tool", tool)
    if (!isFunction(tool)) {
      definitions.push(decodeProviderTool(tool))
      continue
    }
    const name = tool["name"]
    if (typeof name !== "string") return fail([...path, "name"], "a name", name)
    const known = isCached && index === tools.length - 1 ? saidWithMark : said
    definitions.push(decodeFunction(tool, name, known))
    for (const [keyword, value] of Object.entries(tool)) {
      if (known.has(keyword) || value === null || (keyword === "strict" && isStrict)) continue
      losses.push(lossOf(name, [], keyword, "Kept for Anthropic's API only."))
    }
  }
  return Either.right({
    definitions,
    options: {
      ...decodeChoice(choice),
      ...(isStrict ? { isStrict: true } : {}),
      ...(isCached ? { isCached: true } : {})
    }
  })
}

const said: ReadonlySet<string> = new Set(["type", "name", "description", "input_schema", "input_examples"])
/** The mark behind the last tool is an option. */
const saidWithMark: ReadonlySet<string> = new Set([...said, "cache_control"])

const isFunction = (tool: unknown): tool is Fields =>
  isObject(tool) && (tool["type"] === undefined || tool["type"] === null || tool["type"] === "custom")

/** The mark that `encodeTools` sets. */
const isMarked = (tool: unknown): boolean => {
  const mark = objectField(tool, "cache_control")
  return mark !== undefined && mark["type"] === "ephemeral" && Object.keys(mark).length === 1
}

const decodeFunction = (tool: Fields, name: string, said: ReadonlySet<string>): ToolDefinition.ToolDefinition => {
  const examples = tool["input_examples"]
  return ToolDefinition.make({
    name,
    description: stringField(tool, "description"),
    inputSchema: objectField(tool, "input_schema"),
    facts: isList(examples) ? Facts.make({ examples: examples.filter(isObject) }) : undefined,
    settings: settingsBeside(formatName, tool, said),
    native: { format: formatName, json: tool }
  })
}

/** A tool with a type of its own is Anthropic's, though some of them (memory, bash) are executed by the application. */
const decodeProviderTool = (tool: Fields): ToolDefinition.ToolDefinition => {
  const type = stringField(tool, "type") ?? ""
  const name = stringField(tool, "name") ?? stringField(tool, "mcp_server_name") ?? type
  const { name: _, type: __, ...settings } = tool
  return ToolDefinition.make({
    name,
    provider: { id: `${formatName}.${type}`, name, settings },
    native: { format: formatName, json: tool }
  })
}

/** What a `tool_choice` says; nothing for one that is not known. */
export const decodeChoice = (choice: unknown): ToolsOptions => {
  if (!isObject(choice)) return {}
  const isSerial = choice["disable_parallel_tool_use"]
  const parallel = typeof isSerial === "boolean" ? { isParallel: !isSerial } : {}
  const name = stringField(choice, "name")
  switch (choice["type"]) {
    case "auto":
      return { choice: { _tag: "Auto" }, ...parallel }
    case "any":
      return { choice: { _tag: "Required" }, ...parallel }
    case "none":
      return { choice: { _tag: "None" }, ...parallel }
    case "tool":
      return name === undefined ? parallel : { choice: { _tag: "OneOf", names: [name] }, ...parallel }
  }
  return parallel
}
