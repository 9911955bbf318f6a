/**
 * A manifest from texts that were read as JSON or YAML.
 */
import { Json } from "@wield/core"
import type * as Either from "effect/Either"
import { NearestNames } from "@wield/core"
import type { SourceText } from "../file/SourceText.js"
import type { Entry } from "../ManifestEntry.js"
import type { InvalidManifest } from "../ManifestError.js"
import type { Problem } from "../Problem.js"
import type { Manifest } from "./Manifest.js"
import { finished, none, type Parts } from "./parts.js"
import { readConfiguration } from "./readConfiguration.js"
import { Reading } from "./Reading.js"
import { readClientTools, readDefinition, readTools } from "./readTools.js"
import { referencesOf } from "./references.js"

/** The files of client tools, by their paths as the configuration writes them. */
export type Files = ReadonlyMap<string, SourceText>

export const build = (source: SourceText, files: Files): Either.Either<Manifest, InvalidManifest> => {
  const { parts, problems } = gathered(source, files)
  return finished(parts, problems)
}

/** What can be read, whatever is wrong besides. */
export const gathered = (
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
