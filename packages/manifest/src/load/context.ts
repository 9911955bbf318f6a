/** Lists of hidden fields. A name that ends in `?` is that of a field that may be absent from the call context. */
import * as NearestNames from "@wield/core/NearestNames"
import type { ApiEntry } from "../ManifestEntry.js"
import { parameterNames } from "./parameters.js"

export const splitContext = (written: ReadonlyArray<string>) => ({
  context: written.map(nameOf),
  optionalContext: written.filter(isOptional).map(nameOf)
})

/** The parameters that a list names, in whatever case, each with the mark that it has in the list. */
export const hiddenAmong = (parameters: Iterable<string>, written: ReadonlyArray<string>): ReadonlyArray<string> => {
  const listed = new Map(written.map((name) => [nameOf(name).toLowerCase(), name]))
  return [...parameters].flatMap((parameter) => {
    const name = listed.get(parameter.toLowerCase())
    return name === undefined ? [] : [isOptional(name) ? `${parameter}?` : parameter]
  })
}

/** Which names of a list no entry has, in words: misspelt, the model would choose what the application should. */
export const unusedContext = (
  entries: ReadonlyArray<ApiEntry>,
  written: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (entries.length === 0) return []
  const hidden = new Set(entries.flatMap(({ context }) => context.map((name) => name.toLowerCase())))
  const unused = written.map(nameOf).filter((name) => !hidden.has(name.toLowerCase()))
  return unused.map((name) => {
    const names = new Set(entries.flatMap((entry) => parameterNames(entry.function.parameters)))
    return `No operation that is imported has the parameter ${JSON.stringify(name)} of \`context\`${NearestNames.suggestion(name, names)}`
  })
}

const isOptional = (written: string): boolean => written.endsWith("?")

const nameOf = (written: string): string => (isOptional(written) ? written.slice(0, -1) : written)
