/**
 * A tool as a file has it, as an entry.
 */
import type { Facts } from "@wield/core"
import * as ManifestEntry from "../ManifestEntry.js"
import type * as ManifestFile from "../ManifestFile.js"

export const entryOf = (tool: typeof ManifestFile.Tool.Type, source: ManifestEntry.Source): ManifestEntry.Entry => {
  const parts: ManifestEntry.Parts = {
    ...tool.function,
    context: tool.context ?? undefined,
    facts: factsOf(tool.facts ?? {}),
    source
  }
  switch (tool.type) {
    case "api":
      return ManifestEntry.api({ ...parts, api: apiOf(tool.api) })
    case "local":
      return ManifestEntry.local(parts)
    case "client":
      return ManifestEntry.client(parts)
  }
}

const apiOf = (api: typeof ManifestFile.Api.Type): Partial<ManifestEntry.Api> => {
  const { limits, method, pagination, path, result, write, ...rest } = api
  return {
    ...rest,
    path,
    // A path without a method is read, as a browser would.
    method: method === undefined && path !== undefined ? "GET" : method?.toUpperCase(),
    isWriting: write ?? false,
    result: { schema: result?.schema, path: result?.path },
    pagination: pagination === undefined ? undefined : { maxPages: 10, ...pagination },
    limits: { timeout: limits?.timeout, maxBytes: limits?.maxBytes, maxRows: limits?.maxRows }
  }
}

const factsOf = (stated: typeof ManifestFile.Facts.Type): Partial<Facts.Facts> => {
  const facts = {
    title: stated.title,
    isReadOnly: stated.readOnly,
    isDestructive: stated.destructive,
    isIdempotent: stated.idempotent,
    isOpenWorld: stated.openWorld,
    disclosure: stated.disclosure,
    isSequential: stated.sequential,
    // What JSON or YAML was read as is JSON.
    examples: stated.examples as Facts.Facts["examples"] | undefined
  }
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined))
}
