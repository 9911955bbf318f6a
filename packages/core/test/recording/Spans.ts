/**
 * A tracer that keeps every span with all it was given.
 */
import { Cause, type Context, Effect, Exit, type Option, Tracer } from "effect"

export interface RecordedSpan {
  readonly name: string
  readonly attributes: ReadonlyMap<string, unknown>
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: unknown }>
  /** The cause the span failed with, as text. */
  readonly failure: string | undefined
}

class Span implements Tracer.Span, RecordedSpan {
  readonly _tag = "Span"
  readonly sampled = true
  readonly attributes = new Map<string, unknown>()
  readonly events: Array<{ readonly name: string; readonly attributes: unknown }> = []
  readonly traceId = "trace"
  failure: string | undefined = undefined
  status: Tracer.SpanStatus
  constructor(
    readonly name: string,
    readonly parent: Option.Option<Tracer.AnySpan>,
    readonly context: Context.Context<never>,
    readonly links: Array<Tracer.SpanLink>,
    readonly startTime: bigint,
    readonly kind: Tracer.SpanKind,
    readonly spanId: string
  ) {
    this.status = { _tag: "Started", startTime }
  }
  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    this.status = { _tag: "Ended", startTime: this.startTime, endTime, exit }
    if (Exit.isFailure(exit)) this.failure = Cause.pretty(exit.cause, { renderErrorCause: true })
  }
  attribute(key: string, value: unknown): void {
    this.attributes.set(key, value)
  }
  event(name: string, _startTime: bigint, attributes?: Record<string, unknown>): void {
    this.events.push({ name, attributes })
  }
  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links.push(...links)
  }
}

/** Records the spans of an effect beside its value. */
export const recordSpans = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<{ readonly value: A; readonly spans: ReadonlyArray<RecordedSpan> }, E, R> =>
  Effect.suspend(() => {
    const spans: Array<Span> = []
    const tracer = Tracer.make({
      span: (name, parent, context, links, startTime, kind) => {
        const span = new Span(name, parent, context, [...links], startTime, kind, `span_${spans.length}`)
        spans.push(span)
        return span
      },
      context: (f) => f()
    })
    return Effect.map(Effect.withTracer(effect, tracer), (value) => ({ value, spans }))
  })
