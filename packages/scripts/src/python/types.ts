/** JSON Schema of a type annotation. */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import { field, itemsOf, placeOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { memberValue } from "./classKind.js"
import { fieldOf, isField } from "./field.js"
import { literalOf } from "./literal.js"
import { localType } from "./localType.js"
import { argumentsOf, calledName, meaningOf, outsideNameOf, partsOf } from "./qualifiedName.js"
import { type Reading, unknownType } from "./reading.js"
import { anyOf, describe, oneOfValues } from "./schema.js"
import { stringOf } from "./stringLiteral.js"
import { namesTo } from "../syntax/names.js"

export const schemaOf = (node: Node, reading: Reading): Json.JsonSchema => {
  switch (node.type) {
    case "type":
    case "parenthesized_expression": {
      const [inner] = itemsOf(node)
      return inner === undefined ? unknownType(node, reading) : schemaOf(inner, reading)
    }
    case "none":
      return { type: "null" }
    case "string":
    case "concatenated_string":
      return forwardReference(node, reading)
    case "identifier":
    case "attribute":
      return applied(node, [], reading)
    case "generic_type":
    case "subscript": {
      const [base, args] = partsOf(node)
      return base === undefined ? unknownType(node, reading) : applied(base, args, reading)
    }
    case "union_type":
      return union(itemsOf(node), reading)
    case "binary_operator":
      return field(node, "operator")?.text === "|" ? union(itemsOf(node), reading) : unknownType(node, reading)
    default:
      return unknownType(node, reading)
  }
}

/** The type that a text says: a forward reference, or a type in a docstring. */
export const schemaOfText = (text: string, reading: Reading): Json.JsonSchema | undefined => {
  // In parentheses, a text of several lines is one expression.
  const { rootNode } = reading.parse(`(${text.trim()}\n)`)
  const statements = itemsOf(rootNode)
  const expression = statements.length === 1 ? statements[0]?.firstChild : undefined
  if (rootNode.hasError || expression === null || expression === undefined) return undefined
  return schemaOf(expression, reading)
}

const forwardReference = (node: Node, reading: Reading): Json.JsonSchema => {
  const text = Either.getOrUndefined(stringOf(node))
  const within = { ...reading, textPlace: reading.textPlace ?? placeOf(node) }
  return (text === undefined ? undefined : schemaOfText(text, within)) ?? unknownType(node, reading)
}

const union = (nodes: ReadonlyArray<Node>, reading: Reading): Json.JsonSchema =>
  anyOf(nodes.map((node) => schemaOf(node, reading)))

const applied = (base: Node, args: ReadonlyArray<Node>, reading: Reading): Json.JsonSchema => {
  const parameter = base.type === "identifier" ? reading.parameters.get(base.text) : undefined
  if (parameter !== undefined) return parameter
  const meaning = meaningOf(base, reading.module)
  if (meaning === undefined) return unknownType(base, reading)
  if (meaning.kind === "local") return localType(meaning.name, meaning.binding, base, args, reading)
  const { name } = meaning
  warnOfUnbound(base, name, reading)
  const [first, ...metadata] = args
  if (first !== undefined) {
    if (name === "Optional") return anyOf([schemaOf(first, reading), { type: "null" }])
    if (name === "Union") return union(args, reading)
    if (name === "Literal") {
      return Either.match(literalValues(args, reading), {
        onLeft: (node) =>
          unknownType(node, reading, "a Literal holds texts, numbers, booleans, None or members of an Enum"),
        onRight: oneOfValues
      })
    }
    if (name === "Annotated") return annotate(schemaOf(first, reading), metadata, reading)
    if (transparentTypes.has(name)) return schemaOf(first, reading)
  }
  if (listTypes.has(name)) return arrayOf(first, reading)
  if (setTypes.has(name)) return { ...arrayOf(first, reading), uniqueItems: true }
  if (name === "tuple" || name === "Tuple") return tuple(args, reading)
  if (mappingTypes.has(name)) return mapping(args, reading)
  if (name === "Counter") return { type: "object", additionalProperties: { type: "integer" } }
  return knownTypes.get(name) ?? unknownType(base, reading)
}

const arrayOf = (item: Node | undefined, reading: Reading): Json.JsonSchema => {
  const items = item === undefined ? {} : schemaOf(item, reading)
  return Object.keys(items).length === 0 ? { type: "array" } : { type: "array", items }
}

const tuple = (args: ReadonlyArray<Node>, reading: Reading): Json.JsonSchema => {
  const [first, second] = args.map(unwrap)
  if (first === undefined) return { type: "array" }
  // tuple[()]
  if (first.type === "tuple" && args.length === 1) return { type: "array", maxItems: 0 }
  if (second?.type === "ellipsis" && args.length === 2) return arrayOf(first, reading)
  const prefixItems = args.map((node) => schemaOf(node, reading))
  return { type: "array", prefixItems, items: false, minItems: prefixItems.length, maxItems: prefixItems.length }
}

const unwrap = (node: Node): Node => (node.type === "type" ? (itemsOf(node)[0] ?? node) : node)

/** Keys are texts in JSON; keys of another type are said by what such a text looks like. */
const mapping = ([key, value]: ReadonlyArray<Node>, reading: Reading): Json.JsonSchema => {
  const keys = key === undefined ? {} : schemaOf(key, reading)
  const values = value === undefined ? {} : schemaOf(value, reading)
  const schema = { type: "object", additionalProperties: Object.keys(values).length === 0 ? true : values }
  if (Array.isArray(keys["enum"])) return { ...schema, propertyNames: { enum: keys["enum"].map(String) } }
  const { type, ...rest } = keys
  if (type === undefined || key === undefined) return schema
  if (type === "integer") return { ...schema, propertyNames: { pattern: "^-?[0-9]+$" } }
  if (type === "string") return Object.keys(rest).length === 0 ? schema : { ...schema, propertyNames: rest }
  unknownType(key, reading, "the keys of a JSON object are texts: use str or int")
  return schema
}

const builtIn: ReadonlySet<string> = new Set(
  "str int float bool None object bytes bytearray list tuple set frozenset dict".split(" ")
)

const special: ReadonlySet<string> = new Set("Optional Union Literal Annotated Tuple Counter".split(" "))

/** Of the other modules that typing does not have, too. */
const modules: ReadonlyMap<string, string> = new Map([
  ["deque", "collections"],
  ["defaultdict", "collections"],
  ["NoneType", "types"]
])

/** `name` is what `node` means. Of names that mean nothing, another place reports that they are not known. */
const warnOfUnbound = (node: Node, name: string, { module, report, subject, textPlace }: Reading): void => {
  const [first = "", ...rest] = node.text.split(".")
  // A text, of a docstring or in quotes, is read only here.
  if (module.importsAll || textPlace !== undefined || module.bindings.has(first) || !isKnown(name)) return
  if (rest.length === 0 && builtIn.has(first)) return
  const line = rest.length > 0 ? `import ${first}` : `from ${modules.get(first) ?? "typing"} import ${first}`
  const message = `\`${first}\` is not imported, and so Python cannot load the file: write \`${line}\` at its top; the type of ${subject} needs it`
  report.warning("missing-import", message, { place: placeOf(node), subject })
}

const isKnown = (name: string): boolean =>
  [knownTypes, listTypes, setTypes, mappingTypes, transparentTypes, special].some((names) => names.has(name))

/** In order; or the part that is no value. */
const literalValues = (parts: ReadonlyArray<Node>, reading: Reading): Either.Either<ReadonlyArray<Json.Json>, Node> =>
  Either.map(Either.all(parts.map((part) => valuesOf(part, reading))), (values) => values.flat())

const valuesOf = (node: Node, reading: Reading): Either.Either<ReadonlyArray<Json.Json>, Node> => {
  if (node.type === "type" || node.type === "parenthesized_expression") {
    const [inner] = itemsOf(node)
    return inner === undefined ? Either.left(node) : valuesOf(inner, reading)
  }
  const literal = literalOf(node)
  if (Either.isRight(literal)) {
    const { right } = literal
    return typeof right === "object" && right !== null ? Either.left(node) : Either.right([right])
  }
  const member = memberValue(node, reading)
  if (member !== undefined) return Either.right([member])
  // Literals may hold literals, by name too: `Literal[Mode, "other"]`.
  const [base, args] = partsOf(node)
  if (args.length > 0 && outsideNameOf(base, reading.module) === "Literal") return literalValues(args, reading)
  const binding = node.type === "identifier" ? reading.module.bindings.get(node.text) : undefined
  const value = binding?.kind === "value" || binding?.kind === "alias" ? binding.value : undefined
  if (value === undefined || value.type === "identifier") return Either.left(node)
  const [valueBase, valueArgs] = partsOf(value)
  return outsideNameOf(valueBase, reading.module) === "Literal" && valueArgs.length > 0
    ? literalValues(valueArgs, reading)
    : Either.left(node)
}

/** The first text is the description; what is known of no one says nothing, as Python has it. */
const annotate = (schema: Json.JsonSchema, metadata: ReadonlyArray<Node>, reading: Reading): Json.JsonSchema => {
  let result = schema
  let text: string | undefined
  for (const node of metadata.map(unwrap)) {
    if (isField(node, reading)) {
      result = fieldOf(node, reading).apply(result)
    } else {
      text ??= textOf(node, reading)
      result = { ...result, ...boundOf(node, reading) }
    }
  }
  // A field that describes it comes first; what the type says of itself is added.
  return result["description"] === schema["description"] ? describe(result, text) : result
}

/** A text, or `Doc("…")`. */
const textOf = (node: Node, { module }: Reading): string | undefined => {
  const isDoc = calledName(node, module) === "Doc"
  const value = Either.getOrUndefined(literalOf(isDoc ? (argumentsOf(node)[0] ?? node) : node))
  return typeof value === "string" ? value : undefined
}

/** The bounds of `annotated_types`. */
const boundOf = (node: Node, { module }: Reading): Json.JsonSchema => {
  const keyword = bounds.get(calledName(node, module))
  const [argument] = argumentsOf(node)
  const value = argument && Either.getOrUndefined(literalOf(argument))
  return keyword === undefined || typeof value !== "number" ? {} : { [keyword]: value }
}

const bounds: ReadonlyMap<string, string> = new Map([
  ["annotated_types.Ge", "minimum"],
  ["annotated_types.Gt", "exclusiveMinimum"],
  ["annotated_types.Le", "maximum"],
  ["annotated_types.Lt", "exclusiveMaximum"],
  ["annotated_types.MultipleOf", "multipleOf"]
])

const string = { type: "string" } as const
const integer = { type: "integer" } as const
const number = { type: "number" } as const

/** By name, without `typing` and its like. The program that runs Python makes the values of these from JSON. */
const knownTypes = namesTo<Json.JsonSchema>(
  // Bytes are given as text in UTF-8.
  ["str AnyStr LiteralString Text bytes bytearray pydantic.SecretStr pydantic.StrictStr", string],
  ["ipaddress.IPv4Network ipaddress.IPv6Network", string],
  ["int pydantic.StrictInt", integer],
  ["float pydantic.StrictFloat", number],
  ["bool pydantic.StrictBool", { type: "boolean" }],
  ["None NoneType", { type: "null" }],
  ["Any object", {}],
  ["datetime.datetime", { ...string, format: "date-time" }],
  ["datetime.date", { ...string, format: "date" }],
  ["datetime.time", { ...string, format: "time" }],
  ["datetime.timedelta", { ...number, description: "In seconds" }],
  ["uuid.UUID", { ...string, format: "uuid" }],
  // A text keeps every digit, while models often send a number.
  ["decimal.Decimal", { type: ["string", "number"], format: "decimal" }],
  ["fractions.Fraction", { type: ["string", "number"] }],
  ["pathlib.Path pathlib.PurePath pathlib.PosixPath", { ...string, format: "path" }],
  ["ipaddress.IPv4Address", { ...string, format: "ipv4" }],
  ["ipaddress.IPv6Address", { ...string, format: "ipv6" }],
  ["pydantic.EmailStr", { ...string, format: "email" }],
  ["pydantic.HttpUrl pydantic.AnyUrl pydantic.AnyHttpUrl", { ...string, format: "uri" }],
  ["pydantic.PositiveInt", { ...integer, exclusiveMinimum: 0 }],
  ["pydantic.NonNegativeInt", { ...integer, minimum: 0 }],
  ["pydantic.NegativeInt", { ...integer, exclusiveMaximum: 0 }],
  ["pydantic.NonPositiveInt", { ...integer, maximum: 0 }],
  ["pydantic.PositiveFloat", { ...number, exclusiveMinimum: 0 }],
  ["pydantic.NonNegativeFloat", { ...number, minimum: 0 }],
  ["pydantic.NegativeFloat", { ...number, exclusiveMaximum: 0 }],
  ["pydantic.NonPositiveFloat", { ...number, maximum: 0 }]
)

/** Types of many values of one type. */
const listTypes: ReadonlySet<string> = new Set(
  "list List Sequence MutableSequence Iterable Collection Container Reversible deque Deque".split(" ")
)

const setTypes: ReadonlySet<string> = new Set("set Set frozenset FrozenSet AbstractSet MutableSet".split(" "))

/** Types from keys to values. */
const mappingTypes: ReadonlySet<string> = new Set(
  "dict Dict Mapping MutableMapping OrderedDict defaultdict DefaultDict".split(" ")
)

/** What stands around a type without changing which values it has. */
const transparentTypes: ReadonlySet<string> = new Set(
  "Final Required NotRequired ReadOnly ClassVar dataclasses.InitVar".split(" ")
)
