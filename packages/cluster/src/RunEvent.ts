/**
 * What a client sees of a run that goes on in another process.
 */
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as Schema from "effect/Schema"

const RunEventJson = Schema.Union(
  AgentEvent.Happening,
  Schema.TaggedStruct("Resumed", {
    /** How often the run has begun by now, in any process. */
    delivery: Schema.Number
  })
)

/**
 * What happens in a run: the events of `AgentEvent` as JSON, without `Done`, and `Resumed`.
 *
 * - `TurnFinished`: the turn is recorded. Each recorded turn comes once, whatever died meanwhile; show its `text` in
 *   place of the deltas, of which some are missing where a process died. What another process did not tell is absent.
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
