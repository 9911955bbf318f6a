/**
 * Entries from what a file has as tools.
 */
import { Json, type Facts } from "@wield/core"
import * as Schema from "effect/Schema"
import * as ManifestEntry from "../ManifestEntry.js"
import * as ManifestFile from "../ManifestFile.js"
import type { Path } from "../Problem.js"
import type { Reading } from "./Reading.js"

type Tool = typeof ManifestFile.Tool.Type

/** Each tool by the schema of its type: what is wrong with it is said of that type, not of all three. */
export const readTool = (reading: Reading, value: unknown, path: Path): ReadonlyArray<ManifestEntry.Entry> => {
  const name = nameOf(value)
  const typed = reading.decoded(Typed, value, path, name)
  if (typed === undefined) return []
  const decodedAs = <A extends Tool, I>(schema: Schema.Schema<A, I>): ReadonlyArray<ManifestEntry.Entry> => {
    const tool = reading.decoded(schema, value, path, name)
    return tool === undefined ? [] : [entryOf(tool, reading.sourceOf(path))]
  }
  switch (typed.type) {
    case "api":
      return decodedAs(ManifestFile.ApiTool)
    case "local":
      return decodedAs(ManifestFile.LocalTool)
    case "client":
      return decodedAs(ManifestFile.ClientTool)
  }
}

export const readTools = (
  reading: Reading,
  values: ReadonlyArray<unknown>,
  path: Path
): ReadonlyArray<ManifestEntry.Entry> => values.flatMap((value, index) => readTool(reading, value, [...path, index]))

/** A file that a configuration names among its functions: client tools, with or without what is around them. */
export const readClientTools = (reading: Reading): ReadonlyArray<ManifestEntry.Entry> => {
  const { value } = reading.source
  if (reading.problems.length > 0) return []
  return Array.isArray(value)
    ? value.flatMap((item: unknown, index) => readClientTool(reading, item, [index]))
    : readClientTool(reading, value, [])
}

const readClientTool = (reading: Reading, value: unknown, path: Path): ReadonlyArray<ManifestEntry.Entry> =>
  Json.isObject(value) && Object.hasOwn(value, "function")
    ? readTool(reading, value, path)
    : readDefinition(reading, value, path)

/** A bare definition is that of a client tool. */
export const readDefinition = (reading: Reading, value: unknown, path: Path): ReadonlyArray<ManifestEntry.Entry> => {
  const definition = reading.decoded(ManifestFile.FunctionDefinition, value, path, nameOf({ function: value }))
  if (definition === undefined) return []
  const source = reading.sourceOf(path)
  // The definition itself stands where an entry has its function.
  const at: ManifestEntry.Source["at"] = ([first, ...rest], offset) =>
    source.at(first === "function" ? rest : [first ?? [], ...rest].flat(), offset)
  return [ManifestEntry.client({ ...definition, source: { ...source, at } })]
}

const Typed = Schema.Struct(
  { type: Schema.Literal("api", "local", "client") },
  { key: Schema.String, value: Schema.Unknown }
)

const nameOf = (value: unknown): string | undefined => {
  const definition = Json.isObject(value) ? value["function"] : undefined
  const name = Json.isObject(definition) ? definition["name"] : undefined
  return typeof name === "string" ? name : undefined
}

/** A tool as a file has it, as an entry. */
const entryOf = (tool: typeof ManifestFile.Tool.Type, source: ManifestEntry.Source): ManifestEntry.Entry => {
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
