/** A goal of a user, or of the assistant for them. */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/**
 * What has become of a goal, from time to time.
 *
 * @category models
 */
export class StatusUpdate extends Schema.Class<StatusUpdate>("@wield/assistant/StatusUpdate")({
  text: Schema.String,
  at: Schema.DateTimeUtc
}) {}

/**
 * A goal.
 *
 * @category models
 */
export class Goal extends Schema.Class<Goal>("@wield/assistant/Goal")({
  name: Schema.String,
  description: Schema.optional(Schema.String),
  strategy: Schema.optional(Schema.String),
  /** What the assistant will see when the goal is reached. */
  endCondition: Schema.optional(Schema.String),
  due: Schema.optional(Schema.DateTimeUtc),
  /** From 0, the highest, to 4. */
  priority: Schema.optional(Schema.Int),
  state: Schema.Literal("active", "completed"),
  /** The oldest first. */
  updates: Schema.Array(StatusUpdate),
  created: Schema.DateTimeUtc
}) {}

/**
 * A goal as a model reads it, and as the search finds it.
 *
 * @category conversions
 */
export const toText = (goal: Goal): string =>
  [
    `# Goal: ${goal.name}`,
    goal.description,
    ...section("Strategy", goal.strategy),
    ...section("End condition", goal.endCondition),
    ...section("Due", goal.due === undefined ? undefined : DateTime.formatIso(goal.due)),
    ...section(
      "Priority",
      goal.priority === undefined ? undefined : `${goal.priority} (0 is the highest, 4 the lowest)`
    ),
    ...section("State", goal.state),
    ...section("Status updates", goal.updates.map(({ at, text }) => `- ${DateTime.formatIso(at)}: ${text}`).join("\n"))
  ]
    .filter((line) => line !== undefined)
    .join("\n")

const section = (title: string, text: string | undefined): ReadonlyArray<string> =>
  text === undefined || text === "" ? [] : [`## ${title}`, text]
