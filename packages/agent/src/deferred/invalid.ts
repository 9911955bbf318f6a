/**
 * The first thing that is wrong with what should be an answer: where, and what
 * was expected. What came instead is not said: it may be anything.
 */
import * as SchemaTree from "@wield/core/SchemaTree"
import { InvalidAnswer } from "../AnswerError.js"

export const invalid = (error: SchemaTree.DecodeError, within: ReadonlyArray<string | number> = []): InvalidAnswer => {
  const path: Array<string | number> = [...within]
  let issue: SchemaTree.Problem = error.issue
  for (;;) {
    switch (issue._tag) {
      case "Pointer":
        path.push(...SchemaTree.keysOf(issue))
        issue = issue.issue
        break
      case "Composite":
        // None of the values that may stand here does: all of them are named, not the first.
        if (issue.ast._tag === "Union" && issue.ast.types.every((type) => type._tag === "Literal")) {
          return new InvalidAnswer({ path, expected: String(issue.ast) })
        }
        issue = SchemaTree.partsOf(issue)[0]
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
const wordOf = (ast: SchemaTree.Node): string =>
  SchemaTree.descriptionOf(ast) ??
  SchemaTree.identifierOf(ast) ??
  (ast._tag === "TypeLiteral" || ast._tag === "Transformation" ? "an object" : String(ast))
