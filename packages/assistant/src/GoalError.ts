/** How goals can fail. A program reads the messages; a model reads the fields. */
import * as Schema from "effect/Schema"
import { adviceField, quote, tellKnown } from "./store/advice.js"

/**
 * There is no goal of this name.
 *
 * @category errors
 */
export class GoalNotFound extends Schema.TaggedError<GoalNotFound>("@wield/assistant/GoalNotFound")("GoalNotFound", {
  name: Schema.String,
  /** At most 50, those changed last first: also of completed goals where one would do. */
  known: Schema.Array(Schema.String),
  advice: adviceField(
    "Use one of the names in known, exactly as it stands there. If none is meant, there is no such goal: tell the user, or create it"
  )
}) {
  override get message(): string {
    return `There is no active goal named ${quote(this.name)}. ${tellKnown("goals", this.known)}. ${this.advice}`
  }
}

/**
 * Another active goal has this name.
 *
 * @category errors
 */
export class GoalNameTaken extends Schema.TaggedError<GoalNameTaken>("@wield/assistant/GoalNameTaken")(
  "GoalNameTaken",
  { name: Schema.String, advice: adviceField("Add a status update to that goal, or choose another name") }
) {
  override get message(): string {
    return `There is an active goal named ${quote(this.name)} already. ${this.advice}`
  }
}

/**
 * A goal must be as it is described.
 *
 * @category errors
 */
export class InvalidGoal extends Schema.TaggedError<InvalidGoal>("@wield/assistant/InvalidGoal")("InvalidGoal", {
  /** What a program has named it in `Goals`, or a model in the parameters of its tool. */
  field: Schema.Literal(
    "name",
    "goal_name",
    "new_goal_name",
    "time_to_completion",
    "priority",
    "status",
    "status_update_or_note"
  ),
  expected: Schema.String,
  received: Schema.String,
  advice: adviceField("Nothing was written. Call again with what is expected in this field")
}) {
  override get message(): string {
    return `${this.field} must be ${this.expected}, but is ${quote(this.received)}. ${this.advice}`
  }
}
