/** Definitions as OpenAI's two APIs take them, and calls read back by them. */
import type { Loss, ToolDefinition } from "@wield/core"
import { Json } from "@wield/core"
import type { ToolChoice, WireFormat } from "../WireFormat.js"
import { openAiStrict } from "../dialect/openAiStrict.js"
import { restoreOptional } from "../dialect/restoreValue.js"
import { inputSchema, toJsonObject } from "../internal/json.js"
import type { NameMap } from "../internal/nameMap.js"
import { nameMap } from "../internal/nameMap.js"
import { objectRoot } from "../internal/objectRoot.js"
import { definitionCache, ownSchema, ownSettings } from "../internal/tools.js"

/** Where one of the two APIs puts things. */
export interface Shape {
  /** Name of the format: a tool that came from one of its own requests is put back as it stood there. */
  readonly format: string
  /** Whether a tool of such a request is an entry of `tools`. */
  readonly isEntry: (tool: Json.JsonObject) => boolean
  /** Which of the settings of a tool stand beside its name. */
  readonly functionSettings: (settings: Json.JsonObject) => Json.JsonObject
  /** The entry of `tools` for a function. */
  readonly functionEntry: (tool: FunctionTool) => Json.JsonObject
  /** How a choice refers to a function. */
  readonly functionReference: (nativeName: string) => Json.JsonObject
  /** How a choice refers to a tool that the API itself defines. */
  readonly providerReference: (tool: Json.JsonObject, nativeName: string) => Json.JsonObject
  /** The choice by which one of several must be called. */
  readonly oneOf: (references: ReadonlyArray<Json.JsonObject>) => Json.JsonObject
}

interface Encoded {
  readonly tool: Json.JsonObject | undefined
  readonly reference: Json.JsonObject
  readonly losses: ReadonlyArray<Loss.Loss>
}

export const makeEncodeTools = (
  shape: Shape,
  offeredTools: (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) => OfferedTools
): WireFormat["encodeTools"] => {
  const encodeOne =
    (isStrict: boolean) =>
    (definition: ToolDefinition.ToolDefinition, nativeName: string): Encoded => {
      if (definition.provider !== undefined) {
        const { tool, losses } = verbatim(definition, shape) ?? providerTool(definition, definition.provider)
        return { tool, losses, reference: tool === undefined ? {} : shape.providerReference(tool, nativeName) }
      }
      const reference = shape.functionReference(nativeName)
      const kept = verbatim(definition, shape)
      if (kept !== undefined) return { ...kept, reference }
      const own = ownSettings(definition, shape.format)
      const described = functionTool(definition, nativeName, isStrict, own && shape.functionSettings(own))
      return { tool: { ...own, ...shape.functionEntry(described) }, reference, losses: described.losses }
    }
  const strict = definitionCache(encodeOne(true))
  const plain = definitionCache(encodeOne(false))

  return (definitions, options = {}) => {
    const { toNative } = offeredTools(definitions)
    const encode = options.isStrict === true ? strict : plain
    const tools: Array<Json.JsonObject> = []
    const losses: Array<Loss.Loss> = []
    const offered: Array<OfferedTool> = []
    for (const definition of definitions) {
      const encoded = encode(definition, toNative(definition.name))
      losses.push(...encoded.losses)
      if (encoded.tool === undefined) continue
      tools.push(encoded.tool)
      offered.push({ name: definition.name, reference: encoded.reference })
    }
    const chosen = options.choice === undefined ? undefined : chosenTools(options.choice, offered)
    if (chosen !== undefined) losses.push(...chosen.losses)
    // An empty `tools` is refused, and so is anything about tools without it.
    if (tools.length === 0) return { body: {}, losses }
    return {
      body: {
        tools,
        ...(chosen?.choice === undefined ? {} : { tool_choice: toolChoice(chosen.choice, shape) }),
        ...(options.isParallel === undefined ? {} : { parallel_tool_calls: options.isParallel })
      },
      losses
    }
  }
}

const verbatim = (
  { native }: ToolDefinition.ToolDefinition,
  { format, isEntry }: Shape
): { readonly tool: Json.JsonObject; readonly losses: ReadonlyArray<Loss.Loss> } | undefined =>
  native?.format === format && isJsonObject(native.json) && isEntry(native.json)
    ? { tool: native.json, losses: [] }
    : undefined

const isJsonObject = (json: Json.Json): json is Json.JsonObject => Json.isObject(json)

const toolChoice = (choice: string | ReadonlyArray<Json.JsonObject>, shape: Shape): Json.Json => {
  if (typeof choice === "string") return choice
  const [first] = choice
  return choice.length === 1 && first !== undefined ? first : shape.oneOf(choice)
}

/** A tool that was put into the request, and how a choice refers to it. */
interface OfferedTool {
  readonly name: string
  readonly reference: Json.JsonObject
}

/**
 * `tool_choice` where it is a word, and otherwise the references to the tools
 * of which the model must call one. Undefined where the request can carry no
 * choice: both APIs answer 400 to a `tool_choice` without `tools`.
 */
const chosenTools = (
  choice: ToolChoice,
  offered: ReadonlyArray<OfferedTool>
): {
  readonly choice: "auto" | "none" | "required" | ReadonlyArray<Json.JsonObject> | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
} => {
  if (choice._tag === "Auto" || choice._tag === "None") {
    return { choice: offered.length === 0 ? undefined : choice._tag === "Auto" ? "auto" : "none", losses: [] }
  }
  if (offered.length === 0) {
    return { choice: undefined, losses: [lose("tool_choice", "No tools are offered, so none can be demanded.")] }
  }
  if (choice._tag === "Required") return { choice: "required", losses: [] }
  const losses: Array<Loss.Loss> = []
  const references: Array<Json.JsonObject> = []
  for (const name of choice.names) {
    const tool = offered.find((candidate) => candidate.name === name)
    if (tool === undefined) losses.push(lose(name, "It is not among the tools offered, so it cannot be demanded."))
    else references.push(tool.reference)
  }
  if (references.length > 0) return { choice: references, losses }
  return { choice: "none", losses: [...losses, lose("tool_choice", "It allows no tool, so calls are forbidden.")] }
}

