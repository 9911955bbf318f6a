/** The metrics that every runner keeps, for exporters and tests. */

export {
  /**
   * `wield_tool_calls_total`: how many calls ended, by `tool` and `outcome`. A
   * name that a model made up counts under the tool `unknown`.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { Metrics } from "@wield/core"
   * import { Effect, Metric } from "effect"
   *
   * const timedOut = Metrics.calls.pipe(Metric.tagged("tool", "ship_parcel"), Metric.tagged("outcome", "TimedOut"))
   * assert.strictEqual(Effect.runSync(Metric.value(timedOut)).count, 0)
   * ```
   *
   * @category metrics
   */
  calls,
  /**
   * `gen_ai.execute_tool.duration`: seconds from a call to its outcome, by
   * `gen_ai.tool.name`, `wield.outcome` and, of a call that failed, `error.type`.
   *
   * @category metrics
   */
  duration
} from "./runner/metrics.js"

export {
  /**
   * A histogram as OpenTelemetry names it.
   *
   * @category models
   */
  type Instrument,
  /**
   * One value of a histogram.
   *
   * @category models
   */
  type Measurement,
  /**
   * Hears each value that a histogram of Wield is given: a meter of OpenTelemetry,
   * as `OpenTelemetry.layer` has it. It is to return at once, and not to throw.
   *
   * @category references
   */
  Recorder,
  /**
   * Gives a value to a histogram, in Effect's registry and to the `Recorder`.
   *
   * @category recording
   */
  measure
} from "./internal/instrument.js"
