/**
 * Compares what is made of a GraphQL schema with what Acorn's own converter
 * made of it: the same tools, in the same order, with the same parameters and
 * the same documents.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Json } from "@wield/core"
import { FromGraphQl, type ManifestEntry } from "@wield/manifest"
import { Effect, Either } from "effect"
import { parse, print } from "graphql"
import { readJson, readText } from "../folder.js"

/** A schema, the operations beside it, and what Acorn made of both; paths from the corpus's `acorn`. */
interface Pair {
  readonly schema: string
  readonly operations: ReadonlyArray<string>
  readonly snapshot: string
  readonly context: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
}

const pairs: ReadonlyArray<Pair> = [
  {
    schema: "graphql/nutshop-schema.graphqls",
    operations: [],
    snapshot: "snapshot/nutshop.json",
    context: ["customerid"],
    exclude: ["Internal*"]
  },
  {
    schema: "graphql/sensors.graphqls",
    operations: ["graphql/sensors-aboveTemp.graphql"],
    snapshot: "snapshot/sensors.json",
    context: [],
    exclude: []
  }
]

/** What is taken from the comparison, and why. */
export const reasons: ReadonlyArray<string> = [
  "descriptions are compared without the white space around them, which Acorn keeps, and an empty one is none",
  "the default of a parameter is in its schema, where Acorn has it in the document only",
  "a parameter that may be null says so, which Acorn says in the document only",
  "context names the parameters that a tool has, where Acorn repeats the whole list for tools that have none of them",
  "documents are compared as what they say: Acorn writes no commas between variables and keeps an operation's comments",
  "facts, and the path to the one field of an answer, are stated besides"
]

export interface Comparison {
  readonly passed: number
  /** One a difference that no reason explains. */
  readonly failures: ReadonlyArray<string>
}

/** @param folder The corpus's `acorn`. */
export const compare = async (folder: string): Promise<Comparison> => {
  const failures: Array<string> = []
  let passed = 0
  for (const pair of pairs) {
    const needed = [pair.schema, ...pair.operations, pair.snapshot]
    if (!needed.every((file) => existsSync(join(folder, file)))) continue
    const text = (path: string): string => readText(join(folder, path)) ?? ""
    const converted = await Effect.runPromise(
      FromGraphQl.entries(text(pair.schema), {
        operations: pair.operations.map((file) => ({ text: text(file), file })),
        context: pair.context,
        exclude: pair.exclude,
        inputObjects: "flat",
        nestedArguments: true,
        commentDescriptions: true
      }).pipe(Effect.either)
    )
    const theirs = readJson<ReadonlyArray<unknown>>(join(folder, pair.snapshot), Array.isArray)
    if (Either.isLeft(converted)) failures.push(`${pair.schema}: ${converted.left.message}`)
    if (Either.isLeft(converted) || theirs === undefined) continue
    const { entries } = converted.right
    const names = [entries.map((entry) => entry.function.name), theirs.map((tool) => at(tool, "function", "name"))]
    if (JSON.stringify(names[0]) !== JSON.stringify(names[1])) {
      failures.push(`${pair.snapshot}: expected the tools ${String(names[1])}, found ${String(names[0])}`)
    }
    for (const tool of theirs) {
      const entry = entries.find((other) => other.function.name === at(tool, "function", "name"))
      if (entry === undefined) continue
      const [expected, found] = [JSON.stringify(ofAcorn(tool)), JSON.stringify(ofEntry(entry))]
      if (expected === found) passed++
      else failures.push(`${pair.snapshot} ${entry.function.name}: expected ${expected}, found ${found}`)
    }
  }
  return { passed, failures }
}

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((current, key) => (Json.isObject(current) ? current[key] : undefined), value)

const ofAcorn = (tool: unknown) =>
  comparable(
    at(tool, "function", "description"),
    at(tool, "function", "parameters"),
    at(tool, "contextKeys"),
    at(tool, "apiQuery", "query")
  )

const ofEntry = (entry: ManifestEntry.ApiEntry) =>
  comparable(entry.function.description, entry.function.parameters, entry.context, entry.api.query)

const comparable = (description: unknown, parameters: unknown, context: unknown, query: unknown) => {
  const properties = at(parameters, "properties")
  const all = Object.entries(Json.isObject(properties) ? properties : {}).sort(([left], [right]) =>
    left < right ? -1 : 1
  )
  return {
    description: trimmed(description),
    properties: all.map(([name, schema]) => [name, nonNull(at(schema, "type")), trimmed(at(schema, "description"))]),
    required: sorted(at(parameters, "required")),
    context: sorted(context).filter((field) => all.some(([name]) => name === field)),
    query: said(String(query))
  }
}

const nonNull = (type: unknown): unknown => (Array.isArray(type) ? type.find((one) => one !== "null") : type)

const trimmed = (text: unknown): string | null => (typeof text === "string" && text.trim() !== "" ? text.trim() : null)

const sorted = (names: unknown): ReadonlyArray<string> => (Array.isArray(names) ? names.map(String).sort() : [])

const said = (query: string): string => print(parse(query))
