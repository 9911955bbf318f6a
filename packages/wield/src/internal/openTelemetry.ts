/**
 * Spans for OpenTelemetry, where the program has registered a tracer. The API's package keeps it in one place for all of
 * its copies; so nothing of it is loaded here.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

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

interface Api {
  readonly trace: {
    readonly getTracer: (name: string) => {
      readonly startSpan: (name: string, options: object, context: OtelContext) => OtelSpan
    }
  }
  readonly context?: {
    readonly active: () => OtelContext
    readonly with: <A>(context: OtelContext, run: () => A) => A
  }
}

const globalKey = Symbol.for("opentelemetry.js.api.1")
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN")

const globalApi = (): Api | undefined => {
  const api: unknown = Reflect.get(globalThis, globalKey)
  // It has a tracer once the program has registered one, and its shape is that of version 1.
  return typeof api === "object" && api !== null && "trace" in api ? (api as Api) : undefined
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

/** The span of the program that is active now, such as that of a request, as the parent of what runs. */
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

const valueOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Array.isArray(value)
      ? value.map(String)
      : JSON.stringify(value)
    : typeof value === "bigint"
      ? String(value)
      : value

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
    api: Api,
    readonly name: string,
    readonly parent: Option.Option<Tracer.AnySpan>,
    readonly context: Context.Context<never>,
    readonly links: Array<Tracer.SpanLink>,
    startTime: bigint,
    readonly kind: Tracer.SpanKind
  ) {
    const outer = Option.isSome(parent) ? aroundOf(parent.value) : undefined
    const before = outer ?? active()
    this.#span = api.trace
      .getTracer("wield")
      .startSpan(name, { startTime: timeOf(startTime), kind: kinds[kind] }, before)
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
    const values = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, valueOf(value)]))
    this.#span.addEvent(name, values, timeOf(startTime))
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

const tagOf = (error: unknown): string =>
  error instanceof Error ? (error.name === "CallEnded" ? error.message : error.name) : "Error"

const aroundOf = (span: Tracer.AnySpan): OtelContext | undefined =>
  span instanceof Span ? span.around : Option.getOrUndefined(Context.getOption(span.context, Around))

/** The tracer that the program has registered; what is traced without one is nothing. */
export const openTelemetry = (): Layer.Layer<never> => {
  const api = globalApi()
  if (api === undefined) return Layer.empty
  return Layer.setTracer(
    Tracer.make({
      span: (name, parent, context, links, startTime, kind) =>
        new Span(api, name, parent, context, [...links], startTime, kind),
      // What a tool asks of a database or an API is traced within its call.
      context: (run, fiber) => {
        const around = fiber.currentSpan === undefined ? undefined : aroundOf(fiber.currentSpan)
        return around === undefined || api.context === undefined ? run() : api.context.with(around, run)
      }
    })
  )
}
