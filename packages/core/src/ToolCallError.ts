/**
 * Errors in the error channel of a runner.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { Outcome } from "./Outcome.js"
import { render } from "./runner/render.js"
import { toText } from "./ToolResult.js"

/**
 * A call that a program made itself (`Runner.call`) ended otherwise than by its
 * handler: denied, timed out, its parameters invalid.
 *
 * @since 0.1.0
 * @category errors
 */
export class ToolCallError extends Schema.TaggedError<ToolCallError>("@wield/core/ToolCallError")("ToolCallError", {
  tool: Schema.String,
  /** The tag of the outcome. */
  reason: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `The call of ${this.tool} ended as ${this.reason}: ${this.detail}`
  }

  /** The error that says how a call ended. */
  static fromOutcome(outcome: Outcome): ToolCallError {
    const result = render(outcome)
    return new ToolCallError({
      tool: outcome.name,
      reason: outcome._tag,
      detail: result === undefined ? "it waits for an answer" : toText(result)
    })
  }
}

/**
 * A tool whose failureMode is "error" failed; raised where the compiler does
 * not know the toolset (the `ToolRunner` service) and so not the failure's type.
 *
 * @since 0.1.0
 * @category errors
 */
export class RaisedFailure extends Schema.TaggedError<RaisedFailure>("@wield/core/RaisedFailure")("RaisedFailure", {
  failure: Schema.Unknown
}) {
  override get message(): string {
    return "A tool raised its failure; `settle` and `stream` hand it over as an outcome instead"
  }
}
