/**
 * What can be wrong with a toolset when it is made.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Two tools of one toolset have the same name. Where names are known to the
 * compiler this is a type error instead.
 *
 * @since 0.1.0
 * @category errors
 */
export class ToolNameCollision extends Schema.TaggedError<ToolNameCollision>("@wield/core/ToolNameCollision")(
  "ToolNameCollision",
  { names: Schema.Array(Schema.String) }
) {
  override get message(): string {
    return `Two tools have the same name: ${this.names.join(", ")}. Give one of them another with Toolset.prefix or Toolset.rename, or leave one out with Toolset.select`
  }
}

/**
 * A tool cannot be offered to a model as it is declared.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidTool extends Schema.TaggedError<InvalidTool>("@wield/core/InvalidTool")("InvalidTool", {
  tool: Schema.String,
  /** What is wrong, and what to do about it. */
  reason: Schema.String
}) {
  override get message(): string {
    return `The tool ${JSON.stringify(this.tool)} cannot be offered: ${this.reason}`
  }
}

/**
 * What can be wrong with a toolset when it is made.
 *
 * @since 0.1.0
 * @category errors
 */
export type ToolsetError = ToolNameCollision | InvalidTool
