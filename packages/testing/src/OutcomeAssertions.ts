/**
 * Assertions about outcomes: each gives the outcome back with its type
 * narrowed, or throws an error that says how the call ended instead, with the
 * cause of a defect and the issues of arguments. They work with every test
 * framework.
 */
import { Issue, type Outcome } from "@wield/core"
import * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

/**
 * An outcome of this tag, with the types that it has in a union.
 *
 * @category type-level
 */
export type WithTag<O extends Outcome.Outcome, Tag extends Outcome.Outcome["_tag"]> = Extract<O, { readonly _tag: Tag }>

/**
 * A call ended otherwise than the test expects.
 *
 * @category errors
 */
export class UnexpectedOutcome extends Schema.TaggedError<UnexpectedOutcome>("@wield/testing/UnexpectedOutcome")(
  "UnexpectedOutcome",
  {
    tool: Schema.String,
    /** The id of the call. */
    call: Schema.String,
    expected: Schema.String,
    received: Schema.String,
    /** What is known of how the call ended. */
    detail: Schema.String
  }
) {
  override get message(): string {
    return `The call ${this.call} of ${this.tool} ended as ${this.received}, not as ${this.expected}: ${this.detail}`
  }
}

/**
 * The outcome with this tag. Throws `UnexpectedOutcome` when it is another.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolCall } from "@wield/core"
 * import { OutcomeAssertions } from "@wield/testing"
 *
 * const outcome: Outcome.Outcome = new Outcome.Denied(ToolCall.make("call_1", "refund", {}), "refund", [], "over 100")
 * assert.strictEqual(OutcomeAssertions.expectOutcome(outcome, "Denied").reason, "over 100")
 * assert.throws(() => OutcomeAssertions.expectSuccess(outcome), /call_1 of refund ended as Denied.*over 100/)
 * ```
 *
 * @category assertions
 */
export const expectOutcome = <O extends Outcome.Outcome, const Tag extends O["_tag"]>(
  outcome: O,
  tag: Tag
): WithTag<O, Tag> => {
  if (isOf(outcome, tag)) return outcome
  throw new UnexpectedOutcome({
    tool: outcome.name,
    call: outcome.id,
    expected: tag,
    received: outcome._tag,
    detail: detailOf(outcome)
  })
}

/**
 * The success of a call, its `result` typed by the tool.
 *
 * @category assertions
 */
export const expectSuccess = <O extends Outcome.Outcome>(outcome: O): WithTag<O, "Success"> =>
  expectOutcome(outcome, "Success")

/**
 * The typed failure of a call, its `failure` typed by the tool.
 *
 * @category assertions
 */
export const expectFailure = <O extends Outcome.Outcome>(outcome: O): WithTag<O, "Failure"> =>
  expectOutcome(outcome, "Failure")

/**
 * A call whose arguments were told to be invalid.
 *
 * @category assertions
 */
export const expectInvalidArguments = <O extends Outcome.Outcome>(outcome: O): WithTag<O, "InvalidArguments"> =>
  expectOutcome(outcome, "InvalidArguments")

/**
 * A call that the policy, or a person, denied.
 *
 * @category assertions
 */
export const expectDenied = <O extends Outcome.Outcome>(outcome: O): WithTag<O, "Denied"> =>
  expectOutcome(outcome, "Denied")

/**
 * A call that waits for approval or for a client.
 *
 * @category assertions
 */
export const expectDeferred = <O extends Outcome.Outcome>(outcome: O): WithTag<O, "Deferred"> =>
  expectOutcome(outcome, "Deferred")

const isOf = <O extends Outcome.Outcome, Tag extends O["_tag"]>(outcome: O, tag: Tag): outcome is WithTag<O, Tag> =>
  outcome._tag === tag

const detailOf = (outcome: Outcome.Outcome): string => {
  switch (outcome._tag) {
    case "Success":
    case "Failure":
      return outcome.text
    case "InvalidArguments":
    case "InvalidResult":
    case "MissingContext":
      return outcome.issues.map(Issue.toText).join("; ")
    case "UnknownTool":
    case "Unavailable":
      return `the nearest names on offer are ${outcome.nearest.join(", ") || "none"}`
    case "Denied":
      return outcome.reason
    case "Deferred":
      return `it waits for ${outcome.waitsFor}${outcome.why === undefined ? "" : ` (${outcome.why})`}`
    case "TimedOut":
      return `its limit is ${outcome.limit} ms`
    case "Limited":
      return `its limit is ${outcome.limit}`
    case "Interrupted":
      return "its handler was interrupted"
    case "Uncertain":
      return "the journal says that it was begun before and never finished"
    case "Defect":
      return Cause.pretty(outcome.cause)
  }
}
