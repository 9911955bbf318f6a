/** Bedrock's Converse API: `toolConfig`, written and read. */
import type { Loss, ToolDefinition } from "@wield/core"
import { Facts, Json, ToolDefinition as Definition } from "@wield/core"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { EncodedTools, ToolChoice, ToolsOptions } from "../WireFormat.js"
import { formatName, nameRule, table } from "./format.js"
import { encodeChoice } from "../internal/format.js"
import { anthropicProperties } from "../dialect/anthropicProperties.js"
import { anthropicStrict } from "../dialect/anthropicStrict.js"
import { toJsonObject } from "../internal/json.js"
import type { NameMap } from "../internal/nameMap.js"
import { nameMap } from "../internal/nameMap.js"
import { objectRoot } from "../internal/objectRoot.js"
import { definitionCache, ownSchema, ownSettings, settingsBeside } from "../internal/tools.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField, wireError } from "../internal/wireField.js"

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
  const choice = encodeChoice(table, options, names.toNative, losses)
  return {
    tools: options.isCached === true ? [...tools, cachePoint] : tools,
    ...(choice === undefined ? {} : { toolChoice: choice })
  }
}

/** Everything before it is cached, so that it stands behind the last tool. */
const cachePoint: Json.JsonObject = { cachePoint: { type: "default" } }

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

interface DecodedTools {
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  readonly options: ToolsOptions
  /** What of `toolConfig` the definitions and options do not say; `undefined` for nothing. */
  readonly rest: Json.JsonObject | undefined
}

export const decodeTools = (config: unknown): Either.Either<DecodedTools, WireError> => {
  if (config === undefined) return Either.right({ definitions: [], options: {}, rest: undefined })
  if (!Json.isObject(config)) return Either.left(wireError(formatName, ["toolConfig"], "an object", config))
  const { tools, toolChoice, ...others } = config
  if (tools === undefined || (Array.isArray(tools) && tools.length === 0)) {
    // The body is parsed JSON.
    return Either.right({ definitions: [], options: {}, rest: config as Json.JsonObject })
  }
  if (!Array.isArray(tools)) return Either.left(wireError(formatName, ["toolConfig", "tools"], "an array", tools))
  // Each tool with the cache points behind it.
  const entries: Array<{ readonly tool: Json.JsonObject; readonly behind: Array<Json.JsonObject> }> = []
  for (let index = 0; index < tools.length; index++) {
    const tool: unknown = tools[index]
    if (!Json.isObject(tool)) {
      return Either.left(wireError(formatName, ["toolConfig", "tools", index], "a tool", tool))
    }
    const json = tool as Json.JsonObject
    const last = entries.at(-1)
    if (tool["cachePoint"] !== undefined && last !== undefined) last.behind.push(json)
    else entries.push({ tool: json, behind: [] })
  }
  const last = entries.at(-1)
  const isCached = last !== undefined && last.behind.length > 0
  // The usual one is said by the option alone, so that it stays last when tools are added.
  if (isCached && last.behind.length === 1 && isPlain(last.behind[0])) last.behind.pop()
  const definitions = entries.map(({ tool, behind }) =>
    decodeTool(tool, behind.length === 0 ? tool : [tool, ...behind])
  )
  const { toNative } = nameMap(definitions, nameRule)
  const choice = decodeChoice(toolChoice, (name) => toNative(name) === name)
  const own = entries.map(({ tool }) => objectField(tool, "toolSpec")).filter((spec) => spec !== undefined)
  const rest = {
    ...others,
    ...(choice === undefined && toolChoice !== undefined ? { toolChoice } : {})
  } as Json.JsonObject
  return Either.right({
    definitions,
    options: {
      ...(choice === undefined ? {} : { choice }),
      ...(own.length > 0 && own.every((spec) => spec["strict"] === true) ? { isStrict: true } : {}),
      ...(isCached ? { isCached: true } : {})
    },
    rest: Object.keys(rest).length === 0 ? undefined : rest
  })
}

const isPlain = (entry: Json.JsonObject | undefined): boolean =>
  JSON.stringify(entry) === JSON.stringify({ cachePoint: { type: "default" } })

const said: ReadonlySet<string> = new Set(["name", "description", "inputSchema"])

const decodeTool = (tool: Json.JsonObject, native: Json.Json): ToolDefinition.ToolDefinition => {
  const spec = objectField(tool, "toolSpec")
  const kind = Object.keys(tool)[0] ?? "tool"
  const fields = spec ?? objectField(tool, kind) ?? {}
  const name = stringField(fields, "name") ?? kind
  const { name: _, ...settings } = fields
  return {
    name,
    description: stringField(fields, "description"),
    inputSchema: objectField(objectField(fields, "inputSchema") ?? {}, "json") ?? Definition.noParameters,
    outputSchema: undefined,
    facts: Facts.unstated,
    // Nova's own tools, such as `{ systemTool: { name: "nova_grounding" } }`.
    provider: spec === undefined ? { id: `bedrock.${name}`, name, settings: settings as Json.JsonObject } : undefined,
    ...(spec === undefined ? {} : { settings: settingsBeside(formatName, spec, said) }),
    native: { format: formatName, json: native }
  }
}

/** A name that the API refuses would be sent as another one: such a choice is kept as it stands. */
const decodeChoice = (choice: unknown, isLegal: (name: string) => boolean): ToolChoice | undefined => {
  if (!Json.isObject(choice) || Object.keys(choice).length !== 1) return undefined
  if (isEmpty(choice["auto"])) return { _tag: "Auto" }
  if (isEmpty(choice["any"])) return { _tag: "Required" }
  const tool: Fields = objectField(choice, "tool") ?? {}
  const name = stringField(tool, "name")
  return name === undefined || !isLegal(name) || Object.keys(tool).length !== 1
    ? undefined
    : { _tag: "OneOf", names: [name] }
}

const isEmpty = (value: unknown): boolean => Json.isObject(value) && Object.keys(value).length === 0
