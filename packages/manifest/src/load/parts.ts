/** What was read of one or several files, before it is looked at as a whole. */
import * as Either from "effect/Either"
import * as Order from "effect/Order"
import type { Entry } from "../ManifestEntry.js"
import { InvalidManifest } from "../ManifestError.js"
import { at, error, type Fault, isError, type ManifestProblem } from "../ManifestProblem.js"
import { hiddenAmong, splitContext } from "./context.js"
import type { Manifest } from "../Manifest.js"
import { declaresElsewhere, hasParameter, isInternal, parameterNames } from "./parameters.js"
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import { isReserved } from "./reserved.js"

export type Parts = Omit<Manifest, "problems">

export const none: Parts = { entries: [], apis: [], context: [], prompt: undefined, model: undefined }

/** The parts with all that is wrong with them, errors too: for the linter, which goes on where loading ends. */
export const examine = (parts: Parts, found: ReadonlyArray<ManifestProblem>): Manifest => {
  const entries = parts.entries.map((entry) => inContext(entry, parts.context))
  return { ...parts, entries, problems: inOrder([...found, ...rules(entries)]) }
}

/** A manifest of the parts, unless there is an error among the problems or in the parts. */
export const finish = (parts: Parts, found: ReadonlyArray<ManifestProblem>) => {
  const manifest = examine(parts, found)
  const { problems } = manifest
  return problems.some(isError) ? Either.left(new InvalidManifest({ problems })) : Either.right(manifest)
}

/** An entry that names no context has the fields of the configuration's that it has parameters for, as Acorn has it. */
export const inContext = (entry: Entry, context: ReadonlyArray<string>): Entry => {
  if (entry.context.length > 0 || context.length === 0) return entry
  const fields = hiddenAmong(parameterNames(entry.function.parameters), context)
  return fields.length === 0 ? entry : { ...entry, ...splitContext(fields) }
}

/** By place within each file; what has no place stays where it was. */
export const inOrder = (problems: ReadonlyArray<ManifestProblem>): ReadonlyArray<ManifestProblem> => {
  const files = [...new Set(problems.map(({ place }) => place?.file))]
  const numbersOf = ({ place }: ManifestProblem): ReadonlyArray<number> =>
    place === undefined ? [files.length, 0, 0] : [files.indexOf(place.file), place.line, place.column]
  return problems.toSorted(Order.mapInput(Order.array(Order.number), numbersOf))
}

export const rules = (entries: ReadonlyArray<Entry>): ReadonlyArray<ManifestProblem> => {
  const first = new Map<string, Entry>()
  return entries.flatMap((entry) => {
    const { name } = entry.function
    const twin = first.get(name)
    if (twin === undefined) first.set(name, entry)
    return [...(twin === undefined ? [] : [duplicate(name, twin)]), ...faultsOf(entry)].map((fault) => at(entry, fault))
  })
}

const duplicate = (name: string, twin: Entry): Fault => {
  const path = ["function", "name"]
  const place = twin.source?.at(path)
  const where = place === undefined ? "" : ` (the other one is at line ${place.line}${inFile(place.file)})`
  return error("duplicate-name", `Two tools are named ${JSON.stringify(name)}${where}; rename one of them`, path)
}

const inFile = (file: string | undefined): string => (file === undefined ? "" : ` of ${file}`)

const faultsOf = (entry: Entry): ReadonlyArray<Fault> => [
  ...nameFaults(entry),
  ...parametersFaults(entry),
  ...contextFaults(entry),
  ...apiFaults(entry)
]

const legalName = /^[a-zA-Z0-9_-]{1,64}$/

const nameFaults = ({ function: { description, name }, ...entry }: Entry): ReadonlyArray<Fault> => {
  const faults: Array<Fault> = []
  if (!legalName.test(name)) {
    const message = `The name ${JSON.stringify(name)} is one that models refuse; use 1 to 64 letters, digits, _ or -`
    faults.push(error("illegal-name", message, ["function", "name"]))
  }
  const isNamedOnly = entry._tag === "Local" && entry.isNameOnly
  if ((description === undefined || description.trim() === "") && !isNamedOnly && !isInternal({ function: { name } })) {
    faults.push({
      severity: "warning",
      rule: "missing-description",
      message: `${name} has no description; say what it does and when to use it, for the model knows nothing else of it`,
      path: ["function"]
    })
  }
  return faults
}

const parametersFaults = ({ function: { parameters } }: Entry): ReadonlyArray<Fault> => {
  const path = ["function", "parameters"]
  const { properties, required, type } = parameters
  const faults: Array<Fault> = []
  if (type !== undefined && type !== "object") {
    const message = `The arguments of a tool are an object, but the root of its parameters has "type": ${JSON.stringify(type)}; use "type": "object"`
    faults.push(error("parameters-not-object", message, [...path, "type"]))
  }
  if (properties !== undefined && !Json.isObject(properties)) {
    faults.push(
      error("parameters-not-object", "properties must be an object of schemas by name", [...path, "properties"])
    )
  } else if (Array.isArray(required)) {
    const known = parameterNames(parameters)
    required.forEach((name: unknown, index) => {
      if (typeof name !== "string" || hasParameter(parameters, name) || declaresElsewhere(parameters)) return
      const message = `${JSON.stringify(name)} is required, but there is no such property${NearestNames.suggestion(name, known)}; declare it or take it out`
      faults.push(error("required-without-property", message, [...path, "required", index]))
    })
  }
  return faults
}

const contextFaults = (entry: Entry): ReadonlyArray<Fault> => {
  // What they are called with is known: the message and all of the context.
  if (isInternal(entry)) return []
  const known = parameterNames(entry.function.parameters)
  const folded = new Set(known.map((name) => name.toLowerCase()))
  return entry.context.flatMap((name, index) => {
    if (isReserved(name) || folded.has(name.toLowerCase())) return []
    const message = `The context names ${JSON.stringify(name)}, but there is no such parameter${NearestNames.suggestion(name, known)}; the parameter that it means would be left to the model`
    return [error("context-without-parameter", message, ["context", index])]
  })
}

const apiFaults = (entry: Entry): ReadonlyArray<Fault> => {
  if (entry._tag !== "Api") return []
  const { path, query } = entry.api
  if (path !== undefined && query !== undefined) {
    return [
      error("query-and-path", "An api has either a query (GraphQL, SQL) or a path (REST), not both", ["api", "query"])
    ]
  }
  return path === undefined && (query === undefined || query.trim() === "")
    ? [error("nothing-to-call", "An api needs a query (GraphQL, SQL) or a path (REST) that is not empty", ["api"])]
    : []
}
