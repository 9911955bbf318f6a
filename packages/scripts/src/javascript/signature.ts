/** The parameters of a function, and how they are given to it. */
import type ts from "typescript"
import type { Declarations } from "./declarations.js"
import type { ExportedFunction } from "./exported.js"
import type { Documentation, DocumentedValue } from "./jsdoc.js"
import { objectArgument } from "./objectArgument.js"
import { optionalWhenNullable, parameterOf } from "./parameter.js"
import { type Reading, report } from "./reading.js"
import { about, type Bindings, resolutionOf, mostTypes, type Resolution } from "./resolution.js"
import { resolveType } from "./resolveType.js"
import { any, type Property, type Type } from "./type.js"
import type { Json } from "@wield/core"
import type { Parameter, ScriptFunction } from "../Script.js"
import { schemaOf } from "./schema.js"
import { sizeOf } from "./size.js"

export const signatureOf = (
  reading: Reading,
  declarations: Declarations,
  exported: ExportedFunction,
  documentation: Documentation
): Signature => {
  const { typescript } = reading
  const resolution = resolutionOf(reading, declarations, resolveType, exported.name)
  // `this` has a type and is no parameter.
  const parameters = exported.node.parameters.filter(
    ({ name }) => !(typescript.isIdentifier(name) && name.text === "this")
  )
  const bindings = boundsOf(exported, (node, bound) => resolveType(resolution, node, bound))
  const object = objectArgument(resolution, exported, parameters, documentation, bindings)
  if (object !== undefined) {
    return inputSchemaOf(
      resolution,
      exported.node,
      object.map(([name, one]) => [name, optionalWhenNullable(one)]),
      "object"
    )
  }
  const properties: Array<readonly [string, Property]> = []
  for (const parameter of parameters) {
    if (refuses(reading, exported.name, parameter)) continue
    const name = parameter.name.getText(reading.sourceFile)
    const documented = documentation.parameters.find((one) => one.name === name)
    const declared = {
      name,
      node: parameter,
      type: parameter.type,
      isMarkedOptional: parameter.questionToken !== undefined,
      initializer: parameter.initializer
    }
    const subject = about(resolution, `${exported.name}.${name}`)
    properties.push([name, optionalWhenNullable(parameterOf(subject, declared, documented, bindings))])
  }
  reportUnknown(reading, exported, parameters, documentation.parameters)
  return inputSchemaOf(resolution, exported.node, properties, "named")
}

/** A type parameter is whatever its bound allows; where it has none, what it is unless said otherwise. */
const boundsOf = ({ node }: ExportedFunction, resolve: (node: ts.TypeNode, bindings: Bindings) => Type): Bindings => {
  const bindings = new Map<string, Type>()
  for (const { constraint, default: usual, name } of node.typeParameters ?? []) {
    const bound = constraint ?? usual
    bindings.set(name.text, bound === undefined ? any : resolve(bound, bindings))
  }
  return bindings
}

const refuses = (reading: Reading, name: string, parameter: ts.ParameterDeclaration): boolean => {
  const { sourceFile, typescript } = reading
  const text = parameter.name.getText(sourceFile)
  const refuse = (rule: string, subject: string, message: string, node: ts.Node = parameter): true => {
    report(reading, "error", rule, node, subject, message)
    return true
  }
  if (parameter.dotDotDotToken !== undefined) {
    return refuse(
      "rest-parameter",
      `${name}.${text}`,
      `rest parameters (...) are not supported: ${text} of ${name} has no name for each value; take an array, \`${text}: string[]\``
    )
  }
  if (!typescript.isIdentifier(parameter.name)) {
    return refuse(
      "destructured-parameter",
      name,
      `destructured parameters are not supported: ${name} takes ${text.replace(/\s+/g, " ")}; write each as a parameter of its own`
    )
  }
  return reading.language === "javascript" && parameter.type !== undefined
    ? refuse(
        "syntax",
        `${name}.${text}`,
        `failed to parse: types are not JavaScript; write the type of ${text} in the comment, or name the file .ts`,
        parameter.type
      )
    : false
}

const reportUnknown = (
  reading: Reading,
  { name }: ExportedFunction,
  parameters: ReadonlyArray<ts.ParameterDeclaration>,
  documented: ReadonlyArray<DocumentedValue>
): void => {
  const names = new Set(parameters.map((parameter) => parameter.name.getText(reading.sourceFile)))
  for (const value of documented) {
    if (names.has(value.name) || value.name === "this") continue
    const message = `the comment describes ${value.name}, which ${name} has no parameter of; name it as the code does, or take it out`
    report(reading, "warning", "unknown-parameter", value.node, name, message)
  }
}

type Signature = Pick<ScriptFunction, "parameters" | "inputSchema" | "passing">

/** The schema of all arguments together, with the definitions that its types refer to. */
const inputSchemaOf = (
  resolution: Resolution,
  node: ts.Node,
  properties: ReadonlyArray<readonly [string, Property]>,
  passing: ScriptFunction["passing"]
): Signature => {
  const { reading, shared, subject } = resolution
  const all = [...properties.map(([, { type }]) => type), ...shared.definitions.values()]
  const size = all.reduce((sum, type) => sum + sizeOf(type, shared.sizes), 0)
  if (shared.left <= 0 || size > mostTypes) {
    const message = `the types of ${subject} have more than ${mostTypes} parts written out; use fewer types within types`
    report(reading, "error", "type-too-large", node, subject, message)
    return { parameters: [], inputSchema: {}, passing }
  }
  const names = new Map<string, string>()
  const reference = (key: string): string => {
    const known = names.get(key)
    const name = known ?? uniqueName(key, new Set(names.values()))
    names.set(key, name)
    return `#/$defs/${name}`
  }
  const parameters = properties.map(([name, { annotations, isOptional, type }]): Parameter => ({
    name,
    schema: { ...schemaOf(type, reference), ...annotations },
    isRequired: !isOptional
  }))
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const definitions = new Map<string, Json.JsonSchema>()
  // A definition may name another: those are found while there are new ones.
  for (const [key, name] of names) {
    const type = shared.definitions.get(key)
    definitions.set(name, type === undefined ? {} : schemaOf(type, reference))
  }
  return {
    parameters,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      ...(required.length === 0 ? {} : { required }),
      ...(definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) })
    },
    passing
  }
}

/** `Tree<string>` would have to be escaped in a reference. */
const uniqueName = (key: string, taken: ReadonlySet<string>): string => {
  const plain = (/^\w+/.exec(key)?.[0] ?? "") || "type"
  let name = plain
  for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`
  return name
}
