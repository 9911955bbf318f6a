/** What a schema of the file format expects, in words. */
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"

/** Annotation: what is expected, in words. A description says what it is for. */
export const Expected: unique symbol = Symbol.for("@wield/manifest/Expected")

export const expectationOf = (ast: AST.AST): string =>
  Option.getOrElse(AST.getAnnotation<string>(Expected)(ast), () => fromStructure(ast))

const fromStructure = (ast: AST.AST): string => {
  switch (ast._tag) {
    case "StringKeyword":
      return "a text"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "TupleType":
      return "an array"
    case "TypeLiteral":
      return "an object"
    case "Union":
      // What may be absent may be `undefined`, which no file can say.
      return [...new Set(ast.types.filter((type) => !isUndefined(type)).map(expectationOf))].join(" or ")
    case "Refinement":
    case "Transformation":
      return expectationOf(ast.from)
    default:
      return "another value"
  }
}

export const isUndefined = (ast: AST.AST): boolean => ast._tag === "UndefinedKeyword"

/** The keys that an object may have, where it may not have any. */
export const knownKeys = (ast: AST.AST): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.map(({ name }) => String(name))
    case "Refinement":
    case "Transformation":
      return knownKeys(ast.from)
    default:
      return []
  }
}
