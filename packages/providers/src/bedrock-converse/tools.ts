/** Bedrock's Converse API: `toolConfig`, written and read. */
import type { Json, Loss, ToolDefinition } from "@wield/core"
import * as Definition from "@wield/core/ToolDefinition"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { EncodedTools, Request, ToolChoice, ToolsOptions } from "../internal/contract.js"
import { fail, formatName, nameRule, table } from "./format.js"
import { cachePoint } from "../internal/cache.js"
import { encodeChoice } from "../internal/format.js"
import { isSameJson } from "../internal/json.js"
import * as NameMap from "../NameMap.js"
import { claudeFunction, settingsBeside, toolEncoder } from "../internal/tools.js"
import { isList, isObject, objectField, statedKey, stringField } from "../internal/wireField.js"

export const encodeTools = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions = {}
): EncodedTools => {
  const { json, losses } = encodeToolConfig(definitions, options)
  return { body: json === undefined ? {} : { toolConfig: json }, losses }
}

/** `undefined` without tools: the API refuses an empty list. */
export const encodeToolConfig = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions
): { readonly json: Json.JsonObject | undefined; readonly losses: ReadonlyArray<Loss.Loss> } => {
  const { losses, toNative, tools } = encode(definitions, options)
  if (tools.length === 0) return { json: undefined, losses }
  const choice = encodeChoice(table, options, toNative, losses)
  const isMarked = tools.at(-1)?.["cachePoint"] !== undefined
  const json = {
    tools: options.isCached === true && !isMarked ? [...tools, cachePoint] : tools,
    ...(choice === undefined ? {} : { toolChoice: choice })
  }
  return { json, losses }
}

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

interface DecodedTools extends Pick<Request, "definitions" | "options"> {
  /** What of `toolConfig` the definitions and options do not say; `undefined` for nothing. */
  readonly rest: Json.Json | undefined
}

export const decodeTools = (config: Json.Json | undefined): Either.Either<DecodedTools, WireError> => {
  if ((config ?? null) === null) return Either.right({ definitions: [], options: {}, rest: config })
  if (!isObject(config)) return fail(["toolConfig"], "an object", config)
  const { tools, toolChoice, ...others } = config
  if ((tools ?? null) === null || (isList(tools) && tools.length === 0)) {
    return Either.right({ definitions: [], options: {}, rest: config })
  }
  if (!isList(tools)) return fail(["toolConfig", "tools"], "an array", tools)
  // Each tool with the cache points behind it.
  const entries: Array<{ readonly tool: Json.JsonObject; readonly behind: Array<Json.JsonObject> }> = []
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) return fail(["toolConfig", "tools", index], "a tool", tool)
    const last = entries.at(-1)
    if (isObject(tool["cachePoint"]) && last !== undefined) last.behind.push(tool)
    else entries.push({ tool, behind: [] })
  }
  const last = entries.at(-1)
  const isCached = last !== undefined && last.behind.length > 0
  // The usual one is said by the option alone, so that it stays last when tools are added.
  if (isCached && last.behind.length === 1 && isSameJson(last.behind[0], cachePoint)) last.behind.pop()
  const definitions = entries.map(({ tool, behind }) =>
    decodeTool(tool, behind.length === 0 ? tool : [tool, ...behind])
  )
  const { toNative } = NameMap.make(definitions, nameRule)
  const choice = decodeChoice(toolChoice, (name) => toNative(name) === name)
  const own = entries.map(({ tool }) => objectField(tool, "toolSpec")).filter((spec) => spec !== undefined)
  const rest = { ...others, ...(choice === undefined && toolChoice !== undefined ? { toolChoice } : {}) }
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

const said: ReadonlySet<string> = new Set(["name", "description", "inputSchema"])

const decodeTool = (tool: Json.JsonObject, native: Json.Json): ToolDefinition.ToolDefinition => {
  const spec = objectField(tool, "toolSpec")
  const kind = statedKey(tool) ?? "tool"
  const fields = spec ?? objectField(tool, kind) ?? {}
  const name = stringField(fields, "name") ?? kind
  const { name: _, ...settings } = fields
  return Definition.make({
    name,
    description: stringField(fields, "description"),
    inputSchema: objectField(objectField(fields, "inputSchema"), "json"),
    // Nova's own tools, such as `{ systemTool: { name: "nova_grounding" } }`.
    provider: spec === undefined ? { id: `bedrock.${name}`, name, settings } : undefined,
    settings: spec === undefined ? undefined : settingsBeside(formatName, spec, said),
    native: { format: formatName, json: native }
  })
}

/** A name that the API refuses would be sent as another one: such a choice is kept as it stands. */
const decodeChoice = (choice: unknown, isLegal: (name: string) => boolean): ToolChoice | undefined => {
  if (!isObject(choice) || Object.keys(choice).length !== 1) return undefined
  if (isEmpty(choice["auto"])) return { _tag: "Auto" }
  if (isEmpty(choice["any"])) return { _tag: "Required" }
  const tool = objectField(choice, "tool") ?? {}
  const name = stringField(tool, "name")
  return name === undefined || !isLegal(name) || Object.keys(tool).length !== 1
    ? undefined
    : { _tag: "OneOf", names: [name] }
}

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0
