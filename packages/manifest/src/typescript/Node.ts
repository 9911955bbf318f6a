/** A schema as Effect Schema can say it: what both its expression and its type are printed from. */

/** What is said of a schema besides which values it takes. */
export interface About {
  readonly title: string | undefined
  readonly description: string | undefined
  /** Shown to the model, and never filled in. */
  readonly default: { readonly value: unknown } | undefined
  /** Keywords that the schema states and that nothing checks. */
  readonly stated: { readonly [keyword: string]: unknown }
}

export type Check = string

export interface Property {
  readonly name: string
  readonly node: Node
  readonly isRequired: boolean
}

interface Common {
  readonly about: About
  readonly checks: ReadonlyArray<Check>
}

export type Node = Common &
  (
    | { readonly _tag: "Unknown" | "Never" | "Null" | "Boolean" | "String" | "Number" | "Int" }
    | { readonly _tag: "Literal"; readonly values: ReadonlyArray<string | number | boolean | null> }
    | { readonly _tag: "Reference"; readonly name: string }
    | {
        readonly _tag: "Array"
        readonly required: ReadonlyArray<Node>
        readonly optional: ReadonlyArray<Node>
        readonly rest: Node | undefined
      }
    | {
        readonly _tag: "Object"
        readonly properties: ReadonlyArray<Property>
        readonly rest: Node | undefined
      }
    | { readonly _tag: "Union"; readonly members: ReadonlyArray<Node> }
  )

export const nothing: About = { title: undefined, description: undefined, default: undefined, stated: {} }

export const referencesOf = (node: Node): ReadonlyArray<string> => {
  switch (node._tag) {
    case "Reference":
      return [node.name]
    case "Array":
      return [...node.required, ...node.optional, ...(node.rest === undefined ? [] : [node.rest])].flatMap(referencesOf)
    case "Object":
      return [
        ...node.properties.map((property) => property.node),
        ...(node.rest === undefined ? [] : [node.rest])
      ].flatMap(referencesOf)
    case "Union":
      return node.members.flatMap(referencesOf)
    default:
      return []
  }
}
