/**
 * What was offered in a request, as OpenAI's APIs name it.
 */
import type { ToolDefinition } from "@wield/core"
import type { NameMap } from "../internal/nameMap.js"
import { nameMap } from "../internal/nameMap.js"

/** Both APIs refuse any other name with status 400. */
const rule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 }

export interface OfferedTools extends NameMap {
  /** The definition of this name (Wield's own, not the API's). */
  readonly definition: (name: string) => ToolDefinition.ToolDefinition | undefined
  /** Whether a tool that the API itself defines was offered under this name of the API's. */
  readonly hasProviderTool: (native: string) => boolean
}

/**
 * Looks definitions up by name, once per array of definitions. The cache is a
 * memo of a pure function keyed by identity: it holds no state that could be
 * observed, and lets go of arrays that nobody holds.
 */
export const makeOfferedTools = (): ((
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
) => OfferedTools) => {
  const cache = new WeakMap<ReadonlyArray<ToolDefinition.ToolDefinition>, OfferedTools>()
  return (definitions) => {
    if (definitions === undefined) return nothingOffered
    const known = cache.get(definitions)
    if (known !== undefined) return known
    const made = offeredTools(definitions)
    cache.set(definitions, made)
    return made
  }
}

const offeredTools = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): OfferedTools => {
  const byName = new Map<string, ToolDefinition.ToolDefinition>()
  const providerNames = new Set<string>()
  for (const definition of definitions) {
    byName.set(definition.name, definition)
    if (definition.provider !== undefined) providerNames.add(definition.provider.name)
  }
  return {
    ...nameMap(definitions, rule),
    definition: (name) => byName.get(name),
    hasProviderTool: (native) => providerNames.has(native)
  }
}

export const nothingOffered: OfferedTools = offeredTools([])
