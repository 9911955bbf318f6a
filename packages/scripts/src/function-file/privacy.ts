/**
 * Which tools keep what they are given on this machine.
 */
import type { FunctionFile } from "./model.js"

export interface PrivacyOptions {
  /**
   * Whether the endpoint of a tool whose `is_local` is `"endpoint"` may be used,
   * by the tool's name. None unless given.
   */
  readonly isEndpointAllowed?: ((tool: string) => boolean) | undefined
}

/** What is not stated to be local is taken not to be. */
export const staysLocal = (
  files: ReadonlyArray<FunctionFile>,
  { isEndpointAllowed }: PrivacyOptions
): ((definition: { readonly name: string }) => boolean) => {
  const tools = new Map(files.flatMap((file) => file.tools).map((tool) => [tool.name, tool.isLocal]))
  return ({ name }) => {
    const isLocal = tools.get(name)
    return isLocal === "endpoint" ? (isEndpointAllowed?.(name) ?? false) : isLocal === true
  }
}
