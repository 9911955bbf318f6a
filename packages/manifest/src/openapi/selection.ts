/** Which operations are imported, and names among the options that fit none. */
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import type { ApiEntry } from "../ManifestEntry.js"
import type { Operation, Options } from "../OpenApi.js"
import { parameterNames } from "../load/parameters.js"
import type { Importing } from "./Importing.js"
import { isSameType } from "./mediaType.js"
import type { Found } from "./operations.js"
import { isResolved } from "./reference.js"

export const isAskedFor = (operation: Operation, options: Options): boolean =>
  !(options.isDeprecatedLeftOut === true && operation.isDeprecated) &&
  criteria.every(
    ({ fits, option }) => options[option] === undefined || options[option].some((name) => fits(operation, name))
  ) &&
  (options.filter === undefined || options.filter(operation))

interface Criterion {
  readonly option: "operations" | "tags" | "paths" | "methods"
  readonly fits: (operation: Operation, name: string) => boolean
  /** What a name of the option could have been. */
  readonly namesOf: (operation: Operation) => ReadonlyArray<string>
  readonly missing: (name: string) => string
}

const criteria: ReadonlyArray<Criterion> = [
  {
    option: "operations",
    fits: ({ id }, name) => id === name,
    namesOf: ({ id }) => (id === undefined ? [] : [id]),
    missing: (name) => `No operation has the id ${name}`
  },
  {
    option: "tags",
    fits: ({ tags }, name) => tags.includes(name),
    namesOf: ({ tags }) => tags,
    missing: (name) => `No operation has the tag ${name}`
  },
  {
    option: "paths",
    fits: ({ path }, name) => (name.endsWith("*") ? path.startsWith(name.slice(0, -1)) : path === name),
    namesOf: ({ path }) => [path],
    missing: (name) => `No operation is under the path ${name}`
  },
  {
    option: "methods",
    fits: ({ method }, name) => method === name.toUpperCase(),
    namesOf: ({ method }) => [method],
    missing: (name) => `No operation has the method ${name}`
  }
]

/** A misspelt name would leave out an operation without a word. */
export const reportUnmatched = (found: ReadonlyArray<Found>, { note, options, resolve }: Importing): void => {
  if (found.length === 0) return
  const all = found.map(({ operation }) => operation)
  let isMatched = true
  for (const { fits, missing, namesOf, option } of criteria) {
    for (const name of options[option] ?? []) {
      if (all.some((operation) => fits(operation, name))) continue
      isMatched = false
      const near = NearestNames.suggestion(name, new Set(all.flatMap(namesOf)))
      note("error", "unmatched-option", `${missing(JSON.stringify(name))} of \`${option}\`${near}`, ["paths"])
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

/** A misspelt name would let the model choose what the application should. */
export const reportUnusedContext = (entries: ReadonlyArray<ApiEntry>, { note, options }: Importing): void => {
  if (entries.length === 0) return
  const hidden = new Set(entries.flatMap(({ context }) => context.map((name) => name.toLowerCase())))
  for (const name of options.context ?? []) {
    if (hidden.has(name.toLowerCase())) continue
    const names = new Set(entries.flatMap((entry) => parameterNames(entry.function.parameters)))
    const problem = `No operation that is imported has the parameter ${JSON.stringify(name)} of \`context\`${NearestNames.suggestion(name, names)}`
    note("error", "unmatched-option", problem, ["paths"])
  }
}
