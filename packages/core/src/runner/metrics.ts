/**
 * Counters and a duration histogram of calls, as Effect Metrics. They say the
 * tool's name and the outcome; a name that a model made up is no tag, for there
 * is no end of them.
 */
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import { histogramKey, histogramOf, type Instrument } from "../internal/instrument.js"
import { isErrorTag, type Outcome } from "../Outcome.js"
import type { Execution } from "./execution.js"
import type { Machine, Meter } from "./machine.js"

const callsKey = MetricKey.counter("wield_tool_calls_total", {
  description: "Tool calls by tool and outcome",
  incremental: true
})

const durationOf: Instrument = {
  name: "gen_ai.execute_tool.duration",
  description: "Duration of tool calls",
  unit: "s",
  boundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]
}

const durationKey = histogramKey(durationOf)

/** Calls by `tool` and `outcome`. */
export const calls: Metric.Metric.Counter<number> = Metric.fromMetricKey(callsKey)

/** Seconds from the call to its outcome, by tool and outcome. */
export const duration: Metric.Metric.Histogram<number> = Metric.fromMetricKey(durationKey)

export const count = (execution: Execution, outcome: Outcome): void => {
  const isMadeUp = outcome._tag === "UnknownTool" || outcome._tag === "Unavailable"
  const meter = execution.machine.meterFor(isMadeUp ? "unknown" : outcome.name, outcome._tag)
  meter.calls.update(1)
  // The time of day may have been set back meanwhile.
  const seconds = Math.max(0, execution.clock.unsafeCurrentTimeMillis() - execution.started) / 1000
  meter.duration.update(seconds)
  execution.recorder?.({ instrument: durationOf, value: seconds, attributes: meter.attributes })
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

const meterOf = (tool: string, outcome: Outcome["_tag"]): Meter => {
  const tags = [MetricLabel.make("tool", tool), MetricLabel.make("outcome", outcome)]
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    "wield.outcome": outcome,
    ...(isErrorTag(outcome) ? { "error.type": outcome } : {})
  }
  return {
    calls: Metric.globalMetricRegistry.get(MetricKey.taggedWithLabels(callsKey, tags)),
    duration: histogramOf(durationKey, attributes),
    attributes
  }
}
