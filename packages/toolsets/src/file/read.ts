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
  Either.flatMap(
    Either.mapLeft(JsonText.parse(text), (faults) =>
      faults.map(({ message, place }): Problem => problemOf(file, "syntax", message, place, undefined))
    ),
    (json) =>
      isJsonObject(json.value)
        ? Either.right(toolsetsOf(json, json.value, file))
        : Either.left([
            problemOf(
              file,
              "not-an-object",
              `A file of toolsets must be an object, { "name": { "functions": [...] } }, but is ${Issue.show(json.value)}`,
              json.at([]),
              undefined
            )
          ])
  )

const toolsetsOf = (json: JsonText.JsonText, root: Json.JsonObject, file: string): ReadToolsets => {
  const toolsets = new Map<string, SavedToolset>()
  const problems: Array<Problem> = []
  for (const [name, value] of Object.entries(root)) {
    if (isIgnored(name)) continue
    const report = (rule: string, message: string, path: ReadonlyArray<string | number>): void => {
      problems.push(problemOf(file, rule, message, json.at(path), name))
    }
    if (!isJsonObject(value)) {
      const shape = `{ "functions": [...] }`
      report("not-a-toolset", `The toolset ${JSON.stringify(name)} must be ${shape}, but is ${Issue.show(value)}`, [
        name
      ])
      continue
    }
    const { functions, ...metadata } = value
    const where = `functions of the toolset ${JSON.stringify(name)}`
    if (functions === undefined) {
      report("missing-functions", `The toolset ${JSON.stringify(name)} has no functions: add an array of names`, [name])
    } else if (!isArray(functions)) {
      report("not-an-array", `${where} must be an array of names, but is ${Issue.show(functions)}`, [name, "functions"])
    } else {
      const names: Array<string> = []
      for (const [index, item] of functions.entries()) {
        if (typeof item === "string" && item !== "") names.push(item)
        else
          report("not-a-name", `Each of the ${where} must be a name, but this one is ${Issue.show(item)}`, [
            name,
            "functions",
            index
          ])
      }
      // A list that is read in part would offer another set than was meant.
      if (names.length === functions.length) {
        toolsets.set(name, { name, functions: [...new Set(names)], metadata, place: json.atKey([name]) })
      }
    }
  }
  return { toolsets, problems }
}

export const isIgnored = (name: string): boolean => name.startsWith("_")

export const isJsonObject = (value: Json.Json): value is Json.JsonObject => Json.isObject(value)

export const isArray = (value: Json.Json): value is ReadonlyArray<Json.Json> => Array.isArray(value)

export const problemOf = (
  file: string,
  rule: string,
  message: string,
  place: Problem["place"],
  subject: string | undefined,
  severity: Problem["severity"] = "error"
): Problem => ({ severity, rule, message, file, place, subject })
