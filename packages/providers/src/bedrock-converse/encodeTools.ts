/**
 * Bedrock's Converse API: definitions as the `toolConfig` of a request.
 */
import type { Json, Loss, ToolDefinition } from "@wield/core"
import { anthropicProperties } from "../dialect/anthropicProperties.js"
import { anthropicStrict } from "../dialect/anthropicStrict.js"
import { definitionCache } from "../internal/definitionCache.js"
import type { NameMap } from "../internal/nameMap.js"
import { nameMap } from "../internal/nameMap.js"
import { objectRoot } from "../internal/objectRoot.js"
import { ownSchema, ownSettings } from "../internal/ownTool.js"
import { toJsonObject } from "../internal/toJson.js"
import type { EncodedTools, ToolsOptions } from "../WireFormat.js"
import { formatName, nameRule } from "./names.js"

export const encodeTools = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions = {}
): EncodedTools => {
  const losses: Array<Loss.Loss> = []
  const names = nameMap(definitions, nameRule)
  const tools = definitions.flatMap((definition) => toolEntry(definition, names, options, losses))
  const config = toolConfig(tools, names, options, losses)
  return { body: config === undefined ? {} : { toolConfig: config }, losses }
}

/** The entry of `tools` for one definition; none where the API cannot offer it. */
export const toolEntry = (
  definition: ToolDefinition.ToolDefinition,
  names: NameMap,
  options: ToolsOptions,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> => {
  const encode = options.isStrict === true ? encodeStrict : encodePlain
  const encoded = encode(definition, names.toNative(definition.name))
  losses.push(...encoded.losses)
  return encoded.tool === undefined ? [] : [encoded.tool]
}

/** `undefined` without tools: the API refuses an empty list. */
export const toolConfig = (
  tools: ReadonlyArray<Json.Json>,
  names: NameMap,
  options: ToolsOptions,
  losses: Array<Loss.Loss>
): Json.JsonObject | undefined => {
  if (tools.length === 0) return undefined
  const choice = toolChoice(options, names, losses)
  return {
    tools: options.isCached === true ? [...tools, cachePoint] : tools,
    ...(choice === undefined ? {} : { toolChoice: choice })
  }
}

/** Everything before it is cached, so that it stands behind the last tool. */
export const cachePoint: Json.JsonObject = { cachePoint: { type: "default" } }

interface EncodedTool {
  readonly tool: Json.JsonObject | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
}

const encodeOne =
  (isStrict: boolean) =>
  (definition: ToolDefinition.ToolDefinition, nativeName: string): EncodedTool => {
    const { description, facts, name: subject, provider } = definition
    if (provider !== undefined) return encodeSystemTool(subject, provider)
    const properties = anthropicProperties(definition)
    const own = ownSettings(definition, formatName)
    const schema = ownSchema(definition, "json", own, isStrict)
    const root = schema === undefined ? objectRoot(subject, properties.schema) : undefined
    // Bedrock's strict mode is Anthropic's: it is offered for Claude, with the same grammar.
    const strict = isStrict && root !== undefined ? anthropicStrict(subject, root.schema) : undefined
    const losses = [...properties.losses, ...(root?.losses ?? []), ...(strict?.losses ?? [])]
    if (facts.examples.length > 0) {
      const reason = "The Converse API has no field for examples; they are left out."
      losses.push({ subject, path: [], keyword: "examples", reason })
    }
    const toolSpec = {
      ...own,
      name: nativeName,
      // The API: "Member must have length greater than or equal to 1".
      ...(description === undefined || description === "" ? {} : { description }),
      inputSchema: root === undefined ? (schema ?? {}) : { json: toJsonObject(strict?.schema ?? root.schema) },
      ...(strict?.schema === undefined ? {} : { strict: true })
    }
    return { tool: { toolSpec }, losses }
  }

const encodePlain = definitionCache(encodeOne(false))
const encodeStrict = definitionCache(encodeOne(true))

/** Nova's own tools: web grounding and the code interpreter. */
const encodeSystemTool = (subject: string, provider: ToolDefinition.ProviderTool): EncodedTool => {
  if (/^(bedrock|amazon)\./.test(provider.id)) {
    return { tool: { systemTool: { name: provider.name, ...provider.settings } }, losses: [] }
  }
  const reason = `The Converse API does not have the tool ${provider.id}; it is not offered.`
  return { tool: undefined, losses: [{ subject, path: [], keyword: "provider", reason }] }
}

const toolChoice = (
  { choice, isParallel }: ToolsOptions,
  names: NameMap,
  losses: Array<Loss.Loss>
): Json.JsonObject | undefined => {
  const lose = (keyword: string, reason: string): void =>
    void losses.push({ subject: "toolChoice", path: [], keyword, reason })
  if (isParallel === false) {
    lose("isParallel", "The Converse API has no switch for parallel calls: a turn may still have several.")
  }
  switch (choice?._tag) {
    case undefined:
      return undefined
    case "Auto":
      return { auto: {} }
    case "Required":
      return { any: {} }
    case "None":
      lose("None", cannotForbid)
      return undefined
    case "OneOf": {
      const [only, ...others] = choice.names
      if (only === undefined) {
        lose("OneOf", cannotForbid)
        return undefined
      }
      if (others.length === 0) return { tool: { name: names.toNative(only) } }
      lose(
        "OneOf",
        `The Converse API can name one tool, not several: the model must call a tool, but may call one that is not among ${choice.names.join(", ")}.`
      )
      return { any: {} }
    }
  }
}

const cannotForbid =
  "The Converse API cannot forbid calls, and refuses a history with calls when no tools are offered: the tools stay offered, and the model may call one."
