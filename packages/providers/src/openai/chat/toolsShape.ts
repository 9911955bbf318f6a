/**
 * Where a Chat Completions request has what is said of tools.
 */
import { Json } from "@wield/core"
import type { Shape } from "../encodeTools.js"

export const makeShape = (format: string): Shape => ({
  format,
  // An entry of the first years' `functions` has neither key.
  isEntry: (tool) => "type" in tool || "function" in tool,
  functionSettings: (settings) => {
    const described = settings["function"]
    return isJsonObject(described) ? described : {}
  },
  functionEntry: ({ name, description, own, parameters, isStrict }) => ({
    type: "function",
    function: {
      ...own,
      name,
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { parameters }),
      // Not said where it is false, the default: some compatible servers refuse keys that they do not know.
      ...(isStrict ? { strict: true } : {})
    }
  }),
  functionReference: (name) => ({ type: "function", function: { name } }),
  providerReference: (tool, name) => {
    const type = tool["type"] ?? name
    return type === "custom" ? { type, custom: { name } } : { type }
  },
  oneOf: (tools) => ({ type: "allowed_tools", allowed_tools: { mode: "required", tools } })
})

const isJsonObject = (json: Json.Json | undefined): json is Json.JsonObject => Json.isObject(json)
