/** What `Field(...)` of pydantic, `field(...)` of dataclasses and their like say of a value. */
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import { itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { keywordOf } from "./classKind.js"
import { defaultOf } from "./default.js"
import { describe } from "./describe.js"
import { literalOf } from "./literal.js"
import { excerptOf } from "./notLiteral.js"
import { outsideNameOf } from "./qualifiedName.js"
import { type Owner, type Reading, report } from "./reading.js"
import { typesOf } from "./schema.js"

export interface Field {
  /** Keywords of JSON Schema. */
  readonly apply: (schema: Json.JsonSchema) => Json.JsonSchema
  /** Absent without a default; a factory that is not known gives an unknown one. */
  readonly default: FieldDefault | undefined
  readonly alias: string | undefined
  /** `init=False`: no argument. */
  readonly isArgument: boolean
}

export type FieldDefault =
  | { readonly isKnown: true; readonly value: Json.Json }
  | { readonly isKnown: false; readonly node: Node }

export const knownDefault = (field: Field | undefined): Json.Json | undefined =>
  field?.default?.isKnown === true ? field.default.value : undefined

export const isField = (node: Node | undefined, reading: Reading): node is Node =>
  node?.type === "call" && fieldNames.has(outsideNameOf(node.childForFieldName("function"), reading.module))

const fieldNames: ReadonlySet<string> = new Set([
  "Field",
  "pydantic.Field",
  "pydantic.fields.Field",
  "pydantic.StringConstraints",
  "sqlmodel.Field",
  "field",
  "dataclasses.field"
])

export const fieldOf = (call: Node, reading: Reading, owner: Owner): Field => {
  const list = call.childForFieldName("arguments")
  if (list === null) return { apply: (schema) => schema, default: undefined, alias: undefined, isArgument: true }
  const literal = (name: string): Json.Json | undefined => {
    const node = keywordOf(list, name)
    if (node === undefined) return undefined
    const value = literalOf(node)
    if (Either.isRight(value)) return value.right
    lost(name, node, reading, owner)
    return undefined
  }
  const aliases = ["validation_alias", "alias"].map((name) => keywordOf(list, name))
  const alias = aliases.flatMap((node) => (node === undefined ? [] : [Either.getOrUndefined(literalOf(node))]))[0]
  const init = keywordOf(list, "init")
  return {
    apply: (schema) => withKeywords(schema, literal, reading, owner, call),
    default: defaultIn(list, reading),
    alias: typeof alias === "string" ? alias : undefined,
    isArgument: init?.type !== "false"
  }
}

const defaultIn = (list: Node, reading: Reading): FieldDefault | undefined => {
  const [first] = itemsOf(list)
  const isPositional = first !== undefined && first.type !== "keyword_argument"
  const node = keywordOf(list, "default") ?? (isPositional ? first : undefined)
  // `Field(...)` says that it has no default.
  if (node !== undefined) return node.type === "ellipsis" ? undefined : known(defaultOf(node, reading), node)
  const factory = keywordOf(list, "default_factory")
  if (factory === undefined) return undefined
  if (factory.type === "lambda") {
    const body = factory.childForFieldName("body")
    return body === null ? { isKnown: false, node: factory } : known(defaultOf(body, reading), factory)
  }
  const empty = emptyValues.get(outsideNameOf(factory, reading.module))
  return empty === undefined ? { isKnown: false, node: factory } : { isKnown: true, value: empty }
}

const known = (value: Either.Either<Json.Json, unknown>, node: Node): FieldDefault =>
  Either.match(value, {
    onLeft: () => ({ isKnown: false, node }),
    onRight: (right) => ({ isKnown: true, value: right })
  })

const emptyValues: ReadonlyMap<string, Json.Json> = new Map<string, Json.Json>([
  ["list", []],
  ["tuple", []],
  ["set", []],
  ["frozenset", []],
  ["dict", {}],
  ["str", ""],
  ["int", 0],
  ["float", 0],
  ["bool", false]
])

const withKeywords = (
  schema: Json.JsonSchema,
  literal: (name: string) => Json.Json | undefined,
  reading: Reading,
  owner: Owner,
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
    else lost("pattern", call, reading, owner)
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

const lost = (name: string, node: Node, reading: Reading, owner: Owner): void =>
  report(reading, {
    severity: "warning",
    rule: "lost-constraint",
    message: `${name} of ${owner.subject} cannot be said in JSON Schema and is left out: \`${excerptOf(node)}\`; write a literal`,
    at: owner.place ?? node,
    subject: owner.subject
  })
