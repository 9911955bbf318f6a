/** What kind of type a class is, by its bases and decorators. */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import { field, itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import type { Binding } from "./module.js"
import { calledName, meaningOf, outsideNameOf, partsOf } from "./qualifiedName.js"
import type { Reading } from "./reading.js"
import { namesTo } from "../syntax/names.js"
import { literalOf } from "./literal.js"

export type ClassBinding = Extract<Binding, { kind: "class" }>

export type ClassKind = "enum" | "typed-dict" | "named-tuple" | "model" | "dataclass" | "other"

/** A class is what its nearest base is. */
export const classKindOf = (
  binding: ClassBinding,
  reading: Reading,
  seen: ReadonlySet<Node> = new Set()
): ClassKind => {
  if (binding.decorators.some((decorator) => isDataclass(decorator, reading))) return "dataclass"
  for (const [base] of basesOf(binding)) {
    const kind = kinds.get(outsideNameOf(base, reading.module))
    if (kind !== undefined) return kind
  }
  const inherited = localBasesOf(binding, reading)
    .filter((base) => !seen.has(base.binding.node))
    .map((base) => classKindOf(base.binding, reading, new Set([...seen, binding.node])))
  return inherited.find((kind) => kind !== "other") ?? "other"
}

/** Without keyword arguments such as `total=False`; apart from them, what stands in the brackets of generic bases. */
export const basesOf = ({ node }: ClassBinding): ReadonlyArray<readonly [base: Node, args: ReadonlyArray<Node>]> =>
  itemsOf(field(node, "superclasses"))
    .filter(({ type }) => type !== "keyword_argument")
    .flatMap((written) => {
      const [base, args] = partsOf(written)
      return base === undefined ? [] : [[base, args] as const]
    })

export interface LocalBase {
  readonly binding: ClassBinding
  /** `Box[int]`: what stands in the brackets. */
  readonly args: ReadonlyArray<Node>
}

export const localBasesOf = (binding: ClassBinding, reading: Reading): ReadonlyArray<LocalBase> =>
  basesOf(binding).flatMap(([base, args]) => {
    const meaning = meaningOf(base, reading.module)
    return meaning?.kind === "local" && meaning.binding.kind === "class" ? [{ binding: meaning.binding, args }] : []
  })

/** An argument of the class statement: `total=False`. */
export const classArgument = ({ node }: ClassBinding, name: string): Node | undefined =>
  keywordOf(field(node, "superclasses"), name)

export const keywordOf = (list: Node | undefined, name: string): Node | undefined =>
  field(
    itemsOf(list).find((item) => item.type === "keyword_argument" && field(item, "name")?.text === name),
    "value"
  )

/** `name: type = value`, of which either may be missing. */
export interface Assignment {
  readonly name: string
  readonly type: Node | undefined
  readonly value: Node | undefined
}

/** The assignments to names in the body of a class. */
export const assignmentsOf = (definition: Node): ReadonlyArray<Assignment> =>
  itemsOf(field(definition, "body")).flatMap((statement) => assignmentIn(statement) ?? [])

export const assignmentIn = (statement: Node): Assignment | undefined => {
  const assignment = statement.type === "expression_statement" ? itemsOf(statement)[0] : undefined
  const left = assignment?.type === "assignment" ? field(assignment, "left") : undefined
  return left?.type === "identifier"
    ? { name: left.text, type: field(assignment, "type"), value: field(assignment, "right") }
    : undefined
}

const isDataclass = (decorator: Node, { module }: Reading): boolean => {
  const [expression] = itemsOf(decorator)
  const name = calledName(expression, module) || outsideNameOf(expression, module)
  return ["dataclass", "dataclasses.dataclass", "pydantic.dataclasses.dataclass"].includes(name)
}

const kinds = namesTo<ClassKind>(
  // `Enum` and `BaseModel` are not imported: the same names, as the author meant them.
  ["enum.Enum enum.IntEnum enum.StrEnum Enum", "enum"],
  ["TypedDict", "typed-dict"],
  ["NamedTuple", "named-tuple"],
  ["pydantic.BaseModel pydantic.main.BaseModel pydantic.v1.BaseModel sqlmodel.SQLModel BaseModel", "model"]
)

/** Each member in JSON: its value, or its name unless all values are known scalars. */
export const membersOf = (binding: ClassBinding, reading: Reading): ReadonlyMap<string, Json.Json> => {
  const bases = basesOf(binding).map(([base]) => outsideNameOf(base, reading.module))
  // No methods, no private names, no annotations.
  const assignments = assignmentsOf(binding.node).filter(
    ({ name, value }) => value !== undefined && !name.startsWith("_")
  )
  const members = new Map<string, Json.Json>()
  for (const { name, value } of assignments) {
    if (value === undefined) continue
    const isAutomatic = /(^|\.)auto$/.test(calledName(value, reading.module))
    const known = isAutomatic ? automatic(name, [...members.values()], bases) : Either.getOrUndefined(literalOf(value))
    if (known === undefined || (typeof known === "object" && known !== null)) {
      return new Map(assignments.map((one) => [one.name, one.name]))
    }
    members.set(name, known)
  }
  return members
}

/** `Color.RED` and `Color.RED.value`, where they are known. */
export const memberValue = (node: Node, reading: Reading): Json.Json | undefined => {
  if (node.type !== "attribute") return undefined
  const [owner = "", member = "", last, ...rest] = node.text.split(".")
  if ((last !== undefined && last !== "value") || rest.length > 0) return undefined
  const binding = reading.module.bindings.get(owner)
  if (binding?.kind !== "class" || classKindOf(binding, reading) !== "enum") return undefined
  return membersOf(binding, reading).get(member)
}

/** What `auto()` gives: the small letters of the name in a StrEnum, otherwise one more than the greatest. */
const automatic = (
  name: string,
  before: ReadonlyArray<Json.Json>,
  bases: ReadonlyArray<string>
): Json.Json | undefined => {
  if (bases.some((base) => /(^|\.)StrEnum$/.test(base))) return name.toLowerCase()
  // A class that is a str besides makes texts of the numbers, another way in each version of Python.
  if (bases.includes("str")) return undefined
  return Math.max(0, ...before.filter((value) => typeof value === "number")) + 1
}
