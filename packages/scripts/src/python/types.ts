/** JSON Schema of a type annotation. */
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { literalOf } from "./literal.js"
import { localType } from "./localType.js"
import { type Meaning, meaningOf, outsideNameOf } from "./qualifiedName.js"
import { type Owner, type Read, type Reading, report } from "./reading.js"
import { anyOf, oneOfValues } from "./schema.js"
import type { Node } from "../syntax/treeSitter.js"
import { itemsOf, placeOf } from "../syntax/node.js"
import { stringOf } from "./stringLiteral.js"
import { partsOf } from "./typeParts.js"
import { unknownType } from "./unknownType.js"
import { memberValue } from "./enumeration.js"
import { describe } from "./describe.js"
import { fieldOf, isField } from "./field.js"

export const schemaOf = (node: Node, reading: Reading, owner: Owner): Read<Json.JsonSchema> =>
  Effect.suspend(() => {
    switch (node.type) {
      case "type":
      case "parenthesized_expression": {
        const inner = itemsOf(node)[0]
        return inner === undefined ? unknownType(node, reading, owner) : schemaOf(inner, reading, owner)
      }
      case "none":
        return Effect.succeed({ type: "null" })
      case "string":
      case "concatenated_string":
        return forwardReference(node, reading, owner)
      case "identifier":
      case "attribute":
        return applied(node, [], reading, owner)
      case "generic_type":
      case "subscript": {
        const [base, args] = partsOf(node)
        return base === undefined ? unknownType(node, reading, owner) : applied(base, args, reading, owner)
      }
      case "union_type":
        return union(itemsOf(node), reading, owner)
      case "binary_operator": {
        const isUnion = node.childForFieldName("operator")?.text === "|"
        return isUnion ? union(itemsOf(node), reading, owner) : unknownType(node, reading, owner)
      }
      default:
        return unknownType(node, reading, owner)
    }
  })

/** The type that a text says: a forward reference, or a type in a docstring. */
export const schemaOfText = (text: string, reading: Reading, owner: Owner): Read<Json.JsonSchema | undefined> =>
  Effect.gen(function* () {
    // In parentheses, a text of several lines is one expression.
    const tree = yield* reading.parse(`(${text.trim()}\n)`)
    const statement = itemsOf(tree.rootNode)
    const expression = statement.length === 1 ? statement[0]?.firstChild : undefined
    if (tree.rootNode.hasError || expression === null || expression === undefined) return undefined
    return yield* schemaOf(expression, reading, owner)
  })

const forwardReference = (node: Node, reading: Reading, owner: Owner): Read<Json.JsonSchema> =>
  Either.match(stringOf(node), {
    onLeft: () => unknownType(node, reading, owner),
    onRight: (text) =>
      Effect.flatMap(schemaOfText(text, reading, { ...owner, place: owner.place ?? placeOf(node) }), (schema) =>
        schema === undefined ? unknownType(node, reading, owner) : Effect.succeed(schema)
      )
  })

const union = (nodes: ReadonlyArray<Node>, reading: Reading, owner: Owner): Read<Json.JsonSchema> =>
  Effect.map(
    Effect.forEach(nodes, (node) => schemaOf(node, reading, owner)),
    anyOf
  )

const applied = (base: Node, args: ReadonlyArray<Node>, reading: Reading, owner: Owner): Read<Json.JsonSchema> => {
  const parameter = base.type === "identifier" ? reading.parameters.get(base.text) : undefined
  if (parameter !== undefined) return Effect.succeed(parameter)
  const meaning: Meaning | undefined = meaningOf(base, reading.module)
  if (meaning === undefined) return unknownType(base, reading, owner)
  if (meaning.kind === "local") return localType(meaning.name, meaning.binding, base, args, reading, owner)
  const { name } = meaning
  warnOfUnbound(base, name, reading, owner)
  const [first] = args
  const argument = (node: Node | undefined) =>
    node === undefined ? Effect.succeed<Json.JsonSchema>({}) : schemaOf(node, reading, owner)
  if (name === "Optional" && first !== undefined) {
    return Effect.map(argument(first), (schema) => anyOf([schema, { type: "null" }]))
  }
  if (name === "Union" && first !== undefined) return union(args, reading, owner)
  if (name === "Literal" && first !== undefined) {
    return Either.match(literalValues(args, reading), {
      onLeft: (node) =>
        unknownType(node, reading, owner, "a Literal holds texts, numbers, booleans, None or members of an Enum"),
      onRight: (values) => Effect.succeed(oneOfValues(values))
    })
  }
  if (name === "Annotated" && first !== undefined) {
    return Effect.map(argument(first), (schema) => annotated(schema, args.slice(1), reading, owner))
  }
  if (transparentTypes.has(name) && first !== undefined) return argument(first)
  if (listTypes.has(name)) return Effect.map(argument(first), arrayOf)
  if (setTypes.has(name)) return Effect.map(argument(first), (items) => ({ ...arrayOf(items), uniqueItems: true }))
  if (name === "tuple" || name === "Tuple") return tuple(args, reading, owner)
  if (mappingTypes.has(name)) return mapping(args, reading, owner)
  if (name === "Counter") return Effect.succeed({ type: "object", additionalProperties: { type: "integer" } })
  const known = knownTypes.get(name)
  return known === undefined ? unknownType(base, reading, owner) : Effect.succeed(known)
}

