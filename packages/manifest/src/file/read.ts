/** A text as JSON, with comments and trailing commas, or as YAML: by its file's name, else by how it begins. */
import * as JsonText from "@wield/core/JsonText"
import * as Either from "effect/Either"
import type { Place } from "../ManifestEntry.js"
import type { Path } from "../ManifestProblem.js"
import * as Yaml from "../Yaml.js"

export interface SourceText {
  readonly file: string | undefined
  /** `undefined` where the text is broken: `faults` says how. */
  readonly value: unknown
  readonly faults: ReadonlyArray<JsonText.JsonFault>
  /** The place of the value at a path, or of the nearest value around it that exists. */
  readonly at: (path: Path, offset?: number) => Place
  readonly atKey: (path: Path) => Place
}

export const read = (text: string, file: string | undefined): SourceText => {
  const content = JsonText.withoutMark(text)
  const parsed = isYaml(content, file) ? Yaml.parse(content) : JsonText.parse(content, { isCommented: true })
  return Either.match(parsed, {
    onLeft: (faults) => {
      const start = () => ({ file, line: 1, column: 1 })
      return { file, value: undefined, faults, at: start, atKey: start }
    },
    onRight: ({ at, atKey, value }) => ({
      file,
      value,
      faults: [],
      at: (path, offset) => ({ file, ...at(path, offset) }),
      atKey: (path) => ({ file, ...atKey(path) })
    })
  })
}

const isYaml = (text: string, file: string | undefined): boolean => {
  const extension = /\.(?<name>[a-z]+)$/i.exec(file ?? "")?.groups?.["name"]?.toLowerCase()
  if (extension === "yaml" || extension === "yml") return true
  if (extension === "json" || extension === "jsonc") return false
  return !/^\s*(?:\/[/*]|[[{]|$)/.test(text)
}
