/** The toolsets that a JSON text has, and what is wrong with each. */
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as JsonText from "@wield/core/JsonText"
import * as Either from "effect/Either"
import type { Problem } from "@wield/core/Problem"
import type { SavedToolset } from "../ToolsetFile.js"

export interface ReadToolsets {
  readonly toolsets: ReadonlyMap<string, SavedToolset>
  readonly problems: ReadonlyArray<Problem>
}

export const read = (text: string, file: string): Either.Either<ReadToolsets, ReadonlyArray<Problem>> =>
  Either.flatMap(parseJson(text, file), (json) => {
    if (Json.isObject(json.value)) return Either.right(toolsetsOf(json, json.value, file))
    const message = `A file of toolsets must be an object, { "name": { "functions": [...] } }, but is ${Issue.show(json.value)}`
    return Either.left([problemOf(file, "not-an-object", message, { place: json.at([]) })])
  })

export const parseJson = (text: string, file: string): Either.Either<JsonText.JsonText, ReadonlyArray<Problem>> =>
  Either.mapLeft(JsonText.parse(text), (faults) =>
    faults.map(({ message, place }) => problemOf(file, "syntax", message, { place }))
  )

const toolsetsOf = (json: JsonText.JsonText, root: Json.JsonObject, file: string): ReadToolsets => {
  const toolsets = new Map<string, SavedToolset>()
  const problems: Array<Problem> = []
  for (const [name, value] of Object.entries(root)) {
    if (isIgnored(name)) continue
    const report = (rule: string, message: string, ...path: ReadonlyArray<string | number>): void => {
      problems.push(problemOf(file, rule, message, { place: json.at([name, ...path]), subject: name }))
    }
    const toolset = `The toolset ${JSON.stringify(name)}`
    if (!Json.isObject(value)) {
      report("not-a-toolset", `${toolset} must be { "functions": [...] }, but is ${Issue.show(value)}`)
      continue
    }
    const { functions, ...metadata } = value
    const where = `functions of the toolset ${JSON.stringify(name)}`
    if (functions === undefined) {
      report("missing-functions", `${toolset} has no functions: add an array of names`)
    } else if (!Json.isArray(functions)) {
      report("not-an-array", `${where} must be an array of names, but is ${Issue.show(functions)}`, "functions")
    } else {
      const names = namesOf(functions, (found, index) =>
        report("not-a-name", `Each of the ${where} must be a name, but this one is ${found}`, "functions", index)
      )
      // A list that is read in part would offer another set than was meant.
      if (names !== undefined) toolsets.set(name, { name, functions: names, metadata, place: json.atKey([name]) })
    }
  }
  return { toolsets, problems }
}

/** The names of a list, each once; `undefined` where an item is not a name, which is reported. */
export const namesOf = (
  items: ReadonlyArray<Json.Json>,
  report: (found: string, index: number) => void
): ReadonlyArray<string> | undefined => {
  const names = items.filter((item, index): item is string => {
    const isName = typeof item === "string" && item !== ""
    if (!isName) report(Issue.show(item), index)
    return isName
  })
  return names.length === items.length ? [...new Set(names)] : undefined
}

export const isIgnored = (name: string): boolean => name.startsWith("_")

/** An error unless said otherwise, of the file as a whole without a place. */
export const problemOf = (
  file: string,
  rule: string,
  message: string,
  { place, severity = "error", subject }: Partial<Pick<Problem, "place" | "severity" | "subject">> = {}
): Problem => ({ severity, rule, message, file, place, subject })
