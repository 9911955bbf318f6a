/**
 * The JSON Schema of a schema. A part that has an identifier and stands in
 * several places is written once, under `$defs`; `@effect/ai` writes it out
 * wherever it stands, and types that use each other grow without bound.
 */
import * as JsonPointer from "../JsonPointer.js"
import * as SchemaTree from "../SchemaTree.js"
import type { JsonSchema } from "../Json.js"
import { unsharedJsonSchemaOf } from "./effectAi.js"
import { memoize } from "./memoize.js"

/** A part of fewer nodes is easier to read where it stands. */
const smallestPart = 10

/** The JSON Schema of one node, which refers to its parts by name. */
interface Content {
  readonly schema: JsonSchema
  /** Each time that it refers to one. */
  readonly references: ReadonlyArray<Reference>
}

interface Reference {
  readonly name: string
  readonly ast: SchemaTree.Node
}

interface Part {
  readonly ast: SchemaTree.Node
  readonly count: number
}

/**
 * The JSON Schema of a schema's encoded side. Throws for a schema without one
 * (a declaration that has no `jsonSchema` annotation).
 */
export const unsafeJsonSchemaOf = (ast: SchemaTree.Node): JsonSchema => {
  const rootAst = targetOf(ast)
  const root = contentOf(rootAst)
  const parts = collectParts(root)
  // Two parts have one name: only without references is each what it is.
  if (parts === undefined) return unsharedJsonSchemaOf(withoutOwnTitles(ast))
  const isSingle = (name: string): boolean => parts.get(name)?.count === 1
  const whole = root.references.some(({ name }) => isSingle(name)) ? readContent(rootAst, isSingle) : root
  const shared = [...(collectParts(whole) ?? parts)]
  return shared.length === 0
    ? whole.schema
    : { ...whole.schema, $defs: Object.fromEntries(shared.map(([name, { ast }]) => [name, contentOf(ast).schema])) }
}

/** Each part that a content leads to, with how often it is referred to; undefined where two differ that have one name. */
const collectParts = (root: Content): ReadonlyMap<string, Part> | undefined => {
  const found = new Map<string, Part>()
  const waiting = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { ast, name } of next.references) {
      const known = found.get(name)
      if (known === undefined) {
        found.set(name, { ast, count: 1 })
        waiting.push(contentOf(ast))
        continue
      }
      // `Schema.typeSchema` of a recursive schema makes a new one at each level.
      if (known.ast !== ast && !isSame(contentOf(known.ast), contentOf(ast))) return undefined
      found.set(name, { ast: known.ast, count: known.count + 1 })
    }
  }
  return found
}

const isSame = (one: Content, other: Content): boolean => JSON.stringify(one.schema) === JSON.stringify(other.schema)

/** Tools that share a part share its JSON Schema. */
const contentOf: (ast: SchemaTree.Node) => Content = memoize((ast) => readContent(ast, () => false))

const readContent = (ast: SchemaTree.Node, isWrittenOut: (name: string) => boolean): Content => {
  const references: Array<Reference> = []
  const visit = (node: SchemaTree.Node): SchemaTree.Node => {
    const target = targetOf(node)
    const name = identifierOf(node) ?? identifierOf(target)
    const isPart = name !== undefined && (node._tag === "Suspend" || sizeOf(target) >= smallestPart)
    if (!isPart) return mapChildren(node, visit)
    if (isWrittenOut(name)) return mapChildren(target, visit)
    references.push({ name, ast: target })
    return referenceTo(name)
  }
  return { schema: unsharedJsonSchemaOf(mapChildren(ast, visit)), references }
}

const referenceTo = (name: string): SchemaTree.Node =>
  SchemaTree.nodeOf({ $ref: `#${JsonPointer.make(["$defs", name])}` })

const someObject = SchemaTree.nodeOf({ type: "object" })

const targetOf = (ast: SchemaTree.Node): SchemaTree.Node => (ast._tag === "Suspend" ? targetOf(ast.f()) : ast)

/** As `JSONSchema` finds it: that of a class is its own side's. */
const identifierOf = (ast: SchemaTree.Node): string | undefined => {
  const own = SchemaTree.jsonIdentifierOf(ast)
  return own === undefined && isClass(ast) ? identifierOf(ast.to) : own
}

const isClass = (ast: SchemaTree.Node): ast is SchemaTree.NodeOf<"Transformation"> =>
  ast._tag === "Transformation" &&
  ast.from._tag === "TypeLiteral" &&
  ast.to._tag === "Declaration" &&
  SchemaTree.surrogateOf(ast.to) !== undefined

/** How many nodes the JSON Schema of a node shows; a suspended one counts as one. */
const sizeOf: (ast: SchemaTree.Node) => number = memoize((ast) => {
  let size = 1
  mapChildren(ast, (child) => {
    size += sizeOf(child)
    return child
  })
  return size
})

type Visit = (ast: SchemaTree.Node) => SchemaTree.Node

