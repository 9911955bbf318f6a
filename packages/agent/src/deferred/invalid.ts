/**
 * The first thing that is wrong with what should be an answer: where, and what
 * was expected. What came instead is not said: it may be anything.
 */
import type * as ParseResult from "effect/ParseResult"
import { InvalidAnswer } from "../AnswerError.js"

export const invalid = (error: ParseResult.ParseError): InvalidAnswer => {
  const path: Array<string | number> = []
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
      default:
        return new InvalidAnswer({ path, expected: String(issue.ast) })
    }
  }
}

const isKey = (path: ParseResult.Path): path is PropertyKey => !Array.isArray(path)

const isIssue = (issues: ParseResult.SingleOrNonEmpty<ParseResult.ParseIssue>): issues is ParseResult.ParseIssue =>
  !Array.isArray(issues)