const lose = (subject: string, reason: string): Loss.Loss => ({ subject, path: [], keyword: "tool_choice", reason })

interface FunctionTool {
  readonly name: string
  readonly description: string | undefined
  /** `undefined` where a tool of this API stated none. */
  readonly parameters: Json.JsonObject | undefined
  /** False also where strict mode was wanted and the schema has no strict form. */
  readonly isStrict: boolean
  /** What a tool of this API stated beside; it stands for all that is not above. */
  readonly own: Json.JsonObject | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
}

const functionTool = (
  definition: ToolDefinition.ToolDefinition,
  nativeName: string,
  isStrict: boolean,
  own?: Json.JsonObject
): FunctionTool => {
  const { description } = definition
  const stated = ownSchema(definition, "parameters", own, isStrict)
  if (stated !== undefined) {
    const { parameters } = stated
    return {
      name: nativeName,
      description,
      parameters: parameters as Json.JsonObject | undefined,
      isStrict: false,
      own,
      losses: []
    }
  }
  // Also without strict mode both APIs refuse a root that is a union, or an
  // object without `properties`.
  const sendable = inputSchema(definition.name, definition.inputSchema)
  const root = objectRoot(definition.name, sendable.schema)
  const strict = isStrict ? openAiStrict(definition.name, root.schema) : undefined
  return {
    name: nativeName,
    description,
    parameters: strict?.schema ?? withProperties(toJsonObject(root.schema)),
    isStrict: strict?.schema !== undefined,
    own,
    losses: [...sendable.losses, ...root.losses, ...(strict?.losses ?? [])]
  }
}

const withProperties = (schema: Json.JsonObject): Json.JsonObject =>
  schema["properties"] === undefined ? { ...schema, properties: {} } : schema

/** Both APIs refuse any other name with status 400. */
export const nameRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 }

export interface OfferedTools extends NameMap {
  /** The definition of this name (Wield's own, not the API's). */
  readonly definition: (name: string) => ToolDefinition.ToolDefinition | undefined
  /** Whether a tool that the API itself defines was offered under this name of the API's. */
  readonly hasProviderTool: (native: string) => boolean
}

/**
 * Looks definitions up by name, once per array of definitions. The cache is a
 * memo of a pure function keyed by identity: it holds no state that could be
 * observed, and lets go of arrays that nobody holds.
 */
export const makeOfferedTools = (): ((
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
) => OfferedTools) => {
  const cache = new WeakMap<ReadonlyArray<ToolDefinition.ToolDefinition>, OfferedTools>()
  return (definitions) => {
    if (definitions === undefined) return nothingOffered
    const known = cache.get(definitions)
    if (known !== undefined) return known
    const made = offeredTools(definitions)
    cache.set(definitions, made)
    return made
  }
}

const offeredTools = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): OfferedTools => {
  const byName = new Map<string, ToolDefinition.ToolDefinition>()
  const providerNames = new Set<string>()
  for (const definition of definitions) {
    byName.set(definition.name, definition)
    if (definition.provider !== undefined) providerNames.add(definition.provider.name)
  }
  return {
    ...nameMap(definitions, nameRule),
    definition: (name) => byName.get(name),
    hasProviderTool: (native) => providerNames.has(native)
  }
}

export const nothingOffered: OfferedTools = offeredTools([])

/** Ids of tools that only another API knows; OpenAI's own and those of compatible servers pass. */
const otherApis = /^(anthropic|google|gemini|vertex|bedrock|amazon|cohere|mistral|ollama)\./

/**
 * The entry of `tools`: the settings, with the provider's name as their `type`
 * unless they state one (`custom` tools do: their name is the tool's own).
 */
const providerTool = (
  definition: ToolDefinition.ToolDefinition,
  provider: ToolDefinition.ProviderTool
): { readonly tool: Json.JsonObject | undefined; readonly losses: ReadonlyArray<Loss.Loss> } => {
  if (!otherApis.test(provider.id)) {
    return {
      tool: "type" in provider.settings ? provider.settings : { type: provider.name, ...provider.settings },
      losses: []
    }
  }
  return {
    tool: undefined,
    losses: [
      {
        subject: definition.name,
        path: [],
        keyword: "provider",
        reason: `${provider.id} is a tool of another provider's API; it is not offered.`
      }
    ]
  }
}

/** `name` is Wield's name of the tool; `sent` is argument text or a value. */
export type ReadArguments = (name: string, sent: unknown) => unknown

const asSent: ReadArguments = (_, sent) => sent

/**
 * Text stays text, for the runner to parse, unless a `null` in it stands for
 * an absent optional parameter of a tool that was offered in strict mode.
 */
export const readArguments = (offered: OfferedTools, isStrict: boolean): ReadArguments => {
  if (!isStrict) return asSent
  return (name, sent) => {
    const definition: ToolDefinition.ToolDefinition | undefined = offered.definition(name)
    if (definition === undefined || definition.provider !== undefined) return sent
    if (typeof sent !== "string") return restoreOptional(definition.inputSchema, sent)
    if (!sent.includes("null")) return sent
    const parsed = parse(sent)
    const restored = restoreOptional(definition.inputSchema, parsed)
    return restored === parsed ? sent : restored
  }
}

/** Text that is not JSON is the runner's to repair or reject. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