const arrayOf = (items: Json.JsonSchema): Json.JsonSchema =>
  Object.keys(items).length === 0 ? { type: "array" } : { type: "array", items }

const tuple = (args: ReadonlyArray<Node>, reading: Reading, owner: Owner): Read<Json.JsonSchema> => {
  const [first, second] = args.map(unwrapped)
  if (first === undefined) return Effect.succeed({ type: "array" })
  // tuple[()]
  if (first.type === "tuple" && args.length === 1) return Effect.succeed({ type: "array", maxItems: 0 })
  if (second?.type === "ellipsis" && args.length === 2) {
    return Effect.map(schemaOf(first, reading, owner), arrayOf)
  }
  return Effect.map(
    Effect.forEach(args, (node) => schemaOf(node, reading, owner)),
    (prefixItems) => ({
      type: "array",
      prefixItems,
      items: false,
      minItems: prefixItems.length,
      maxItems: prefixItems.length
    })
  )
}

const unwrapped = (node: Node): Node => (node.type === "type" ? (itemsOf(node)[0] ?? node) : node)

/** Keys are texts in JSON; keys of another type are said by what such a text looks like. */
const mapping = (args: ReadonlyArray<Node>, reading: Reading, owner: Owner): Read<Json.JsonSchema> =>
  Effect.gen(function* () {
    const [key, value] = args
    const keys = key === undefined ? {} : yield* schemaOf(key, reading, owner)
    const values = value === undefined ? {} : yield* schemaOf(value, reading, owner)
    const schema = { type: "object", additionalProperties: Object.keys(values).length === 0 ? true : values }
    if (Array.isArray(keys["enum"])) return { ...schema, propertyNames: { enum: keys["enum"].map(String) } }
    switch (keys["type"]) {
      case undefined:
        return schema
      case "string": {
        const { type: _, ...rest } = keys
        return Object.keys(rest).length === 0 ? schema : { ...schema, propertyNames: rest }
      }
      case "integer":
        return { ...schema, propertyNames: { pattern: "^-?[0-9]+$" } }
      default:
        return yield* Effect.zipRight(
          unknownType(key ?? args[0]!, reading, owner, "the keys of a JSON object are texts: use str or int"),
          Effect.succeed(schema)
        )
    }
  })

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
const warnOfUnbound = (node: Node, name: string, reading: Reading, owner: Owner): void => {
  const { bindings, importsAll } = reading.module
  const [first = "", ...rest] = node.text.split(".")
  // A text, of a docstring or in quotes, is read only here.
  if (importsAll || owner.place !== undefined || bindings.has(first) || !isKnown(name)) return
  if (rest.length === 0 && builtIn.has(first)) return
  const line = rest.length > 0 ? `import ${first}` : `from ${modules.get(first) ?? "typing"} import ${first}`
  report(reading, {
    severity: "warning",
    rule: "missing-import",
    message: `\`${first}\` is not imported, and so Python cannot load the file: write \`${line}\` at its top; the type of ${owner.subject} needs it`,
    at: node,
    subject: owner.subject
  })
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
    return typeof literal.right === "object" && literal.right !== null
      ? Either.left(node)
      : Either.right([literal.right])
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
const annotated = (
  schema: Json.JsonSchema,
  metadata: ReadonlyArray<Node>,
  reading: Reading,
  owner: Owner
): Json.JsonSchema => {
  let result = schema
  let text: string | undefined
  for (const part of metadata) {
    const node = part.type === "type" ? (itemsOf(part)[0] ?? part) : part
    if (isField(node, reading)) {
      result = fieldOf(node, reading, owner).apply(result)
    } else {
      text ??= textOf(node, reading)
      result = { ...result, ...boundOf(node, reading) }
    }
  }
  // A field that describes it comes first; what the type says of itself is added.
  return result["description"] === schema["description"] ? describe(result, text) : result
}

/** A text, or `Doc("…")`. */
const textOf = (node: Node, reading: Reading): string | undefined => {
  const isDoc = node.type === "call" && outsideNameOf(node.childForFieldName("function"), reading.module) === "Doc"
  const value = literalOf(isDoc ? (firstArgument(node) ?? node) : node)
  return Either.isRight(value) && typeof value.right === "string" ? value.right : undefined
}

/** The bounds of `annotated_types`. */
const boundOf = (node: Node, reading: Reading): Json.JsonSchema => {
  if (node.type !== "call") return {}
  const keyword = bounds.get(outsideNameOf(node.childForFieldName("function"), reading.module))
  const argument = firstArgument(node)
  const value = argument === undefined ? undefined : Either.getOrUndefined(literalOf(argument))
  return keyword === undefined || typeof value !== "number" ? {} : { [keyword]: value }
}

const firstArgument = (call: Node): Node | undefined => {
  const list = call.childForFieldName("arguments")
  return list === null ? undefined : itemsOf(list)[0]
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
const knownTypes: ReadonlyMap<string, Json.JsonSchema> = new Map<string, Json.JsonSchema>([
  ["str", string],
  ["AnyStr", string],
  ["LiteralString", string],
  ["Text", string],
  ["int", integer],
  ["float", number],
  ["bool", { type: "boolean" }],
  ["None", { type: "null" }],
  ["NoneType", { type: "null" }],
  ["Any", {}],
  ["object", {}],
  // Given as text in UTF-8.
  ["bytes", string],
  ["bytearray", string],
  ["datetime.datetime", { ...string, format: "date-time" }],
  ["datetime.date", { ...string, format: "date" }],
  ["datetime.time", { ...string, format: "time" }],
  ["datetime.timedelta", { ...number, description: "In seconds" }],
  ["uuid.UUID", { ...string, format: "uuid" }],
  // A text keeps every digit, while models often send a number.
  ["decimal.Decimal", { type: ["string", "number"], format: "decimal" }],
  ["fractions.Fraction", { type: ["string", "number"] }],
  ["pathlib.Path", { ...string, format: "path" }],
  ["pathlib.PurePath", { ...string, format: "path" }],
  ["pathlib.PosixPath", { ...string, format: "path" }],
  ["ipaddress.IPv4Address", { ...string, format: "ipv4" }],
  ["ipaddress.IPv6Address", { ...string, format: "ipv6" }],
  ["ipaddress.IPv4Network", string],
  ["ipaddress.IPv6Network", string],
  ["pydantic.EmailStr", { ...string, format: "email" }],
  ["pydantic.HttpUrl", { ...string, format: "uri" }],
  ["pydantic.AnyUrl", { ...string, format: "uri" }],
  ["pydantic.AnyHttpUrl", { ...string, format: "uri" }],
  ["pydantic.SecretStr", string],
  ["pydantic.StrictStr", string],
  ["pydantic.StrictInt", integer],
  ["pydantic.StrictFloat", number],
  ["pydantic.StrictBool", { type: "boolean" }],
  ["pydantic.PositiveInt", { ...integer, exclusiveMinimum: 0 }],
  ["pydantic.NonNegativeInt", { ...integer, minimum: 0 }],
  ["pydantic.NegativeInt", { ...integer, exclusiveMaximum: 0 }],
  ["pydantic.NonPositiveInt", { ...integer, maximum: 0 }],
  ["pydantic.PositiveFloat", { ...number, exclusiveMinimum: 0 }],
  ["pydantic.NonNegativeFloat", { ...number, minimum: 0 }],
  ["pydantic.NegativeFloat", { ...number, exclusiveMaximum: 0 }],
  ["pydantic.NonPositiveFloat", { ...number, maximum: 0 }]
])

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
