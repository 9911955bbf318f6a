/**
 * Types that the file names: classes that are objects in JSON (TypedDict, dataclass, NamedTuple and models of pydantic),
 * aliases, `NewType` and `TypedDict` calls.
 */
import type { Json } from "@wield/core"
import type { Node } from "../syntax/treeSitter.js"
import {
  type ClassBinding,
  classKindOf,
  keywordOf,
  assignmentIn,
  assignmentsOf,
  classArgument,
  type ClassKind,
  localBasesOf,
  membersOf
} from "./classKind.js"
import { docstringOf, documentationOf, textOf } from "./docstring.js"
import type { Binding } from "./module.js"
import { argumentsOf, calledName, outsideNameOf, partsOf } from "./qualifiedName.js"
import { about, namedType, type Reading, unknownType } from "./reading.js"
import { anyOf, describe, oneOfValues, acceptsNull, nullable } from "./schema.js"
import * as TypeParameters from "./typeParameters.js"
import { field, itemsOf } from "../syntax/node.js"
import * as Either from "effect/Either"
import { valueOf } from "./field.js"
import { literalOf } from "./literal.js"
import { bindParameters, parametersOfClass } from "./typeParameters.js"

export const localType = (
  name: string,
  binding: Exclude<Binding, { kind: "import" }>,
  used: Node,
  args: ReadonlyArray<Node>,
  reading: Reading
): Json.JsonSchema => {
  /** A type with what its parameters stand for: each combination is read once. */
  const generic = (
    parameters: ReadonlyArray<TypeParameters.TypeParameter>,
    read: (within: Reading) => Json.JsonSchema
  ): Json.JsonSchema => {
    const bound = TypeParameters.bindParameters(parameters, args, reading)
    const instance = TypeParameters.instanceOf(name, bound, reading)
    return instance === undefined
      ? unknownType(used, reading, "it contains itself with ever other types in its brackets; write one of them")
      : namedType(reading, instance, used, () => read({ ...about(reading, name), parameters: bound }))
  }
  switch (binding.kind) {
    case "class":
      return classKindOf(binding, reading) === "other"
        ? unknownType(used, reading, "make the class a dataclass, TypedDict, NamedTuple, Enum or pydantic model")
        : generic(TypeParameters.parametersOfClass(binding.node, reading), (within) => classType(name, binding, within))
    case "function":
      return unknownType(used, reading)
    case "alias":
      return generic(TypeParameters.declaredParameters(binding.parameters), (within) =>
        within.schemaOf(binding.value, within)
      )
    case "value": {
      const { value } = binding
      return value === undefined || value.type === "call"
        ? called(name, value, used, reading)
        : generic(TypeParameters.parametersIn([value], reading), (within) => within.schemaOf(value, within))
    }
  }
}

const classType = (name: string, binding: ClassBinding, within: Reading): Json.JsonSchema => {
  const kind = classKindOf(binding, within)
  const isModel = kind !== "enum" && kind !== "other"
  const schema = isModel
    ? classModel(name, binding, kind, within)
    : oneOfValues([...membersOf(binding, within).values()])
  return describe(schema, docstringOf(documentationOf(binding.node)?.text ?? "").description)
}

/** What a call makes a type of. */
const called = (name: string, call: Node | undefined, used: Node, reading: Reading): Json.JsonSchema => {
  const list = field(call, "arguments")
  const [, ...positional] = argumentsOf(call).filter(({ type }) => type !== "keyword_argument")
  const [first] = positional
  const within = about(reading, name)
  switch (calledName(call, reading.module)) {
    case "NewType":
      if (first !== undefined) return namedType(reading, name, used, () => within.schemaOf(first, within))
      break
    case "TypeVar": {
      const bound = keywordOf(list, "bound")
      const types = bound === undefined ? positional : [bound]
      // Without a bound it stands for any type.
      if (types.length === 0) return {}
      return namedType(reading, name, used, () => anyOf(types.map((type) => within.schemaOf(type, within))))
    }
    case "TypedDict":
      if (first?.type === "dictionary") {
        return namedType(reading, name, used, () => functionalTypedDict(name, first, keywordOf(list, "total"), reading))
      }
  }
  return unknownType(used, reading)
}

interface Property {
  readonly name: string
  readonly schema: Json.JsonSchema
  readonly isRequired: boolean
}

type ModelKind = Exclude<ClassKind, "enum" | "other">

const classModel = (name: string, binding: ClassBinding, kind: ModelKind, reading: Reading): Json.JsonSchema => {
  const properties = propertiesOf(name, binding, kind, reading, new Set())
  // Constructors of dataclasses and named tuples take no other arguments; the others say it.
  const isClosed = kind === "dataclass" || kind === "named-tuple" || isDeclaredClosed(binding, reading)
  return objectOf([...properties.values()], isClosed)
}

/** `TypedDict("Point", {"x": int}, total=False)`. */
const functionalTypedDict = (
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
    const given = valueOf(member.value, within.schemaOf(member.type, within), within)
    if (!given.isArgument) continue
    const { hasDefault, known, typed } = given
    const schema = describe(known === null && !acceptsNull(typed) ? nullable(typed) : typed, text)
    found.set(member.name, {
      name: given.alias ?? member.name,
      schema: known === undefined ? schema : { ...schema, default: known },
      isRequired: kind === "typed-dict" ? (requirementOf(member.type, within) ?? isTotal) : !hasDefault
    })
  }
  return found
}

/** What belongs to the class, and in models what is private. */
const isLeftOut = (name: string, type: Node, kind: ModelKind, reading: Reading): boolean =>
  ["ClassVar", "dataclasses.KW_ONLY"].includes(outsideNameOf(partsOf(type)[0], reading.module)) ||
  (kind === "model" && (name.startsWith("_") || name === "model_config"))

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
