/**
 * What is wrong with a value that fits no branch of a union: of the branch that
 * it was meant for, if that is clear, and not of all of them.
 */
import { type Issue, show } from "../Issue.js"
import { isObject } from "../Json.js"
import type { Engine, Failure } from "./engine.js"
import { kindOf, listOf, summaryOf } from "./summary.js"

/** Unions in unions beyond this are described and not gone into. */
const maxDepth = 6

/** More branches than this are not tried one by one. */
const maxBranches = 16

export const unionIssues = (
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
