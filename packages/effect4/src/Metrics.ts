/** The metrics that every runner keeps, in Effect 4's registry. */
import type * as Metric from "effect/Metric"
import * as own from "./internal/runtime.js"

/**
 * `wield_tool_calls_total`: how many calls ended, by `tool` and `outcome`.
 *
 * @category metrics
 */
export const calls: Metric.Counter<number> = own.calls

/**
 * `gen_ai.execute_tool.duration`: seconds from a call to its outcome, by `gen_ai.tool.name`, `wield.outcome` and `error.type`.
 *
 * @category metrics
 */
export const duration: Metric.Histogram<number> = own.duration
