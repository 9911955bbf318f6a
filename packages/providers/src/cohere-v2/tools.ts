/** Cohere's Chat API: `tools`, `tool_choice` and `strict_tools`. */
import type { WireFormat } from "../internal/contract.js"
import { cohereStrict } from "../dialect/cohereStrict.js"
import { encodeChoice } from "../internal/format.js"
import { functionEntry, toolEncoder, typedTool } from "../internal/tools.js"
import { formatName, table } from "./format.js"

const encode = toolEncoder({
  ...table,
  functionTool: functionEntry(formatName, cohereStrict),
  providerTool: typedTool(formatName)
})

export const encodeTools: WireFormat["encodeTools"] = (definitions, options = {}) => {
  const { losses, toNative, tools } = encode(definitions, options)
  if (tools.length === 0) return { body: {}, losses }
  const choice = encodeChoice(table, options, toNative, losses)
  const body = {
    tools,
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(options.isStrict === true ? { strict_tools: true } : {})
  }
  return { body, losses }
}
