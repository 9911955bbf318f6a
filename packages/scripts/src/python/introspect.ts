/** What the source of a Python file says of the tools that it has. Nothing of it is run. */
import * as Effect from "effect/Effect"
import { stemOf, toolNameOf } from "../folder/languages.js"
import type { Problem } from "@wield/core/Problem"
import type { ScriptFunction } from "../Script.js"
import { itemsOf, placeOf } from "../syntax/node.js"
import type { Introspected, Source } from "../syntax/Source.js"
import { parserOf } from "../syntax/treeSitter.js"
import { docstringOf } from "./docstring.js"
import { documentationOf } from "./documentation.js"
import { type FunctionBinding, type Module, moduleOf, nameOfDefinition } from "./module.js"
import { outsideNameOf } from "./qualifiedName.js"
import { definitionsOf, makeReading, type Read, type Reading, report } from "./reading.js"
import { parametersOf } from "./signature.js"
import { syntaxErrorOf } from "./syntaxErrors.js"
import { withTypeDefaults } from "./typeDefaults.js"
import { bindParameters, declaredParameters } from "./typeParameters.js"
import { schemaOf } from "./types.js"
import * as NearestNames from "@wield/core/NearestNames"

/** Loads the grammar; what it gives reads any number of files. */
export const introspectPython: Effect.Effect<(source: Source) => Effect.Effect<Introspected>> = Effect.map(
  parserOf("python"),
  (grammar) => (source) =>
    Effect.gen(function* () {
      const parse = withTypeDefaults(grammar)
      const { rootNode } = yield* parse(source.text)
      const syntaxError = syntaxErrorOf(rootNode, source.file)
      if (syntaxError !== undefined) return introspected([], [syntaxError])
      const module = moduleOf(rootNode)
      const reading = makeReading(source, module, parse, schemaOf)
      const candidates = source.kind === "tool" ? runOf(module, reading) : publicOf(module, reading)
      const functions = yield* Effect.forEach(candidates, (candidate) => functionOf(candidate, reading))
      return introspected(functions.flat(), reading.problems)
    }).pipe(Effect.scoped)
)

const introspected = (functions: ReadonlyArray<ScriptFunction>, problems: ReadonlyArray<Problem>): Introspected => ({
  functions,
  problems: problems.toSorted(byPlace),
  requiredTools: [],
  environment: []
})

const byPlace = ({ place: left }: Problem, { place: right }: Problem): number =>
  (left?.line ?? 0) - (right?.line ?? 0) || (left?.column ?? 0) - (right?.column ?? 0)

const runOf = (module: Module, reading: Reading): ReadonlyArray<FunctionBinding> => {
  const found = lastOf("run", byName(module).get("run") ?? [], module, reading)
  if (found === undefined) reportNoRun(module, reading)
  return found === undefined ? [] : [found]
}

const publicOf = (module: Module, reading: Reading): ReadonlyArray<FunctionBinding> => {
  const named = [...byName(module)].filter(([name]) => !name.startsWith("_"))
  if (named.length === 0) {
    report(reading, {
      severity: "error",
      rule: "no-function",
      message:
        "The file has no public function; each function at its top level whose name does not begin with `_` is a tool",
      at: undefined
    })
  }
  return named.flatMap(([name, functions]) => lastOf(name, functions, module, reading) ?? [])
}

const byName = ({ functions }: Module): ReadonlyMap<string, ReadonlyArray<FunctionBinding>> => {
  const named = new Map<string, Array<FunctionBinding>>()
  for (const one of functions) {
    const name = nameOfDefinition(one.node)
    const same = named.get(name)
    if (same === undefined) named.set(name, [one])
    else same.push(one)
  }
  return named
}

/** Python keeps the last function of a name. */
const lastOf = (
  name: string,
  functions: ReadonlyArray<FunctionBinding>,
  module: Module,
  reading: Reading
): FunctionBinding | undefined => {
  const all = functions.filter(
    ({ decorators }) => !decorators.some((decorator) => outsideNameOf(itemsOf(decorator)[0], module) === "overload")
  )
  const bound = module.bindings.get(name)
  const last = all.find((one) => one === bound) ?? all.at(-1)
  for (const other of all) {
    // In `if` and `try`, one of several is chosen.
    if (other === last || last === undefined || !isAtTop(other) || !isAtTop(last)) continue
    report(reading, {
      severity: "warning",
      rule: "repeated-function",
      message: `${name} is defined again in line ${placeOf(last.node).line}, which replaces this one; remove one of them`,
      at: other.node,
      subject: name
    })
  }
  return last
}

const isAtTop = ({ node }: FunctionBinding): boolean => {
  const outer = node.parent?.type === "decorated_definition" ? node.parent.parent : node.parent
  return outer?.type === "module"
}

const functionOf = ({ node }: FunctionBinding, reading: Reading): Read<ReadonlyArray<ScriptFunction>> =>
  Effect.gen(function* () {
    const entry = nameOfDefinition(node)
    const documentation = documentationOf(node)
    const docstring = docstringOf(documentation?.text ?? "")
    if (docstring.description === "") {
      report(reading, {
        severity: "error",
        rule: "missing-description",
        message:
          documentation === undefined
            ? `${entry} has no docstring; say in it what the tool does, for the model reads it`
            : `The docstring of ${entry} does not say what the tool does; begin it with a sentence that does`,
        at: documentation?.node ?? node.childForFieldName("name") ?? node,
        subject: entry
      })
    }
    const generic = declaredParameters(node.childForFieldName("type_parameters"))
    const within = reading.under(yield* bindParameters(generic, [], entry, reading))
    const parameters = yield* parametersOf(node, documentation ?? { text: "", node }, docstring, within)
    if (docstring.description === "" || parameters === undefined) return []
    const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    const definitions = definitionsOf(
      reading,
      parameters.map(({ schema }) => schema)
    )
    return [
      {
        name: reading.source.kind === "tool" ? toolNameOf(stemOf(reading.source.file)) : entry,
        entry,
        description: docstring.description,
        parameters,
        inputSchema: {
          type: "object",
          properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
          ...(required.length === 0 ? {} : { required }),
          ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
        },
        passing: "named",
        place: placeOf(node)
      }
    ]
  })

/** Says what the file has instead of `def run`, and what to do. */
const reportNoRun = (module: Module, reading: Reading): void => {
  const other = module.bindings.get("run")
  const names = [...new Set(module.functions.map(({ node }) => nameOfDefinition(node)))]
  const nearest = NearestNames.nearest("run", names)
  const there =
    names.length === 0
      ? "it has no function at its top level"
      : `it has ${names
          .slice(0, 5)
          .map((name) => `\`${name}\``)
          .join(", ")}${names.length > 5 ? " and others" : ""}`
  const what =
    other === undefined
      ? `The file has no function \`run\`; ${there}. ${nearest === undefined ? "Write" : `Rename \`${nearest}\`, or write`} \`def run(...)\``
      : `\`run\` is ${otherKind(other.kind)} here; write it as a function, \`def run(...)\``
  report(reading, {
    severity: "error",
    rule: "no-run",
    message: what,
    at: other === undefined || other.kind === "import" ? undefined : other.node,
    subject: "run"
  })
}

const otherKind = (kind: "import" | "class" | "function" | "value" | "alias"): string => {
  switch (kind) {
    case "import":
      return "imported from another module, whose source is not read"
    case "class":
      return "a class"
    case "function":
      return "a function that importing the file does not define"
    case "value":
      return "a value"
    case "alias":
      return "a type"
  }
}
