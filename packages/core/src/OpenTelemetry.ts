/**
 * Spans and metrics for OpenTelemetry, where the program has registered a tracer
 * and a meter, as its SDK for Node does. The API's package keeps them in one place
 * for all of its copies; so nothing of it is loaded here.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { spanOf } from "./Fibers.js"
import { type Instrument, type Measurement, Recorder } from "./internal/instrument.js"

interface OtelContext {
  readonly getValue: (key: symbol) => unknown
  readonly setValue: (key: symbol, value: unknown) => OtelContext
}

interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
}

/** What is used of a span of OpenTelemetry. */
interface OtelSpan {
  readonly spanContext: () => SpanContext
  readonly setAttribute: (name: string, value: unknown) => unknown
  readonly addEvent: (name: string, attributes: object, time: readonly [number, number]) => unknown
  readonly setStatus: (status: { readonly code: number; readonly message?: string }) => unknown
  readonly end: (time: readonly [number, number]) => void
}

interface OtelTracer {
  readonly startSpan: (name: string, options: object, context: OtelContext) => OtelSpan
}

/** What is used of a histogram. */
interface OtelHistogram {
  readonly record: (value: number, attributes: object) => void
}

interface Api {
  readonly metrics?: {
    readonly getMeter: (name: string) => {
      readonly createHistogram: (name: string, options: object) => OtelHistogram
    }
  }
  readonly trace?: { readonly getTracer: (name: string) => OtelTracer }
  readonly context?: {
    readonly active: () => OtelContext
    readonly with: <A>(context: OtelContext, run: () => A) => A
  }
}

const globalKey = Symbol.for("opentelemetry.js.api.1")
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN")

const globalApi = (): Api | undefined => {
  const api: unknown = Reflect.get(globalThis, globalKey)
  // Its shape is that of version 1. It has a tracer once the program has registered one.
  return typeof api === "object" && api !== null ? (api as Api) : undefined
}

class Empty implements OtelContext {
  constructor(readonly values: ReadonlyMap<symbol, unknown> = new Map()) {}
  getValue = (key: symbol): unknown => this.values.get(key)
  setValue = (key: symbol, value: unknown): OtelContext => new Empty(new Map(this.values).set(key, value))
  deleteValue = (key: symbol): OtelContext => new Empty(new Map([...this.values].filter(([other]) => other !== key)))
}

const active = (): OtelContext => globalApi()?.context?.active() ?? new Empty()

/** Around a span of this program: what OpenTelemetry knows there. */
class Around extends Context.Tag("wield/OpenTelemetry")<Around, OtelContext>() {}

/**
 * The span of the program that is active now, such as that of a request, as the parent of what runs.
 *
 * @category spans
 */
export const activeSpan = (): Tracer.ExternalSpan | undefined => {
  const context = active()
  const span = context.getValue(spanKey)
  if (typeof span !== "object" || span === null || !("spanContext" in span)) return undefined
  // What stands under this key is a span.
  const { spanId, traceFlags, traceId } = (span as OtelSpan).spanContext()
  return Tracer.externalSpan({
    spanId,
    traceId,
    sampled: (traceFlags & 1) === 1,
    context: Context.make(Around, context)
  })
}

/** Seconds and nanoseconds. */
const timeOf = (nanoseconds: bigint): readonly [number, number] => [
  Number(nanoseconds / 1_000_000_000n),
  Number(nanoseconds % 1_000_000_000n)
]

const kinds = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 }

/** A list is one of texts, of numbers, or of both truth values. */
const valueOf = (value: unknown): unknown => {
  if (typeof value === "bigint") return String(value)
  if (typeof value !== "object" || value === null) return value
  if (!Array.isArray(value)) return JSON.stringify(value)
  const [first] = value
  const isAlike = typeof first !== "object" && value.every((item) => typeof item === typeof first)
  return isAlike ? value : value.map(String)
}

const valuesOf = (attributes: { readonly [name: string]: unknown }): object =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, valueOf(value)]))

class Span implements Tracer.Span {
  readonly _tag = "Span"
  readonly #span: OtelSpan
  readonly around: OtelContext
  readonly attributes = new Map<string, unknown>()
  readonly spanId: string
  readonly traceId: string
  readonly sampled: boolean
  status: Tracer.SpanStatus

