/** Bedrock's Converse API: `toolConfig`, written and read. */
import type { Loss, ToolDefinition } from "@wield/core"
import * as Facts from "@wield/core/Facts"
import * as Json from "@wield/core/Json"
import * as Definition from "@wield/core/ToolDefinition"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { EncodedTools, ToolChoice, ToolsOptions } from "../WireFormat.js"
import { formatName, nameRule, table } from "./format.js"
import { encodeChoice } from "../internal/format.js"
import * as NameMap from "../NameMap.js"
import { claudeFunction, settingsBeside, toolEncoder } from "../internal/tools.js"
import { type Fields, objectField, stringField, wireError } from "../internal/wireField.js"

export const encodeTools = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions = {}
): EncodedTools => {
  const losses: Array<Loss.Loss> = []
  const toolConfig = encodeToolConfig(definitions, options, losses)
  return { body: toolConfig === undefined ? {} : { toolConfig }, losses }
}

/** `undefined` without tools: the API refuses an empty list. */
export const encodeToolConfig = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions,
  losses: Array<Loss.Loss>
): Json.JsonObject | undefined => {
  const { toNative } = NameMap.make(definitions, nameRule)
  const tools = encode(definitions, toNative, options.isStrict, losses).map(({ tool }) => tool)
  if (tools.length === 0) return undefined
  const choice = encodeChoice(table, options, toNative, losses)
  const isMarked = tools.at(-1)?.["cachePoint"] !== undefined
  return {
    tools: options.isCached === true && !isMarked ? [...tools, cachePoint] : tools,
    ...(choice === undefined ? {} : { toolChoice: choice })
  }
}

/** Everything before it is cached, so that it stands behind the last tool. */
const cachePoint: Json.JsonObject = { cachePoint: { type: "default" } }

const encode = toolEncoder({
  ...table,
  functionTool: (definition, nativeName, isStrict, losses) => {
    const { description } = definition
    const { own, schema, strict } = claudeFunction(definition, formatName, "json", isStrict, losses)
    return {
      toolSpec: {
        ...own,
        name: nativeName,
        // The API: "Member must have length greater than or equal to 1".
        ...(description === undefined || description === "" ? {} : { description }),
        inputSchema: schema,
        ...strict
      }
    }
  },
  // Nova's own tools: web grounding and the code interpreter.
  providerTool: ({ id, name, settings }) =>
    /^(bedrock|amazon)\./.test(id) ? { systemTool: { name, ...settings } } : undefined
})

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
  const { toNative } = NameMap.make(definitions, nameRule)
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
