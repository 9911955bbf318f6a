/**
 * Where a Responses request has what is said of tools.
 */
import type { Shape } from "../openai/encodeTools.js"
import { name } from "./name.js"

export const shape: Shape = {
  format: name,
  isEntry: () => true,
  functionSettings: (settings) => settings,
  functionEntry: ({ name, description, own, parameters, isStrict }) => ({
    ...own,
    type: "function",
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    // Where it is left out, this API rewrites the schema into a strict one by itself.
    ...(own === undefined || isStrict ? { strict: isStrict } : {})
  }),
  functionReference: (name) => ({ type: "function", name }),
  providerReference: (tool, name) => {
    const type = tool["type"] ?? name
    if (type === "custom") return { type, name }
    const server = tool["server_label"]
    return type === "mcp" && server !== undefined ? { type, server_label: server } : { type }
  },
  oneOf: (tools) => ({ type: "allowed_tools", mode: "required", tools })
}