  constructor(
    tracer: OtelTracer,
    readonly name: string,
    readonly parent: Option.Option<Tracer.AnySpan>,
    readonly context: Context.Context<never>,
    readonly links: Array<Tracer.SpanLink>,
    startTime: bigint,
    readonly kind: Tracer.SpanKind
  ) {
    const outer = Option.isSome(parent) ? aroundOf(parent.value) : undefined
    const before = outer ?? active()
    this.#span = tracer.startSpan(
      name,
      {
        startTime: timeOf(startTime),
        kind: kinds[kind],
        links: links.map(({ attributes, span }) => ({
          context: { traceId: span.traceId, spanId: span.spanId, traceFlags: span.sampled ? 1 : 0 },
          attributes: valuesOf(attributes)
        }))
      },
      before
    )
    this.around = before.setValue(spanKey, this.#span)
    const { spanId, traceFlags, traceId } = this.#span.spanContext()
    this.spanId = spanId
    this.traceId = traceId
    this.sampled = (traceFlags & 1) === 1
    this.status = { _tag: "Started", startTime }
  }

  attribute(name: string, value: unknown): void {
    this.attributes.set(name, value)
    this.#span.setAttribute(name, valueOf(value))
  }

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links.push(...links)
  }

  event(name: string, startTime: bigint, attributes: { readonly [name: string]: unknown } = {}): void {
    this.#span.addEvent(name, valuesOf(attributes), timeOf(startTime))
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    if (Exit.isFailure(exit)) {
      // The kind of a failure alone: its words may hold what is not for a trace.
      const isInterrupted = Cause.isInterruptedOnly(exit.cause)
      this.#span.setStatus(isInterrupted ? { code: 1 } : { code: 2, message: tagOf(Cause.squash(exit.cause)) })
    }
    this.#span.end(timeOf(endTime))
  }
}

/** What the spans of calls and agents end with says a kind, and nothing else. */
const tagOf = (error: unknown): string =>
  error instanceof Error ? (/^(Call|Span)Ended$/.test(error.name) ? error.message : error.name) : "Error"

const aroundOf = (span: Tracer.AnySpan): OtelContext | undefined =>
  span instanceof Span ? span.around : Option.getOrUndefined(Context.getOption(span.context, Around))

/**
 * The tracer and the meter that the program has registered with the API of
 * OpenTelemetry; without one, nothing is traced or measured there. Register them
 * before this layer is built. `wield` has it already.
 *
 * @example
 * ```ts
 * import { OpenTelemetry } from "@wield/core"
 * import { Effect } from "effect"
 *
 * // new NodeSDK({ … }).start() comes first.
 * const program = Effect.withSpan(Effect.void, "a job")
 * Effect.runFork(Effect.provide(program, OpenTelemetry.layer))
 * ```
 *
 * @category layers
 */
export const layer: Layer.Layer<never> = Layer.suspend(() => {
  const api = globalApi()
  return Layer.merge(tracerOf(api), recorderOf(api))
})

const tracerOf = (api: Api | undefined): Layer.Layer<never> => {
  if (api?.trace === undefined) return Layer.empty
  const tracer = api.trace.getTracer("wield")
  return Layer.setTracer(
    Tracer.make({
      span: (name, parent, context, links, startTime, kind) =>
        new Span(tracer, name, parent, context, [...links], startTime, kind),
      // What a tool asks of a database or an API is traced within its call.
      context: (run, fiber) => {
        const span = spanOf(fiber)
        const around = span === undefined ? undefined : aroundOf(span)
        return around === undefined || api.context === undefined ? run() : api.context.with(around, run)
      }
    })
  )
}

const recorderOf = (api: Api | undefined): Layer.Layer<never> => {
  if (api?.metrics === undefined) return Layer.empty
  const meter = api.metrics.getMeter("wield")
  const histograms = new Map<Instrument, OtelHistogram>()
  return Layer.succeed(Recorder, ({ attributes, instrument, value }: Measurement): void => {
    let histogram = histograms.get(instrument)
    if (histogram === undefined) {
      const { boundaries, description, name, unit } = instrument
      histogram = meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries: boundaries } })
      histograms.set(instrument, histogram)
    }
    histogram.record(value, attributes)
  })
}
