/**
 * The runtime of Effect 3 that Wield's effects run in: the clock, the tracer
 * and the loggers are those of the fiber of Effect 4 that asks for them, whose
 * whole context goes along for handlers.
 */
import {
  CallContext as CallContext3,
  Clock as Clock3,
  Context as Context3,
  DefaultServices as DefaultServices3,
  Duration as Duration3,
  Effect as Effect3,
  FiberId as FiberId3,
  FiberRef as FiberRef3,
  FiberRefs as FiberRefs3,
  HashMap as HashMap3,
  HashSet as HashSet3,
  Logger as Logger3,
  LogLevel as LogLevel3,
  Metrics,
  Option as Option3,
  Runtime as Runtime3,
  Tracer as Tracer3
} from "@wield/effect3"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { CallContext } from "../CallContext.js"
import { fromCause3, fromExit3 } from "./exits.js"
import { into3 } from "./into3.js"
import { Services, spanIn, spans } from "./services.js"

/** Contexts never change, and a fiber mostly keeps its own: what is made of one is kept with it. */
const runtimes = new WeakMap<Context.Context<never>, Runtime3.Runtime<never>>()

export const runtimeOf = (services: Context.Context<never>): Runtime3.Runtime<never> => {
  let runtime = runtimes.get(services)
  if (runtime === undefined) runtimes.set(services, (runtime = makeRuntime(services)))
  return runtime
}

const empty = Context.empty()
const noValues = Context.get(empty, CallContext)
const defaultClock = Context.get(empty, Clock.Clock)
const defaultTracer = Context.get(empty, Tracer.Tracer)
const { fiberRefs: defaultRefs, runtimeFlags } = Runtime3.defaultRuntime
const live = FiberRefs3.getOrDefault(defaultRefs, DefaultServices3.currentServices)

const makeRuntime = (services: Context.Context<never>): Runtime3.Runtime<never> => {
  const clock = Context.get(services, Clock.Clock)
  const tracer = Context.get(services, Tracer.Tracer)
  const span: Tracer.AnySpan | undefined = services.mapUnsafe.get(Tracer.ParentSpanKey)
  let defaults = live
  if (clock !== defaultClock) defaults = Context3.add(defaults, Clock3.Clock, clockOf(clock))
  if (tracer !== defaultTracer) defaults = Context3.add(defaults, Tracer3.Tracer, tracerOf(tracer, span))
  let context = Context3.make(Services, services).pipe(Context3.add(Metrics.Recorder, recorderOf(services)))
  const values = Context.get(services, CallContext)
  if (values !== noValues) context = Context3.merge(context, Context3.make(CallContext3.CallContext, values))
  if (span !== undefined) context = Context3.merge(context, Context3.make(Tracer3.ParentSpan, spanOf(span)))
  const fiberRefs = [
    [DefaultServices3.currentServices, defaults] as const,
    [FiberRef3.currentLoggers, loggers] as const,
    [FiberRef3.currentMinimumLogLevel, level3(Context.get(services, References.MinimumLogLevel))] as const
  ].reduce(
    (refs, [fiberRef, value]) =>
      // Each stands beside a value of its own type.
      FiberRefs3.updateAs(refs, { fiberId: FiberId3.none, fiberRef: fiberRef as FiberRef3.FiberRef<unknown>, value }),
    defaultRefs
  )
  return Runtime3.make({ context, fiberRefs, runtimeFlags })
}

const clockOf = (clock: Clock.Clock): Clock3.Clock => ({
  [Clock3.ClockTypeId]: Clock3.ClockTypeId,
  unsafeCurrentTimeMillis: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: Effect3.sync(() => clock.currentTimeMillisUnsafe()),
  unsafeCurrentTimeNanos: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: Effect3.sync(() => clock.currentTimeNanosUnsafe()),
  sleep: (duration) => into3(clock.sleep(Duration.millis(Duration3.toMillis(duration))))
})

