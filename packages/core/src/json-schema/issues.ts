/** What is wrong with a value, in words that a model can act on: where, what was expected, what was sent. */
import { type Issue, show } from "../Issue.js"
import { isObject } from "../Json.js"
import { endless, type Engine, type Failure } from "./engine.js"
import { exampleOf, listOf, propertyNames, summaryOf, kindOf } from "./summary.js"

export const issuesOf = (engine: Engine, value: unknown): ReadonlyArray<Issue> => {
  const failures = engine.failures(value)
  // Which values there are tells their type too.
  const stated = new Set(failures.flatMap(({ keyword, path }) => (statesValues(keyword) ? [JSON.stringify(path)] : [])))
  const issues = failures
    .filter(({ keyword, path }) => keyword !== "type" || stated.size === 0 || !stated.has(JSON.stringify(path)))
    .flatMap((failure) => issuesOfFailure(engine, failure))
  if (issues.length === 0) return [{ path: [], expected: "a valid value", received: show(value) }]
  // Parts of an `allOf` may all say the same.
  return issues.length === 1 ? issues : [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()]
}

export const issuesOfFailure = (engine: Engine, failure: Failure, depth = 0): ReadonlyArray<Issue> => {
  if (failure.keyword === "anyOf" || failure.keyword === "oneOf") {
    const issues = unionIssues(engine, failure, (inner) => issuesOfFailure(engine, inner, depth + 1), depth)
    return issues.map((issue) => ({ ...issue, path: [...failure.path, ...issue.path] }))
  }
  return [issueOf(engine, failure)]
}

const statesValues = (keyword: string): boolean => keyword === "enum" || keyword === "const"

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
      return {
        path: name === undefined ? path : [...path, name],
        expected: `no argument of this name${hintOf(schema)}`,
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

/** Made once of a schema: there may be as many wrong names as there are right ones. */
const hints = new WeakMap<object, string>()

const hintOf = (schema: Failure["schema"]): string => {
  const made = hints.get(schema)
  if (made !== undefined) return made
  const known = propertyNames(schema)
  const hint = known.length === 0 ? "" : ` (there are ${listOf(known, "and")})`
  hints.set(schema, hint)
  return hint
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

/** Unions in unions beyond this are described and not gone into. */
const maxDepth = 6

/** More branches than this are not tried one by one. */
const maxBranches = 16

/** Of the branch of a union that a value was meant for, if that is clear, and not of all of them. */
const unionIssues = (
  engine: Engine,
  { data, keyword, stated }: Failure,
  explain: (failure: Failure) => ReadonlyArray<Issue>,
  depth: number
): ReadonlyArray<Issue> => {
  const branches: ReadonlyArray<unknown> = Array.isArray(stated) ? stated : []
  const failures = (branch: unknown): ReadonlyArray<Failure> | undefined => engine.failuresBy(branch, data)
  if (keyword === "oneOf" && branches.length <= maxBranches) {
    const fitting = branches.filter((branch) => failures(branch)?.length === 0).length
    if (fitting > 1) {
      const expected = `a value that fits one only of ${branches.length} forms: ${describe(engine, branches)}`
      return [{ path: [], expected, received: `one that fits ${fitting} of them` }]
    }
  }
  const ofKind = branches.filter((branch) => takesKind(engine, branch, kindOf(data), 0))
  const meant = ofKind.length === 0 ? { branches: ofKind } : byConstants(engine, ofKind, data)
  if ("issue" in meant) return [meant.issue]
  if (meant.branches.length > 0 && meant.branches.length <= maxBranches && depth < maxDepth) {
    const tried = meant.branches.flatMap((branch) => {
      const found = failures(branch)
      return found === undefined || found.length === 0 ? [] : [found.flatMap(explain)]
    })
    const [best, second] = tried.toSorted((left, right) => left.length - right.length)
    // With two that are equally near it is unclear which one was meant.
    if (best !== undefined && (second === undefined || second.length > best.length)) return best
  }
  return [{ path: [], expected: describe(engine, branches), received: show(data) }]
}

const describe = (engine: Engine, branches: ReadonlyArray<unknown>): string =>
  listOf([...new Set(branches.map((branch) => summaryOf(branch, engine.resolve)))], "or")

const dereference = (engine: Engine, schema: unknown): { readonly [keyword: string]: unknown } | undefined => {
  let at = schema
  for (let hop = 0; hop < 16 && isObject(at) && typeof at["$ref"] === "string"; hop++) {
    const target = engine.resolve(at["$ref"])
    if (target === undefined) break
    at = target
  }
  return isObject(at) ? at : undefined
}

const takesKind = (engine: Engine, branch: unknown, kind: string, depth: number): boolean => {
  const schema = dereference(engine, branch)
  if (schema === undefined) return branch !== false
  const { anyOf, enum: values, oneOf, type } = schema
  if (type !== undefined) {
    const types: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type]
    if (!types.includes(kind) && !(kind === "number" && types.includes("integer"))) return false
  }
  if ("const" in schema) return kindOf(schema["const"]) === kind
  if (Array.isArray(values)) return values.some((value) => kindOf(value) === kind)
  const inner: unknown = Array.isArray(anyOf) ? anyOf : oneOf
  return !Array.isArray(inner) || depth > 4 || inner.some((item) => takesKind(engine, item, kind, depth + 1))
}

/** The branches whose constants the value has; or, where none has them, which constants there are. */
const byConstants = (
  engine: Engine,
  branches: ReadonlyArray<unknown>,
  data: unknown
): { readonly branches: ReadonlyArray<unknown> } | { readonly issue: Issue } => {
  if (!isObject(data)) return { branches }
  const tags = branches.map((branch) => constantsOf(dereference(engine, branch)))
  const fitting = branches.filter((_, index) =>
    [...(tags[index] ?? [])].every(([key, values]) => !Object.hasOwn(data, key) || values.includes(data[key]))
  )
  if (fitting.length > 0) {
    const tagged = fitting.filter((branch) =>
      [...(tags[branches.indexOf(branch)] ?? [])].some(([key]) => Object.hasOwn(data, key))
    )
    return { branches: tagged.length > 0 ? tagged : fitting }
  }
  const shared = [...(tags[0]?.keys() ?? [])].find(
    (key) => Object.hasOwn(data, key) && tags.every((tag) => tag.has(key))
  )
  if (shared === undefined) return { branches }
  const values = [...new Set(tags.flatMap((tag) => tag.get(shared) ?? []))].map((value) => JSON.stringify(value))
  return { issue: { path: [shared], expected: `one of ${listOf(values, "or")}`, received: show(data[shared]) } }
}

/** The properties that may have some values only: such as `type`, by which branches differ. */
const constantsOf = (
  schema: { readonly [keyword: string]: unknown } | undefined
): ReadonlyMap<string, ReadonlyArray<unknown>> => {
  const constants = new Map<string, ReadonlyArray<unknown>>()
  if (schema === undefined || !isObject(schema["properties"])) return constants
  for (const [key, property] of Object.entries(schema["properties"])) {
    if (!isObject(property)) continue
    if ("const" in property) constants.set(key, [property["const"]])
    else if (Array.isArray(property["enum"])) constants.set(key, property["enum"])
  }
  return constants
}
