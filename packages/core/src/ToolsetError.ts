/** What can be wrong with a toolset, or with the policy of its runner, when they are made. */
import * as Schema from "effect/Schema"
import { pathToText } from "./Issue.js"

/**
 * Two tools of one toolset have the same name. Where names are known to the
 * compiler this is a type error instead.
 *
 * @category errors
 */
export class ToolNameCollision extends Schema.TaggedError<ToolNameCollision>("@wield/core/ToolNameCollision")(
  "ToolNameCollision",
  { names: Schema.Array(Schema.String) }
) {
  override get message(): string {
    return `Two tools have the same name: ${this.names.join(", ")}. Rename one of them, give the names of one toolset a prefix, or leave one out`
  }
}

/**
 * A tool cannot be offered to a model as it is declared.
 *
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
 * A policy asks for what cannot be: a timeout of nothing, a rate of no calls.
 *
 * @category errors
 */
export class InvalidPolicy extends Schema.TaggedError<InvalidPolicy>("@wield/core/InvalidPolicy")("InvalidPolicy", {
  /** Where in the policy, such as `["limits", "default", "timeout"]`. */
  path: Schema.Array(Schema.String),
  expected: Schema.String,
  /** A bounded rendering of what was given. */
  received: Schema.String
}) {
  override get message(): string {
    const where = this.path.length === 0 ? "The policy" : `${pathToText(this.path)} of the policy`
    return `${where} must be ${this.expected}, but is ${this.received}`
  }
}

/**
 * What can be wrong with a toolset, or with the policy of its runner, when they
 * are made.
 *
 * @category errors
 */
export type ToolsetError = ToolNameCollision | InvalidTool | InvalidPolicy
