/** What kind of type a class is, by its bases and decorators. */
import { itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
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
export const basesOf = ({ node }: ClassBinding): ReadonlyArray<readonly [base: Node, args: ReadonlyArray<Node>]> => {
  const list = node.childForFieldName("superclasses")
  return (list === null ? [] : itemsOf(list))
    .filter(({ type }) => type !== "keyword_argument")
    .flatMap((written) => {
      const [base, args] = partsOf(written)
      return base === undefined ? [] : [[base, args] as const]
    })
}

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
  // Not imported: the same names, as the author meant them.
  ["Enum", "enum"],
  ["BaseModel", "model"]
])
