/** The parameters of a function, and how they are given to it. */
import type { Json } from "@wield/core"
import * as Option from "effect/Option"
import type TS from "typescript"
import { ts } from "./compiler.js"
import type { Parameter, ScriptFunction } from "../Script.js"
import { inputSchemaOf } from "../syntax/Source.js"
import type { ExportedFunction } from "./exports.js"
import { type Documentation, type DocumentedValue, documentationOf } from "./jsdoc.js"
import { at, type Reading } from "./reading.js"
import {
  about,
  mostTypes,
  type Resolution,
  resolutionOf,
  resolve,
  under,
  structureOf,
  makeUnknown,
  warn
} from "./resolution.js"
import { resolveType } from "./resolveType.js"
import { schemaOf } from "./schema.js"
import { any, type Property, sizeOf, type Type, type Annotations, isNullable, property } from "./type.js"
import { Report } from "../folder/problem.js"
import { nameOf, literalOf } from "./literals.js"
import { documentedObject, documentedProperty } from "./objectType.js"
import { constantsOf } from "./constants.js"
import { annotationsOf, asInteger, isInteger } from "./keywords.js"
import * as Types from "./type.js"
import { typeOfExpression } from "./valueType.js"

type Signature = Pick<ScriptFunction, "parameters" | "inputSchema" | "passing">

export const signatureOf = (reading: Reading, exported: ExportedFunction, documentation: Documentation): Signature => {
  const unbound = resolutionOf(reading, resolveType, exported.name)
  // `this` has a type and is no parameter.
  const parameters = exported.node.parameters.filter(({ name }) => !(ts.isIdentifier(name) && name.text === "this"))
  const resolution = under(unbound, boundsOf(exported, unbound))
  const object = objectArgument(resolution, exported, parameters, documentation)
  if (object !== undefined) {
    const properties = object.map(([name, one]) => [name, optionalWhenNullable(one)] as const)
    return argumentsOf(resolution, exported.node, properties, "object")
  }
  const properties: Array<readonly [string, Property]> = []
  for (const parameter of parameters) {
    if (refuses(reading, exported.name, parameter)) continue
    const { initializer, questionToken, type } = parameter
    const name = parameter.name.getText()
    const documented = documentation.parameters.find((one) => one.name === name)
    const declared = { name, node: parameter, type, isMarkedOptional: questionToken !== undefined, initializer }
    const within = about(resolution, `${exported.name}.${name}`)
    properties.push([name, optionalWhenNullable(parameterOf(within, declared, documented))])
  }
  reportUnknown(reading, exported, parameters, documentation.parameters)
  return argumentsOf(resolution, exported.node, properties, "named")
}

/** A type parameter is whatever its bound allows; where it has none, what it is unless said otherwise. */
const boundsOf = ({ node }: ExportedFunction, resolution: Resolution): Resolution["bindings"] => {
  const bindings = new Map<string, Type>()
  for (const { constraint, default: usual, name } of node.typeParameters ?? []) {
    const bound = constraint ?? usual
    bindings.set(name.text, bound === undefined ? any : resolve(under(resolution, bindings), bound))
  }
  return bindings
}

const refuses = ({ language, report }: Reading, name: string, parameter: TS.ParameterDeclaration): boolean => {
  const text = parameter.name.getText()
  const refuse = (rule: string, subject: string, message: string, node: TS.Node = parameter): true => {
    report.error(rule, message, at(node, subject))
    return true
  }
  if (parameter.dotDotDotToken !== undefined) {
    const message = `rest parameters (...) are not supported: ${text} of ${name} has no name for each value; take an array, \`${text}: string[]\``
    return refuse("rest-parameter", `${name}.${text}`, message)
  }
  if (!ts.isIdentifier(parameter.name)) {
    const message = `destructured parameters are not supported: ${name} takes ${text.replace(/\s+/g, " ")}; write each as a parameter of its own`
    return refuse("destructured-parameter", name, message)
  }
  if (language === "typescript" || parameter.type === undefined) return false
  const message = `failed to parse: types are not JavaScript; write the type of ${text} in the comment, or name the file .ts`
  return refuse("syntax", `${name}.${text}`, message, parameter.type)
}

const reportUnknown = (
  { report }: Reading,
  { name }: ExportedFunction,
  parameters: ReadonlyArray<TS.ParameterDeclaration>,
  documented: ReadonlyArray<DocumentedValue>
): void => {
  const names = new Set(["this", ...parameters.map((parameter) => parameter.name.getText())])
  for (const value of documented) {
    if (names.has(value.name)) continue
    const message = `the comment describes ${value.name}, which ${name} has no parameter of; name it as the code does, or take it out`
    report.warning("unknown-parameter", message, at(value.node, name))
  }
}

