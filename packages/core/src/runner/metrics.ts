/**
 * Counters and a duration histogram of calls, as Effect Metrics. Their tags are
 * the tool's name and the outcome; a name that a model made up is no tag, for
 * there is no end of them.
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import type { Outcome } from "../Outcome.js"
import type { Execution } from "./execution.js"
import type { Machine, Meter } from "./machine.js"

const callsKey = MetricKey.counter("wield_tool_calls_total", {
  description: "Tool calls by tool and outcome",
  incremental: true
})

const durationKey = MetricKey.histogram(
  "gen_ai.execute_tool.duration",
  MetricBoundaries.fromIterable([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]),
  "Duration of tool calls in seconds"
)

/** Calls by `tool` and `outcome`. */
export const calls: Metric.Metric.Counter<number> = Metric.fromMetricKey(callsKey)

/** Seconds from the call to its outcome, by `tool` and `outcome`. */
export const duration: Metric.Metric.Histogram<number> = Metric.fromMetricKey(durationKey)

export const count = (execution: Execution, outcome: Outcome): void => {
  const isMadeUp = outcome._tag === "UnknownTool" || outcome._tag === "Unavailable"
  const meter = execution.machine.meterFor(isMadeUp ? "unknown" : outcome.name, outcome._tag)
  meter.calls.update(1)
  // The time of day may have been set back meanwhile.
  meter.duration.update(Math.max(0, execution.clock.unsafeCurrentTimeMillis() - execution.started) / 1000)
}

/** Looked up in Effect's registry once: by its tags, a metric is found slowly. */
export const meterFor = (): Machine["meterFor"] => {
  const meters = new Map<string, Map<string, Meter>>()
  let last: { readonly tool: string; readonly outcome: string; readonly meter: Meter } | undefined
  return (tool, outcome) => {
    // Calls of one tool come in rows.
    if (last !== undefined && last.tool === tool && last.outcome === outcome) return last.meter
    let ofTool = meters.get(tool)
    if (ofTool === undefined) meters.set(tool, (ofTool = new Map()))
    let meter = ofTool.get(outcome)
    if (meter === undefined) ofTool.set(outcome, (meter = meterOf(tool, outcome)))
    last = { tool, outcome, meter }
    return meter
  }
}

const meterOf = (tool: string, outcome: string): Meter => {
  const tags = [MetricLabel.make("tool", tool), MetricLabel.make("outcome", outcome)]
  return {
    calls: Metric.globalMetricRegistry.get(MetricKey.taggedWithLabels(callsKey, tags)),
    duration: Metric.globalMetricRegistry.get(MetricKey.taggedWithLabels(durationKey, tags))
  }
}
