/** How loading a manifest can fail. */
import * as Issue from "@wield/core/Issue"
import * as Schema from "effect/Schema"
import { isError, type ManifestProblem, toLines } from "./ManifestProblem.js"

/** A problem as a schema, for errors that hold some. */
const ProblemSchema: Schema.Schema<ManifestProblem> = Schema.Struct({
  severity: Schema.Literal("error", "warning"),
  rule: Schema.String,
  message: Schema.String,
  tool: Schema.UndefinedOr(Schema.String),
  path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
  place: Schema.UndefinedOr(
    Schema.Struct({ file: Schema.UndefinedOr(Schema.String), line: Schema.Number, column: Schema.Number })
  )
})

/**
 * A manifest that no tools can be made of: `problems` has all, the message the first hundred errors.
 *
 * @category errors
 */
export class InvalidManifest extends Schema.TaggedError<InvalidManifest>("@wield/manifest/InvalidManifest")(
  "InvalidManifest",
  {
    /** Errors and warnings, in the order of the file. */
    problems: Schema.Array(ProblemSchema)
  }
) {
  override get message(): string {
    const errors = this.problems.filter(isError)
    const lines = toLines(errors, toLine)
    return errors.length === 1
      ? `The manifest has an error: ${lines.join("")}`
      : [`The manifest has ${errors.length} errors:`, ...lines].join("\n")
  }
}

/**
 * A file of a manifest that cannot be read.
 *
 * @category errors
 */
export class UnreadableManifest extends Schema.TaggedError<UnreadableManifest>("@wield/manifest/UnreadableManifest")(
  "UnreadableManifest",
  { file: Schema.String, detail: Schema.String }
) {
  override get message(): string {
    return `The manifest ${this.file} cannot be read: ${this.detail}`
  }
}

/**
 * A problem in one line: `file:line:column: what is wrong`.
 *
 * @category rendering
 */
export const toLine = (problem: ManifestProblem): string => `${place(problem)}: ${problem.message}`

/**
 * Where a problem is: `file:line:column`, or its path where it came from no text.
 *
 * @category rendering
 */
export const place = ({ path, place: found }: Pick<ManifestProblem, "path" | "place">): string => {
  if (found !== undefined) return `${found.file ?? "manifest"}:${found.line}:${found.column}`
  return path.length === 0 ? "manifest" : `manifest: ${Issue.pathToText(path)}`
}
