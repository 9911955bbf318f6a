/** What is wrong with an entry's path and its query template. */
import { Json } from "@wield/core"
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault, Severity } from "../Problem.js"
import { parameterNamesOf, isUnlisted, planOf } from "./plan.js"
import { placeholdersOf, type Template } from "./template.js"

const at = ["api", "path"]

export const checkPath = (entry: ApiEntry): ReadonlyArray<Fault> => {
  const { path } = entry.api
  const faults: Array<Fault> = []
  const fault = (severity: Severity, rule: string, message: string, offset?: number) =>
    faults.push({ severity, rule, message, path: at, offset })
  if (path === undefined) {
    fault("error", "path-missing", 'There is no path. Say "path", such as "/orders/{id}"')
    return faults
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) {
    const message = "The path is a URL. Expected what comes after the URL of the API, which its configuration has"
    fault("error", "path-absolute", message)
    return faults
  }
  const plan = planOf(entry)
  for (const segment of plan.path.segments) {
    checkSegment(segment, fault)
    for (const { name, offset } of placeholdersOf(segment)) checkPathParameter(entry, name, offset, fault)
  }
  for (const { name, offset } of plan.path.pairs.flatMap(({ value }) => placeholdersOf(value))) {
    checkPlaceholder(entry, name, offset, fault)
  }
  for (const { name } of plan.path.pairs) checkQueryName(path, name, fault)
  for (const pair of plan.path.fixed) checkQueryName(path, pair, fault)
  const question = path.indexOf("?")
  const second = question < 0 ? -1 : path.indexOf("?", question + 1)
  if (second >= 0) {
    const message = "There is a second question mark, which is sent as a part of a value. Pairs are joined by &"
    fault("warning", "second-question-mark", message, second)
  }
  if (path.includes("#")) {
    fault("warning", "path-fragment", "What comes after # is never sent. Write it as %23", path.indexOf("#"))
  }
  return faults
}

type Say = (severity: Severity, rule: string, message: string, offset?: number) => void

const checkSegment = (segment: Template, fault: Say): void => {
  const text = segment.map((piece) => (piece._tag === "Literal" ? piece.text : "x")).join("")
  if (/^(\.|%2e){1,2}$/i.test(text)) {
    fault("error", "path-dots", "The path has a segment of dots, which URLs take away. Write where it leads")
  }
  if (/[{}]/.test(text)) {
    fault(
      "error",
      "path-brace",
      "The path has a brace without its other. Write a placeholder as {name}, a brace as %7B"
    )
  }
  if (text.includes("\\")) {
    fault("error", "path-backslash", "The path has a backslash, which URLs take for a slash. Write / or %5C")
  }
}

const checkQueryName = (path: string, name: string, fault: Say): void => {
  if (!/[{}]/.test(name)) return
  const message = "A placeholder stands for a value, not for a name of the query. Write it as name={name}"
  fault("error", "query-name-placeholder", message, path.indexOf(name))
}

/** Whether there is a parameter for a placeholder. */
export const checkPlaceholder = (entry: ApiEntry, name: string, offset: number | undefined, fault: Say): boolean => {
  const { parameter } = planOf(entry).parameterOf(name)
  const names = parameterNamesOf(entry)
  if (names.includes(parameter) || isUnlisted(entry.function.parameters)) return true
  const near = names.find((one) => one.toLowerCase() === parameter.toLowerCase())
  const known = names.length === 0 ? "it has no parameters" : `they are ${names.join(", ")}`
  fault(
    "error",
    "placeholder-without-parameter",
    `{${name}} has no parameter of this name${near === undefined ? `: ${known}` : `. Is ${near} meant?`}`,
    offset
  )
  return false
}

const checkPathParameter = (entry: ApiEntry, name: string, offset: number, fault: Say): void => {
  if (!checkPlaceholder(entry, name, offset, fault)) return
  const { parameters } = entry.function
  const { parameter, place } = planOf(entry).parameterOf(name)
  const { properties, required } = parameters
  const schema = Json.isObject(properties) ? properties[parameter] : undefined
  if (!Json.isObject(schema)) return
  if (schema["type"] === "object" && place?.style === undefined && place?.contentType === undefined) {
    const message = `${parameter} is an object, which has no text in a path. Say its style in "parameters", or take it out`
    fault("error", "path-parameter-object", message, offset)
  }
  const isRequired = Array.isArray(required) && required.includes(parameter)
  const isNamed = (fields: ReadonlyArray<string>) =>
    fields.some((field) => field.toLowerCase() === parameter.toLowerCase())
  const isSupplied = isNamed(entry.context)
  if (isSupplied ? isNamed(entry.optionalContext) : !isRequired) {
    const message = `${parameter} may be absent, but the path needs it: calls without it fail. Add it to "required"`
    fault("warning", "path-parameter-optional", message, offset)
  }
}
