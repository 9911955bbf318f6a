/**
 * What `runtime/bash.sh` is told of a call: what stands in its variables and on
 * its command line, as argc would have it.
 */
import { basename } from "node:path"
import { isExportable } from "../process/environment.js"
import type { ProgramCall } from "../program/Program.js"
import type { Binding, BoundParameter, BoundVariable } from "./Binding.js"
import { optionWords, positionalWords, type Given } from "./commandLine.js"
import type { Field } from "./message.js"
import { valuesOf } from "./values.js"

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

// Without a declaration, each argument is an option.
const undeclared = (call: ProgramCall): Binding => ({
  isWatched: true,
  isPlain: false,
  definesOnly: false,
  hasHooks: false,
  command: undefined,
  parameters: Object.entries(call.arguments).map(([name, value]) => ({
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
