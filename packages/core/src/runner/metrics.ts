/**
 * Counters and a duration histogram of calls, as Effect Metrics. Their tags are
 * the tool's name and the outcome; a name that a model made up is no tag, for
 * there is no end of them.
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import type { Outcome } from "../Outcome.js"
import type { Execution } from "./execution.js"

/** Calls by `tool` and `outcome`. */
export const calls = Metric.counter("wield_tool_calls_total", {
  description: "Tool calls by tool and outcome",
  incremental: true
})

/** Seconds from the call to its outcome, by `tool` and `outcome`. */
export const duration = Metric.histogram(
  "gen_ai.execute_tool.duration",
  MetricBoundaries.fromIterable([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]),
  "Duration of tool calls in seconds"
)

export const count = (execution: Execution, outcome: Outcome): void => {
  const isMadeUp = outcome._tag === "UnknownTool" || outcome._tag === "Unavailable"
  const tool = isMadeUp ? "unknown" : outcome.name
  const tags = execution.machine.tagsFor(tool, outcome._tag)
  calls.unsafeUpdate(1, tags)
  duration.unsafeUpdate((execution.clock.unsafeCurrentTimeMillis() - execution.started) / 1000, tags)
}
