/** Definitions as entries of a request, as far as several APIs have them alike. */
import type { Loss, ToolDefinition } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Definition from "@wield/core/ToolDefinition"
import type { Offered, ToolsOptions } from "./contract.js"
import { anthropicProperties } from "../dialect/propertyNames.js"
import { anthropicStrict } from "../dialect/anthropicStrict.js"
import { isBounded, inputSchema } from "./json.js"
import * as NameMap from "../NameMap.js"
import { lossOf } from "./losses.js"
import { objectRoot } from "./objectRoot.js"
import { type Fields, isList, isObject, objectField, stringField } from "./wireField.js"

/** How an API writes the entries of `tools`. */
interface ToolShape {
  /** The API within a sentence, and the name of its format. */
  readonly api: string
  readonly name: string
  readonly nameRule: NameMap.NameRule
  /** The entry of a function. What it cannot say is added to the losses. */
  readonly functionTool: (
    definition: ToolDefinition.ToolDefinition,
    nativeName: string,
    isStrict: boolean,
    losses: Array<Loss.Loss>
  ) => Json.JsonObject
  /** The entry of a tool that the provider runs; `undefined` for a tool of another API. */
  readonly providerTool?: (provider: ToolDefinition.ProviderTool) => Json.JsonObject | undefined
  /** Whether a function's entry carries examples: it does not, unless given. */
  readonly hasExamples?: boolean
  /** Whether JSON of a request is an entry of `tools`; all of it is, unless given. */
  readonly isEntry?: (json: Json.JsonObject) => boolean
}

