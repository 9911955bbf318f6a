/**
 * What has changed between two states of a toolset, and what version number that deserves.
 *
 * Inputs may widen and outputs may narrow: a change is compatible where each call that was valid stays valid, and each
 * result is one that its readers knew. That is proved by inclusion of the schemas; what is not proved is breaking.
 */
import type { Facts, ToolDefinition } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonSchema from "@wield/core/JsonSchema"
import { Inclusion } from "./diff/inclusion.js"

/**
 * What version number a change deserves: `major` may refuse or misread what worked, `minor` adds, `patch` says the same
 * in other words.
 *
 * @category models
 */
export type Level = "major" | "minor" | "patch"

/**
 * What kind of change it is.
 *
 * @category models
 */
export type Kind =
  | "tool-added"
  | "tool-removed"
  | "added"
  | "removed"
  | "required"
  | "optional"
  | "widened"
  | "narrowed"
  | "altered"
  | "default"
  | "fact"
  | "words"

/**
 * One change.
 *
 * @category models
 */
export interface Change {
  readonly tool: string
  readonly part: "tool" | "input" | "output" | "facts"
  /** The place in the part, such as `["address", "city"]`; items of an array are `[]`. */
  readonly path: ReadonlyArray<string>
  readonly kind: Kind
  readonly level: Level
  /** In a sentence. */
  readonly message: string
}

/**
 * The changes between two states of a toolset, by the names of tools. A tool that was renamed is one that was removed
 * and one that was added, and the message says so.
 *
 * A call counts as one that was valid if it gave declared parameters only, unless the schema says that it takes others.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Diff } from "@wield/cli"
 * import { ToolDefinition } from "@wield/core"
 *
 * const search = (properties: {}) =>
 *   ToolDefinition.make({ name: "search", inputSchema: { type: "object", properties, required: ["query"] } })
 *
 * const before = [search({ query: { type: "string" } })]
 * const wider = Diff.compare(before, [search({ query: { type: "string" }, limit: { type: "integer" } })])
 * assert.deepStrictEqual(wider.map(({ kind, level, path }) => [kind, path.join("."), level]), [["added", "limit", "minor"]])
 *
 * const narrower = Diff.compare(before, [search({ query: { enum: ["red", "blue"] } })])
 * assert.strictEqual(Diff.levelOf(narrower), "major")
 * ```
 *
 * @category comparing
 */
export const compare = (
  before: ReadonlyArray<ToolDefinition.ToolDefinition>,
  after: ReadonlyArray<ToolDefinition.ToolDefinition>
): ReadonlyArray<Change> => {
  const old = new Map(before.map((tool) => [tool.name, tool]))
  const current = new Map(after.map((tool) => [tool.name, tool]))
  const added = after.filter(({ name }) => !old.has(name))
  const removed = before.filter(({ name }) => !current.has(name))
  return [
    ...removed.map((tool): Change => {
      const renamed = added.find((other) => contentOf(other) === contentOf(tool))
      const hint = renamed === undefined ? "" : `; ${renamed.name} has the same parameters, and may be its new name`
      const message = `The tool is no longer there${hint}`
      return { tool: tool.name, part: "tool", path: [], kind: "tool-removed", level: "major", message }
    }),
    ...added.map(({ name }): Change => {
      return { tool: name, part: "tool", path: [], kind: "tool-added", level: "minor", message: "The tool is new" }
    }),
    ...before.flatMap((tool) => {
      const other = current.get(tool.name)
      return other === undefined ? [] : compareTool(tool, other)
    })
  ]
}

/**
 * The highest level among changes; `undefined` without a change.
 *
 * @category versions
 */
export const levelOf = (changes: ReadonlyArray<Pick<Change, "level">>): Level | undefined =>
  levels.find((level) => changes.some((change) => change.level === level))

const levels = ["major", "minor", "patch"] as const

/**
 * The version that follows one after changes of this level. Below 1.0.0 a breaking change raises the second number, as
 * package managers read it.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Diff } from "@wield/cli"
 *
 * assert.strictEqual(Diff.nextVersion("1.4.2", "minor"), "1.5.0")
 * assert.strictEqual(Diff.nextVersion("0.4.2", "major"), "0.5.0")
 * ```
 *
 * @category versions
 */
export const nextVersion = (version: string, level: Level | undefined): string | undefined => {
  const [, major = "", minor = "", patch = ""] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  if (major === "") return undefined
  const numbers = [Number(major), Number(minor), Number(patch)] as const
  if (level === undefined) return numbers.join(".")
  const raised = numbers[0] === 0 ? ({ major: "minor", minor: "patch", patch: "patch" } as const)[level] : level
  if (raised === "major") return `${numbers[0] + 1}.0.0`
  return raised === "minor" ? `${numbers[0]}.${numbers[1] + 1}.0` : `${numbers[0]}.${numbers[1]}.${numbers[2] + 1}`
}

