/**
 * What kind of type a class is, told by its bases and decorators.
 */
import type { Node } from "../syntax/treeSitter.js"
import { itemsOf } from "./literal.js"
import type { Binding } from "./module.js"
import { meaningOf, outsideNameOf } from "./qualifiedName.js"
import type { Reading } from "./reading.js"
import { partsOf } from "./typeParts.js"

export type ClassBinding = Extract<Binding, { kind: "class" }>

export type ClassKind = "enum" | "typed-dict" | "named-tuple" | "model" | "dataclass" | "other"

/** A class is what its nearest base is. */
export const classKindOf = (
  binding: ClassBinding,
  reading: Reading,
  seen: ReadonlySet<Node> = new Set()
): ClassKind => {
  if (binding.decorators.some((decorator) => isDataclass(decorator, reading))) return "dataclass"
  const bases = basesOf(binding)
  for (const base of bases) {
    const kind = kinds.get(outsideNameOf(base, reading.module))
    if (kind !== undefined) return kind
  }
  const inherited = localBasesOf(binding, reading)
    .filter((base) => !seen.has(base.node))
    .map((base) => classKindOf(base, reading, new Set([...seen, binding.node])))
  return inherited.find((kind) => kind !== "other") ?? "other"
}

/** Without keyword arguments such as `total=False`, and without the parameters of generic bases. */
export const basesOf = ({ node }: ClassBinding): ReadonlyArray<Node> => {
  const list = node.childForFieldName("superclasses")
  return (list === null ? [] : itemsOf(list))
    .filter(({ type }) => type !== "keyword_argument")
    .flatMap((base) => partsOf(base)[0] ?? [])
}

export const localBasesOf = (binding: ClassBinding, reading: Reading): ReadonlyArray<ClassBinding> =>
  basesOf(binding).flatMap((base) => {
    const meaning = meaningOf(base, reading.module)
    return meaning?.kind === "local" && meaning.binding.kind === "class" ? [meaning.binding] : []
  })

/** An argument of the class statement: `total=False`. */
export const classArgument = ({ node }: ClassBinding, name: string): Node | undefined => {
  const list = node.childForFieldName("superclasses")
  return list === null ? undefined : keywordOf(list, name)
}

/** The value of a keyword argument. */
export const keywordOf = (list: Node, name: string): Node | undefined =>
  itemsOf(list)
    .find((item) => item.type === "keyword_argument" && item.childForFieldName("name")?.text === name)
    ?.childForFieldName("value") ?? undefined

const isDataclass = (decorator: Node, reading: Reading): boolean => {
  const expression = itemsOf(decorator)[0]
  const name = expression?.type === "call" ? expression.childForFieldName("function") : expression
  return dataclassDecorators.has(outsideNameOf(name, reading.module))
}

const dataclassDecorators: ReadonlySet<string> = new Set([
  "dataclass",
  "dataclasses.dataclass",
  "pydantic.dataclasses.dataclass"
])

const kinds: ReadonlyMap<string, ClassKind> = new Map<string, ClassKind>([
  ["enum.Enum", "enum"],
  ["enum.IntEnum", "enum"],
  ["enum.StrEnum", "enum"],
  ["TypedDict", "typed-dict"],
  ["NamedTuple", "named-tuple"],
  ["pydantic.BaseModel", "model"],
  ["pydantic.main.BaseModel", "model"],
  ["pydantic.v1.BaseModel", "model"],
  ["sqlmodel.SQLModel", "model"],
  // Not imported: the same names, as somebody meant them.
  ["Enum", "enum"],
  ["BaseModel", "model"]
])
