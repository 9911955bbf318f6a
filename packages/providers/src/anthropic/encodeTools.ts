/**
 * Anthropic's Messages API: definitions as the `tools` and `tool_choice` of a
 * request. The list of tools is the beginning of the cached prefix, so a
 * choice among tools never changes it.
 */
import type { Loss, ToolDefinition } from "@wield/core"
import { Json } from "@wield/core"
import { anthropicProperties } from "../dialect/anthropicProperties.js"
import { anthropicStrict } from "../dialect/anthropicStrict.js"
import { definitionCache } from "../internal/definitionCache.js"
import type { NameMap } from "../internal/nameMap.js"
import { nameMap } from "../internal/nameMap.js"
import { objectRoot } from "../internal/objectRoot.js"
import { ownSchema, ownSettings } from "../internal/ownTool.js"
import { toJson, toJsonObject } from "../internal/toJson.js"
import type { EncodedTools, ToolsOptions } from "../WireFormat.js"
import { formatName, nameRule } from "./names.js"

export const encodeTools = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions = {}
): EncodedTools => {
  const names = nameMap(definitions, nameRule)
  const encode = options.isStrict === true ? encodeStrict : encodePlain
  const tools: Array<Json.JsonObject> = []
  const losses: Array<Loss.Loss> = []
  for (const definition of definitions) {
    const encoded = encode(definition, names.toNative(definition.name))
    if (encoded.tool !== undefined) tools.push(encoded.tool)
    for (const loss of encoded.losses) losses.push(loss)
  }
  // Anthropic: "tool_choice may only be specified while providing tools".
  if (tools.length === 0) return { body: {}, losses }
  if (options.isCached === true) markCached(tools)
  const choice = encodeChoice(options, names, losses)
  return { body: choice === undefined ? { tools } : { tools, tool_choice: choice }, losses }
}

/** The prefix up to a mark is cached. A tool that is loaded later is not part of it: the API refuses a mark there. */
const markCached = (tools: Array<Json.JsonObject>): void => {
  const last = tools.findLastIndex((tool) => tool["defer_loading"] !== true)
  const tool = tools[last]
  if (tool !== undefined) tools[last] = { cache_control: { type: "ephemeral" }, ...tool }
}

interface EncodedTool {
  /** `undefined` where the API cannot offer the tool. */
  readonly tool: Json.JsonObject | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
}

const encodeOne =
  (isStrict: boolean) =>
  (definition: ToolDefinition.ToolDefinition, nativeName: string): EncodedTool => {
    const { native } = definition
    if (native?.format === formatName && Json.isObject(native.json)) {
      // An object of JSON is a JSON object.
      return { tool: native.json as Json.JsonObject, losses: [] }
    }
    if (definition.provider !== undefined) return encodeProviderTool(definition.name, definition.provider)
    const { description, facts } = definition
    const properties = anthropicProperties(definition)
    const own = ownSettings(definition, formatName)
    const schema = ownSchema(definition, "input_schema", own, isStrict)
    const root = schema === undefined ? objectRoot(definition.name, properties.schema) : undefined
    const strict = isStrict && root !== undefined ? anthropicStrict(definition.name, root.schema) : undefined
    const tool = {
      ...own,
      name: nativeName,
      ...(description === undefined ? {} : { description }),
      ...(root === undefined ? schema : { input_schema: toJsonObject(strict?.schema ?? root.schema) }),
      ...(facts.examples.length === 0
        ? {}
        : { input_examples: facts.examples.map((example) => toJson(properties.rename(example))) }),
      ...(strict?.schema === undefined ? {} : { strict: true })
    }
    return { tool, losses: [...(root?.losses ?? []), ...properties.losses, ...(strict?.losses ?? [])] }
  }

const encodePlain = definitionCache(encodeOne(false))
const encodeStrict = definitionCache(encodeOne(true))

const prefix = `${formatName}.`

const encodeProviderTool = (subject: string, provider: ToolDefinition.ProviderTool): EncodedTool => {
  if (!provider.id.startsWith(prefix)) {
    const reason = `Anthropic's API does not have the tool ${provider.id}; it is not offered.`
    return { tool: undefined, losses: [{ subject, path: [], keyword: "provider", reason }] }
  }
  const type = provider.id.slice(prefix.length)
  // A set of MCP tools is named by its server, not by itself.
  const name = type === "mcp_toolset" ? {} : { name: provider.name }
  return { tool: { type, ...name, ...provider.settings }, losses: [] }
}

const encodeChoice = (options: ToolsOptions, names: NameMap, losses: Array<Loss.Loss>): Json.JsonObject | undefined => {
  const { choice, isParallel } = options
  const parallel = isParallel === undefined ? {} : { disable_parallel_tool_use: !isParallel }
  switch (choice?._tag) {
    case undefined:
      return isParallel === undefined ? undefined : { type: "auto", ...parallel }
    case "Auto":
      return { type: "auto", ...parallel }
    case "None":
      return { type: "none" }
    case "Required":
      return { type: "any", ...parallel }
    case "OneOf": {
      const [only, ...others] = choice.names
      if (only !== undefined && others.length === 0) {
        return { type: "tool", name: names.toNative(only), ...parallel }
      }
      losses.push({
        subject: "tool_choice",
        path: [],
        keyword: "OneOf",
        reason:
          only === undefined
            ? "A choice among no tools is sent as no choice of any."
            : `Anthropic's API can name one tool, not several: the model must call a tool, but may call one that is not among ${choice.names.join(", ")}. All tools stay offered, so that the cached prefix stays the same.`
      })
      return only === undefined ? { type: "none" } : { type: "any", ...parallel }
    }
  }
}
