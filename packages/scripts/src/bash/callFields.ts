/** What `runtime/bash.sh` gets of a call: variables and a command line, as argc would set them. */
import { basename } from "node:path"
import { isExportable } from "../process/environment.js"
import type { ProgramCall } from "../worker/Program.js"
import type { Binding, BoundParameter, BoundVariable } from "./Binding.js"
import type { Field } from "./program.js"
import * as Json from "@wield/core/Json"
import * as Chunks from "effect/Array"

export const callFields = (call: ProgramCall, declared: Binding | undefined): ReadonlyArray<Field> => {
  const binding = declared ?? undeclared(call)
  const environment: Array<string> = []
  const scalars: Array<string> = []
  for (const [name, value] of Object.entries(call.environment)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) continue
    const variables = isExportable(name, value) ? environment : scalars
    variables.push(`${name}=${value}`)
  }
  const scalarsAt = 8 + environment.length
  const given = binding.parameters.map((parameter): Given => {
    // Parameters may have names that every object has: `constructor`.
    const isGiven = Object.hasOwn(call.arguments, parameter.name)
    const values = valuesOf(parameter, isGiven ? call.arguments[parameter.name] : undefined)
    const [only] = values ?? []
    if (only === undefined || parameter.kind === "list" || parameter.kind === "map") {
      return { parameter, values, long: undefined }
    }
    const name = `argc_${parameter.name}=`
    const field = scalarsAt + scalars.push(name + only) - 1
    const long = (prefix: string): Field => ({ field, cut: name.length, prefix })
    return { parameter, values, long: only.length > 4096 ? long : undefined }
  })
  const positionals = positionalWords(given)
  const words = [basename(call.file).replace(/\.\w+$/, ""), ...optionWords(binding, given), ...positionals.words]
  return [
    call.marker,
    call.file,
    call.entry,
    flagsOf(binding),
    ...[environment, scalars, words, positionals.words].map(({ length }) => String(length)),
    ...environment,
    ...scalars,
    ...words,
    ...positionals.words,
    ...binding.environment.flatMap(variableSteps),
    ...given.flatMap(parameterSteps(positionals.places)),
    "end"
  ]
}

// Letters as `runtime/bash.sh` has them.
const flagsOf = ({ environment, hasHooks, isPlain, isWatched, parameters }: Binding): string => {
  const asksScript =
    parameters.some(({ choicesFunction, defaultFunction }) => choicesFunction ?? defaultFunction) ||
    environment.some(({ choicesFunction, defaultFunction }) => choicesFunction ?? defaultFunction)
  const flags = { a: asksScript, r: asksScript || !isPlain, h: hasHooks || !isPlain, w: isWatched }
  return Object.entries(flags)
    .flatMap(([flag, isSet]) => (isSet ? [flag] : []))
    .join("")
}

// Without a declaration, each argument is an option, if its name can be that of a variable: Bash runs what stands in
// brackets after one.
const undeclared = (call: ProgramCall): Binding => ({
  isWatched: true,
  isPlain: false,
  definesOnly: false,
  hasHooks: false,
  command: undefined,
  parameters: Object.entries(call.arguments)
    .filter(([name]) => /^\w+$/.test(name))
    .map(([name, value]) => ({
      name,
      kind: Array.isArray(value) ? "list" : typeof value === "boolean" ? "flag" : "single",
      word: `--${name}`,
      joint: "=",
      shown: name,
      default: undefined,
      defaultFunction: undefined,
      choicesFunction: undefined,
      variable: undefined
    })),
  environment: []
})

const parameterSteps =
  (places: ReadonlyMap<BoundParameter, number>) =>
  ({ parameter, values }: Given): ReadonlyArray<string> => {
    const { choicesFunction, defaultFunction, kind, name } = parameter
    const place = String(places.get(parameter) ?? "")
    const steps: Array<string> = []
    if (values === undefined) {
      steps.push(...variableStep(parameter, place))
      if (defaultFunction !== undefined) steps.push("default", name, defaultFunction, place)
    } else if (kind === "list") steps.push("list", name, String(values.length), ...values)
    else if (kind === "map") steps.push("map", name, String(values.length / 2), ...values)
    if (choicesFunction !== undefined) steps.push("choices", name, choicesFunction, parameter.shown)
    return steps
  }

