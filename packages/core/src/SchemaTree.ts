/**
 * Schemas as trees, and what is wrong with a value as one: all that Wield reads of the inside of Effect Schema comes
 * through here. Another major of Effect, whose nodes differ, is met in this module and in what it names.
 */
import * as Either from "effect/Either"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/**
 * A node of a schema, `schema.ast`; its `_tag` says of which kind.
 *
 * @category nodes
 */
export type Node = AST.AST

/**
 * The node of one kind: `NodeOf<"TypeLiteral">`.
 *
 * @category nodes
 */
export type NodeOf<Tag extends Node["_tag"]> = Extract<Node, { readonly _tag: Tag }>

/**
 * A property of a struct.
 *
 * @category nodes
 */
export type Property = AST.PropertySignature

/**
 * How a struct becomes another: which property comes from which.
 *
 * @category nodes
 */
export type StructChange = AST.TypeLiteralTransformation

/**
 * @category nodes
 */
export type LiteralValue = AST.LiteralValue

/**
 * @category annotations
 */
export type Annotations = AST.Annotations

/**
 * The node of what a schema encodes to.
 *
 * @category sides
 */
export const encodedSide: (node: Node) => Node = AST.encodedAST

/**
 * The node of what a schema decodes to.
 *
 * @category sides
 */
export const typeSide: (node: Node) => Node = AST.typeAST

/**
 * The names of a struct's properties.
 *
 * @category sides
 */
export const propertyNames = (node: Node): ReadonlyArray<string> =>
  AST.getPropertySignatures(node).map(({ name }) => String(name))

/**
 * One of several.
 *
 * @category constructors
 */
export const unionOf = (members: ReadonlyArray<Node>, annotations?: Annotations): Node =>
  AST.Union.make(members, annotations)

/**
 * A node whose JSON Schema is given, and that takes anything.
 *
 * @category constructors
 */
export const nodeOf = (jsonSchema: object): Node =>
  AST.annotations(AST.unknownKeyword, { [AST.JSONSchemaAnnotationId]: jsonSchema })

/**
 * What an annotation says.
 *
 * @category annotations
 */
export const annotationOf = <A>(node: AST.Annotated, id: symbol): A | undefined =>
  Option.getOrUndefined(AST.getAnnotation<A>(id)(node))

const read =
  <A>(find: (node: AST.Annotated) => Option.Option<A>): ((node: AST.Annotated) => A | undefined) =>
  (node) =>
    Option.getOrUndefined(find(node))

/**
 * @category annotations
 */
export const descriptionOf = read(AST.getDescriptionAnnotation)

/**
 * @category annotations
 */
export const titleOf = read(AST.getTitleAnnotation)

/**
 * @category annotations
 */
export const identifierOf = read(AST.getIdentifierAnnotation)

/**
 * The name under which the JSON Schema of a node is shared.
 *
 * @category annotations
 */
export const jsonIdentifierOf = read(AST.getJSONIdentifier)

/**
 * The JSON Schema that the author gave.
 *
 * @category annotations
 */
export const jsonSchemaOf = read(AST.getJSONSchemaAnnotation)

/**
 * The node that is shown in place of a declaration.
 *
 * @category annotations
 */
export const surrogateOf = read(AST.getSurrogateAnnotation)

/**
 * What names a filter, such as those of Effect.
 *
 * @category annotations
 */
export const schemaIdOf = read(AST.getSchemaIdAnnotation)

/**
 * The author's own words for what is wrong.
 *
 * @category annotations
 */
export const messageOf = read(AST.getMessageAnnotation)

/**
 * Whether the node is read with options of its own.
 *
 * @category annotations
 */
export const hasOptions = (node: Node): boolean => Option.isSome(AST.getParseOptionsAnnotation(node))

/**
 * Whether the node takes anything, and decodes what does not fit to something else.
 *
 * @category annotations
 */
export const fallsBack = (node: Node): boolean => Option.isSome(AST.getDecodingFallbackAnnotation(node))

/**
 * The node with another JSON Schema.
 *
 * @category annotations
 */
export const showAs = (annotations: Annotations, jsonSchema: object): Annotations => ({
  ...annotations,
  [AST.JSONSchemaAnnotationId]: jsonSchema
})

/**
 * Annotations without a title.
 *
 * @category annotations
 */
export const withoutTitle = ({ annotations }: Node): Annotations => {
  const { [AST.TitleAnnotationId]: _, ...others } = annotations
  return others
}

/**
 * What is wrong with a value, as a tree.
 *
 * @category problems
 */
export type Problem = ParseResult.ParseIssue

/**
 * A problem of one kind: `ProblemOf<"Type">`.
 *
 * @category problems
 */
export type ProblemOf<Tag extends Problem["_tag"]> = Extract<Problem, { readonly _tag: Tag }>

/**
 * What decoding by a schema fails with.
 *
 * @category problems
 */
export type DecodeError = ParseResult.ParseError

/**
 * @category problems
 */
export const isDecodeError: (value: unknown) => value is DecodeError = ParseResult.isParseError

/**
 * What a problem of several parts is made of, at least one.
 *
 * @category problems
 */
export const partsOf = ({ issues }: ProblemOf<"Composite">): readonly [Problem, ...ReadonlyArray<Problem>] =>
  // `isArray` does not narrow a readonly array away.
  Array.isArray(issues) ? (issues as unknown as readonly [Problem, ...ReadonlyArray<Problem>]) : [issues as Problem]

/**
 * The place to which a problem points, as the keys that lead there.
 *
 * @category problems
 */
export const keysOf = ({ path }: ProblemOf<"Pointer">): ReadonlyArray<string | number> => {
  // As above.
  const keys: ReadonlyArray<PropertyKey> = Array.isArray(path) ? path : [path as PropertyKey]
  return keys.map((key) => (typeof key === "number" ? key : String(key)))
}

/**
 * Each place of a problem, with words for it.
 *
 * @category problems
 */
export const linesOf = (
  problem: Problem
): ReadonlyArray<{ readonly message: string; readonly path: ReadonlyArray<PropertyKey> }> =>
  ParseResult.ArrayFormatter.formatIssueSync(problem)

/**
 * A problem within the types in which it was found, over several lines.
 *
 * @category problems
 */
export const textOf = (problem: Problem): string => ParseResult.TreeFormatter.formatIssueSync(problem)

/**
 * A value that a transformation refuses, and why.
 *
 * @category problems
 */
export const refuse = (node: Node, value: unknown, why: string): Effect.Effect<never, Problem> =>
  Either.left(new ParseResult.Type(node, value, why))

/**
 * How values are read: with all that is wrong, and with or without properties that no one knows.
 *
 * @category reading
 */
export interface Options {
  readonly errors?: "first" | "all"
  readonly onExcessProperty?: "ignore" | "error"
}

/**
 * Decodes as Effect's interpreter does: an `Either` where the schema is synchronous, another effect where it is not.
 *
 * @category reading
 */
export const decode: <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  options?: Options
) => (input: unknown) => Effect.Effect<A, Problem, R> = ParseResult.decodeUnknown

/**
 * Encodes as Effect's interpreter does.
 *
 * @category reading
 */
export const encode: <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  options?: Options
) => (input: unknown) => Effect.Effect<I, Problem, R> = ParseResult.encodeUnknown

/**
 * Decodes by a schema that is synchronous.
 *
 * @category reading
 */
export const decodeNow: <A, I>(
  schema: Schema.Schema<A, I>,
  options?: Options
) => (input: unknown) => Either.Either<A, Problem> = ParseResult.decodeUnknownEither
