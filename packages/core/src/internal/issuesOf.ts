/** The issues in a `ParseIssue` of Effect Schema, flat, each with its path. Built only when they are read. */
import * as Effect from "effect/Effect"
import * as SchemaTree from "../SchemaTree.js"
import { type Issue, show } from "../Issue.js"
import { describe } from "./describe.js"

type Path = ReadonlyArray<string | number>

export const issuesOf = (issue: SchemaTree.Problem, path: Path = []): ReadonlyArray<Issue> =>
  walk(issue, path, undefined)

/**
 * `sent` is what stood in the place before a transformation changed it: an
 * issue with the changed value would show the model something it never sent.
 */
const walk = (issue: SchemaTree.Problem, path: Path, sent: Sent | undefined): ReadonlyArray<Issue> => {
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, [...path, ...SchemaTree.keysOf(issue)], undefined)
    case "Missing":
      return [{ path, expected: describe(issue.ast.type), received: undefined }]
    case "Unexpected":
      return [{ path, expected: "no argument of this name", received: show(issue.actual) }]
    case "Forbidden":
      return [{ path, expected: "a value that can be checked", received: show(issue.actual) }]
    case "Type":
      return [issueAt(path, issue, sent)]
    case "Refinement":
      return issue.kind === "From" ? walk(issue.issue, path, sent) : [issueAt(path, issue, sent)]
    case "Transformation":
      return walk(issue.issue, path, issue.kind === "Encoded" ? sent : (sent ?? { value: issue.actual }))
    case "Composite": {
      const issues = SchemaTree.partsOf(issue)
      const members = issues.map((inner) => walk(inner, path, sent))
      return issue.ast._tag === "Union"
        ? (telling(issues.map(isUndefined), members, path) ?? [
            { path, expected: describe(issue.ast), received: show(issue.actual) }
          ])
        : members.flat()
    }
  }
}

/**
 * The issues of the one member of a union that the value was meant for, where
 * that is plain: an optional parameter is a union with `undefined`, which no
 * JSON can say, and a value that fails deep inside of one member only was
 * meant to be that one.
 */
export const telling = (
  isUndefinedMember: ReadonlyArray<boolean>,
  members: ReadonlyArray<ReadonlyArray<Issue>>,
  path: Path
): ReadonlyArray<Issue> | undefined => {
  const possible = members.filter((_, index) => isUndefinedMember[index] !== true)
  if (possible.length === 1) return possible[0]
  const specific = possible.filter((member) =>
    member.some((issue) => issue.path.length > path.length || issue.message !== undefined)
  )
  return specific.length === 1 ? specific[0] : undefined
}

const isUndefined = (issue: SchemaTree.Problem | undefined): boolean =>
  issue?._tag === "Type" && issue.ast._tag === "UndefinedKeyword"

const issueAt = (
  path: Path,
  issue: SchemaTree.ProblemOf<"Type"> | SchemaTree.ProblemOf<"Refinement">,
  sent: Sent | undefined
): Issue => ({
  path,
  expected: describe(issue.ast),
  received: show(sent === undefined ? issue.actual : sent.value),
  ...customMessage(issue)
})

interface Sent {
  readonly value: unknown
}

/** The author's own words: a message annotation, or the message of a failed transformation. */
const customMessage = (
  issue: SchemaTree.ProblemOf<"Type"> | SchemaTree.ProblemOf<"Refinement">
): { readonly message?: string } => {
  const message = SchemaTree.messageOf(issue.ast)?.(issue)
  if (message !== undefined) {
    if (typeof message === "string") return { message }
    // An effectful message cannot be awaited while text is being read.
    if (!Effect.isEffect(message) && typeof message.message === "string") return { message: message.message }
  }
  return issue._tag === "Type" && issue.message !== undefined ? { message: issue.message } : {}
}
