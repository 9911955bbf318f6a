/**
 * What a client sees of a run that goes on in another process.
 */
import * as Schema from "effect/Schema"

const text = { text: Schema.String }

const RunEventJson = Schema.Union(
  Schema.TaggedStruct("TurnStarted", { entry: Schema.String, model: Schema.String }),
  Schema.TaggedStruct("TextDelta", text),
  Schema.TaggedStruct("ReasoningDelta", text),
  Schema.TaggedStruct("RefusalDelta", text),
  Schema.TaggedStruct("CallStarted", { id: Schema.String, name: Schema.String }),
  Schema.TaggedStruct("CallFinished", {
    id: Schema.String,
    name: Schema.String,
    /** The tag of the outcome, such as `Success`. */
    outcome: Schema.String,
    /** What the model reads. */
    text: Schema.String
  }),
  Schema.TaggedStruct("TurnFinished", { entry: Schema.String, text: Schema.String }),
  Schema.TaggedStruct("TurnBroken", {
    entry: Schema.String,
    reason: Schema.String,
    isRetried: Schema.Boolean
  }),
  Schema.TaggedStruct("Resumed", {
    /** How often the run has begun by now, in any process. */
    delivery: Schema.Number
  })
)

/**
 * What happens in a run.
 *
 * - `TurnStarted`: the model is asked; `entry` is the id that its message will have.
 * - `TextDelta`, `ReasoningDelta`, `RefusalDelta`: more text of the turn.
 * - `CallStarted`, `CallFinished`: a call on its way.
 * - `TurnFinished`: the turn is recorded. Each recorded turn comes once, whatever died meanwhile; show its `text` in
 *   place of the deltas, of which some are missing where a process died.
 * - `TurnBroken`: the turn that was begun is not recorded; drop its text.
 * - `Resumed`: another process goes on with the run.
 *
 * @category models
 */
export type RunEvent = typeof RunEventJson.Type

/**
 * Between an event and its JSON, for a web server that passes it on.
 *
 * @category schemas
 */
export const RunEvent: Schema.Schema<RunEvent, typeof RunEventJson.Encoded> = RunEventJson
