/**
 * A manifest from texts that were read as JSON or YAML.
 */
import { Json, NearestNames } from "@wield/core"
import type * as Either from "effect/Either"
import type { SourceText } from "../file/read.js"
import type { Entry } from "../ManifestEntry.js"
import type { InvalidManifest } from "../ManifestError.js"
import type { Problem, Path } from "../Problem.js"
import type { Manifest, ApiDeclaration } from "./Manifest.js"
import { finish, none, type Parts } from "./parts.js"
import { Reading } from "./Reading.js"
import { readClientTools, readDefinition, readTools } from "./readTools.js"
import { referencesOf } from "./references.js"
import * as ManifestEntry from "../ManifestEntry.js"
import * as ManifestFile from "../ManifestFile.js"
import * as Schema from "effect/Schema"

/** The files of client tools, by their paths as the configuration writes them. */
export type Files = ReadonlyMap<string, SourceText>

export const build = (source: SourceText, files: Files): Either.Either<Manifest, InvalidManifest> => {
  const { parts, problems } = gather(source, files)
  return finish(parts, problems)
}

/** What can be read, whatever is wrong besides. */
export const gather = (
  source: SourceText,
  files: Files
): { readonly parts: Parts; readonly problems: ReadonlyArray<Problem> } => {
  const reading = new Reading(source)
  const parts = source.faults.length > 0 ? none : readRoot(reading)
  const clients = referencesOf(source.value).flatMap(({ isFile, path, text }) => {
    if (!isFile) return []
    const file = files.get(text)
    if (file !== undefined) return clientsOf(reading, file)
    const message = `The file ${JSON.stringify(text)} of client tools is not there${NearestNames.suggestion(text, files.keys())}; its path is relative to this file`
    reading.report("error", "missing-file", message, path)
    return []
  })
  return { parts: { ...parts, entries: [...parts.entries, ...clients] }, problems: reading.problems }
}

const clientsOf = (reading: Reading, file: SourceText): ReadonlyArray<Entry> => {
  const inner = new Reading(file)
  const entries = readClientTools(inner)
  reading.problems.push(...inner.problems)
  return entries
}

const readRoot = (reading: Reading): Parts => {
  const { value } = reading.source
  if (Array.isArray(value)) return { ...none, entries: readTools(reading, value, []) }
  if (Json.isObject(value)) {
    return isDefinition(value)
      ? { ...none, entries: readDefinition(reading, value, []) }
      : readConfiguration(reading, value)
  }
  const message = "A manifest is an array of tools, or an object with tools, apis or functions"
  reading.report("error", "type", message, [])
  return none
}

/** A definition has a name, which no configuration has. */
const isDefinition = (value: { readonly [key: string]: unknown }): boolean =>
  Object.hasOwn(value, "name") && !configurationKeys.some((key) => Object.hasOwn(value, key))

const configurationKeys = ["apis", "functions", "prompt", "tools"]

/** The root without the parts that are decoded one by one. */
const Root = Schema.Struct({
  ...ManifestFile.Configuration.fields,
  tools: Schema.optionalWith(Schema.Array(Schema.Unknown), { exact: true }),
  apis: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), { exact: true })
})

/** What an agent's configuration says besides its tools. */
const readConfiguration = (reading: Reading, value: { readonly [key: string]: unknown }): Parts => {
  const root = reading.decoded(Root, value, [])
  // What of it can be read is, so that all problems are found at once.
  const tools = root?.tools ?? (Array.isArray(value["tools"]) ? value["tools"] : [])
  const apis = root?.apis ?? (Json.isObject(value["apis"]) ? value["apis"] : {})
  return {
    entries: [...readTools(reading, tools, ["tools"]), ...localEntries(reading, value)],
    apis: readApis(reading, apis),
    context: root?.context ?? [],
    prompt: root?.prompt,
    model: root?.model
  }
}

/** One API, or several by their names. */
const readApis = (reading: Reading, apis: { readonly [key: string]: unknown }): ReadonlyArray<ApiDeclaration> => {
  if (typeof apis["type"] === "string") return readApi(reading, "default", apis, ["apis"])
  const seen = new Map<string, string>()
  return Object.entries(apis).flatMap(([name, value]) => {
    const path = ["apis", name]
    const twin = seen.get(name.toLowerCase())
    if (twin !== undefined) {
      const message = `The APIs ${JSON.stringify(twin)} and ${JSON.stringify(name)} differ only in case, which names of APIs do not; rename one`
      reading.report("error", "duplicate-api", message, path)
    }
    seen.set(name.toLowerCase(), name)
    return readApi(reading, name, value, path)
  })
}

const readApi = (reading: Reading, name: string, value: unknown, path: Path): ReadonlyArray<ApiDeclaration> => {
  const api = reading.decoded(ManifestFile.ApiConfiguration, value, path)
  if (api === undefined) return []
  const { type, ...configuration } = api
  return [{ name, type: type.toLowerCase(), configuration, source: reading.sourceOf(path) }]
}

/** Local tools of which the file has only the name. */
const localEntries = (
  reading: Reading,
  value: { readonly [key: string]: unknown }
): ReadonlyArray<ManifestEntry.Entry> =>
  referencesOf(value).flatMap(({ isFile, path, text }) => {
    if (isFile) return []
    const source = reading.sourceOf(path)
    return [ManifestEntry.local({ name: text, isNameOnly: true, source: { ...source, at: () => source.at([]) } })]
  })
