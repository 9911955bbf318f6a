/** What `Field(...)` of pydantic, `field(...)` of dataclasses and their like say of a value. */
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import { field, itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { keywordOf, classKindOf, membersOf, memberValue } from "./classKind.js"
import { literalOf } from "./literal.js"
import { excerptOf, describeNode, type NotLiteral, notLiteral } from "./notLiteral.js"
import { calledName, outsideNameOf, argumentsOf } from "./qualifiedName.js"
import { type Reading, warn } from "./reading.js"
import { describe, typesOf } from "./schema.js"
import { compute } from "./computed.js"
import { namesTo } from "../syntax/names.js"

interface Field {
  /** Keywords of JSON Schema. */
  readonly apply: (schema: Json.JsonSchema) => Json.JsonSchema
  /** Absent without a default; a factory that is not known gives an unknown one. */
  readonly default: FieldDefault | undefined
  readonly alias: string | undefined
  /** `init=False`: no argument. */
  readonly isArgument: boolean
}

type FieldDefault =
  | { readonly isKnown: true; readonly value: Json.Json }
  | { readonly isKnown: false; readonly node: Node }

/** What a parameter or a field of a class is given: a default, which may be unknown, or a `Field(...)`. */
export const valueOf = (value: Node | undefined, declared: Json.JsonSchema, reading: Reading) => {
  if (value !== undefined && isField(value, reading)) {
    const { alias, apply, default: fallback, isArgument } = fieldOf(value, reading)
    const known = fallback?.isKnown === true ? fallback.value : undefined
    return {
      typed: isArgument ? apply(declared) : declared,
      known,
      hasDefault: fallback !== undefined,
      alias,
      isArgument
    }
  }
  const given = value && defaultOf(value, reading)
  if (given !== undefined && Either.isLeft(given)) reportDefault(given.left, reading)
  const known = given && Either.getOrUndefined(given)
  return { typed: declared, known, hasDefault: value !== undefined, alias: undefined, isArgument: true }
}

export const isField = (node: Node, reading: Reading): boolean => fieldNames.has(calledName(node, reading.module))

const fieldNames: ReadonlySet<string> = new Set(
  "Field pydantic.Field pydantic.fields.Field pydantic.StringConstraints sqlmodel.Field field dataclasses.field".split(
    " "
  )
)

export const fieldOf = (call: Node, reading: Reading): Field => {
  const list = field(call, "arguments")
  const literal = (name: string): Json.Json | undefined => {
    const node = keywordOf(list, name)
    if (node === undefined) return undefined
    const value = literalOf(node)
    if (Either.isRight(value)) return value.right
    lost(name, node, reading)
    return undefined
  }
  const aliased = keywordOf(list, "validation_alias") ?? keywordOf(list, "alias")
  const alias = aliased && Either.getOrUndefined(literalOf(aliased))
  return {
    apply: (schema) => withKeywords(schema, literal, reading, call),
    default: defaultIn(list, reading),
    alias: typeof alias === "string" ? alias : undefined,
    isArgument: keywordOf(list, "init")?.type !== "false"
  }
}

const defaultIn = (list: Node | undefined, reading: Reading): FieldDefault | undefined => {
  const [first] = itemsOf(list)
  const node = keywordOf(list, "default") ?? (first?.type === "keyword_argument" ? undefined : first)
  // `Field(...)` says that it has no default.
  if (node !== undefined) return node.type === "ellipsis" ? undefined : known(defaultOf(node, reading), node)
  const factory = keywordOf(list, "default_factory")
  if (factory === undefined) return undefined
  const body = factory.type === "lambda" ? field(factory, "body") : undefined
  if (body !== undefined) return known(defaultOf(body, reading), factory)
  const empty = emptyValues.get(outsideNameOf(factory, reading.module))
  return empty === undefined ? { isKnown: false, node: factory } : { isKnown: true, value: empty }
}

const known = (value: Either.Either<Json.Json, unknown>, node: Node): FieldDefault =>
  Either.match(value, {
    onLeft: () => ({ isKnown: false, node }),
    onRight: (right) => ({ isKnown: true, value: right })
  })

const emptyValues = namesTo<Json.Json>(
  ["list tuple set frozenset", []],
  ["dict", {}],
  ["str", ""],
  ["int float", 0],
  ["bool", false]
)

const withKeywords = (
  schema: Json.JsonSchema,
  literal: (name: string) => Json.Json | undefined,
  reading: Reading,
  call: Node
): Json.JsonSchema => {
  const result: Record<string, unknown> = { ...schema }
  for (const [name, keyword] of keywords) {
    const value = literal(name)
    if (value !== undefined && value !== null) result[keyword] = value
  }
  const description = result["description"]
  if (typeof description === "string") result["description"] = describe(schema, description)["description"]
  const types = typesOf(schema)
  const size = types.includes("array") ? "Items" : types.includes("object") ? "Properties" : "Length"
  const least = literal("min_length") ?? literal("min_items")
  const most = literal("max_length") ?? literal("max_items")
  if (typeof least === "number") result[`min${size}`] = least
  if (typeof most === "number") result[`max${size}`] = most
  const pattern = literal("pattern") ?? literal("regex")
  if (typeof pattern === "string") {
    // Named groups are the one thing that both languages have and write differently.
    const translated = pattern.replaceAll("(?P<", "(?<")
    if (Either.isRight(Either.try(() => new RegExp(translated, "u")))) result["pattern"] = translated
    else lost("pattern", call, reading)
  }
  const extra = literal("json_schema_extra")
  return Json.isObject(extra) ? { ...result, ...extra } : result
}

const keywords: ReadonlyArray<readonly [name: string, keyword: string]> = [
  ["title", "title"],
  ["description", "description"],
  ["ge", "minimum"],
  ["gt", "exclusiveMinimum"],
  ["le", "maximum"],
  ["lt", "exclusiveMaximum"],
  ["multiple_of", "multipleOf"],
  ["examples", "examples"]
]

const lost = (name: string, node: Node, reading: Reading): void => {
  const message = `${name} of ${reading.subject} cannot be said in JSON Schema and is left out: \`${excerptOf(node)}\`; write a literal`
  warn(reading, "lost-constraint", message, node)
}

/** The JSON value of a default: a literal, an Enum's member, a constant, `60 * MINUTE`, `Path(".")`. */
const defaultOf = (node: Node, reading: Reading): Either.Either<Json.Json, NotLiteral> => {
  const literal = literalOf(node)
  if (Either.isRight(literal)) return literal
  const member = memberValue(node, reading)
  if (member !== undefined) return Either.right(member)
  const computed = compute(node, reading)
  if (computed !== undefined) return Either.right(computed.value)
  if (node.type === "parenthesized_expression") {
    const [inner] = itemsOf(node)
    return inner === undefined ? literal : defaultOf(inner, reading)
  }
  if (node.type === "identifier") {
    const binding = reading.module.bindings.get(node.text)
    const value = binding?.kind === "value" && binding.isConstant ? binding.value : undefined
    // Of a list or dict the name may be constant, but what it holds can change.
    const constant = value === undefined ? literal : literalOf(value)
    return Either.isRight(constant) && (typeof constant.right !== "object" || constant.right === null)
      ? constant
      : literal
  }
  return node.type === "call" ? madeOf(node, reading) : literal
}

const madeOf = (call: Node, reading: Reading): Either.Either<Json.Json, NotLiteral> => {
  const not = Either.left(notLiteral(call, describeNode(call)))
  const name = calledName(call, reading.module)
  const isCollection = ["list", "tuple", "set", "frozenset"].includes(name)
  const [first, ...others] = argumentsOf(call)
  if (others.length > 0 || first?.type === "keyword_argument") return not
  if (first === undefined) return isCollection ? Either.right([]) : name === "dict" ? Either.right({}) : not
  const value = literalOf(first)
  if (Either.isLeft(value)) return not
  const isMade =
    isLocalMaker(call, value.right, reading) ||
    (isCollection && Array.isArray(value.right)) ||
    (textual.has(name) && typeof value.right === "string")
  return isMade ? value : not
}

/** `Color("red")`, and `City("Rome")` where City is a NewType. */
const isLocalMaker = (call: Node, value: Json.Json, reading: Reading): boolean => {
  const maker = field(call, "function")
  const binding = maker?.type === "identifier" ? reading.module.bindings.get(maker.text) : undefined
  if (binding?.kind === "class" && classKindOf(binding, reading) === "enum") {
    return [...membersOf(binding, reading).values()].includes(value)
  }
  return binding?.kind === "value" && calledName(binding.value, reading.module) === "NewType"
}

/** Types whose values are texts in JSON, made of just these texts. */
const textual: ReadonlySet<string> = new Set(
  "str pathlib.Path pathlib.PurePath decimal.Decimal uuid.UUID ipaddress.IPv4Address ipaddress.IPv6Address".split(" ")
)

/** The parameter can be left out, but the model does not know what it then is. */
const reportDefault = ({ place, what }: NotLiteral, { report, subject }: Reading): void => {
  const message = `The default of ${subject} is known only when it runs (${what}), so models do not see it; say it in the description, or write a literal`
  report.warning("default-not-literal", message, { place, subject })
}
