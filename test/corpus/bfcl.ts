/**
 * The Berkeley Function Calling Leaderboard: every function imports, every call
 * of the ground truth goes through every wire format and is valid, and what is
 * changed about it is rejected or stripped.
 */
import { Json, type Outcome, Turn } from "@wield/core"
import { Dialect } from "@wield/providers"
import { Either } from "effect"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { argumentsOf } from "./bfcl/arguments.js"
import { type BfclCase, readCases, readDocuments } from "./bfcl/cases.js"
import { mistakeOf } from "./bfcl/mistakeOf.js"
import { mutationsOf } from "./bfcl/mutations.js"
import { responseOf, wires } from "./bfcl/responses.js"
import { strictArguments } from "./bfcl/strictArguments.js"
import { hiddenField, hiddenValue, importAll, keyOf, type Tool } from "./bfcl/tools.js"
import { validatorOf } from "./bfcl/validatorOf.js"
import { withUnreadable } from "./folder.js"
import { everyNth, type Report, type RunOptions } from "./Report.js"

export const part = "bfcl"

const checks = [
  "functions",
  "calls",
  "not allowed by schema",
  "through formats",
  "strict",
  "no strict form",
  "required removed",
  "type changed",
  "enum value changed",
  "unknown argument",
  "hidden field"
] as const

type Check = (typeof checks)[number]

type Row = { [check in Check]: number } & { failed: number }

export const run = async (folder: string, { every }: RunOptions = {}): Promise<Report> => {
  const material = join(folder, part)
  const documents = readDocuments(material)
  const cases = everyNth(readCases(material, documents), every)
  const { failures: refused, tools } = await importAll([
    ...cases.flatMap((each) => each.functions),
    ...[...documents.values()].flat()
  ])
  const failures: Array<string> = []
  const rows = new Map<string, Row>()
  const mistakes: Array<string> = []
  let passed = 0
  const rowOf = (category: string): Row => {
    const known = rows.get(category) ?? emptyRow()
    rows.set(category, known)
    return known
  }

  for (const [category, functions] of [
    ...cases.map((each) => [each.category, each.functions] as const),
    ["documents of APIs", [...documents.values()].flat()] as const
  ]) {
    const row = rowOf(category)
    for (const each of category.startsWith("multi_turn") ? [] : functions) {
      const refusal = refused.get(keyOf(each))
      row.functions++
      if (refusal === undefined) passed++
      else {
        row.failed++
        failures.push(`${each.name} is not imported: ${refusal}`)
      }
    }
  }

  for (const each of cases) {
    // The process that started this one is heard in between.
    await new Promise((resolve) => setImmediate(resolve))
    const row = rowOf(each.category)
    for (const [index, call] of each.calls.entries()) {
      const tool = tools.get(keyOf(call.function))
      if (tool === undefined) continue
      const check = async (name: Check, found: Promise<string | undefined>): Promise<void> => {
        row[name]++
        const problem = await found
        if (problem === undefined) passed++
        else {
          row.failed++
          failures.push(`${each.id}, call ${index + 1} of ${call.function.name}, ${name}: ${problem}`)
        }
      }
      const schema = tool.validator.schema
      const sent = argumentsOf(call, schema, (property, value) => validatorOf({ ...property }).isValid(value))
      row.calls++
      if (!tool.validator.isValid(sent)) {
        const mistake = mistakeOf(call.function.parameters, sent)
        row["not allowed by schema"]++
        if (mistake !== undefined) mistakes.push(`${each.id}: ${mistake}`)
        else {
          const issues = Either.match(tool.validator.validate(sent), { onLeft: (found) => found, onRight: () => [] })
          row.failed++
          failures.push(
            `${each.id}, call ${index + 1}: ${JSON.stringify(sent)} is not valid: ${JSON.stringify(issues)}`
          )
        }
        continue
      }
      for (const wire of wires) {
        await check(
          "through formats",
          throughFormat(wire, tool, sent, tool.definition, tool.run, (outcome) => isEcho(outcome, sent))
        )
      }
      await checkStrict(tool, sent, row, check)
      const at = wires[(index + each.id.length) % wires.length] ?? wires[0]
      if (at === undefined) continue
      const through = (
        given: Json.JsonSchema,
        runCall: Tool["run"],
        expected: (outcome: Outcome.Outcome) => string | undefined
      ) => throughFormat(at, tool, given, tool.definition, runCall, expected)
      for (const mutation of mutationsOf(schema, sent)) {
        await check(
          mutation.name,
          through(mutation.arguments, tool.run, (outcome) => names(outcome, mutation.parameter))
        )
      }
      await check(
        "unknown argument",
        through({ ...sent, "never heard of": 1 }, tool.runStrictly, (outcome) => names(outcome, "never heard of"))
      )
      await check(
        "hidden field",
        throughFormat(
          at,
          tool,
          { ...sent, [hiddenField.toUpperCase()]: "forged", [hiddenField]: "forged" },
          tool.hiding.definition,
          tool.hiding.run,
          (outcome) => isEcho(outcome, { ...sent, [hiddenField]: hiddenValue }, "forged")
        )
      )
    }
  }
  return withUnreadable({ table: tableOf(rows), notes: notesOf(cases, mistakes, tools.size), passed, failures })
}

type Run = Tool["run"]

