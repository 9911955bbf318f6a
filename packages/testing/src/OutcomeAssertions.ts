/**
 * Assertions about outcomes, for every test framework. Each returns the outcome
 * with its type narrowed, or throws an error that describes the actual outcome.
 */
import * as Outcome from "@wield/core/Outcome"
import * as Issue from "@wield/core/Issue"
import { holds, orThrow } from "@wield/core/Options"
import * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

/**
 * The member of a union of outcomes with this tag.
 *
 * @category type-level
 */
export type WithTag<O extends Outcome.Outcome, Tag extends Outcome.Outcome["_tag"]> = Extract<O, { readonly _tag: Tag }>

/**
 * A call ended with another outcome than the test expects.
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
    /** The cause, the issues or the reason of the actual outcome. */
    detail: Schema.String
  }
) {
  override get message(): string {
    return `The call ${this.call} of ${this.tool} ended as ${this.received}, not as ${this.expected}: ${this.detail}`
  }
}

/**
 * Returns an outcome with this tag. Throws `UnexpectedOutcome` for another.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolCall } from "@wield/core"
 * import { OutcomeAssertions } from "@wield/testing"
 *
 * const outcome: Outcome.Outcome = Outcome.denial(ToolCall.make("call_1", "refund", {}), "over 100")
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
  orThrow(anOutcome(outcome), "What is expected to be an outcome")
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
 * Returns the success of a call, with a typed `result`.
 *
 * @category assertions
 */
export const expectSuccess = <O extends Outcome.Outcome>(outcome: O): WithTag<O, "Success"> =>
  expectOutcome(outcome, "Success")

/**
 * Returns the failure of a call, with a typed `failure`.
 *
 * @category assertions
 */
export const expectFailure = <O extends Outcome.Outcome>(outcome: O): WithTag<O, "Failure"> =>
  expectOutcome(outcome, "Failure")

/**
 * Returns the outcome of a call with invalid arguments.
 *
 * @category assertions
 */
export const expectInvalidArguments = <O extends Outcome.Outcome>(outcome: O): WithTag<O, "InvalidArguments"> =>
  expectOutcome(outcome, "InvalidArguments")

/**
 * Returns the outcome of a call that the policy or a person denied.
 *
 * @category assertions
 */
export const expectDenied = <O extends Outcome.Outcome>(outcome: O): WithTag<O, "Denied"> =>
  expectOutcome(outcome, "Denied")

/**
 * Returns the outcome of a call that waits for approval or for a client.
 *
 * @category assertions
 */
export const expectDeferred = <O extends Outcome.Outcome>(outcome: O): WithTag<O, "Deferred"> =>
  expectOutcome(outcome, "Deferred")

/** An effect that nothing has run has the tag of a success, too. */
const anOutcome = holds("an outcome, such as `yield* tools.refund(…)` gives", Outcome.isOutcome)

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
    case "Deferred":
      return `it waits for ${outcome.waitsFor}${outcome.why === undefined ? "" : ` (${outcome.why})`}`
    case "Defect":
      return Cause.pretty(outcome.cause)
    default:
      return Outcome.text(outcome) ?? ""
  }
}