const variableStep = (parameter: BoundParameter, place: string): ReadonlyArray<string> => {
  const { kind, name, shown, variable } = parameter
  if (variable === undefined) return []
  const initial = parameter.default ?? []
  const isRequired = variable.isRequired ? shown : ""
  return [
    "bound",
    name,
    kind,
    variable.name,
    variable.delimiter ?? "",
    place,
    isRequired,
    String(initial.length),
    ...initial,
    String(variable.choices.length),
    ...variable.choices
  ]
}

const variableSteps = (variable: BoundVariable): ReadonlyArray<string> => {
  const { choices = [], choicesFunction, default: initial, defaultFunction, isRequired, name } = variable
  const steps = ["variable", name, isRequired ? "1" : "", initial === undefined ? "" : "1", initial ?? ""]
  steps.push(String(choices.length), ...choices)
  if (defaultFunction !== undefined) steps.push("variable-default", name, defaultFunction)
  if (choicesFunction !== undefined) steps.push("variable-choices", name, choicesFunction)
  return steps
}

/** Undefined if absent; empty if given as unset, as a false flag. Of a map, keys and values by turns. */
const valuesOf = (parameter: BoundParameter, value: Json.Json | undefined): ReadonlyArray<string> | undefined => {
  // The environment, which only the script sees, comes before the default.
  if (value === undefined || value === null) return parameter.variable === undefined ? parameter.default : undefined
  switch (parameter.kind) {
    case "flag":
      return value === true ? ["1"] : []
    case "counter":
      return value === 0 ? [] : [textOf(value)]
    case "list":
      // Groups of values follow one another.
      return Json.isArray(value)
        ? value.flatMap((item) =>
            Json.isArray(item) && typeof parameter.joint === "number" ? item.map(textOf) : [textOf(item)]
          )
        : [textOf(value)]
    case "map":
      return Json.isObject(value) ? Object.entries(value).flatMap(([key, item]) => [key, textOf(item)]) : undefined
    case "single":
      return [textOf(value)]
  }
}

/** Models write `1e21`, and JavaScript `1e+21`. */
const textOf = (value: Json.Json): string => {
  if (typeof value === "string") return value
  return typeof value === "number" ? String(value).replace("e+", "e") : JSON.stringify(value)
}

/** A parameter and what it is given; `long` repeats a long single value after a prefix. */
interface Given {
  readonly parameter: BoundParameter
  readonly values: ReadonlyArray<string> | undefined
  readonly long: ((prefix: string) => Field) | undefined
}

/** The words of options and flags, after that of the command. */
const optionWords = (binding: Binding, given: ReadonlyArray<Given>): ReadonlyArray<Field> => [
  ...(binding.command === undefined ? [] : [binding.command]),
  ...given.flatMap(({ long, parameter: { joint, kind, word }, values }): ReadonlyArray<Field> => {
    if (word === undefined || values === undefined) return []
    switch (kind) {
      case "flag":
        return values.map(() => word)
      case "counter":
        // A word for each would be as many as a model likes.
        return Array.from({ length: Math.min(Number(values[0] ?? 0), 64) }, () => word)
      case "map":
        return values.flatMap((key, at) => (at % 2 === 0 ? [`${word}${key}=${values[at + 1] ?? ""}`] : []))
      case "single":
        return typeof joint === "number"
          ? [word, ...values]
          : [long?.(word + joint) ?? `${word}${joint}${values[0] ?? ""}`]
      case "list":
        return typeof joint === "number"
          ? Chunks.chunksOf(values, joint).flatMap((group) => [word, ...group])
          : values.map((value) => word + joint + value)
    }
  })
]

/**
 * `"$@"` of the function. An argument that was left out is empty where others follow. `places` are those that the
 * environment or a function of the script may give: as the last ones, they are no words.
 */
const positionalWords = (given: ReadonlyArray<Given>) => {
  const words: Array<Field> = []
  const places = new Map<BoundParameter, number>()
  let end = 0
  for (const { long, parameter, values } of given) {
    if (parameter.word !== undefined) continue
    if (values !== undefined) {
      const repeated = parameter.kind === "single" ? long?.("") : undefined
      for (const each of repeated === undefined ? values : [repeated]) words.push(each)
      if (values.length > 0) end = words.length
      continue
    }
    if (parameter.defaultFunction !== undefined || parameter.variable !== undefined) {
      places.set(parameter, words.length)
    }
    if (parameter.kind === "single") words.push("")
  }
  return { words: words.slice(0, end), places }
}
