/**
 * Arguments as the full schema of their tool means them.
 */
import type { ToolDefinition } from "@wield/core"
import { restoreOptional } from "../dialect/restoreOptional.js"
import type { OfferedTools } from "./offeredTools.js"

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