const spanOf = (span: Tracer.AnySpan): Tracer3.AnySpan => {
  const made = Tracer3.externalSpan({ spanId: span.spanId, traceId: span.traceId, sampled: span.sampled })
  spans.set(made, span)
  return made
}

const tracerOf = (tracer: Tracer.Tracer, root: Tracer.AnySpan | undefined): Tracer3.Tracer =>
  Tracer3.make({
    span: (name, parent, _context, links, startTime, kind) => {
      const above = Option3.isSome(parent) ? (spans.get(parent.value) ?? root) : root
      const own = tracer.span({
        name,
        parent: Option.fromUndefinedOr(above),
        annotations: empty,
        links: links.flatMap(({ attributes, span }) => {
          const linked = spans.get(span)
          return linked === undefined ? [] : [{ span: linked, attributes }]
        }),
        startTime,
        kind,
        root: above === undefined,
        sampled: above?.sampled ?? true
      })
      const made: Tracer3.Span = {
        _tag: "Span",
        name,
        spanId: own.spanId,
        traceId: own.traceId,
        parent,
        context: Context3.empty(),
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        links: [],
        sampled: own.sampled,
        kind,
        end: (endTime, exit) => own.end(endTime, fromExit3(exit)),
        attribute: (key, value) => own.attribute(key, value),
        event: (event, time, attributes) => own.event(event, time, attributes),
        addLinks: () => {}
      }
      spans.set(made, own)
      return made
    },
    context: (evaluate) => evaluate()
  })

/** Log lines go to the loggers of the fiber of Effect 4, with its annotations and at its levels. */
const logger = Logger3.make(({ annotations, cause, context, logLevel, message }) => {
  const fiberContext = FiberRefs3.getOrDefault(context, FiberRef3.currentContext)
  const services = Context3.get(fiberContext, Services)
  const span = spanIn(fiberContext)
  const words: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  const line = Effect.logWithLevel(severityOf(logLevel))(...words, fromCause3(cause))
  Effect.runForkWith(span === undefined ? services : Context.add(services, Tracer.ParentSpan, span))(
    Effect.annotateLogs(line, Object.fromEntries(HashMap3.toEntries(annotations)))
  )
})

const loggers = HashSet3.make(logger)

const severities: Readonly<Record<string, LogLevel.Severity>> = {
  Fatal: "Fatal",
  Error: "Error",
  Warning: "Warn",
  Info: "Info",
  Debug: "Debug",
  Trace: "Trace"
}

const severityOf = (level: LogLevel3.LogLevel): LogLevel.Severity => severities[level._tag] ?? "Info"

const level3 = (level: LogLevel.LogLevel): LogLevel3.LogLevel =>
  level === "Warn" ? LogLevel3.Warning : LogLevel3.fromLiteral(level)

/** How many calls ended. */
export const calls = Metric.counter("wield_tool_calls_total", {
  description: "Tool calls by tool and outcome",
  incremental: true
})

/** The instrument that counts calls beside measuring them. */
const ofCalls = "gen_ai.execute_tool.duration"

/** How long calls took, in seconds. */
export const duration = Metric.histogram(ofCalls, {
  description: "Duration of tool calls",
  boundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]
})

const histograms = new Map<string, Metric.Histogram<number>>([[ofCalls, duration]])

/** What Wield measures, in the registry of Effect 4. */
const recorderOf =
  (services: Context.Context<never>) =>
  ({ attributes, instrument, value }: Metrics.Measurement): void => {
    const { boundaries, description, name, unit } = instrument
    let histogram = histograms.get(name)
    if (histogram === undefined) histograms.set(name, (histogram = Metric.histogram(name, { boundaries, description })))
    const tags = Object.fromEntries(Object.entries(attributes).map(([key, said]) => [key, String(said)]))
    Metric.withAttributes(histogram, { unit, ...tags }).updateUnsafe(value, services)
    if (name !== ofCalls) return
    const ended = { tool: tags["gen_ai.tool.name"] ?? "", outcome: tags["wield.outcome"] ?? "" }
    Metric.withAttributes(calls, ended).updateUnsafe(1, services)
  }
