/** Definitions as entries of a request, as far as several APIs have them alike. */
import type { Loss, ToolDefinition } from "@wield/core"
import { Facts, Json, ToolDefinition as Definition } from "@wield/core"
import type { Offered } from "../WireFormat.js"
import { anthropicProperties } from "../dialect/anthropicProperties.js"
import { isBounded, toJsonObject, inputSchema } from "./json.js"
import type { NameRule } from "./nameMap.js"
import { nameMap } from "./nameMap.js"
import { objectRoot } from "./objectRoot.js"
import type { Fields } from "./wireField.js"
import { objectField, stringField } from "./wireField.js"

interface FunctionEntry {
  /** `undefined` where the API cannot offer the tool. */
  readonly tool: Json.JsonObject | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
}

/** A schema as an API takes it, and what it cannot say. */
type Rewrite = (
  subject: string,
  schema: Json.JsonSchema
) => { readonly schema: Json.JsonSchema; readonly losses: ReadonlyArray<Loss.Loss> }

const whole: Rewrite = (_, schema) => ({ schema, losses: [] })

/** `api` names the API in sentences, `format` the wire format: a tool of one of its requests is put back as it stood. */
export const functionEntry =
  (api: string, format: string, rewrite: Rewrite = whole) =>
  (definition: ToolDefinition.ToolDefinition, nativeName: string): FunctionEntry => {
    const { description, facts, name: subject, native, provider } = definition
    if (native?.format === format && Json.isObject(native.json)) {
      // An object of JSON is a JSON object.
      return { tool: native.json as Json.JsonObject, losses: [] }
    }
    if (provider !== undefined) {
      if (provider.id.startsWith(`${format}.`))
        return { tool: { type: provider.name, ...provider.settings }, losses: [] }
      const reason = `${api} does not have the tool ${provider.id}; it is not offered.`
      return { tool: undefined, losses: [{ subject, path: [], keyword: "provider", reason }] }
    }
    const own = ownSettings(definition, format)
    const beside = objectField(own ?? {}, "function") as Json.JsonObject | undefined
    const sendable = inputSchema(subject, definition.inputSchema)
    const root = objectRoot(subject, sendable.schema)
    const { schema, losses: unsaid } = rewrite(subject, root.schema)
    const losses = [...sendable.losses, ...root.losses, ...unsaid]
    if (facts.examples.length > 0) {
      const reason = `${api} has no field for examples; they are left out.`
      losses.push({ subject, path: [], keyword: "examples", reason })
    }
    const described = {
      ...beside,
      name: nativeName,
      ...(description === undefined ? {} : { description }),
      ...(ownSchema(definition, "parameters", rewrite === whole ? own : undefined, false) ?? {
        parameters: toJsonObject(schema)
      })
    }
    return { tool: { ...own, type: "function", function: described }, losses }
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

/** The entries of `tools` for these definitions. */
export const encodeFunctionEntries = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  nameRule: NameRule,
  entry: (definition: ToolDefinition.ToolDefinition, nativeName: string) => FunctionEntry,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> => {
  const { toNative } = nameMap(definitions, nameRule)
  return definitions.flatMap((definition) => {
    const encoded = entry(definition, toNative(definition.name))
    losses.push(...encoded.losses)
    return encoded.tool === undefined ? [] : [encoded.tool]
  })
}

export const decodeFunctionEntry =
  (format: string) =>
  (tool: Json.JsonObject): ToolDefinition.ToolDefinition => {
    const described = objectField(tool, "function")
    const { type, ...settings } = tool
    const kind = typeof type === "string" ? type : "tool"
    return {
      name: (described === undefined ? undefined : stringField(described, "name")) ?? kind,
      description: described === undefined ? undefined : stringField(described, "description"),
      inputSchema: objectField(described ?? {}, "parameters") ?? Definition.noParameters,
      outputSchema: undefined,
      facts: Facts.unstated,
      provider: described === undefined ? { id: `${format}.${kind}`, name: kind, settings } : undefined,
      ...(described === undefined ? {} : { settings: functionSettings(format, tool, described) }),
      native: { format, json: tool }
    }
  }

/** The tools of a request body; `undefined` for what is no list of tools, or an empty one. */
export const functionEntries = (tools: unknown): ReadonlyArray<Json.JsonObject> | undefined =>
  Array.isArray(tools) && tools.length > 0 && tools.every(Json.isObject)
    ? // The body is parsed JSON.
      (tools as ReadonlyArray<Json.JsonObject>)
    : undefined

/** The keys that have no words, as a definition holds them; null says that what has words is not stated. */
export const settingsBeside = (
  format: string,
  tool: Fields,
  said: ReadonlySet<string>
): NonNullable<ToolDefinition.ToolDefinition["settings"]> => ({
  format,
  // A request's body is JSON.
  json: Object.fromEntries(
    Object.entries(tool).filter(([key, value]) => !said.has(key) || value === null)
  ) as Json.JsonObject
})

/** `undefined` for a tool of another API, or of none. */
export const ownSettings = ({ settings }: ToolDefinition.ToolDefinition, format: string): Json.JsonObject | undefined =>
  settings?.format === format ? settings.json : undefined

/**
 * The schema under its key; without the key where the tool stated no schema.
 * `undefined` where it has to be written like any other: the tool did not say
 * whether the API holds the model to it, and now it is to.
 */
export const ownSchema = (
  { inputSchema }: ToolDefinition.ToolDefinition,
  key: string,
  own: Json.JsonObject | undefined,
  isStrict: boolean
): Json.JsonObject | undefined => {
  if (own === undefined || (isStrict && own["strict"] === undefined)) return undefined
  if (inputSchema === Definition.noParameters) return {}
  return isBounded(inputSchema) ? { [key]: toJsonObject(inputSchema) } : undefined
}

/**
 * Remembers per definition what was made of it under its native name. The name
 * depends on the other tools of the request too, so a definition that is
 * mapped differently now is made again.
 */
export const definitionCache = <A>(
  make: (definition: ToolDefinition.ToolDefinition, nativeName: string) => A
): ((definition: ToolDefinition.ToolDefinition, nativeName: string) => A) => {
  const cache = new WeakMap<ToolDefinition.ToolDefinition, { readonly nativeName: string; readonly made: A }>()
  return (definition, nativeName) => {
    const known = cache.get(definition)
    if (known !== undefined && known.nativeName === nativeName) return known.made
    const made = make(definition, nativeName)
    cache.set(definition, { nativeName, made })
    return made
  }
}

export interface CallReader {
  readonly fromNative: (native: string) => string
  /** `name` is Wield's name of the tool. */
  readonly readArguments: (name: string, sent: unknown) => unknown
}

/** For calls in a request body, which are kept as they stand. */
export const asSent = (_: string, sent: unknown): unknown => sent

/** For Anthropic's API, and Bedrock's, which hands schemas on to it. */
export const callReader = (offered: Offered | undefined, rule: NameRule): CallReader => {
  const definitions = offered?.definitions ?? []
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  return {
    fromNative: nameMap(definitions, rule).fromNative,
    readArguments: (name, sent) => {
      const definition = byName.get(name)
      return definition === undefined || definition.provider !== undefined
        ? sent
        : anthropicProperties(definition).restore(sent)
    }
  }
}
