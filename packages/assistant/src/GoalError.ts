/**
 * How goals can fail. A program reads the messages; a model reads the fields.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * There is no goal of this name.
 *
 * @since 0.1.0
 * @category errors
 */
export class GoalNotFound extends Schema.TaggedError<GoalNotFound>("@wield/assistant/GoalNotFound")("GoalNotFound", {
  name: Schema.String,
  /**
   * The names of the user's goals, at most 50, those that were changed last first: also of completed ones where a
   * completed one would do.
   */
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const known =
      this.known.length === 0
        ? "There are no goals yet"
        : `Use one of these names: ${this.known.map(quoted).join(", ")}`
    return `There is no active goal named ${quoted(this.name)}. ${known}`
  }
}

/**
 * Another active goal has this name.
 *
 * @since 0.1.0
 * @category errors
 */
export class GoalNameTaken extends Schema.TaggedError<GoalNameTaken>("@wield/assistant/GoalNameTaken")(
  "GoalNameTaken",
  { name: Schema.String }
) {
  override get message(): string {
    return `There is an active goal named ${quoted(this.name)} already. Add a status update to it, or choose another name`
  }
}

/**
 * A goal must be as it is described.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidGoal extends Schema.TaggedError<InvalidGoal>("@wield/assistant/InvalidGoal")("InvalidGoal", {
  field: Schema.Literal("name", "time_to_completion", "priority", "status"),
  expected: Schema.String,
  received: Schema.String
}) {
  override get message(): string {
    return `${this.field} must be ${this.expected}, but is ${quoted(this.received)}`
  }
}

const quoted = (text: string): string => JSON.stringify(text)
