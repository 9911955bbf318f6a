/** Definitions as OpenAI's two APIs take them, and calls read back by them. */
import type { Loss, ToolDefinition } from "@wield/core"
import * as Json from "@wield/core/Json"
import type { ToolChoice, ToolsOptions, WireFormat } from "../internal/contract.js"
import { openAiStrict } from "../dialect/openAiStrict.js"
import { withItems } from "../dialect/keywords.js"
import { restoreOptional } from "../dialect/restoreValue.js"
import { type FormatTable, encodeChoice } from "../internal/format.js"
import { inputSchema, parseJson } from "../internal/json.js"
import { lossOf } from "../internal/losses.js"
import * as NameMap from "../NameMap.js"
import { objectRoot } from "../internal/objectRoot.js"
import { objectField } from "../internal/wireField.js"
import { ownSchema, ownSettings, toolEncoder } from "../internal/tools.js"

/** Where one of these APIs puts things. */
export interface Shape {
  /** Whether a tool of such a request is an entry of `tools`. */
  readonly isEntry: (tool: Json.JsonObject) => boolean
  /** Whether the API may have a provider's tool of this id. */
  readonly isOwnTool: (id: string) => boolean
  /** Which of the settings of a tool stand beside its name. */
  readonly functionSettings: (settings: Json.JsonObject) => Json.JsonObject
  readonly functionEntry: (tool: FunctionTool) => Json.JsonObject
  /** How a choice refers to a tool that the API itself defines. */
  readonly providerReference: (tool: Json.JsonObject, nativeName: string) => Json.JsonObject
}

/** Tools that only another API knows; OpenAI's own and those of compatible servers pass. */
export const isNotForeign = (id: string): boolean =>
  !/^(anthropic|google|gemini|vertex|bedrock|amazon|cohere|mistral|ollama)\./.test(id)

export const makeEncodeTools = (table: FormatTable, shape: Shape): WireFormat["encodeTools"] => {
  const encode = toolEncoder({
    ...table,
    isEntry: shape.isEntry,
    functionTool: (definition, nativeName, isStrict, losses) => {
      const own = ownSettings(definition, table.name)
      const described = functionTool(definition, nativeName, isStrict, own && shape.functionSettings(own), losses)
      return { ...own, ...shape.functionEntry(described) }
    },
    // A custom tool states its type: the name is the tool's own.
    providerTool: ({ id, name, settings }) =>
      !shape.isOwnTool(id) ? undefined : "type" in settings ? settings : { type: name, ...settings }
  })
  return (definitions, options = {}) => {
    const { losses, offered, toNative, tools } = encode(definitions, options, offeredTools(table, definitions))
    const references = new Map<Json.Json, Json.Json>()
    for (const { definition, tool } of offered) {
      const native = toNative(definition.name)
      const isProvider = definition.provider !== undefined
      references.set(
        definition.name,
        isProvider ? shape.providerReference(tool, native) : (table.choice.one?.(native) ?? null)
      )
    }
    const choice = encodeChoiceOf(references, table, options, losses)
    // An empty `tools` is refused, and so is anything about tools without it.
    if (offered.length === 0) return { body: {}, losses }
    return {
      body: {
        tools,
        ...(choice === undefined ? {} : { tool_choice: choice }),
        ...(options.isParallel === undefined || !table.choice.hasParallel
          ? {}
          : { parallel_tool_calls: options.isParallel })
      },
      losses
    }
  }
}

/** Both APIs answer 400 to a choice without tools, and to one of a tool that is not offered. */
const encodeChoiceOf = (
  references: ReadonlyMap<Json.Json, Json.Json>,
  table: FormatTable,
  { choice, isParallel }: ToolsOptions,
  losses: Array<Loss.Loss>
): Json.Json | undefined => {
  const lose = (subject: string, reason: string) => void losses.push(lossOf(subject, [], "tool_choice", reason))
  const isDemand = choice?._tag === "Required" || choice?._tag === "OneOf"
  if (references.size === 0) {
    if (isDemand) lose("tool_choice", "No tools are offered, so none can be demanded.")
    return undefined
  }
  const reference = (name: Json.Json): Json.Json => references.get(name) ?? null
  const { one, several } = table.choice
  const named = {
    api: table.api,
    choice: {
      ...table.choice,
      ...(one === undefined ? {} : { one: reference }),
      ...(several === undefined ? {} : { several: (names: ReadonlyArray<Json.Json>) => several(names.map(reference)) })
    }
  }
  const encode = (chosen: ToolChoice | undefined) => encodeChoice(named, { choice: chosen, isParallel }, String, losses)
  if (choice?._tag !== "OneOf") return encode(choice)
  const names = choice.names.filter((name) => {
    if (!references.has(name)) lose(name, "It is not among the tools offered, so it cannot be demanded.")
    return references.has(name)
  })
  if (names.length > 0) return encode({ ...choice, names })
  lose("tool_choice", "It allows no tool, so calls are forbidden.")
  return encode({ _tag: "None" })
}

