/** Which operations are imported, and names among the options that fit none. */
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import { isYes } from "@wield/core/Options"
import type { ApiEntry } from "../ManifestEntry.js"
import type { Operation, Options } from "../OpenApi.js"
import { unusedContext } from "../load/context.js"
import type { Importing } from "./Importing.js"
import { isSameType } from "./mediaType.js"
import type { Found } from "./operations.js"
import { isResolved } from "./reference.js"

export const isAskedFor = (operation: Operation, options: Options): boolean =>
  !(options.isDeprecatedLeftOut === true && operation.isDeprecated) &&
  criteria.every((criterion) => options[criterion.option]?.some((name) => fits(operation, criterion, name)) ?? true) &&
  (options.filter === undefined || isYes(options.filter(operation), "`filter`"))

interface Criterion {
  readonly option: "operations" | "tags" | "paths" | "methods"
  readonly what: string
  readonly namesOf: (operation: Operation) => ReadonlyArray<string>
}

const criteria: ReadonlyArray<Criterion> = [
  { option: "operations", what: "has the id", namesOf: ({ id }) => (id === undefined ? [] : [id]) },
  { option: "tags", what: "has the tag", namesOf: ({ tags }) => tags },
  { option: "paths", what: "is under the path", namesOf: ({ path }) => [path] },
  { option: "methods", what: "has the method", namesOf: ({ method }) => [method] }
]

const fits = (operation: Operation, { namesOf, option }: Criterion, name: string): boolean =>
  namesOf(operation).some((own) =>
    option === "paths" && name.endsWith("*")
      ? own.startsWith(name.slice(0, -1))
      : own === (option === "methods" ? name.toUpperCase() : name)
  )

/** A misspelt name would leave out an operation without a word. */
export const reportUnmatched = (found: ReadonlyArray<Found>, { note, options, resolve }: Importing): void => {
  if (found.length === 0) return
  const all = found.map(({ operation }) => operation)
  let isMatched = true
  for (const criterion of criteria) {
    const { namesOf, option, what } = criterion
    for (const name of options[option] ?? []) {
      if (all.some((operation) => fits(operation, criterion, name))) continue
      isMatched = false
      const near = NearestNames.suggestion(name, new Set(all.flatMap(namesOf)))
      const problem = `No operation ${what} ${JSON.stringify(name)} of \`${option}\`${near}`
      note("error", "unmatched-option", problem, ["paths"])
    }
  }
  const types = options.contentTypes === undefined ? [] : found.flatMap(({ object }) => contentTypesOf(object, resolve))
  for (const type of options.contentTypes ?? []) {
    if (types.some((other) => isSameType(type, other))) continue
    const problem = `No operation takes a body of the type ${JSON.stringify(type)} of \`contentTypes\`${NearestNames.suggestion(type, new Set(types))}`
    note("error", "unmatched-option", problem, ["paths"])
  }
  if (!isMatched || all.some((operation) => isAskedFor(operation, options))) return
  const problem = `none of the ${all.length} operations fits all the options that choose them: leave one of these out`
  note("error", "nothing-chosen", problem, ["paths"])
}

const contentTypesOf = ({ requestBody }: Json.JsonSchema, resolve: Importing["resolve"]): ReadonlyArray<string> => {
  const resolved = resolve(requestBody)
  return isResolved(resolved) && Json.isObject(resolved["content"]) ? Object.keys(resolved["content"]) : []
}

export const reportUnusedContext = (entries: ReadonlyArray<ApiEntry>, { note, options }: Importing): void => {
  for (const problem of unusedContext(entries, options.context ?? []))
    note("error", "unmatched-context", problem, ["paths"])
}
