/**
 * Histograms by the conventions of OpenTelemetry, kept by Effect, and handed to
 * who else records them.
 */
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import type * as MetricHook from "effect/MetricHook"
import * as MetricKey from "effect/MetricKey"
import type * as MetricKeyType from "effect/MetricKeyType"
import * as MetricLabel from "effect/MetricLabel"

/** A histogram as OpenTelemetry names it. */
export interface Instrument {
  readonly name: string
  readonly description: string
  /** In the notation of UCUM: `s`, `{token}`. */
  readonly unit: string
  readonly boundaries: ReadonlyArray<number>
}

export type Attributes = { readonly [name: string]: string | number }

/** One value of a histogram. */
export interface Measurement {
  readonly instrument: Instrument
  readonly value: number
  readonly attributes: Attributes
}

/**
 * Hears each value that a histogram is given: a meter of OpenTelemetry, as
 * `OpenTelemetry.layer` has it. It is to return at once, and not to throw.
 */
export class Recorder extends Context.Reference<Recorder>()("@wield/core/Metrics/Recorder", {
  defaultValue: (): ((measurement: Measurement) => void) | undefined => undefined
}) {}

export const histogramKey = ({
  boundaries,
  description,
  name,
  unit
}: Instrument): MetricKey.MetricKey<MetricKeyType.MetricKeyType.Histogram> =>
  // Effect's exporters take the unit from a tag.
  MetricKey.tagged(MetricKey.histogram(name, MetricBoundaries.fromIterable(boundaries), description), "unit", unit)

/** Looked up in Effect's registry once: by its tags, a metric is found slowly. */
export const histogramOf = (
  key: MetricKey.MetricKey<MetricKeyType.MetricKeyType.Histogram>,
  attributes: Attributes
): MetricHook.MetricHook.Histogram => {
  const labels = Object.entries(attributes).map(([name, value]) => MetricLabel.make(name, String(value)))
  return Metric.globalMetricRegistry.get(MetricKey.taggedWithLabels(key, labels))
}

/** Effect's own registry is one of the process, too. */
const known = new Map<string, MetricHook.MetricHook.Histogram>()

/** Records a value; for what is measured seldom, such as a response of a model. */
export const measure = (measurement: Measurement, recorder: ((measurement: Measurement) => void) | undefined): void => {
  const { attributes, instrument, value } = measurement
  let name = instrument.name
  // As JSON it takes several times as long.
  for (const key in attributes) name += `\n${key}\n${attributes[key]}`
  let histogram = known.get(name)
  if (histogram === undefined) known.set(name, (histogram = histogramOf(histogramKey(instrument), attributes)))
  histogram.update(value)
  recorder?.(measurement)
}
