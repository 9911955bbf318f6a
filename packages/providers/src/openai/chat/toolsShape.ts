/**
 * Where a Chat Completions request has what is said of tools.
 */
import type { Shape } from "../encodeTools.js"

export const makeShape = (format: string): Shape => ({
  format,
  // An entry of the first years' `functions` has neither key.
  isEntry: (tool) => "type" in tool || "function" in tool,
  functionEntry: ({ name, description, parameters, isStrict }) => ({
    type: "function",
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      parameters,
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
