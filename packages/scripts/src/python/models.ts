/** Classes that are objects in JSON: TypedDict, dataclass, NamedTuple and models of pydantic, by their annotations. */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import { field, itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import {
  assignmentIn,
  assignmentsOf,
  classArgument,
  type ClassBinding,
  type ClassKind,
  keywordOf,
  localBasesOf
} from "./classKind.js"
import { docstringOf, documentationOf, textOf } from "./docstring.js"
import { valueOf } from "./field.js"
import { literalOf } from "./literal.js"
import { outsideNameOf, partsOf } from "./qualifiedName.js"
import { about, type Reading } from "./reading.js"
import { acceptsNull, describe, nullable } from "./schema.js"
import { bindParameters, parametersOfClass } from "./typeParameters.js"

interface Property {
  readonly name: string
  readonly schema: Json.JsonSchema
  readonly isRequired: boolean
}

type ModelKind = Exclude<ClassKind, "enum" | "other">

export const classModel = (name: string, binding: ClassBinding, kind: ModelKind, reading: Reading): Json.JsonSchema => {
  const properties = propertiesOf(name, binding, kind, reading, new Set())
  // Constructors of dataclasses and named tuples take no other arguments; the others say it.
  const isClosed = kind === "dataclass" || kind === "named-tuple" || isDeclaredClosed(binding, reading)
  return objectOf([...properties.values()], isClosed)
}

/** `TypedDict("Point", {"x": int}, total=False)`. */
export const functionalTypedDict = (
  name: string,
  dictionary: Node,
  total: Node | undefined,
  reading: Reading
): Json.JsonSchema => {
  const properties = itemsOf(dictionary).flatMap((pair): ReadonlyArray<Property> => {
    const key = field(pair, "key")
    const type = field(pair, "value")
    const property = key && Either.getOrUndefined(literalOf(key))
    if (typeof property !== "string" || type === undefined) return []
    const schema = reading.schemaOf(type, about(reading, `${name}.${property}`))
    return [{ name: property, schema, isRequired: requirementOf(type, reading) ?? total?.type !== "false" }]
  })
  return objectOf(properties, false)
}

const objectOf = (properties: ReadonlyArray<Property>, isClosed: boolean): Json.JsonSchema => {
  const required = properties.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: "object",
    properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    ...(isClosed ? { additionalProperties: false } : {})
  }
}

/** Those of the bases first, as Python has them. */
const propertiesOf = (
  name: string,
  binding: ClassBinding,
  kind: ModelKind,
  reading: Reading,
  seen: ReadonlySet<Node>
): ReadonlyMap<string, Property> => {
  const found = new Map<string, Property>()
  const above = new Set([...seen, binding.node])
  for (const base of [...localBasesOf(binding, reading)].reverse()) {
    if (above.has(base.binding.node)) continue
    const parameters = bindParameters(parametersOfClass(base.binding.node, reading), base.args, about(reading, name))
    const inherited = propertiesOf(name, base.binding, kind, { ...reading, parameters }, above)
    for (const [key, property] of inherited) found.set(key, property)
  }
  const isTotal = classArgument(binding, "total")?.type !== "false"
  const documented = docstringOf(documentationOf(binding.node)?.text ?? "").parameters
  const statements = itemsOf(field(binding.node, "body"))
  for (const [index, statement] of statements.entries()) {
    const member = assignmentIn(statement)
    if (member?.type === undefined || isLeftOut(member.name, member.type, kind, reading)) continue
    const text = textOf(statements[index + 1])?.text.trim() ?? documented.get(member.name)?.description
    const within = about(reading, `${name}.${member.name}`)
    const property = propertyOf(member.name, member.type, member.value, kind, isTotal, text, within)
    if (property !== undefined) found.set(member.name, property)
  }
  return found
}

/** What belongs to the class, and in models what is private. */
const isLeftOut = (name: string, type: Node, kind: ModelKind, reading: Reading): boolean =>
  ["ClassVar", "dataclasses.KW_ONLY"].includes(outsideNameOf(partsOf(type)[0], reading.module)) ||
  (kind === "model" && (name.startsWith("_") || name === "model_config"))

const propertyOf = (
  name: string,
  type: Node,
  value: Node | undefined,
  kind: ModelKind,
  isTotal: boolean,
  text: string | undefined,
  reading: Reading
): Property | undefined => {
  const declared = reading.schemaOf(type, reading)
  const given = valueOf(value, declared, reading)
  if (!given.isArgument) return undefined
  const { hasDefault, known, typed } = given
  const schema = describe(known === null && !acceptsNull(typed) ? nullable(typed) : typed, text)
  return {
    name: given.alias ?? name,
    schema: known === undefined ? schema : { ...schema, default: known },
    isRequired: kind === "typed-dict" ? (requirementOf(type, reading) ?? isTotal) : !hasDefault
  }
}

/** What `Required[...]` and `NotRequired[...]` say, also within `Annotated` and `ReadOnly`. */
const requirementOf = (type: Node, reading: Reading): boolean | undefined => {
  const [base, args] = partsOf(type)
  const [first] = args
  switch (outsideNameOf(base, reading.module)) {
    case "Required":
      return true
    case "NotRequired":
      return false
    case "Annotated":
    case "ReadOnly":
      return first === undefined ? undefined : requirementOf(first, reading)
    default:
      return undefined
  }
}

/** `closed=True` of a TypedDict, `extra="forbid"` of a model in any of its three places. */
const isDeclaredClosed = (binding: ClassBinding, reading: Reading, seen: ReadonlySet<Node> = new Set()): boolean => {
  if (classArgument(binding, "closed")?.type === "true" || isForbid(classArgument(binding, "extra"))) return true
  const isClosed = itemsOf(field(binding.node, "body")).some((statement) => {
    if (statement.type === "class_definition" && field(statement, "name")?.text === "Config") {
      return assignmentsOf(statement).some(({ name, value }) => name === "extra" && isForbid(value))
    }
    const assignment = assignmentIn(statement)
    const config = assignment?.name === "model_config" ? assignment.value : undefined
    if (config?.type !== "dictionary") return isForbid(keywordOf(field(config, "arguments"), "extra"))
    const pair = itemsOf(config).find((one) => /^["']extra["']$/.test(field(one, "key")?.text ?? ""))
    return isForbid(field(pair, "value"))
  })
  const above = new Set([...seen, binding.node])
  return (
    isClosed ||
    localBasesOf(binding, reading).some(
      (base) => !above.has(base.binding.node) && isDeclaredClosed(base.binding, reading, above)
    )
  )
}

const isForbid = (node: Node | undefined): boolean =>
  node !== undefined && (/^["']forbid["']$/.test(node.text) || /(^|\.)forbid$/.test(node.text))
