/**
 * Entries from what a file has as tools.
 */
import { Json } from "@wield/core"
import * as Schema from "effect/Schema"
import { entryOf } from "../file/entryOf.js"
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
