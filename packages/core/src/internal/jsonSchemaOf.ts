/**
 * The JSON Schema of a schema. A part that has an identifier and stands in
 * several places is written once, under `$defs`; `@effect/ai` writes it out
 * wherever it stands, and types that use each other grow without bound.
 */
import * as JsonPointer from "../JsonPointer.js"
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"
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
  readonly ast: AST.AST
}

interface Part {
  readonly ast: AST.AST
  readonly count: number
}

/**
 * The JSON Schema of a schema's encoded side. Throws for a schema without one
 * (a declaration that has no `jsonSchema` annotation).
 */
export const unsafeJsonSchemaOf = (ast: AST.AST): JsonSchema => {
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
const contentOf: (ast: AST.AST) => Content = memoize((ast) => readContent(ast, () => false))

const readContent = (ast: AST.AST, isWrittenOut: (name: string) => boolean): Content => {
  const references: Array<Reference> = []
  const visit = (node: AST.AST): AST.AST => {
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

/** A node whose JSON Schema is given. */
const shownAs = (schema: object): AST.AST =>
  AST.annotations(AST.unknownKeyword, { [AST.JSONSchemaAnnotationId]: schema })

const referenceTo = (name: string): AST.AST => shownAs({ $ref: `#${JsonPointer.make(["$defs", name])}` })

const someObject = shownAs({ type: "object" })

const targetOf = (ast: AST.AST): AST.AST => (ast._tag === "Suspend" ? targetOf(ast.f()) : ast)

/** As `JSONSchema` finds it: that of a class is its own side's. */
const identifierOf = (ast: AST.AST): string | undefined => {
  const own = Option.getOrUndefined(AST.getJSONIdentifier(ast))
  return own === undefined && isClass(ast) ? identifierOf(ast.to) : own
}

const isClass = (ast: AST.AST): ast is AST.Transformation =>
  ast._tag === "Transformation" &&
  ast.from._tag === "TypeLiteral" &&
  ast.to._tag === "Declaration" &&
  Option.isSome(AST.getSurrogateAnnotation(ast.to))

/** How many nodes the JSON Schema of a node shows; a suspended one counts as one. */
const sizeOf: (ast: AST.AST) => number = memoize((ast) => {
  let size = 1
  mapChildren(ast, (child) => {
    size += sizeOf(child)
    return child
  })
  return size
})

type Visit = (ast: AST.AST) => AST.AST

/** The node with other children, of those that its JSON Schema shows. */
const mapChildren = (given: AST.AST, visit: Visit): AST.AST => {
  const ast = withoutOwnTitle(given)
  const stated = Option.getOrUndefined(AST.getJSONSchemaAnnotation(ast))
  if (stated !== undefined && ast._tag !== "Refinement") return ast
  if (stated !== undefined && ast._tag === "Refinement" && replacing.some((keyword) => keyword in stated)) {
    return withFields(ast, { from: withoutOwnTitles(ast.from) })
  }
  const surrogate = Option.getOrUndefined(AST.getSurrogateAnnotation(ast))
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
      const seen = new Map<AST.AST, AST.AST>()
      // Whether all elements are of one type shows in their identity.
      const visitOnce = (type: AST.AST): AST.AST => {
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
      return AST.Union.make(ast.types.map(visit), ast.annotations)
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
const withSchema = (ast: AST.AST, schema: object): AST.AST => {
  const title = Option.getOrUndefined(AST.getTitleAnnotation(ast))
  const annotations = title !== undefined && keywordTitles.includes(title) ? withoutTitle(ast) : ast.annotations
  return withFields(ast, { annotations: { ...annotations, [AST.JSONSchemaAnnotationId]: schema } })
}

const keywordTitles: ReadonlyArray<string> = ["unknown", "any", "object"]

/** `title` of a node is what its author wrote, and not the code by which Effect names a filter, such as `between(0, 4)`. */
const withoutOwnTitle = (ast: AST.AST): AST.AST => {
  const title = Option.getOrUndefined(AST.getTitleAnnotation(ast))
  if (title === undefined || !isFilterOfEffect(ast) || !ownTitle.test(title)) return ast
  return withFields(ast, { annotations: withoutTitle(ast) })
}

const withoutTitle = ({ annotations }: AST.AST): AST.Annotations => {
  const { [AST.TitleAnnotationId]: _, ...others } = annotations
  return others
}

const withoutOwnTitles = (ast: AST.AST): AST.AST => mapChildren(ast, withoutOwnTitles)

/** Whether a node is a filter of Effect's, which has an id. */
const isFilterOfEffect = (ast: AST.AST): boolean =>
  ast._tag === "Refinement" &&
  Option.exists(AST.getSchemaIdAnnotation(ast), (id) => String(id).startsWith("Symbol(effect/SchemaId/"))

/** The titles of Effect's filters that have a JSON Schema. */
const ownTitle =
  /^(?:(?:(?:greater|less)Than(?:OrEqualTo)?|between|multipleOf|(?:min|max)(?:Length|Items)|length|itemsCount|startsWith|endsWith|includes)\(.*\)|int|finite|nonNaN|positive|negative|nonPositive|nonNegative|trimmed|lowercased|uppercased|capitalized|uncapitalized|nonEmptyString)$/s

/** Keywords of an annotation that stands for the whole schema. */
const replacing = ["$ref", "anyOf", "oneOf", "type"]

const encodedSide = (ast: AST.AST): AST.AST | undefined => {
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

const withoutParts = (ast: AST.AST): AST.AST =>
  mapChildren(ast, (node) => (sizeOf(node) >= smallestPart ? someObject : withoutOwnTitles(node)))

const withFields = <A extends object>(node: A, fields: Partial<A>): A =>
  Object.assign(Object.create(Object.getPrototypeOf(node)), node, fields)
