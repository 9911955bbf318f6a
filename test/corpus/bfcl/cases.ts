/** The cases of the Berkeley Function Calling Leaderboard: functions, and the calls that are right. */
import { Json } from "@wield/core"
import { join } from "node:path"
import { filesIn, readLines } from "../folder.js"
import { parseCall } from "./python.js"

export interface BfclFunction {
  readonly name: string
  readonly description: string | undefined
  readonly parameters: Json.JsonSchema
}

export interface BfclCall {
  readonly function: BfclFunction
  /** For each parameter the values that are right; `""` among them means that it may be left out. */
  readonly acceptable: { readonly [parameter: string]: ReadonlyArray<unknown> }
}

export interface BfclCase {
  readonly id: string
  readonly category: string
  readonly functions: ReadonlyArray<BfclFunction>
  readonly calls: ReadonlyArray<BfclCall>
}

interface Row {
  readonly id: string
  readonly category: string
  readonly function?: ReadonlyArray<BfclFunction>
  readonly involved_classes?: ReadonlyArray<string>
  readonly ground_truth: ReadonlyArray<unknown> | null
}

/** The documents of the stateful APIs, by the class that multi-turn cases name. */
const documents: { readonly [name: string]: string } = {
  GorillaFileSystem: "gorilla_file_system",
  MathAPI: "math_api",
  MessageAPI: "message_api",
  TicketAPI: "ticket_api",
  TradingBot: "trading_bot",
  TravelAPI: "travel_booking",
  TwitterAPI: "posting_api",
  VehicleControlAPI: "vehicle_control"
}

/** The functions of the stateful APIs, by document. */
export const readDocuments = (material: string): ReadonlyMap<string, ReadonlyArray<BfclFunction>> => {
  const folder = join(material, "multi_turn_func_doc")
  return new Map(
    filesIn(folder, ".json").map((file) => [file.replace(/\.json$/, ""), readLines<BfclFunction>(join(folder, file))])
  )
}

export const readCases = (
  material: string,
  stateful: ReadonlyMap<string, ReadonlyArray<BfclFunction>>
): ReadonlyArray<BfclCase> => {
  const folder = join(material, "cases")
  return filesIn(folder, ".jsonl")
    .flatMap((file) => readLines<Row>(join(folder, file)))
    .map((row) => {
      const classes = row.involved_classes ?? []
      const functions = row.function ?? classes.flatMap((name) => stateful.get(documents[name] ?? "") ?? [])
      return { id: row.id, category: row.category, functions, calls: callsOf(row, functions) }
    })
}

const callsOf = (row: Row, functions: ReadonlyArray<BfclFunction>): ReadonlyArray<BfclCall> => {
  const find = (name: string): ReadonlyArray<BfclFunction> => {
    const found = functions.find((each) => each.name === name)
    return found === undefined ? [] : [found]
  }
  return (row.ground_truth ?? []).flatMap((truth) => {
    // One list of Python calls a turn.
    if (Array.isArray(truth)) {
      return truth.flatMap((text: unknown) => {
        const called = typeof text === "string" ? parseCall(text) : undefined
        return called === undefined
          ? []
          : find(called.name).map((each) => ({ function: each, acceptable: byName(each, called) }))
      })
    }
    // Answers in words (memory, web search) are no calls.
    if (!Json.isObject(truth)) return []
    return Object.entries(truth).flatMap(([name, parameters]) =>
      find(name).map((each) => ({ function: each, acceptable: acceptableOf(parameters) }))
    )
  })
}

const acceptableOf = (parameters: unknown): BfclCall["acceptable"] =>
  Json.isObject(parameters)
    ? Object.fromEntries(
        Object.entries(parameters).map(([name, values]) => [name, Array.isArray(values) ? values : [values]])
      )
    : {}

const byName = (each: BfclFunction, called: NonNullable<ReturnType<typeof parseCall>>): BfclCall["acceptable"] => {
  const properties = each.parameters["properties"]
  const names = Json.isObject(properties) ? Object.keys(properties) : []
  const positional = called.positional.map((value, index) => [names[index] ?? `argument ${index}`, [value]] as const)
  return Object.fromEntries([
    ...positional,
    ...Object.entries(called.named).map(([name, value]) => [name, [value]] as const)
  ])
}
