/**
 * What is wrong with a value, in words that a model can act on: where, what was
 * expected, what was sent.
 */
import { type Issue, show } from "../Issue.js"
import { isObject } from "../Json.js"
import { endless, type Engine, type Failure } from "./engine.js"
import { exampleOf, listOf, propertyNames, summaryOf } from "./summary.js"
import { unionIssues } from "./unionIssues.js"

export const issuesOf = (engine: Engine, value: unknown): ReadonlyArray<Issue> => {
  const failures = engine.failures(value)
  const issues = failures
    .filter((failure) => !isSaidBetter(failure, failures))
    .flatMap((failure) => issuesOfFailure(engine, failure))
  return issues.length > 0 ? issues : [{ path: [], expected: "a valid value", received: show(value) }]
}

export const issuesOfFailure = (engine: Engine, failure: Failure, depth = 0): ReadonlyArray<Issue> => {
  if (failure.keyword === "anyOf" || failure.keyword === "oneOf") {
    const issues = unionIssues(engine, failure, (inner) => issuesOfFailure(engine, inner, depth + 1), depth)
    return issues.map((issue) => ({ ...issue, path: [...failure.path, ...issue.path] }))
  }
  return [issueOf(engine, failure)]
}

/** Which values there are tells their type too. */
const isSaidBetter = ({ keyword, path }: Failure, failures: ReadonlyArray<Failure>): boolean =>
  keyword === "type" &&
  failures.some((other) => (other.keyword === "enum" || other.keyword === "const") && isSamePath(other.path, path))

const isSamePath = (left: Failure["path"], right: Failure["path"]): boolean =>
  left.length === right.length && left.every((key, index) => key === right[index])

const issueOf = (engine: Engine, { data, keyword, name, path, schema, stated }: Failure): Issue => {
  const issue = (expected: string, received: string | undefined = show(data)): Issue => ({ path, expected, received })
  const summary = (of: unknown): string => summaryOf(of, engine.resolve)
  switch (keyword) {
    case "required":
    case "dependentRequired":
    case "dependencies": {
      const property = name === undefined || !isObject(schema["properties"]) ? undefined : schema["properties"][name]
      const expected = property === undefined ? "a value" : summary(property)
      const cause = keyword === "required" || name === undefined ? undefined : dependsOn(stated, name, data)
      return {
        path: name === undefined ? path : [...path, name],
        expected: cause === undefined ? expected : `${expected}, since ${cause} is given`,
        received: undefined
      }
    }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const known = propertyNames(schema)
      const hint = known.length === 0 ? "" : ` (there are ${listOf(known, "and")})`
      return {
        path: name === undefined ? path : [...path, name],
        expected: `no argument of this name${hint}`,
        received: "one"
      }
    }
    case "propertyNames":
      return {
        path: name === undefined ? path : [...path, name],
        expected: `a name that is ${summary(isObject(stated) ? { type: "string", ...stated } : stated)}`,
        received: name === undefined ? show(data) : show(name)
      }
    case "enum":
      return issue(Array.isArray(stated) ? summary({ enum: stated }) : "one of the listed values")
    case "type":
      return issue(summary({ type: stated }))
    case "maxLength":
      return issue(
        `at most ${count(stated, "character")}`,
        typeof data === "string" ? `${data.length} characters` : show(data)
      )
    case "contains": {
      const { maxContains, minContains } = schema
      const least = typeof minContains === "number" ? minContains : 1
      const most = typeof maxContains === "number" ? ` and at most ${maxContains}` : ""
      return issue(`at least ${least}${most} items that are ${summary(stated)}`)
    }
    case "not":
      return issue(`anything but ${summary(stated)}`)
    default:
      return issue(expectations[keyword]?.(stated) ?? `a value that meets ${keyword}`)
  }
}

const expectations: { readonly [keyword: string]: (stated: unknown) => string } = {
  const: (stated) => JSON.stringify(stated),
  minimum: (stated) => `at least ${String(stated)}`,
  maximum: (stated) => `at most ${String(stated)}`,
  exclusiveMinimum: (stated) => `more than ${String(stated)}`,
  exclusiveMaximum: (stated) => `less than ${String(stated)}`,
  multipleOf: (stated) => `a multiple of ${String(stated)}`,
  minLength: (stated) => `at least ${count(stated, "character")}`,
  pattern: (stated) => `text that matches ${String(stated)}`,
  format: (stated) => exampleOf(String(stated)),
  minItems: (stated) => `at least ${count(stated, "item")}`,
  maxItems: (stated) => `at most ${count(stated, "item")}`,
  items: () => "no further items",
  additionalItems: () => "no further items",
  unevaluatedItems: () => "no further items",
  uniqueItems: () => "items that all differ",
  minProperties: (stated) => `at least ${count(stated, "property", "properties")}`,
  maxProperties: (stated) => `at most ${count(stated, "property", "properties")}`,
  "false schema": () => "nothing here",
  [endless]: () => "a value nested less deeply"
}

const count = (stated: unknown, one: string, many = `${one}s`): string =>
  `${String(stated)} ${stated === 1 ? one : many}`

/** The given property because of which another is required. */
const dependsOn = (stated: unknown, name: string, data: unknown): string | undefined => {
  if (!isObject(stated) || !isObject(data)) return undefined
  const cause = Object.entries(stated).find(
    ([key, names]) => Object.hasOwn(data, key) && Array.isArray(names) && names.includes(name)
  )
  return cause?.[0]
}
