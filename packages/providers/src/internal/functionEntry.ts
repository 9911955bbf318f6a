/**
 * A tool as Cohere and Ollama describe it, after OpenAI's first API:
 * `{ type: "function", function: { name, description, parameters } }`.
 */
import type { Loss, ToolDefinition } from "@wield/core"
import { Facts, Json, ToolDefinition as Definition } from "@wield/core"
import { inputSchema } from "./inputSchema.js"
import type { NameRule } from "./nameMap.js"
import { nameMap } from "./nameMap.js"
import { objectRoot } from "./objectRoot.js"
import { toJsonObject } from "./toJson.js"
import { ownSchema, ownSettings, settingsBeside } from "./ownTool.js"
import type { Fields } from "./wireField.js"
import { objectField, stringField } from "./wireField.js"

export interface FunctionEntry {
  /** `undefined` where the API cannot offer the tool. */
  readonly tool: Json.JsonObject | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
}

/** A schema as an API takes it, and what it cannot say. */
export type Rewrite = (
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