const contentOf = ({ inputSchema, outputSchema }: ToolDefinition.ToolDefinition): string =>
  Json.canonical([inputSchema, outputSchema])

const compareTool = (
  before: ToolDefinition.ToolDefinition,
  after: ToolDefinition.ToolDefinition
): ReadonlyArray<Change> => {
  const tool = before.name
  const words: ReadonlyArray<Change> =
    before.description === after.description
      ? []
      : [{ tool, part: "tool", path: [], kind: "words", level: "patch", message: "The description has changed" }]
  return [
    ...words,
    ...compareSchemas(tool, "input", inputOf(before), inputOf(after)),
    ...compareOutputs(tool, before.outputSchema, after.outputSchema),
    ...compareFacts(tool, before.facts, after.facts)
  ]
}

/** What means "no parameters" is written in several ways. */
const inputOf = ({ inputSchema }: ToolDefinition.ToolDefinition): Json.JsonSchema =>
  JsonSchema.isWithoutParameters(inputSchema) ? { type: "object", properties: {} } : inputSchema

const compareOutputs = (
  tool: string,
  before: Json.JsonSchema | undefined,
  after: Json.JsonSchema | undefined
): ReadonlyArray<Change> => {
  const change = { tool, part: "output", path: [] } as const
  if (before === undefined && after === undefined) return []
  if (before === undefined) {
    return [{ ...change, kind: "added", level: "minor", message: "The result has a schema now" }]
  }
  if (after === undefined) {
    return [{ ...change, kind: "removed", level: "major", message: "The result has no schema any more" }]
  }
  return compareSchemas(tool, "output", before, after)
}

type Part = "input" | "output"

const compareSchemas = (
  tool: string,
  part: Part,
  before: Json.JsonSchema,
  after: Json.JsonSchema
): ReadonlyArray<Change> => {
  if (Json.canonical(before) === Json.canonical(after)) return []
  // Arguments go from callers who know the old schema to the new one; results from the new one to readers of the old.
  const [forward, backward] = [new Inclusion(before, after), new Inclusion(after, before)]
  const changes: Array<Change> = []
  const report = (path: ReadonlyArray<string>, kind: Kind, level: Level, message: string) =>
    changes.push({ tool, part, path, kind, level, message })
  const walk = (old: unknown, current: unknown, path: ReadonlyArray<string>): void => {
    const isReferring = /"\$ref"/.test(Json.canonical([old, current]))
    if (Json.canonical(old) === Json.canonical(current) && !isReferring) return
    if (!Json.isObject(old) || !Json.isObject(current)) return compareLeaf(old, current, path)
    const parts = ["properties", "items"] as const
    const isWalked = parts.some((key) => Json.isObject(old[key]) && Json.isObject(current[key]))
    if (!isWalked) return compareLeaf(old, current, path)
    walkProperties(old, current, path)
    const isList = Json.isObject(old["items"]) && Json.isObject(current["items"])
    if (isList) walk(old["items"], current["items"], [...path, "[]"])
    const shared = Object.keys(recordOf(old["properties"])).filter((name) =>
      Object.hasOwn(recordOf(current["properties"]), name)
    )
    compareLeaf(shellOf(old, isList, shared), shellOf(current, isList, shared), path)
  }
  const walkProperties = (
    old: { readonly [key: string]: unknown },
    current: { readonly [key: string]: unknown },
    path: ReadonlyArray<string>
  ): void => {
    const [mine, others] = [recordOf(old["properties"]), recordOf(current["properties"])]
    const [needed, nowNeeded] = [namesOf(old["required"]), namesOf(current["required"])]
    for (const name of Object.keys(mine)) {
      const at = [...path, name]
      if (!Object.hasOwn(others, name)) {
        const isRefused = current["additionalProperties"] === false
        const effect = isRefused ? "calls that give it are refused" : "what calls give for it is ignored"
        report(at, "removed", "major", part === "input" ? `It is gone: ${effect}` : "It is no longer in the result")
        continue
      }
      if (needed.has(name) && !nowNeeded.has(name)) {
        report(at, "optional", part === "input" ? "minor" : "major", "It is optional now")
      }
      if (!needed.has(name) && nowNeeded.has(name)) {
        report(at, "required", part === "input" ? "major" : "minor", "It is required now")
      }
      walk(mine[name], others[name], at)
    }
    for (const name of Object.keys(others).filter((one) => !Object.hasOwn(mine, one))) {
      const isRequired = nowNeeded.has(name)
      const level = part === "input" && isRequired ? "major" : "minor"
      report([...path, name], "added", level, isRequired ? "It is new, and required" : "It is new")
    }
  }
  const compareLeaf = (old: unknown, current: unknown, path: ReadonlyArray<string>): void => {
    const isWider = forward.includes(old, current)
    const isNarrower = backward.includes(current, old)
    if (isWider && isNarrower) {
      if (Json.canonical(old) !== Json.canonical(current)) compareAnnotations(old, current, path)
      return
    }
    if (isWider)
      return void report(path, "widened", part === "input" ? "minor" : "major", sentence(old, current, "more"))
    if (isNarrower) {
      return void report(path, "narrowed", part === "input" ? "major" : "minor", sentence(old, current, "fewer"))
    }
    report(path, "altered", "major", sentence(old, current, "other"))
  }
  const compareAnnotations = (old: unknown, current: unknown, path: ReadonlyArray<string>): void => {
    const [mine, others] = [recordOf(old), recordOf(current)]
    const isOtherDefault = Json.canonical(mine["default"] ?? null) !== Json.canonical(others["default"] ?? null)
    if (isOtherDefault) {
      const of = (value: unknown) => (value === undefined ? "nothing" : shorten(JSON.stringify(value)))
      const message = `The default was ${of(mine["default"])}, and is ${of(others["default"])}`
      return void report(path, "default", "minor", message)
    }
    report(path, "words", "patch", "It is described in other words")
  }
  walk(before, after, [])
  const isCompatible = part === "input" ? forward.holds() : backward.holds()
  if (!isCompatible && levelOf(changes) !== "major") {
    report([], "altered", "major", "It cannot be shown that everything that was valid still is")
  }
  return changes
}

