/**
 * Runs the JSON-Schema-Test-Suite through `JsonSchema.compile`. What the suite
 * requires has to pass; what it calls optional is counted.
 */
import { JsonSchema } from "@wield/core"
import { Effect, Either } from "effect"
import { join } from "node:path"
import { withUnreadable } from "./folder.js"
import type { Report } from "./Report.js"
import { type Case, drafts, type Kind, readCases, readRemotes } from "./schema/cases.js"

export const part = "json-schema"

interface Row {
  schemas: number
  tests: number
  passed: number
}

const kinds: ReadonlyArray<Kind> = ["required", "optional", "optional formats"]

export const run = async (folder: string): Promise<Report> => {
  const material = join(folder, part)
  const compile = await Effect.runPromise(JsonSchema.compiler)
  const rows = new Map<string, Row>()
  const failures: Array<string> = []
  const misses = new Map<string, number>()
  let passed = 0

  for (const [draft, name] of drafts) {
    const documents = readRemotes(material, draft)
    for (const kind of kinds) rows.set(`${draft}, ${kind}`, { schemas: 0, tests: 0, passed: 0 })
    for (const group of readCases(material, draft)) {
      if (!isComplete(group, documents)) continue
      const row = rows.get(`${draft}, ${group.kind}`)
      if (row === undefined) continue
      row.schemas++
      const answers = await answersOf(compile, group, name, documents)
      for (const [index, test] of group.tests.entries()) {
        const answer = answers(test.data)
        const isRight = answer === test.valid
        const id = `${draft}/${group.file}: ${group.description} / ${test.description}`
        row.tests++
        if (isRight) row.passed++
        if (group.kind !== "required") {
          if (!isRight) misses.set(`${draft}/${group.file}`, (misses.get(`${draft}/${group.file}`) ?? 0) + 1)
          continue
        }
        if (isRight) passed++
        else failures.push(`${id} (test ${index + 1}): expected ${String(test.valid)}, found ${String(answer)}`)
      }
    }
  }
  return withUnreadable({ table: tableOf(rows), notes: notesOf(misses), passed, failures })
}

/** Whether the meta-schema that a test brings along is there: without it, what its keywords mean is not said. */
const isComplete = ({ schema }: Case, remotes: { readonly [uri: string]: unknown }): boolean => {
  const address = typeof schema === "boolean" ? undefined : schema["$schema"]
  return typeof address !== "string" || !address.startsWith("http://localhost:1234/") || Object.hasOwn(remotes, address)
}

type Compile = Effect.Effect.Success<typeof JsonSchema.compiler>

/** What the schema of a group answers to a value: valid, not valid, or why it cannot tell. */
const answersOf = async (
  compile: Compile,
  group: Case,
  draft: JsonSchema.Draft,
  remotes: { readonly [uri: string]: object | boolean }
): Promise<(value: unknown) => boolean | string> => {
  const { schema } = group
  // A schema that is only true or false is what its `allOf` would be: an import takes objects.
  const document = typeof schema === "boolean" ? { allOf: [schema] } : schema
  const documents = JSON.stringify(schema).includes("localhost:1234") ? remotesOf(remotes, document) : {}
  const options = { draft, documents, formats: group.kind === "optional formats" ? "assertion" : "annotation" } as const
  const compiled = await Effect.runPromise(Effect.either(compile(document, options)))
  return Either.match(compiled, {
    onLeft: (error) => () => error.message,
    onRight: (validator) => (value) => {
      const isValid = validator.isValid(value)
      const result = validator.validate(value)
      if (Either.isRight(result) !== isValid) return "isValid and validate disagree"
      return Either.isLeft(result) && result.left.length === 0 ? "no issue is named" : isValid
    }
  })
}

/** The other documents, without the one that the schema itself claims to be. */
const remotesOf = (remotes: { readonly [uri: string]: object | boolean }, schema: object) => {
  const own: unknown = Reflect.get(schema, "$id")
  return Object.fromEntries(
    Object.entries(remotes).flatMap(([uri, remote]) =>
      typeof remote === "boolean" || uri === own ? [] : [[uri, { ...remote }]]
    )
  )
}

const percent = (count: number, all: number): string => (all === 0 ? "-" : `${((100 * count) / all).toFixed(1)} %`)

const tableOf = (rows: ReadonlyMap<string, Row>): Report["table"] => [
  ["part", "schemas", "tests", "passed", "rate"],
  ...Array.from(rows, ([name, row]) => [name, row.schemas, row.tests, row.passed, percent(row.passed, row.tests)])
]

const notesOf = (misses: ReadonlyMap<string, number>): ReadonlyArray<string> => [
  "Each schema is compiled with its draft stated (JsonSchema.compile, option `draft`), remote documents given in",
  "`documents`, and formats asserted in the optional format tests only. `required` is what every implementation must do:",
  "a failure there is a failure of this suite. Optional tests are what the suite itself leaves open (formats, big numbers,",
  "content); those that fail are a rate, by file below, and neither a pass nor a failure in the last line.",
  "",
  `Optional tests not passed: ${Array.from(misses, ([file, count]) => `${file} ${count}`).join(", ") || "none"}.`
]
