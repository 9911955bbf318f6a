/** A call that was made, and whose end stays unknown. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

const TypeId: unique symbol = Symbol.for("@wield/core/CallLost")

/**
 * A handler fails with it when it has handed the call to something else and
 * cannot learn how it ended: a server that went away, an answer that never came.
 * The call ends as `Uncertain`, that of a read-only tool as `Interrupted`. A
 * policy's retry does not repeat it unless the tool is read-only or idempotent.
 *
 * @category errors
 */
export class CallLost extends Schema.TaggedError<CallLost>("@wield/core/CallLost")("CallLost", {
  /** What happened: for the log, where it is one line at level WARN. No model reads it. */
  reason: Schema.String
}) {
  override get message(): string {
    return `The end of the call is not known: ${this.reason}`
  }

  get [TypeId](): true {
    return true
  }

  /** Whether a value is one, also of another copy of this package. */
  static is(value: unknown): value is CallLost {
    return Predicate.hasProperty(value, TypeId)
  }
}
