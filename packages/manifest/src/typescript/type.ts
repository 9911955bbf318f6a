/** A node as a type: what values of its schema are, encoded and decoded alike. */
import { type Doc, list, members } from "./Doc.js"
import { literal, typeKeyOf } from "./literal.js"
import type { Node, Property } from "./Node.js"

export const typeOf = (node: Node): Doc => {
  switch (node._tag) {
    case "Unknown":
    case "Never":
    case "Null":
    case "Boolean":
    case "String":
      return node._tag.toLowerCase()
    case "Number":
    case "Int":
      return "number"
    case "Reference":
      return node.name
    case "Literal":
      return union(node.values.map(literal))
    case "Union":
      return union(node.members.map(typeOf))
    case "Array": {
      const { optional, required, rest } = node
      if (required.length + optional.length === 0 && rest !== undefined) return ["ReadonlyArray<", typeOf(rest), ">"]
      const elements: ReadonlyArray<Doc> = [
        ...required.map(typeOf),
        ...optional.map((element): Doc => ["(", typeOf(element), ")?"]),
        ...(rest === undefined ? [] : [["...Array<", typeOf(rest), ">"]])
      ]
      return ["readonly ", list("[", elements, "]")]
    }
    case "Object":
      return objectType(node.properties, node.rest)
  }
}

export const objectType = (properties: ReadonlyArray<Property>, rest: Node | undefined): Doc =>
  members([
    ...properties.map(({ isRequired, name, node }): Doc => [
      `readonly ${typeKeyOf(name)}${isRequired ? "" : "?"}: `,
      typeOf(node),
      // `Schema.optional` takes undefined too.
      isRequired || node._tag === "Unknown" ? "" : " | undefined"
    ]),
    ...(rest === undefined ? [] : [["readonly [name: string]: ", typeOf(rest)]])
  ])

const union = (parts: ReadonlyArray<Doc>): Doc =>
  parts.flatMap((part, index): ReadonlyArray<Doc> => (index === 0 ? [part] : [" | ", part]))
