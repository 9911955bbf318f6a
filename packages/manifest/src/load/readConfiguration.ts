/**
 * What an agent's configuration says besides its tools.
 */
import { Json } from "@wield/core"
import * as ManifestEntry from "../ManifestEntry.js"
import * as ManifestFile from "../ManifestFile.js"
import * as Schema from "effect/Schema"
import type { Path } from "../Problem.js"
import type { ApiDeclaration } from "./Manifest.js"
import type { Parts } from "./parts.js"
import type { Reading } from "./Reading.js"
import { readTools } from "./readTools.js"
import { referencesOf } from "./references.js"

/** The root without the parts that are decoded one by one. */
const Root = Schema.Struct({
  ...ManifestFile.Configuration.fields,
  tools: Schema.optionalWith(Schema.Array(Schema.Unknown), { exact: true }),
  apis: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), { exact: true })
})

export const readConfiguration = (reading: Reading, value: { readonly [key: string]: unknown }): Parts => {
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