/** What remains of a schema beside what is walked. Its properties are there by name: it is no object of any properties. */
const shellOf = (
  schema: { readonly [key: string]: unknown },
  isList: boolean,
  names: ReadonlyArray<string>
): { readonly [key: string]: unknown } => ({
  ...Object.fromEntries(Object.entries(schema).filter(([key]) => !walked.has(key))),
  ...(isList || schema["items"] === undefined ? {} : { items: schema["items"] }),
  ...(schema["properties"] === undefined ? {} : { properties: Object.fromEntries(names.map((name) => [name, true])) })
})

const walked: ReadonlySet<string> = new Set([
  "properties",
  "required",
  "items",
  "$id",
  "$schema",
  "$defs",
  "definitions"
])

const recordOf = (value: unknown): { readonly [key: string]: unknown } => (Json.isObject(value) ? value : {})

const namesOf = (value: unknown): ReadonlySet<unknown> => new Set(Array.isArray(value) ? value : [])

const sentence = (before: unknown, after: unknown, which: "more" | "fewer" | "other"): string => {
  const values = which === "other" ? "other values" : `${which} values`
  const [old, current] = [recordOf(before), recordOf(after)]
  const keys = [...new Set([...Object.keys(old), ...Object.keys(current)])].filter(
    (key) => !annotations.has(key) && Json.canonical(old[key] ?? null) !== Json.canonical(current[key] ?? null)
  )
  const details = keys.map((key) => `${key} was ${shown(old[key])}, and is ${shown(current[key])}`)
  return details.length === 0 ? `It accepts ${values}` : `It accepts ${values}: ${details.slice(0, 3).join("; ")}`
}

const annotations: ReadonlySet<string> = new Set(["description", "title", "examples", "default", "$comment"])

const shown = (value: unknown): string => (value === undefined ? "not there" : shorten(JSON.stringify(value)))

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

/** A fact that is lost may make an application ask, repeat or trust otherwise. */
const compareFacts = (tool: string, before: Facts.Facts, after: Facts.Facts): ReadonlyArray<Change> => {
  const change = (fact: string, isWorse: boolean, old: unknown, current: unknown): Change => ({
    tool,
    part: "facts",
    path: [fact],
    kind: "fact",
    level: isWorse ? "major" : "patch",
    message: `It was ${JSON.stringify(old) ?? "not stated"}, and is ${JSON.stringify(current) ?? "not stated"}`
  })
  const disclosed = { none: 0, endpoint: 1, any: 2 } as const
  const isWorse: { readonly [Fact in keyof Facts.Facts]: boolean } = {
    kind: before.kind !== after.kind,
    title: false,
    isReadOnly: before.isReadOnly && !after.isReadOnly,
    isDestructive: !before.isDestructive && after.isDestructive,
    isIdempotent: before.isIdempotent && !after.isIdempotent,
    isOpenWorld: !before.isOpenWorld && after.isOpenWorld,
    disclosure: disclosed[after.disclosure] > disclosed[before.disclosure],
    isSequential: false,
    examples: false
  }
  // The table has a row for each fact and nothing else.
  return (Object.keys(isWorse) as ReadonlyArray<keyof Facts.Facts>)
    .filter((fact) => Json.canonical(before[fact] ?? null) !== Json.canonical(after[fact] ?? null))
    .map((fact) => change(fact, isWorse[fact], before[fact], after[fact]))
}