/** The call in a response of the format, decoded and run; what is wrong, if anything is. */
const throughFormat = async (
  wire: (typeof wires)[number],
  tool: Tool,
  sent: Json.JsonSchema,
  definition: Tool["definition"],
  runCall: Run,
  expected: (outcome: Outcome.Outcome) => string | undefined
): Promise<string | undefined> => {
  const definitions = [definition]
  if (JSON.stringify(wire.format.encodeTools(definitions).body).includes(hiddenField))
    return "the hidden field is shown to the model"
  const body = responseOf(wire, definitions, { name: definition.name, arguments: sent })
  const turn = wire.format.decodeTurn(body, { definitions })
  if (Either.isLeft(turn)) return `${wire.format.name}: ${turn.left.message}`
  const [call, ...others] = Turn.calls(turn.right)
  if (call === undefined || others.length > 0) return `${wire.format.name}: ${others.length} further calls, or none`
  if (call.name !== tool.definition.name) return `${wire.format.name}: the name is ${call.name}`
  const problem = expected(await runCall(call))
  return problem === undefined ? undefined : `${wire.format.name}: ${problem}`
}

/** As a model held to a strict schema sends it: with null for what is absent. */
const checkStrict = async (
  tool: Tool,
  given: Json.JsonSchema,
  row: Row,
  check: (name: Check, found: Promise<string | undefined>) => Promise<void>
): Promise<void> => {
  // Some calls have a parameter that their function does not; a strict schema has no room for it.
  const { properties } = tool.definition.inputSchema
  const sent = Object.fromEntries(
    Object.entries(given).filter(([key]) => !Json.isObject(properties) || Object.hasOwn(properties, key))
  )
  for (const dialect of Dialect.names) {
    const { restore, schema } = Dialect.rewrite(tool.definition.inputSchema, dialect, tool.definition.name)
    if (schema === undefined) {
      row["no strict form"]++
      continue
    }
    const strict = strictArguments(schema, sent)
    await check(
      "strict",
      Promise.resolve(
        isDeepStrictEqual(restore(strict), sent)
          ? undefined
          : `${dialect}: ${JSON.stringify(strict)} is restored as ${JSON.stringify(restore(strict))}`
      )
    )
    if (dialect !== "openai-strict") continue
    if (!validatorOf(schema).isValid(strict)) {
      await check("strict", Promise.resolve(`${JSON.stringify(strict)} is not valid under the strict schema`))
    }
    for (const wire of wires.filter(({ format }) => format.name.startsWith("openai"))) {
      const definitions = [tool.definition]
      const body = responseOf(wire, definitions, { name: tool.definition.name, arguments: strict })
      const turn = wire.format.decodeTurn(body, { definitions, isStrict: true })
      const [call] = Either.isRight(turn) ? Turn.calls(turn.right) : []
      const found =
        call === undefined ? Promise.resolve("no call") : tool.run(call).then((outcome) => isEcho(outcome, sent))
      await check("strict", found)
    }
  }
}

const isEcho = (outcome: Outcome.Outcome, sent: Json.JsonSchema, never?: string): string | undefined => {
  if (outcome._tag !== "Success")
    return `${outcome._tag} instead of Success: ${JSON.stringify("issues" in outcome ? outcome.issues : outcome)}`
  const echo = outcome.encoded
  if (typeof echo !== "object" || echo === null) return `the tool was given ${JSON.stringify(echo)}`
  if (!covers(echo, sent)) return `the tool was given ${JSON.stringify(echo)} instead of ${JSON.stringify(sent)}`
  return never !== undefined && JSON.stringify(echo).includes(`"${never}"`)
    ? "the tool was given what the model sent"
    : undefined
}

/** Whether all that was sent is there, beside what defaults filled in. */
const covers = (found: unknown, sent: unknown): boolean => {
  if (Array.isArray(sent)) {
    return (
      Array.isArray(found) && found.length === sent.length && sent.every((item, index) => covers(found[index], item))
    )
  }
  if (typeof sent !== "object" || sent === null) return found === sent
  if (typeof found !== "object" || found === null) return false
  return Object.entries(sent).every(([key, value]) => covers(Reflect.get(found, key), value))
}

const names = (outcome: Outcome.Outcome, parameter: string): string | undefined => {
  if (outcome._tag !== "InvalidArguments") return `${outcome._tag} instead of InvalidArguments`
  return outcome.issues.some((issue) => issue.path[0] === parameter)
    ? undefined
    : `no issue names ${parameter}: ${JSON.stringify(outcome.issues)}`
}

const emptyRow = (): Row => ({
  functions: 0,
  calls: 0,
  "not allowed by schema": 0,
  "through formats": 0,
  strict: 0,
  "no strict form": 0,
  "required removed": 0,
  "type changed": 0,
  "enum value changed": 0,
  "unknown argument": 0,
  "hidden field": 0,
  failed: 0
})

const tableOf = (rows: ReadonlyMap<string, Row>): Report["table"] => [
  ["category", ...checks, "failed"],
  ...Array.from(rows, ([category, row]) => [category, ...checks.map((name) => row[name]), row.failed])
]

const notesOf = (
  cases: ReadonlyArray<BfclCase>,
  mistakes: ReadonlyArray<string>,
  count: number
): ReadonlyArray<string> => [
  `${cases.length} cases, ${count} different functions. Each call is put into a response body of ${wires.length} formats (${wires.map(({ format }) => format.name).join(", ")}),`,
  "decoded, and run; the tool answers with its arguments. Of the values that a ground truth accepts, the first that the",
  "schema allows is taken. Changed calls go through one format each, in turn. strict: as each dialect of Dialect.names",
  "would have it, restored to what was sent; OpenAI's strict mode also through decodeTurn. no strict form: the dialect",
  "cannot say the schema (an open record), and the tool is offered without strict mode.",
  "not allowed by schema: calls of the ground truth that break their own function's schema, as a check of the raw schema",
  "by types, enums and required names finds too; one that only the import refuses is a failure:",
  ...mistakes.map((mistake) => `  ${mistake.slice(0, 160)}`)
]
