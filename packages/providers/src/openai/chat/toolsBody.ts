/**
 * The part of a request that offers tools, with the functions of the API's
 * first years where they came from a request that had them.
 */
import type { ToolDefinition } from "@wield/core"
import { Json } from "@wield/core"
import type { EncodedTools, ToolChoice, ToolsOptions, WireFormat } from "../../WireFormat.js"
import { isLegacyFunction } from "./decodeTools.js"

export const toolsBody = (
  format: string,
  encodeTools: WireFormat["encodeTools"],
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions
): EncodedTools => {
  const functions = definitions.flatMap(({ native }) =>
    native?.format === format && Json.isObject(native.json) && isLegacyFunction(native.json) ? [native.json] : []
  )
  if (functions.length === 0 || functions.length < definitions.length) return encodeTools(definitions, options)
  const choice = legacyChoice(options.choice)
  return { body: { functions, ...(choice === undefined ? {} : { function_call: choice }) }, losses: [] }
}

const legacyChoice = (choice: ToolChoice | undefined): Json.Json | undefined => {
  if (choice === undefined) return undefined
  if (choice._tag === "OneOf") return choice.names.length === 1 ? { name: choice.names[0] ?? "" } : undefined
  return choice._tag === "None" ? "none" : "auto"
}
