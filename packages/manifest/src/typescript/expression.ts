/** A node as an expression of Effect Schema. */
import { call, type Doc, list } from "./Doc.js"
import { keyOf, literal, text } from "./literal.js"
import type { About, Node, Property } from "./Node.js"

/** What a reference is written as: a name, or a suspended one where it is not yet declared. */
export type Refer = (name: string) => Doc

/** `identifier`: what a definition is called where its JSON Schema is referred to. */
export const expression = (node: Node, refer: Refer, identifier?: string): Doc => {
  if (node._tag === "Reference") {
    const { default: preset, description } = node.about
    const plain = refer(node.name)
    const about: ReadonlyArray<Doc> = [
      ...(description === undefined ? [] : [`description: ${text(description)}`]),
      ...(preset === undefined ? [] : [["jsonSchema: ", literal({ default: preset.value })]])
    ]
    const said = about.length === 0 ? plain : call("described", plain, list("{", about, "}"))
    return identifier === undefined ? said : [said, `.annotations({ identifier: ${text(identifier)} })`]
  }
  const { about, checks } = node
  const { stated } = about
  const type = simpleTypes[node._tag]
  const isStated = Object.keys(stated).length > 0
  // A schema of a simple type says its keywords itself; another, by a filter that lets all pass.
  const own: ReadonlyArray<Doc> = isStated && type !== undefined ? [["jsonSchema: ", literal({ type, ...stated })]] : []
  const all: ReadonlyArray<Doc> = [
    ...checks,
    ...(isStated && type === undefined
      ? [call("Schema.filter", "() => true", list("{", [["jsonSchema: ", literal(stated)]], "}"))]
      : [])
  ]
  const said = [...annotationsOf(about), ...(identifier === undefined ? [] : [`identifier: ${text(identifier)}`])]
  const base = baseOf(node, refer)
  return all.length === 0
    ? annotated(base, [...own, ...said])
    : annotated([annotated(base, own), list(".pipe(", all, ")")], said)
}

const annotated = (schema: Doc, annotations: ReadonlyArray<Doc>): Doc =>
  annotations.length === 0 ? schema : [schema, ".annotations(", list("{", annotations, "}"), ")"]

const simpleTypes: { readonly [tag: string]: string | undefined } = {
  String: "string",
  Number: "number",
  Int: "integer"
}

const annotationsOf = ({ default: preset, description, title }: About): ReadonlyArray<Doc> => [
  ...(title === undefined ? [] : [`title: ${text(title)}`]),
  ...(description === undefined ? [] : [`description: ${text(description)}`]),
  ...(preset === undefined ? [] : [["default: ", literal(preset.value)]])
]

const baseOf = (node: Exclude<Node, { readonly _tag: "Reference" }>, refer: Refer): Doc => {
  switch (node._tag) {
    case "Literal":
      return list("Schema.Literal(", node.values.map(literal), ")")
    case "Union": {
      const [first, second, ...others] = node.members
      if (first !== undefined && second !== undefined && others.length === 0) {
        if (isNull(second)) return call("Schema.NullOr", expression(first, refer))
        if (isNull(first)) return call("Schema.NullOr", expression(second, refer))
      }
      return list(
        "Schema.Union(",
        node.members.map((member) => expression(member, refer)),
        ")"
      )
    }
    case "Array": {
      const { optional, required, rest } = node
      if (required.length + optional.length === 0 && rest !== undefined)
        return call("Schema.Array", expression(rest, refer))
      const elements = [
        ...required.map((element) => expression(element, refer)),
        ...optional.map((element) => call("Schema.optionalElement", expression(element, refer)))
      ]
      return rest === undefined
        ? list("Schema.Tuple(", elements, ")")
        : call("Schema.Tuple", list("[", elements, "]"), expression(rest, refer))
    }
    case "Object": {
      const { properties, rest } = node
      const record =
        rest === undefined ? undefined : list("{", ["key: Schema.String", ["value: ", expression(rest, refer)]], "}")
      if (properties.length === 0 && record !== undefined) return call("Schema.Record", record)
      return call("Schema.Struct", fields(properties, refer), ...(record === undefined ? [] : [record]))
    }
    default:
      return `Schema.${node._tag}`
  }
}

const isNull = (node: Node): boolean => node._tag === "Null" && Object.keys(node.about.stated).length === 0

export const fields = (properties: ReadonlyArray<Property>, refer: Refer): Doc =>
  properties.length === 0
    ? "{}"
    : list(
        "{",
        properties.map((property) => [keyOf(property.name), ": ", field(property, refer)]),
        "}"
      )

const field = ({ isRequired, node }: Property, refer: Refer): Doc => {
  const schema = expression(node, refer)
  return isRequired ? schema : call("Schema.optional", schema)
}
