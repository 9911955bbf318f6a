/** Gemini's API: `tools` and `toolConfig`, written and read. */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as ToolDefinition from "@wield/core/ToolDefinition"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { ToolsOptions, WireFormat } from "../internal/contract.js"
import { fromOpenApi } from "../dialect/fromOpenApi.js"
import { geminiSchema } from "../dialect/geminiSchema.js"
import { geminiSubset } from "../dialect/geminiSubset.js"
import { fail, formatName, table } from "./format.js"
import { encodeChoice } from "../internal/format.js"
import { either, listOf, unsaid } from "./turn.js"
import { inputSchema } from "../internal/json.js"
import { lossOf } from "../internal/losses.js"
import { objectRoot } from "../internal/objectRoot.js"
import { ownSettings, settingsBeside, toolEncoder } from "../internal/tools.js"
import { type Fields, stringField, isObject } from "../internal/wireField.js"

/** How schemas are said: whole, or in the subset of OpenAPI 3.0 that every model and endpoint takes. */
export type SchemaDialect = "json-schema" | "openapi"

export const makeEncodeTools = (dialect: SchemaDialect): WireFormat["encodeTools"] => {
  const encode = toolEncoder({
    ...table,
    functionTool: (definition, nativeName, _, losses) => {
      const { description, name: subject } = definition
      const own = ownSettings(definition, formatName)
      // A function without parameters need not say so.
      const isStated = own === undefined || definition.inputSchema !== ToolDefinition.noParameters
      const sendable = inputSchema(subject, definition.inputSchema, own !== undefined)
      const parameters = encodeSchema(dialect, subject, sendable.schema)
      losses.push(...sendable.losses, ...parameters.losses)
      return {
        ...own,
        name: nativeName,
        ...(description === undefined ? {} : { description }),
        ...(isStated ? parameters.fields : {})
      }
    },
    providerTool: ({ id, name, settings }) => (/^(google|gemini|vertex)\./.test(id) ? { [name]: settings } : undefined)
  })
  return (definitions, options = {}) => {
    const { losses, offered, toNative } = encode(definitions, {})
    const functionDeclarations: Array<Json.JsonObject> = []
    const serverTools: Array<Json.JsonObject> = []
    for (const { definition, tool } of offered) {
      if (definition.provider === undefined) functionDeclarations.push(tool)
      else serverTools.push(tool)
    }
    const tools = [...(functionDeclarations.length === 0 ? [] : [{ functionDeclarations }]), ...serverTools]
    if (tools.length === 0) return { body: {}, losses }
    // Gemini refuses a calling mode without functions.
    if (functionDeclarations.length === 0) return { body: { tools }, losses }
    const isAuto = options.choice === undefined || options.choice._tag === "Auto"
    const choice = encodeChoice(table, options, toNative, losses)
    // VALIDATED is AUTO held to the schemas; ANY is held to them anyway.
    const calling = isAuto && options.isStrict === true ? { mode: "VALIDATED" } : choice
    const toolConfig = {
      ...(calling === undefined ? {} : { functionCallingConfig: calling }),
      // Without this Gemini 3 refuses functions beside its own tools; earlier models refuse them in any case.
      ...(serverTools.length === 0 ? {} : { includeServerSideToolInvocations: true })
    }
    return { body: Object.keys(toolConfig).length === 0 ? { tools } : { tools, toolConfig }, losses }
  }
}

const encodeSchema = (
  dialect: SchemaDialect,
  subject: string,
  schema: Json.JsonObject
): { readonly fields: Json.JsonObject; readonly losses: ReadonlyArray<Loss.Loss> } => {
  if (dialect === "json-schema") {
    const { losses, schema: whole } = geminiSchema(subject, schema)
    return { fields: { parametersJsonSchema: whole }, losses }
  }
  const root = objectRoot(subject, schema)
  const { losses, schema: subset } = geminiSubset(subject, root.schema)
  // Gemini refuses an object without properties: a function without parameters has no schema.
  const { properties } = subset
  const isEmpty = isObject(properties) && Object.keys(properties).length === 0
  return { fields: isEmpty ? {} : { parameters: Json.fromObject(subset) }, losses: [...root.losses, ...losses] }
}

export const decodeTools = (
  tools: ReadonlyArray<Json.Json>,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<ToolDefinition.ToolDefinition>, WireError> => {
  const definitions: Array<ToolDefinition.ToolDefinition> = []
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) return fail(["tools", index], "a tool", tool)
    for (const [key, value] of Object.entries(tool)) {
      if (value === null) continue
      if (key !== "functionDeclarations" && key !== "function_declarations") {
        definitions.push(decodeServerTool(key, value))
        continue
      }
      const path = ["tools", index, key]
      const declarations = listOf(value)
      if (declarations === undefined) return fail(path, "an array of declarations", value)
      for (const [at, declaration] of declarations.entries()) {
        const name = stringField(declaration, "name")
        if (!isObject(declaration) || name === undefined) {
          return fail([...path, at], "a declaration with a name", declaration)
        }
        definitions.push(decodeFunction(declaration, name, losses))
      }
    }
  }
  return Either.right(definitions)
}

const said: ReadonlySet<string> = new Set(
  "name description parameters parametersJsonSchema parameters_json_schema".split(" ")
)

const decodeFunction = (declaration: Fields, name: string, losses: Array<Loss.Loss>): ToolDefinition.ToolDefinition => {
  for (const key of Object.keys(declaration)) if (!said.has(key)) losses.push(lossOf(name, [], key, unsaid))
  const whole = either(declaration, "parametersJsonSchema", "parameters_json_schema")
  const { parameters } = declaration
  return ToolDefinition.make({
    name,
    description: stringField(declaration, "description"),
    inputSchema: isObject(whole) ? whole : isObject(parameters) ? fromOpenApi(parameters) : undefined,
    settings: settingsBeside(formatName, declaration, said),
    native: { format: formatName, json: declaration }
  })
}

const decodeServerTool = (key: string, value: Json.Json): ToolDefinition.ToolDefinition => {
  const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const settings = isObject(value) ? value : {}
  return ToolDefinition.make({
    name,
    provider: { id: `google.${name}`, name, settings },
    native: { format: formatName, json: { [key]: value } }
  })
}

/** What a `toolConfig` says of which functions may be called. */
export const decodeToolConfig = (config: unknown): ToolsOptions => {
  const calling = either(config, "functionCallingConfig", "function_calling_config")
  if (!isObject(calling)) return {}
  const allowed = either(calling, "allowedFunctionNames", "allowed_function_names")
  const names = (Array.isArray(allowed) ? allowed : [allowed]).filter((name) => typeof name === "string")
  const { mode } = calling
  switch (typeof mode === "number" ? numberedModes[mode] : mode) {
    case "AUTO":
      return { choice: { _tag: "Auto" } }
    case "VALIDATED":
      return { choice: { _tag: "Auto" }, isStrict: true }
    case "NONE":
      return { choice: { _tag: "None" } }
    case "ANY":
      return { choice: names.length === 0 ? { _tag: "Required" } : { _tag: "OneOf", names } }
  }
  return {}
}

/** As Google's REST transport for Python numbers them. */
const numberedModes: ReadonlyArray<string> = ["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"]