type FunctionTool = ReturnType<typeof functionTool>

/** `own` is what a tool of this API stated beside: it stands for all that has no words. */
const functionTool = (
  definition: ToolDefinition.ToolDefinition,
  name: string,
  isStrict: boolean,
  own: Json.JsonObject | undefined,
  losses: Array<Loss.Loss>
) => {
  const { description } = definition
  const stated = ownSchema(definition, "parameters", own, isStrict)
  if (stated !== undefined) {
    return { name, description, parameters: objectField(stated, "parameters"), isStrict: false, own }
  }
  const root = rootOf(definition)
  const strict = isStrict ? strictOf(definition) : undefined
  losses.push(...root.losses, ...(strict?.losses ?? []))
  const parameters = strict?.schema ?? withProperties(Json.fromObject(withItems(root.schema)))
  return { name, description, parameters, isStrict: strict?.schema !== undefined, own }
}

/** Also without strict mode both APIs refuse a root that is a union, or an object without `properties`. */
const rootOf = (definition: ToolDefinition.ToolDefinition) => {
  const sendable = inputSchema(definition.name, definition.inputSchema)
  const root = objectRoot(definition.name, sendable.schema)
  return { schema: root.schema, losses: [...sendable.losses, ...root.losses] }
}

type Strict = ReturnType<typeof openAiStrict>

const stricts = new WeakMap<ToolDefinition.ToolDefinition, Strict>()

/** Made once for a definition: it is needed for every request and every call. */
const strictOf = (definition: ToolDefinition.ToolDefinition): Strict => {
  const made = stricts.get(definition) ?? openAiStrict(definition.name, rootOf(definition).schema)
  stricts.set(definition, made)
  return made
}

const withProperties = (schema: Json.JsonObject): Json.JsonObject =>
  schema["properties"] === undefined ? { ...schema, properties: {} } : schema

/** Both APIs refuse any other name with status 400. */
export const nameRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 }

export interface OfferedTools extends NameMap.NameMap {
  readonly rule: NameMap.NameRule
  /** The definition of this name (Wield's own, not the API's). */
  readonly definition: (name: string) => ToolDefinition.ToolDefinition | undefined
  /** Whether a tool that the API itself defines was offered under this name of the API's. */
  readonly hasProviderTool: (native: string) => boolean
}

const known = new WeakMap<ReadonlyArray<ToolDefinition.ToolDefinition>, OfferedTools>()

/** Looks definitions up by name; remembered for each array of definitions, as the last format to ask names them. */
export const offeredTools = (
  { nameRule: rule }: Pick<FormatTable, "nameRule">,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition> = none
): OfferedTools => {
  const cached = known.get(definitions)
  if (cached?.rule === rule) return cached
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  const providerNames = new Set(definitions.map(({ provider }) => provider?.name))
  const made: OfferedTools = {
    ...NameMap.make(definitions, rule),
    rule,
    definition: (name) => byName.get(name),
    hasProviderTool: (native) => providerNames.has(native)
  }
  known.set(definitions, made)
  return made
}

const none: ReadonlyArray<ToolDefinition.ToolDefinition> = []

/** `name` is Wield's name of the tool; `sent` is argument text or a value. */
export type ReadArguments = (name: string, sent: unknown) => unknown

const asSent: ReadArguments = (_, sent) => sent

/** Text stays text, unless a `null` in it stands for an absent parameter of a strict tool. */
export const readArguments = (offered: OfferedTools, isStrict: boolean): ReadArguments => {
  if (!isStrict) return asSent
  return (name, sent) => {
    const definition: ToolDefinition.ToolDefinition | undefined = offered.definition(name)
    if (definition === undefined || definition.provider !== undefined) return sent
    if (typeof sent === "string" && !sent.includes("null")) return sent
    // Nothing stands for an absent parameter where the tool was sent without strict mode.
    if (strictOf(definition).schema === undefined) return sent
    if (typeof sent !== "string") return restoreOptional(definition.inputSchema, sent)
    // Text that is not JSON is the runner's to repair or reject.
    const parsed = parseJson(sent)
    const restored = restoreOptional(definition.inputSchema, parsed)
    return restored === parsed ? sent : restored
  }
}
