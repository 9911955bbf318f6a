/** Classes that are objects in JSON: TypedDict, dataclass, NamedTuple and models of pydantic, by their annotations. */
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { classArgument, type ClassBinding, type ClassKind, localBasesOf, keywordOf } from "./classKind.js"
import { defaultOf, reportDefault } from "./default.js"
import { describe } from "./describe.js"
import { type DocumentedParameter, docstringOf } from "./docstring.js"
import { documentationOf, textOf } from "./documentation.js"
import { fieldOf, isField, knownDefault } from "./field.js"
import { literalOf } from "./literal.js"
import { outsideNameOf } from "./qualifiedName.js"
import type { Read, Reading } from "./reading.js"
import { acceptsNull, nullable } from "./schema.js"
import { bindParameters, parametersOfClass } from "./typeParameters.js"
import { partsOf } from "./typeParts.js"

interface Property {
  readonly name: string
  readonly schema: Json.JsonSchema
  readonly isRequired: boolean
}

type ModelKind = Exclude<ClassKind, "enum" | "other">

export const classModel = (
  name: string,
  binding: ClassBinding,
  kind: ModelKind,
  reading: Reading
): Read<Json.JsonSchema> =>
  Effect.map(propertiesOf(name, binding, kind, reading, new Set()), (properties) => {
    // Constructors of dataclasses and named tuples take no other arguments; the others say it.
    const isClosed = kind === "dataclass" || kind === "named-tuple" || isDeclaredClosed(binding, reading)
    return objectOf([...properties.values()], isClosed)
  })

/** `TypedDict("Point", {"x": int}, total=False)`. */
export const functionalTypedDict = (
  name: string,
  dictionary: Node,
  total: Node | undefined,
  reading: Reading
): Read<Json.JsonSchema> =>
  Effect.map(
    Effect.forEach(itemsOf(dictionary), (pair) =>
      Effect.gen(function* () {
        const key = pair.childForFieldName("key")
        const type = pair.childForFieldName("value")
        const property = key === null ? undefined : Either.getOrUndefined(literalOf(key))
        if (typeof property !== "string" || type === null) return []
        const schema = yield* reading.typeOf(type, { subject: `${name}.${property}` })
        return [{ name: property, schema, isRequired: requirementOf(type, reading) ?? total?.type !== "false" }]
      })
    ),
    (properties) => objectOf(properties.flat(), false)
  )

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
): Read<ReadonlyMap<string, Property>> =>
  Effect.gen(function* () {
    const found = new Map<string, Property>()
    const above = new Set([...seen, binding.node])
    for (const base of [...localBasesOf(binding, reading)].reverse()) {
      if (above.has(base.binding.node)) continue
      const parameters = parametersOfClass(base.binding.node, reading)
      const within = reading.under(yield* bindParameters(parameters, base.args, name, reading))
      for (const [key, property] of yield* propertiesOf(name, base.binding, kind, within, above)) {
        found.set(key, property)
      }
    }
    const isTotal = classArgument(binding, "total")?.type !== "false"
    const documented = docstringOf(documentationOf(binding.node)?.text ?? "").parameters
    const body = binding.node.childForFieldName("body")
    const statements = body === null ? [] : itemsOf(body)
    for (const [index, statement] of statements.entries()) {
      const following = statements[index + 1]
      const member = memberOf(statement)
      if (member === undefined || isLeftOut(member, kind, reading)) continue
      const text = following === undefined ? undefined : textOf(following)?.text
      const property = yield* propertyOf(name, member, kind, isTotal, text, documented.get(member.name), reading)
      if (property !== undefined) found.set(member.name, property)
    }
    return found
  })

interface Member {
  readonly name: string
  readonly type: Node
  readonly value: Node | undefined
}

const memberOf = (statement: Node): Member | undefined => {
  const assignment = statement.type === "expression_statement" ? itemsOf(statement)[0] : undefined
  const left = assignment?.type === "assignment" ? assignment.childForFieldName("left") : undefined
  const type = assignment?.childForFieldName("type") ?? undefined
  return left?.type === "identifier" && type !== undefined
    ? { name: left.text, type, value: assignment?.childForFieldName("right") ?? undefined }
    : undefined
}

/** What belongs to the class, and in models what is private. */
const isLeftOut = ({ name, type }: Member, kind: ModelKind, reading: Reading): boolean => {
  const [base] = partsOf(type)
  const outside = outsideNameOf(base, reading.module)
  return (
    outside === "ClassVar" ||
    outside === "dataclasses.KW_ONLY" ||
    (kind === "model" && (name.startsWith("_") || name === "model_config"))
  )
}

const propertyOf = (
  model: string,
  { name, type, value }: Member,
  kind: ModelKind,
  isTotal: boolean,
  text: string | undefined,
  documented: DocumentedParameter | undefined,
  reading: Reading
): Read<Property | undefined> =>
  Effect.gen(function* () {
    const owner = { subject: `${model}.${name}` }
    const declared = yield* reading.typeOf(type, owner)
    const field = isField(value, reading) ? fieldOf(value, reading, owner) : undefined
    if (field?.isArgument === false) return undefined
    const given = value === undefined || field !== undefined ? undefined : defaultOf(value, reading)
    if (given !== undefined && Either.isLeft(given)) reportDefault(given.left, owner, reading)
    const known = given !== undefined && Either.isRight(given) ? given.right : knownDefault(field)
    const typed = field === undefined ? declared : field.apply(declared)
    const accepting = known === null && !acceptsNull(typed) ? nullable(typed) : typed
    const schema = describe(accepting, text?.trim() ?? documented?.description)
    const hasDefault = value !== undefined && (field === undefined || field.default !== undefined)
    return {
      name: field?.alias ?? name,
      schema: known === undefined ? schema : { ...schema, default: known },
      isRequired: kind === "typed-dict" ? (requirementOf(type, reading) ?? isTotal) : !hasDefault
    }
  })

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
  const body = binding.node.childForFieldName("body")
  const isClosed = (body === null ? [] : itemsOf(body)).some((statement) => {
    if (statement.type === "class_definition" && statement.childForFieldName("name")?.text === "Config") {
      const inner = statement.childForFieldName("body")
      return (inner === null ? [] : itemsOf(inner)).some((one) => isForbid(assignedTo(one, "extra")))
    }
    const config = assignedTo(statement, "model_config")
    const list = config?.type === "call" ? config.childForFieldName("arguments") : null
    const pair =
      config?.type === "dictionary"
        ? itemsOf(config).find((one) => /^["']extra["']$/.test(one.childForFieldName("key")?.text ?? ""))
        : undefined
    return isForbid(list === null ? (pair?.childForFieldName("value") ?? undefined) : keywordOf(list, "extra"))
  })
  const above = new Set([...seen, binding.node])
  return (
    isClosed ||
    localBasesOf(binding, reading).some(
      (base) => !above.has(base.binding.node) && isDeclaredClosed(base.binding, reading, above)
    )
  )
}

const assignedTo = (statement: Node, name: string): Node | undefined => {
  const assignment = statement.type === "expression_statement" ? itemsOf(statement)[0] : undefined
  return assignment?.type === "assignment" && assignment.childForFieldName("left")?.text === name
    ? (assignment.childForFieldName("right") ?? undefined)
    : undefined
}

const isForbid = (node: Node | undefined): boolean =>
  node !== undefined && (/^["']forbid["']$/.test(node.text) || /(^|\.)forbid$/.test(node.text))
