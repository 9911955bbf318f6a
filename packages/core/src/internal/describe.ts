/**
 * What a schema expects, in a few words a model can act on. The description
 * that an author gave a parameter says what it is for, not what form it has, so
 * the words come from the structure.
 */
import * as SchemaTree from "../SchemaTree.js"
import { isObject } from "../Json.js"

export const describe = (ast: SchemaTree.Node): string => {
  switch (ast._tag) {
    case "StringKeyword":
    case "TemplateLiteral":
      return "a string"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "UndefinedKeyword":
    case "VoidKeyword":
      return "nothing"
    case "NeverKeyword":
      return "nothing here"
    case "Literal":
      return ast.literal === null ? "null" : JSON.stringify(ast.literal, bigintAsText)
    case "Enums":
      return oneOf(ast.enums.map(([, value]) => JSON.stringify(value)))
    case "TypeLiteral":
    case "ObjectKeyword":
      return "an object"
    case "TupleType":
      return "an array"
    case "Union":
      return describeUnion(ast)
    case "Refinement":
      return describeRefinement(ast)
    case "Transformation":
      return describe(ast.from)
    case "Suspend":
      return describe(ast.f())
    default:
      return nameOf(ast) ?? "a valid value"
  }
}

const bigintAsText = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}` : value)

const nameOf = (ast: SchemaTree.Node): string | undefined =>
  SchemaTree.descriptionOf(ast) ?? SchemaTree.titleOf(ast) ?? SchemaTree.identifierOf(ast)

const oneOf = (values: ReadonlyArray<string>): string => {
  if (values.length === 1) return values[0] ?? ""
  const shown = values.slice(0, 20)
  return `one of ${shown.join(", ")}${values.length > shown.length ? ` or ${values.length - shown.length} more` : ""}`
}

const describeUnion = (ast: SchemaTree.NodeOf<"Union">): string => {
  const members = ast.types.filter((type) => type._tag !== "UndefinedKeyword")
  if (members.every((type) => type._tag === "Literal")) return oneOf(members.map(describe))
  return [...new Set(members.map(describe))].join(" or ")
}

/**
 * The built-in filters of Effect say what they demand by a `jsonSchema`
 * annotation; a filter without one has at least a description.
 */
const describeRefinement = (ast: SchemaTree.NodeOf<"Refinement">): string => {
  const constraints: Record<string, unknown> = {}
  const others: Array<string> = []
  let current: SchemaTree.Node = ast
  while (current._tag === "Refinement") {
    const schema = SchemaTree.jsonSchemaOf(current)
    if (isObject(schema) && Object.keys(schema).length > 0) {
      for (const [keyword, value] of Object.entries(schema)) {
        if (!(keyword in constraints)) constraints[keyword] = value
      }
    } else {
      const name = nameOf(current)
      if (name !== undefined) others.unshift(name)
    }
    current = current.from
  }
  const noun = constraints.type === "integer" ? "an integer" : describe(current)
  const words = describeConstraints(constraints)
  if (words.length > 0) return `${noun} ${[...words, ...others].join(", ")}`
  return others.length > 0 ? others.join(", ") : noun
}

const describeConstraints = (constraints: Record<string, unknown>): ReadonlyArray<string> => {
  const words: Array<string> = []
  const { minimum, maximum } = constraints
  if (minimum !== undefined && maximum !== undefined) words.push(`from ${minimum} to ${maximum}`)
  else if (minimum !== undefined) words.push(`of at least ${minimum}`)
  else if (maximum !== undefined) words.push(`of at most ${maximum}`)
  for (const [keyword, phrase] of phrases) {
    const value = constraints[keyword]
    if (value !== undefined) words.push(phrase(value))
  }
  return words
}

const phrases: ReadonlyArray<readonly [keyword: string, phrase: (value: unknown) => string]> = [
  ["exclusiveMinimum", (value) => `greater than ${value}`],
  ["exclusiveMaximum", (value) => `less than ${value}`],
  ["multipleOf", (value) => `that is a multiple of ${value}`],
  ["minLength", (value) => `of at least ${value} characters`],
  ["maxLength", (value) => `of at most ${value} characters`],
  ["pattern", (value) => `that matches ${value}`],
  ["format", (value) => `in the format ${value}`],
  ["minItems", (value) => `of at least ${value} items`],
  ["maxItems", (value) => `of at most ${value} items`]
]
