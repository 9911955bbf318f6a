/** How reading scripts can fail. */
import * as Schema from "effect/Schema"
import { isError, report, ProblemSchema } from "@wield/core/Problem"

/**
 * A script cannot be a tool: each problem says where, what was expected and
 * what to do. The message has the errors, a line each, and after them the
 * warnings, so that all of it can be mended at once.
 *
 * @category errors
 */
export class InvalidScript extends Schema.TaggedError<InvalidScript>("@wield/scripts/InvalidScript")("InvalidScript", {
  file: Schema.String,
  /** Errors and warnings, in the order of the file. */
  problems: Schema.Array(ProblemSchema)
}) {
  override get message(): string {
    const warnings = this.problems.filter((problem) => !isError(problem))
    return [...this.problems.filter(isError), ...warnings].map(report).join("\n")
  }
}

/**
 * A file or folder cannot be read.
 *
 * @category errors
 */
export class UnreadableScript extends Schema.TaggedError<UnreadableScript>("@wield/scripts/UnreadableScript")(
  "UnreadableScript",
  { file: Schema.String, detail: Schema.String }
) {
  override get message(): string {
    return `${this.file} cannot be read: ${this.detail}`
  }
}
