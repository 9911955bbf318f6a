/** A tracer that records: every span with its attributes, times and status, the last thousand kept. */
import type * as Context from "effect/Context"
import type * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

const kept = 1_000

export class RecordingTracer implements Tracer.Tracer {
  readonly [Tracer.TracerTypeId]: Tracer.TracerTypeId = Tracer.TracerTypeId
  readonly spans: Array<RecordedSpan> = []
  #next = 0

  span(
    name: string,
    parent: Option.Option<Tracer.AnySpan>,
    context: Context.Context<never>,
    links: ReadonlyArray<Tracer.SpanLink>,
    startTime: bigint,
    kind: Tracer.SpanKind
  ): Tracer.Span {
    return new RecordedSpan(this, name, parent, context, links, startTime, kind)
  }

  context<X>(execution: () => X): X {
    return execution()
  }

  record(span: RecordedSpan): void {
    this.spans[this.#next] = span
    this.#next = (this.#next + 1) % kept
  }
}

export class RecordedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly spanId = hexadecimal(16)
  readonly traceId: string
  readonly sampled = true
  readonly attributes = new Map<string, unknown>()
  readonly events: Array<{ readonly name: string; readonly startTime: bigint; readonly attributes: object }> = []
  readonly links: Array<Tracer.SpanLink>
  status: Tracer.SpanStatus

  constructor(
    readonly tracer: RecordingTracer,
    readonly name: string,
    readonly parent: Option.Option<Tracer.AnySpan>,
    readonly context: Context.Context<never>,
    links: ReadonlyArray<Tracer.SpanLink>,
    startTime: bigint,
    readonly kind: Tracer.SpanKind
  ) {
    this.links = [...links]
    this.traceId = parent._tag === "Some" ? parent.value.traceId : hexadecimal(32)
    this.status = { _tag: "Started", startTime }
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    this.tracer.record(this)
  }

  attribute(key: string, value: unknown): void {
    this.attributes.set(key, value)
  }

  event(name: string, startTime: bigint, attributes: Record<string, unknown> = {}): void {
    this.events.push({ name, startTime, attributes })
  }

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links.push(...links)
  }
}

const hexadecimal = (length: number): string => {
  let text = ""
  for (let index = 0; index < length; index++) text += ((Math.random() * 16) | 0).toString(16)
  return text
}
