/** How a run can fail by itself. What a model, a store, an answer or a tool adds stands in their own modules. */
import * as Schema from "effect/Schema"

/**
 * The model made more mistakes (arguments that do not fit, tools that do not
 * exist, no final answer) than the agent allows. The conversation holds them,
 * each with what the model read of it, and a run can go on.
 *
 * @category errors
 */
export class TooManyMistakes extends Schema.TaggedError<TooManyMistakes>("@wield/agent/TooManyMistakes")(
  "TooManyMistakes",
  {
    conversation: Schema.String,
    /** The name that was called last in vain; absent where no tool was called at all. */
    tool: Schema.optional(Schema.String),
    /** Which limit: of one tool in a row, or of the whole run. */
    of: Schema.Literal("tool", "run"),
    limit: Schema.Number,
    /** What the model read last. */
    feedback: Schema.String
  }
) {
  override get message(): string {
    const where = this.of === "tool" ? `in a row with the tool ${this.tool}` : "in this run"
    return `The model made more than ${this.limit} mistakes ${where}; the last one: ${this.feedback}`
  }
}

/**
 * A message was to be added to a conversation that waits for answers to
 * deferred calls: answer or deny them first.
 *
 * @category errors
 */
export class WaitingForAnswers extends Schema.TaggedError<WaitingForAnswers>("@wield/agent/WaitingForAnswers")(
  "WaitingForAnswers",
  {
    conversation: Schema.String,
    /** The ids of the calls that wait. */
    calls: Schema.Array(Schema.String)
  }
) {
  override get message(): string {
    return `The conversation ${this.conversation} waits for answers to ${this.calls.join(", ")}: answer or deny them before it goes on`
  }
}

/**
 * There is nothing for the model to answer: the conversation is empty, and no
 * prompt was given.
 *
 * @category errors
 */
export class NothingToDo extends Schema.TaggedError<NothingToDo>("@wield/agent/NothingToDo")("NothingToDo", {
  conversation: Schema.String
}) {
  override get message(): string {
    return `The conversation ${this.conversation} is empty: give a prompt`
  }
}

/**
 * A result was wanted that the run did not come to: it paused, or a stop
 * condition ended it.
 *
 * @category errors
 */
export class NotFinished extends Schema.TaggedError<NotFinished>("@wield/agent/NotFinished")("NotFinished", {
  conversation: Schema.String,
  /** `Paused`, or `Stopped` and by what. */
  ending: Schema.String
}) {
  override get message(): string {
    return `The run did not finish: ${this.ending}`
  }
}

/**
 * An option of an agent is wrong, found where the agent is made.
 *
 * @category errors
 */
export class InvalidAgent extends Schema.TaggedError<InvalidAgent>("@wield/agent/InvalidAgent")("InvalidAgent", {
  /** Where in what `Agent.make` was given, such as `["mistakes", "perTool"]`. */
  path: Schema.Array(Schema.String),
  expected: Schema.String,
  received: Schema.String
}) {
  override get message(): string {
    return `${this.path.join(".") || "The configuration"} of the agent must be ${this.expected}, but is ${this.received}`
  }
}

/**
 * How a run can fail by itself.
 *
 * @category errors
 */
export type AgentError = TooManyMistakes | WaitingForAnswers | NothingToDo
