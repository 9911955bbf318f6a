/** The journal could not be read or written. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

const TypeId: unique symbol = Symbol.for("@wield/core/JournalError")

/**
 * The journal could not be read or written. A call whose begin cannot be
 * recorded is not run.
 *
 * @category errors
 */
export class JournalError extends Schema.TaggedError<JournalError>("@wield/core/JournalError")("JournalError", {
  /** What was attempted, such as `begin`. */
  operation: Schema.String,
  cause: Schema.Defect,
  /** Where nothing is wrong, though a call is not run: why, as the log says it. */
  expected: Schema.optional(Schema.String)
}) {
  override get message(): string {
    return `The journal could not ${this.operation}`
  }

  get [TypeId](): true {
    return true
  }

  /** Whether a value is one, also of another copy of this package. */
  static is(value: unknown): value is JournalError {
    return Predicate.hasProperty(value, TypeId)
  }
}
