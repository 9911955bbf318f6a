/** Errors in the error channel of a runner. */
import * as Schema from "effect/Schema"
import { pathToText } from "./Issue.js"
import { type Deferred, isOutcome, type Unhandled } from "./Outcome.js"
import { text } from "./runner/render.js"

/**
 * A call that a program made itself (`Runner.call`) ended otherwise than by its
 * handler: denied, timed out, its parameters invalid.
 *
 * @category errors
 */
export class ToolCallError extends Schema.TaggedError<ToolCallError>("@wield/core/ToolCallError")("ToolCallError", {
  /** How the call ended: its issues, its cause, the digest of a deferred call. */
  outcome: Schema.declare((value): value is Deferred | Unhandled => isOutcome(value), { identifier: "Outcome" })
}) {
  override get message(): string {
    const { outcome } = this
    const detail =
      outcome._tag === "Deferred"
        ? `it waits for ${outcome.waitsFor}, and nothing was run. \`call\` takes no answer: run it as a call of a model, and answer that`
        : outcome._tag === "MissingContext"
          ? `the call context lacks what it needs, or has it in another form: ${outcome.issues.map(({ path }) => pathToText(path)).join(", ")}`
          : text(outcome)
    return `The call of ${outcome.name} ended as ${outcome._tag}: ${detail}`
  }
}

/**
 * A tool whose failureMode is "error" failed; raised where the compiler does
 * not know the toolset (the `ToolRunner` service) and so not the failure's type.
 *
 * @category errors
 */
export class RaisedFailure extends Schema.TaggedError<RaisedFailure>("@wield/core/RaisedFailure")("RaisedFailure", {
  failure: Schema.Unknown
}) {
  override get message(): string {
    return "A tool raised its failure; `settle` and `stream` hand it over as an outcome instead"
  }
}
