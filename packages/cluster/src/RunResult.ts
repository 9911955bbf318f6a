/**
 * How a run of a durable conversation ended. Each ending is a value, so that it
 * can be kept: a result that was recorded is the same for everyone who asks.
 */
import * as DeferredCall from "@wield/agent/DeferredCall"
import * as Schema from "effect/Schema"

const Count = Schema.UndefinedOr(Schema.JsonNumber)

const ended = {
  conversation: Schema.String,
  /** The id of the prompt, or of the answers, that the run was begun by. */
  id: Schema.String
}

const taken = {
  ...ended,
  /** The text of the model's last turn. */
  text: Schema.String,
  /** The id of the conversation's last entry. */
  entry: Schema.UndefinedOr(Schema.String),
  /** How many turns the model took in the process that ended the run. */
  steps: Schema.JsonNumber,
  /** Tokens of these turns, sub-agents included. */
  usage: Schema.Struct({ input: Count, output: Count, reasoning: Count, cacheRead: Count, cacheWrite: Count })
}

/**
 * The model has answered. `output` is the final output, or the text where the
 * entity has no schema for it.
 *
 * @category models
 */
export interface Finished<out Output = string> extends Schema.Struct.Type<typeof taken> {
  readonly _tag: "Finished"
  readonly output: Output
}

const PausedJson = Schema.TaggedStruct("Paused", { ...taken, requests: Schema.Array(DeferredCall.DeferredCall) })

/**
 * Calls wait for a person or a client. Nothing waits with them: give the answers
 * to `AgentClient.answer`, whenever, from any process.
 *
 * @category models
 */
export type Paused = typeof PausedJson.Type

const StoppedJson = Schema.TaggedStruct("Stopped", {
  ...taken,
  /** The name of the stop condition, or how the model's own response ended. */
  by: Schema.String
})

/**
 * The run ended before the model had answered.
 *
 * @category models
 */
export type Stopped = typeof StoppedJson.Type

const CancelledJson = Schema.TaggedStruct("Cancelled", {
  ...ended,
  /** The run was to take answers, and took none: what they answer still waits, and they can be given again. */
  isUntaken: Schema.optional(Schema.Literal(true))
})

/**
 * `AgentClient.cancel` ended the run. The conversation can be gone on with.
 *
 * @category models
 */
export type Cancelled = typeof CancelledJson.Type

const FailedJson = Schema.TaggedStruct("Failed", {
  ...ended,
  /** The tag of the error, such as `TooManyMistakes`; `Defect` where the program is wrong. */
  error: Schema.String,
  message: Schema.String
})

/**
 * The run failed, and trying it again would not help, or did not for as long as
 * `retryFor` says.
 *
 * @category models
 */
export type Failed = typeof FailedJson.Type

/**
 * How a run ended.
 *
 * @category models
 */
export type RunResult<Output = string> = Finished<Output> | Paused | Stopped | Cancelled | Failed

const AnyResult = Schema.Union(
  Schema.TaggedStruct("Finished", { ...taken, output: Schema.Unknown }),
  PausedJson,
  StoppedJson,
  CancelledJson,
  FailedJson
)

/**
 * A result whose output is encoded, as it stands in the table of runs.
 *
 * @category models
 */
export type AnyResult = typeof AnyResult.Type

/**
 * Between a result and its JSON text. The output is left as it is encoded.
 *
 * @category schemas
 */
export const Text: Schema.Schema<AnyResult, string> = Schema.parseJson(AnyResult)