/** The node with other children, of those that its JSON Schema shows. */
const mapChildren = (given: SchemaTree.Node, visit: Visit): SchemaTree.Node => {
  const ast = withoutOwnTitle(given)
  const stated = SchemaTree.jsonSchemaOf(ast)
  if (stated !== undefined && ast._tag !== "Refinement") return ast
  if (stated !== undefined && ast._tag === "Refinement" && replacing.some((keyword) => keyword in stated)) {
    return withFields(ast, { from: withoutOwnTitles(ast.from) })
  }
  const surrogate = SchemaTree.surrogateOf(ast)
  if (surrogate !== undefined) return mapChildren(surrogate, visit)
  switch (ast._tag) {
    case "TypeLiteral":
      return withFields(ast, {
        propertySignatures: ast.propertySignatures.map((property) =>
          withFields(property, { type: visit(property.type) })
        ),
        indexSignatures: ast.indexSignatures.map((signature) => withFields(signature, { type: visit(signature.type) }))
      })
    case "TupleType": {
      const seen = new Map<SchemaTree.Node, SchemaTree.Node>()
      // Whether all elements are of one type shows in their identity.
      const visitOnce = (type: SchemaTree.Node): SchemaTree.Node => {
        const result = seen.get(type) ?? visit(type)
        seen.set(type, result)
        return result
      }
      return withFields(ast, {
        elements: ast.elements.map((element) => withFields(element, { type: visitOnce(element.type) })),
        rest: ast.rest.map((rest) => withFields(rest, { type: visitOnce(rest.type) }))
      })
    }
    case "Union":
      return SchemaTree.unionOf(ast.types.map(visit), ast.annotations)
    case "Refinement": {
      const encoded = encodedSide(ast)
      // A filter is of the type side; what is shown is the other one.
      return encoded === undefined ? withFields(ast, { from: visit(ast.from) }) : visit(encoded)
    }
    case "Transformation":
      return withFields(ast, {
        from: ast.from._tag === "TypeLiteral" ? mapChildren(ast.from, visit) : visit(ast.from),
        // Only what it says of its properties is shown.
        to: ast.transformation._tag === "TypeLiteralTransformation" ? withoutParts(ast.to) : ast.to
      })
    case "UnknownKeyword":
    case "AnyKeyword":
      return withSchema(ast, {})
    case "ObjectKeyword":
      return withSchema(ast, { anyOf: [{ type: "object" }, { type: "array" }] })
    default:
      return ast
  }
}

/** A keyword, without the `$id` and the title that Effect writes for it. */
const withSchema = (ast: SchemaTree.Node, schema: object): SchemaTree.Node => {
  const title = SchemaTree.titleOf(ast)
  const annotations =
    title !== undefined && keywordTitles.includes(title) ? SchemaTree.withoutTitle(ast) : ast.annotations
  return withFields(ast, { annotations: SchemaTree.showAs(annotations, schema) })
}

const keywordTitles: ReadonlyArray<string> = ["unknown", "any", "object"]

/** `title` of a node is what its author wrote, and not the code by which Effect names a filter, such as `between(0, 4)`. */
const withoutOwnTitle = (ast: SchemaTree.Node): SchemaTree.Node => {
  const title = SchemaTree.titleOf(ast)
  if (title === undefined || !isFilterOfEffect(ast) || !ownTitle.test(title)) return ast
  return withFields(ast, { annotations: SchemaTree.withoutTitle(ast) })
}

const withoutOwnTitles = (ast: SchemaTree.Node): SchemaTree.Node => mapChildren(ast, withoutOwnTitles)

/** Whether a node is a filter of Effect's, which has an id. */
const isFilterOfEffect = (ast: SchemaTree.Node): boolean =>
  ast._tag === "Refinement" && String(SchemaTree.schemaIdOf(ast)).startsWith("Symbol(effect/SchemaId/")

/** The titles of Effect's filters that have a JSON Schema. */
const ownTitle =
  /^(?:(?:(?:greater|less)Than(?:OrEqualTo)?|between|multipleOf|(?:min|max)(?:Length|Items)|length|itemsCount|startsWith|endsWith|includes)\(.*\)|int|finite|nonNaN|positive|negative|nonPositive|nonNegative|trimmed|lowercased|uppercased|capitalized|uncapitalized|nonEmptyString)$/s

/** Keywords of an annotation that stands for the whole schema. */
const replacing = ["$ref", "anyOf", "oneOf", "type"]

const encodedSide = (ast: SchemaTree.Node): SchemaTree.Node | undefined => {
  switch (ast._tag) {
    case "Refinement":
      return encodedSide(ast.from)
    case "Suspend":
      return encodedSide(ast.f()) === undefined ? undefined : ast
    case "Transformation":
      return ast
    default:
      return undefined
  }
}

const withoutParts = (ast: SchemaTree.Node): SchemaTree.Node =>
  mapChildren(ast, (node) => (sizeOf(node) >= smallestPart ? someObject : withoutOwnTitles(node)))

const withFields = <A extends object>(node: A, fields: Partial<A>): A =>
  Object.assign(Object.create(Object.getPrototypeOf(node)), node, fields)
