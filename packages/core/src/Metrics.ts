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
   * `tool` and `outcome`.
   *
   * @category metrics
   */
  duration
} from "./runner/metrics.js"
