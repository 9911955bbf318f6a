/**
 * The first thing that is wrong with what should be an answer: where, and what
 * was expected. What came instead is not said: it may be anything.
 */
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as AST from "effect/SchemaAST"
import { InvalidAnswer } from "../AnswerError.js"

export const invalid = (error: ParseResult.ParseError, within: ReadonlyArray<string | number> = []): InvalidAnswer => {
  const path: Array<string | number> = [...within]
  let issue: ParseResult.ParseIssue = error.issue
  for (;;) {
    switch (issue._tag) {
      case "Pointer": {
        const keys: ReadonlyArray<PropertyKey> = isKey(issue.path) ? [issue.path] : issue.path
        for (const key of keys) path.push(typeof key === "symbol" ? String(key) : key)
        issue = issue.issue
        break
      }
      case "Composite":
        // None of the values that may stand here does: all of them are named, not the first.
        if (issue.ast._tag === "Union" && issue.ast.types.every((type) => type._tag === "Literal")) {
          return new InvalidAnswer({ path, expected: String(issue.ast) })
        }
        issue = isIssue(issue.issues) ? issue.issues : issue.issues[0]
        break
      case "Refinement":
      case "Transformation":
        issue = issue.issue
        break
      case "Unexpected":
        return new InvalidAnswer({ path, expected: "nothing more" })
      case "Missing":
        return new InvalidAnswer({ path, expected: `${wordOf(issue.ast.type)}, which is missing` })
      default:
        return new InvalidAnswer({ path, expected: wordOf(issue.ast) })
    }
  }
}

/** What a person calls it, rather than the schema's own text. */
const wordOf = (ast: AST.AST): string =>
  AST.getDescriptionAnnotation(ast).pipe(
    Option.orElse(() => AST.getIdentifierAnnotation(ast)),
    Option.getOrElse(() => (ast._tag === "TypeLiteral" || ast._tag === "Transformation" ? "an object" : String(ast)))
  )

const isKey = (path: ParseResult.Path): path is PropertyKey => !Array.isArray(path)

const isIssue = (issues: ParseResult.SingleOrNonEmpty<ParseResult.ParseIssue>): issues is ParseResult.ParseIssue =>
  !Array.isArray(issues)
