/** A manifest from texts that were read as JSON or YAML. */
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import type * as Either from "effect/Either"
import { read, type SourceText } from "../file/read.js"
import * as ManifestEntry from "../ManifestEntry.js"
import type { Entry, Source } from "../ManifestEntry.js"
import type { InvalidManifest } from "../ManifestError.js"
import { make, type Path, type ManifestProblem, type Severity } from "../ManifestProblem.js"
import type { ApiDeclaration, Manifest } from "../Manifest.js"
import { finish, none, type Parts } from "./parts.js"
import * as ManifestFile from "../ManifestFile.js"
import * as Schema from "effect/Schema"
import { decode } from "../file/decode.js"

/** The files of client tools, by their paths as the configuration writes them. */
export type Files = ReadonlyMap<string, SourceText>

export type Texts = { readonly [path: string]: string }

export const readTexts = (texts: Texts = {}): Files =>
  new Map(Object.entries(texts).map(([path, text]) => [path, read(text, path)]))

export const build = (source: SourceText, files: Files): Either.Either<Manifest, InvalidManifest> => {
  const { parts, problems } = gather(source, files)
  return finish(parts, problems)
}

export const gather = (
  source: SourceText,
  files: Files
): { readonly parts: Parts; readonly problems: ReadonlyArray<ManifestProblem> } => {
  const reading = new Reading(source)
  const parts = source.faults.length > 0 ? none : readRoot(reading)
  const clients = referencesOf(source.value).flatMap(({ isFile, path, text }) => {
    if (!isFile) return []
    const file = files.get(text)
    if (file !== undefined) {
      const inner = new Reading(file)
      const entries = readClientTools(inner)
      reading.problems.push(...inner.problems)
      return entries
    }
    const message = `The file ${JSON.stringify(text)} of client tools is not there${NearestNames.suggestion(text, files.keys())}; its path is relative to this file`
    reading.report("error", "missing-file", message, path)
    return []
  })
  return { parts: { ...parts, entries: [...parts.entries, ...clients] }, problems: reading.problems }
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

const isDefinition = (value: { readonly [key: string]: unknown }): boolean =>
  Object.hasOwn(value, "name") && !configurationKeys.some((key) => Object.hasOwn(value, key))

const configurationKeys = ["apis", "functions", "prompt", "tools"]

const Root = Schema.Struct({
  ...ManifestFile.Configuration.fields,
  tools: Schema.optionalWith(Schema.Array(Schema.Unknown), { exact: true }),
  apis: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), { exact: true })
})

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

const localEntries = (reading: Reading, value: { readonly [key: string]: unknown }): ReadonlyArray<Entry> =>
  referencesOf(value).flatMap(({ isFile, path, text }) => {
    if (isFile) return []
    const source = reading.sourceOf(path)
    return [ManifestEntry.local({ name: text, isNameOnly: true, source: { ...source, at: () => source.at([]) } })]
  })

export const referencesOf = (root: unknown) => {
  const functions = Json.isObject(root) ? root["functions"] : undefined
  return [functions].flat().flatMap((text: unknown, index) => {
    if (typeof text !== "string") return []
    const path = Array.isArray(functions) ? ["functions", index] : ["functions"]
    // No name of a tool has a slash or a dot.
    return [{ text, path, isFile: /[/\\]|\.(?:jsonc?|ya?ml)$/i.test(text) }]
  })
}

type Tool = typeof ManifestFile.Tool.Type

/** Each tool by the schema of its type: what is wrong with it is said of that type, not of all three. */
const readTool = (reading: Reading, value: unknown, path: Path): ReadonlyArray<Entry> => {
  const name = nameOf(value)
  const typed = reading.decoded(Typed, value, path, name)
  if (typed === undefined) return []
  const decodedAs = <A extends Tool, I>(schema: Schema.Schema<A, I>): ReadonlyArray<Entry> => {
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

const readTools = (reading: Reading, values: ReadonlyArray<unknown>, path: Path): ReadonlyArray<Entry> =>
  values.flatMap((value, index) => readTool(reading, value, [...path, index]))

/** A file that a configuration names among its functions: client tools, with or without what is around them. */
const readClientTools = (reading: Reading): ReadonlyArray<Entry> => {
  const { value } = reading.source
  if (reading.problems.length > 0) return []
  return Array.isArray(value)
    ? value.flatMap((item: unknown, index) => readClientTool(reading, item, [index]))
    : readClientTool(reading, value, [])
}

const readClientTool = (reading: Reading, value: unknown, path: Path): ReadonlyArray<Entry> =>
  Json.isObject(value) && Object.hasOwn(value, "function")
    ? readTool(reading, value, path)
    : readDefinition(reading, value, path)

const readDefinition = (reading: Reading, value: unknown, path: Path): ReadonlyArray<Entry> => {
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

const entryOf = (tool: Tool, source: Source): Entry => {
  const parts: ManifestEntry.Parts = {
    ...tool.function,
    context: tool.context ?? undefined,
    facts: ManifestFile.decodeFacts(tool.facts ?? {}),
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

class Reading {
  readonly problems: Array<ManifestProblem> = []

  constructor(readonly source: SourceText) {
    for (const { message, place, rule } of source.faults) {
      this.problems.push(make({ severity: "error", rule, message, place: { file: source.file, ...place } }))
    }
  }

  /** A part of the text by its schema; what is wrong is reported. */
  decoded<A, I>(schema: Schema.Schema<A, I>, value: unknown, path: Path, tool?: string): A | undefined {
    const { faults, value: result } = decode(schema, value)
    for (const { isOfKey, message, path: inner, rule, severity } of faults) {
      const whole = [...path, ...inner]
      const place = isOfKey ? this.source.atKey(whole) : this.source.at(whole)
      this.problems.push({ severity, rule, message, tool, path: whole, place })
    }
    return result
  }

  report(severity: Severity, rule: string, message: string, path: Path): void {
    this.problems.push(make({ severity, rule, message, path, place: this.source.at(path) }))
  }

  sourceOf(path: Path): Source {
    const { source } = this
    return { file: source.file, path, at: (inner, offset) => source.at([...path, ...inner], offset) }
  }
}
