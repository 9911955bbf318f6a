/** What the source of a Python file says of the tools that it has. Nothing of it is run. */
import * as NearestNames from "@wield/core/NearestNames"
import type { Problem } from "@wield/core/Problem"
import * as Effect from "effect/Effect"
import { stemOf, toolNameOf } from "../folder/languages.js"
import type { ScriptFunction } from "../Script.js"
import { field, itemsOf, placeOf } from "../syntax/node.js"
import { inputSchemaOf, type Introspected, type Source } from "../syntax/Source.js"
import { parserOf } from "../syntax/treeSitter.js"
import { docstringOf, documentationOf } from "./docstring.js"
import { type Binding, type FunctionBinding, type Module, moduleOf, nameOfDefinition } from "./module.js"
import { outsideNameOf } from "./qualifiedName.js"
import { about, definitionsOf, makeReading, type Reading } from "./reading.js"
import { parametersOf } from "./signature.js"
import { syntaxErrorOf } from "./syntaxErrors.js"
import { withTypeDefaults } from "./typeDefaults.js"
import { bindParameters, declaredParameters } from "./typeParameters.js"
import { schemaOf } from "./types.js"

/** Loads the grammar; what it gives reads any number of files. */
export const introspectPython: Effect.Effect<(source: Source) => Effect.Effect<Introspected>> = Effect.map(
  parserOf("python"),
  (parser) => (source) =>
    Effect.scoped(
      Effect.map(parser, (grammar) => {
        const parse = withTypeDefaults(grammar)
        const { rootNode } = parse(source.text)
        const syntaxError = syntaxErrorOf(rootNode, source.file)
        if (syntaxError !== undefined) return introspected([], [syntaxError])
        const reading = makeReading(source, moduleOf(rootNode), parse, schemaOf)
        const candidates = source.kind === "tool" ? runOf(reading) : publicOf(reading)
        const functions = candidates.flatMap((candidate) => functionOf(candidate, reading))
        return introspected(functions, reading.report.inOrder)
      })
    )
)

const introspected = (functions: ReadonlyArray<ScriptFunction>, problems: ReadonlyArray<Problem>): Introspected => ({
  functions,
  problems,
  requiredTools: [],
  environment: []
})

const runOf = (reading: Reading): ReadonlyArray<FunctionBinding> => {
  const found = lastOf("run", reading)
  if (found === undefined) reportNoRun(reading)
  return found === undefined ? [] : [found]
}

const publicOf = (reading: Reading): ReadonlyArray<FunctionBinding> => {
  const names = namesOf(reading.module).filter((name) => !name.startsWith("_"))
  if (names.length === 0) {
    const message =
      "The file has no public function; each function at its top level whose name does not begin with `_` is a tool"
    reading.report.error("no-function", message)
  }
  return names.flatMap((name) => lastOf(name, reading) ?? [])
}

const namesOf = ({ functions }: Module): ReadonlyArray<string> => [
  ...new Set(functions.map(({ node }) => nameOfDefinition(node)))
]

/** Python keeps the last function of a name. */
const lastOf = (name: string, { module, report }: Reading): FunctionBinding | undefined => {
  const all = module.functions.filter(
    ({ decorators, node }) =>
      nameOfDefinition(node) === name &&
      !decorators.some((decorator) => outsideNameOf(itemsOf(decorator)[0], module) === "overload")
  )
  const bound = module.bindings.get(name)
  const last = all.find((one) => one === bound) ?? all.at(-1)
  for (const other of all) {
    // In `if` and `try`, one of several is chosen.
    if (other === last || last === undefined || !isAtTop(other) || !isAtTop(last)) continue
    const message = `${name} is defined again in line ${placeOf(last.node).line}, which replaces this one; remove one of them`
    report.warning("repeated-function", message, { place: placeOf(other.node), subject: name })
  }
  return last
}

const isAtTop = ({ node }: FunctionBinding): boolean => {
  const outer = node.parent?.type === "decorated_definition" ? node.parent.parent : node.parent
  return outer?.type === "module"
}

const functionOf = ({ node }: FunctionBinding, file: Reading): ReadonlyArray<ScriptFunction> => {
  const entry = nameOfDefinition(node)
  const reading = about(file, entry)
  const documentation = documentationOf(node)
  const docstring = docstringOf(documentation?.text ?? "")
  if (docstring.description === "") {
    const message =
      documentation === undefined
        ? `${entry} has no docstring; say in it what the tool does, for the model reads it`
        : `The docstring of ${entry} does not say what the tool does; begin it with a sentence that does`
    const place = placeOf(documentation?.node ?? field(node, "name") ?? node)
    reading.report.error("missing-description", message, { place, subject: entry })
  }
  const bound = bindParameters(declaredParameters(field(node, "type_parameters")), [], reading)
  const within = { ...reading, parameters: bound }
  const parameters = parametersOf(node, documentation ?? { text: "", node }, docstring, within)
  if (docstring.description === "" || parameters === undefined) return []
  const schemas = parameters.map(({ schema }) => schema)
  return [
    {
      name: reading.source.kind === "tool" ? toolNameOf(stemOf(reading.source.file)) : entry,
      entry,
      description: docstring.description,
      parameters,
      inputSchema: inputSchemaOf(parameters, definitionsOf(reading, schemas)),
      passing: "named",
      place: placeOf(node)
    }
  ]
}

/** Says what the file has instead of `def run`, and what to do. */
const reportNoRun = ({ module, report }: Reading): void => {
  const other = module.bindings.get("run")
  if (other !== undefined) {
    const message = `\`run\` is ${otherKinds[other.kind]} here; write it as a function, \`def run(...)\``
    const place = other.kind === "import" ? undefined : placeOf(other.node)
    return report.error("no-run", message, { place, subject: "run" })
  }
  const names = namesOf(module)
  const nearest = NearestNames.nearest("run", names)
  const some = names.slice(0, 5).map((name) => `\`${name}\``)
  const there =
    names.length === 0
      ? "it has no function at its top level"
      : `it has ${some.join(", ")}${names.length > 5 ? " and others" : ""}`
  const advice = nearest === undefined ? "Write" : `Rename \`${nearest}\`, or write`
  const message = `The file has no function \`run\`; ${there}. ${advice} \`def run(...)\``
  report.error("no-run", message, { subject: "run" })
}

const otherKinds: { readonly [kind in Binding["kind"]]: string } = {
  import: "imported from another module, whose source is not read",
  class: "a class",
  function: "a function that importing the file does not define",
  value: "a value",
  alias: "a type"
}