/** What the function is given, with the definitions that its types refer to. */
const argumentsOf = (
  { reading, shared, subject }: Resolution,
  node: TS.Node,
  properties: ReadonlyArray<readonly [string, Property]>,
  passing: ScriptFunction["passing"]
): Signature => {
  const all = [...properties.map(([, { type }]) => type), ...shared.definitions.values()]
  const size = all.reduce((sum, type) => sum + sizeOf(type, shared.sizes), 0)
  if (shared.left <= 0 || size > mostTypes) {
    const message = `the types of ${subject} have more than ${mostTypes} parts written out; use fewer types within types`
    reading.report.error("type-too-large", message, at(node, subject))
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
  const definitions = new Map<string, Json.JsonSchema>()
  // A definition may name another: those are found while there are new ones.
  for (const [key, name] of names) {
    const type = shared.definitions.get(key)
    definitions.set(name, type === undefined ? {} : schemaOf(type, reference))
  }
  return { parameters, inputSchema: inputSchemaOf(parameters, Object.fromEntries(definitions)), passing }
}

/** `Tree<string>` would have to be escaped in a reference. */
const uniqueName = (key: string, taken: ReadonlySet<string>): string => {
  const plain = (/^\w+/.exec(key)?.[0] ?? "") || "type"
  let name = plain
  for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`
  return name
}

type Properties = ReadonlyArray<readonly [string, Property]>

/**
 * The properties of the one argument of `run({ city, days = 3 })`, or of `(args) => …` with `@property` tags; `undefined`
 * where each argument is given on its own.
 */
const objectArgument = (
  resolution: Resolution,
  { isCommonJs }: ExportedFunction,
  [parameter, ...others]: ReadonlyArray<TS.ParameterDeclaration>,
  { parameters: documented }: Documentation
): Properties | undefined => {
  if (resolution.reading.language !== "javascript" || parameter === undefined || others.length > 0) return undefined
  if (parameter.dotDotDotToken !== undefined) return undefined
  const { name } = parameter
  if (ts.isObjectBindingPattern(name)) {
    return fromPattern(resolution, name, ofWhole(resolution, documented[0]), documented)
  }
  if (!ts.isIdentifier(name)) return undefined
  const own = documented.find((value) => value.name === name.text)
  if (own !== undefined) return ofWhole(resolution, own)
  if (documented.length > 0) return [...documentedObject(resolution, documented).properties]
  // One undocumented argument of a CommonJS function is the object itself, of which nothing is said.
  return isCommonJs && parameter.initializer === undefined ? [] : undefined
}

/** The properties that the comment gives the one argument. */
const ofWhole = (resolution: Resolution, documented: DocumentedValue | undefined): Properties | undefined => {
  if (documented === undefined || documented.isArray) return undefined
  const { properties, type } = documented
  if (properties.length > 0) return [...documentedObject(resolution, properties).properties]
  if (type === undefined) return undefined
  // Looked at apart first: what is wrong in a type is reported where it is resolved for good.
  const { reading, subject } = resolution
  const apart = resolutionOf({ ...reading, report: new Report(reading.source.file) }, resolution.resolve, subject)
  const trial = under(apart, resolution.bindings)
  const tried = structureOf(trial, resolve(trial, type))
  if (tried.kind !== "object" || tried.properties.size === 0) return undefined
  const shape = structureOf(resolution, resolve(resolution, type))
  return shape.kind === "object" ? [...shape.properties] : undefined
}

/** What the pattern names and the comment does not is a parameter, too. */
const fromPattern = (
  resolution: Resolution,
  pattern: TS.ObjectBindingPattern,
  whole: Properties | undefined,
  documented: ReadonlyArray<DocumentedValue>
): Properties => {
  const known = new Map(whole)
  const named = pattern.elements.flatMap((element): Properties => {
    const { dotDotDotToken, initializer, name: bound, propertyName } = element
    const own = propertyName ?? (ts.isIdentifier(bound) ? bound : undefined)
    const name = own && Option.getOrUndefined(nameOf(own))
    if (dotDotDotToken !== undefined || name === undefined) return []
    const declared: Declared = { name, node: element, type: undefined, isMarkedOptional: false, initializer }
    const within = about(resolution, `${resolution.subject}.${name}`)
    const before = known.get(name)
    if (before === undefined) {
      const comment = documented.find((one) => one.name === name)
      return [[name, parameterOf(within, declared, comment)]]
    }
    if (initializer === undefined) return [[name, before]]
    const { annotations } = parameterOf(within, declared, undefined)
    return [[name, { ...before, isOptional: true, annotations: { ...before.annotations, ...annotations } }]]
  })
  return [...new Map([...known, ...named])]
}

interface Declared {
  readonly name: string
  readonly node: TS.Node
  readonly type: TS.TypeNode | undefined
  readonly isMarkedOptional: boolean
  readonly initializer: TS.Expression | undefined
}

/** What the code and the comment together say of a parameter, or of a property of the one argument. */
const parameterOf = (resolution: Resolution, declared: Declared, documented: DocumentedValue | undefined): Property => {
  const documentation = documented && fromComment(resolution, declared, documented)
  // `run(/** Where. */ city: string)`
  const beside = documentationOf(declared.node)
  const written =
    declared.type === undefined
      ? (documentation?.type ?? infer(resolution, declared))
      : described(resolve(resolution, declared.type), documented)
  const { hadUndefined, type } = Types.dropUndefined(isInteger(beside) ? asInteger(written) : written)
  const fallback = declared.initializer === undefined ? Option.none() : defaultOf(resolution, declared.initializer)
  const isNullByDefault = Option.isSome(fallback) && fallback.value === null && type.kind !== "any"
  const isOptional =
    declared.isMarkedOptional ||
    declared.initializer !== undefined ||
    hadUndefined ||
    documentation?.isOptional === true
  return property(isNullByDefault && !isNullable(type) ? Types.union([type, Types.nullType]) : type, isOptional, {
    ...annotationsOf(resolution.reading, beside, resolution.subject),
    ...documentation?.annotations,
    ...Option.match(fallback, { onNone: () => ({}), onSome: (value) => ({ default: value }) })
  })
}

/** `T | null` may be left out, as Loki reads it: the function is then given null. */
const optionalWhenNullable = (value: Property): Property =>
  value.isOptional || !isNullable(value.type) ? value : { ...value, isOptional: true }

const wordsOf = ({ description }: DocumentedValue): Annotations => (description === "" ? {} : { description })

/** In TypeScript the declaration has the type, and the comment the words only. */
const fromComment = (resolution: Resolution, declared: Declared, documented: DocumentedValue): Property => {
  const words = wordsOf(documented)
  if (declared.type !== undefined) return property(Types.any, false, words)
  if (documented.type === undefined && documented.properties.length === 0) {
    return property(infer(resolution, declared), documented.isOptional, words)
  }
  return resolution.reading.language === "javascript"
    ? documentedProperty(resolution, documented)
    : property(described(infer(resolution, declared), documented), false, words)
}

/** The type of a default, or none. */
const infer = (resolution: Resolution, { initializer, name, node }: Declared): Type => {
  if (initializer !== undefined) return typeOfExpression(resolution, initializer, false)
  const isTyped = resolution.reading.language === "typescript"
  const advice = isTyped ? `write ${name}: string` : `document it: @param {string} ${name} - …`
  return makeUnknown(resolution, node, `${name} has no type: any value is accepted; ${advice}`, "missing-type")
}

const defaultOf = (resolution: Resolution, initializer: TS.Expression): Option.Option<Json.Json> => {
  const value = literalOf(initializer, constantsOf(resolution.reading))
  const isUndefined = ts.isIdentifier(initializer) && initializer.text === "undefined"
  if (Option.isNone(value) && !isUndefined) {
    const message =
      "the default is computed when the function is called, so the model is not shown it: write a literal, or say in the description what it is"
    warn(resolution, "computed-default", initializer, message)
  }
  return value
}

/** `{integer}` and descriptions of properties that the comment adds to a declared type. */
const described = (type: Type, documented: DocumentedValue | undefined): Type => {
  if (documented === undefined) return type
  const refined = /^(integer|int)(\[\])?$/i.test(documented.type?.getText() ?? "") ? asInteger(type) : type
  return documented.properties.length === 0 ? refined : withDescriptions(refined, documented.properties)
}

const withDescriptions = (type: Type, documented: ReadonlyArray<DocumentedValue>): Type => {
  if (type.kind === "array") return { ...type, items: withDescriptions(type.items, documented) }
  if (type.kind !== "object") return type
  const properties = [...type.properties].map(([name, before]): readonly [string, Property] => {
    const found = documented.find((one) => one.name === name)
    if (found === undefined) return [name, before]
    const annotations = { ...wordsOf(found), ...before.annotations }
    return [name, { ...before, type: withDescriptions(before.type, found.properties), annotations }]
  })
  return { ...type, properties: new Map(properties) }
}