interface MadeTool {
  readonly nativeName: string
  readonly tool: Json.JsonObject | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * Writes definitions as entries of `tools`. A tool that came out of a request of this API is put back as it stood.
 *
 * Entries are remembered by definition. A native name depends on the other tools of the request too, so a definition
 * with another native name is written again.
 */
export const toolEncoder = (shape: ToolShape) => {
  const made = [
    new WeakMap<ToolDefinition.ToolDefinition, MadeTool>(),
    new WeakMap<ToolDefinition.ToolDefinition, MadeTool>()
  ]
  const make = (definition: ToolDefinition.ToolDefinition, nativeName: string, isStrict: boolean): MadeTool => {
    const { facts, name: subject, provider } = definition
    const losses: Array<Loss.Loss> = []
    const lose = (keyword: string, reason: string) => void losses.push(lossOf(subject, [], keyword, reason))
    if (provider !== undefined) {
      const tool = shape.providerTool?.(provider)
      if (tool === undefined) lose("provider", `${shape.api} does not have the tool ${provider.id}; it is not offered.`)
      return { nativeName, tool, losses }
    }
    const tool = withSettings(
      shape.functionTool(definition, nativeName, isStrict, losses),
      definition.providerSettings?.[shape.name],
      (key) => lose(key, "Wield says it itself; the setting is left out.")
    )
    if (shape.hasExamples !== true && facts.examples.length > 0) {
      lose("examples", `${shape.api} has no field for examples; they are left out.`)
    }
    return { nativeName, tool, losses }
  }
  return (
    definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
    { isStrict = false }: Pick<ToolsOptions, "isStrict">,
    { toNative }: Pick<NameMap.NameMap, "toNative"> = NameMap.make(definitions, shape.nameRule)
  ) => {
    const losses: Array<Loss.Loss> = []
    const cache = made[isStrict ? 1 : 0]
    const offered = definitions.flatMap((definition) => {
      const kept = keptEntries(definition, shape.name)
      if (kept.length > 0 && kept.every(shape.isEntry ?? (() => true))) {
        return kept.map((tool) => ({ definition, tool }))
      }
      const nativeName = toNative(definition.name)
      const known = cache?.get(definition)
      const entry = known?.nativeName === nativeName ? known : make(definition, nativeName, isStrict)
      cache?.set(definition, entry)
      losses.push(...entry.losses)
      return entry.tool === undefined ? [] : [{ definition, tool: entry.tool }]
    })
    // `offered` has each entry with the definition that it comes from; more may be added to the losses.
    return { offered, tools: offered.map(({ tool }) => tool), toNative, losses }
  }
}

/** Within these, some APIs say what a function is. */
const nested: ReadonlySet<string> = new Set(["function", "toolSpec"])
const reserved: ReadonlySet<string> = new Set(
  "type name description strict parameters parametersJsonSchema input_schema inputSchema input_examples".split(" ")
)

/** An entry with the application's own keys, none of which takes the place of what is said already. */
const withSettings = (
  entry: Json.JsonObject,
  settings: Json.JsonObject | undefined,
  lose: (key: string) => void
): Json.JsonObject => {
  if (!isObject(settings)) return entry
  const added = Object.entries(settings).flatMap(([key, value]): ReadonlyArray<readonly [string, Json.Json]> => {
    const said = Object.hasOwn(entry, key) ? entry[key] : undefined
    if (nested.has(key) && isObject(said) && isObject(value)) return [[key, withSettings(said, value, lose)]]
    if (said === undefined && !reserved.has(key)) return [[key, value]]
    lose(key)
    return []
  })
  return { ...entry, ...Object.fromEntries(added) }
}

/** The entries that a definition was decoded from; Bedrock's tools have cache points behind them. */
const keptEntries = ({ native }: ToolDefinition.ToolDefinition, format: string): ReadonlyArray<Json.JsonObject> => {
  if (native?.format !== format) return []
  const entries = isList(native.json) ? native.json : [native.json]
  return entries.filter(isObject)
}

/** A schema as an API takes it, and what it cannot say. */
type Rewrite = (
  subject: string,
  schema: Json.JsonSchema
) => { readonly schema: Json.JsonSchema; readonly losses: ReadonlyArray<Loss.Loss> }

/** The entry of a function for APIs that copy Chat Completions. `rewrite` restricts the schema in strict mode. */
export const functionEntry =
  (format: string, rewrite: Rewrite | undefined): ToolShape["functionTool"] =>
  (definition, nativeName, isStrict, losses) => {
    const { description, name: subject } = definition
    const own = ownSettings(definition, format)
    const beside = objectField(own, "function")
    const restrict = isStrict ? rewrite : undefined
    const sendable = inputSchema(subject, definition.inputSchema)
    const root = objectRoot(subject, sendable.schema)
    const { schema, losses: unsaid } = restrict?.(subject, root.schema) ?? { schema: root.schema, losses: [] }
    losses.push(...sendable.losses, ...root.losses, ...unsaid)
    const described = {
      ...beside,
      name: nativeName,
      ...(description === undefined ? {} : { description }),
      ...(ownSchema(definition, "parameters", restrict === undefined ? own : undefined, false) ?? {
        parameters: Json.fromObject(schema)
      })
    }
    return { ...own, type: "function", function: described }
  }

/** The entry of a provider's tool, where its id names the format. */
export const typedTool =
  (format: string): NonNullable<ToolShape["providerTool"]> =>
  ({ id, name, settings }) =>
    id.startsWith(`${format}.`) ? { type: name, ...settings } : undefined

/** The fields of a function for Anthropic's API, and for Bedrock's, which hands schemas on to it. */
export const claudeFunction = (
  definition: ToolDefinition.ToolDefinition,
  format: string,
  schemaKey: string,
  isStrict: boolean,
  losses: Array<Loss.Loss>
) => {
  const properties = anthropicProperties(definition)
  const own = ownSettings(definition, format)
  const stated = ownSchema(definition, schemaKey, own, isStrict)
  const root = stated === undefined ? objectRoot(definition.name, properties.schema) : undefined
  // Bedrock's strict mode is Anthropic's: it is offered for Claude, with the same grammar.
  const strict = isStrict && root !== undefined ? anthropicStrict(definition.name, root.schema) : undefined
  losses.push(...(root?.losses ?? []), ...properties.losses, ...(strict?.losses ?? []))
  return {
    own,
    /** The schema under its key; nothing where a tool of this API stated none. */
    schema: stated ?? { [schemaKey]: Json.fromObject(strict?.schema ?? root?.schema ?? {}) },
    strict: strict?.schema === undefined ? {} : { strict: true },
    rename: properties.rename
  }
}

/** What a tool states beside what has words, around the function's own keys and among them. */
export const functionSettings = (
  format: string,
  tool: Fields,
  described: Fields
): NonNullable<ToolDefinition.ToolDefinition["settings"]> => {
  const { json: around } = settingsBeside(format, tool === described ? {} : tool, saidAround)
  const { json: among } = settingsBeside(format, described, saidAmong)
  return { format, json: Object.keys(among).length === 0 ? around : { ...around, function: among } }
}

const saidAround: ReadonlySet<string> = new Set(["type", "function"])
const saidAmong: ReadonlySet<string> = new Set(["name", "description", "parameters"])

export const decodeFunctionEntry =
  (format: string) =>
  (tool: Json.JsonObject): ToolDefinition.ToolDefinition => {
    const described = objectField(tool, "function")
    const { type, ...settings } = tool
    const kind = typeof type === "string" ? type : "tool"
    return Definition.make({
      name: stringField(described, "name") ?? kind,
      description: stringField(described, "description"),
      inputSchema: objectField(described, "parameters"),
      provider: described === undefined ? { id: `${format}.${kind}`, name: kind, settings } : undefined,
      settings: described === undefined ? undefined : functionSettings(format, tool, described),
      native: { format, json: tool }
    })
  }

/** The tools of a request body; `undefined` for anything else, and for an empty list. */
export const functionEntries = (tools: unknown): ReadonlyArray<Json.JsonObject> | undefined =>
  isList(tools) && tools.length > 0 && tools.every(isObject) ? tools : undefined

/** The keys that have no words, as a definition holds them; null says that what has words is not stated. */
export const settingsBeside = (
  format: string,
  tool: Fields,
  said: ReadonlySet<string>
): NonNullable<ToolDefinition.ToolDefinition["settings"]> => ({
  format,
  json: Object.fromEntries(Object.entries(tool).filter(([key, value]) => !said.has(key) || value === null))
})

/** `undefined` for a tool of another API, or of none. */
export const ownSettings = ({ settings }: ToolDefinition.ToolDefinition, format: string): Json.JsonObject | undefined =>
  settings?.format === format ? settings.json : undefined

/**
 * The schema of a tool that this API stated, under its key; `{}` where it stated none. `undefined` where the schema has
 * to be written like any other.
 */
export const ownSchema = (
  { inputSchema }: ToolDefinition.ToolDefinition,
  key: string,
  own: Json.JsonObject | undefined,
  isStrict: boolean
): Json.JsonObject | undefined => {
  if (own === undefined || (isStrict && own["strict"] === undefined)) return undefined
  if (inputSchema === Definition.noParameters) return {}
  return isBounded(inputSchema) ? { [key]: Json.fromObject(inputSchema) } : undefined
}

export interface CallReader {
  readonly fromNative: (native: string) => string
  /** `name` is Wield's name of the tool. */
  readonly readArguments: (name: string, sent: unknown) => unknown
}

/** For calls in a request body, which are kept as they stand. */
export const asSent = (_: string, sent: unknown): unknown => sent

/** For Anthropic's API, and Bedrock's, which hands schemas on to it. */
export const callReader = (offered: Offered | undefined, rule: NameMap.NameRule): CallReader => {
  const definitions = offered?.definitions ?? []
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  return {
    fromNative: NameMap.make(definitions, rule).fromNative,
    readArguments: (name, sent) => {
      const definition = byName.get(name)
      return definition === undefined || definition.provider !== undefined
        ? sent
        : anthropicProperties(definition).restore(sent)
    }
  }
}
