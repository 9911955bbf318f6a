/**
 * One span per call, by the GenAI conventions of OpenTelemetry
 * (`execute_tool`), made only when there is a tracer. Arguments and results
 * enter it only when asked for.
 *
 * The span is begun and ended without an effect, so that a call whose handler
 * has already completed stays without one.
 */
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Exit from "effect/Exit"
import * as Fibers from "../Fibers.js"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { isError, type Outcome } from "../Outcome.js"
import { contentText, type Redaction } from "../Traces.js"
import type { Execution } from "./execution.js"
import { visibleOf } from "./sent.js"

/** The span of a call; none without a tracer. */
export const openSpan = (execution: Execution): Tracer.Span | undefined => {
  const { call, clock, fiber, machine, offer } = execution
  if (!Fibers.isTraced(fiber)) return undefined
  const tracer = Fibers.tracerOf(fiber)
  const definition = offer.entries.get(call.name)?.definition
  const span = tracer.span(
    // The name of an unknown tool is the model's own text; it may be anything.
    definition === undefined ? "execute_tool" : `execute_tool ${definition.name}`,
    parentOf(fiber),
    Context.empty(),
    linksOf(fiber),
    clock.unsafeCurrentTimeNanos(),
    "internal"
  )
  const annotations = Fibers.annotationsOf(fiber)
  if (!HashMap.isEmpty(annotations)) HashMap.forEach(annotations, (value, key) => span.attribute(key, value))
  span.attribute("gen_ai.operation.name", "execute_tool")
  span.attribute("gen_ai.tool.call.id", call.id)
  if (definition !== undefined) {
    span.attribute("gen_ai.tool.name", definition.name)
    span.attribute("gen_ai.tool.type", definition.facts.kind === "provider" ? "extension" : "function")
    if (definition.description !== undefined) span.attribute("gen_ai.tool.description", definition.description)
  }
  if (machine.policy.observe?.arguments === true) {
    span.attribute("gen_ai.tool.call.arguments", argumentText(execution))
  }
  return span
}

export const closeSpan = (execution: Execution, outcome: Outcome): void => {
  const { clock, machine, span } = execution
  if (span === undefined) return
  execution.span = undefined
  span.attribute("wield.outcome", outcome._tag)
  if (machine.policy.observe?.results === true && outcome._tag === "Success") {
    span.attribute("gen_ai.tool.call.result", contentText(outcome.encoded, redactionOf(execution)))
  }
  const isFailed = isError(outcome)
  if (isFailed) span.attribute("error.type", outcome._tag)
  // The message names the outcome only: exporters record it.
  const exit = isFailed ? Exit.fail(new CallEnded({ outcome: outcome._tag })) : Exit.void
  span.end(clock.unsafeCurrentTimeNanos(), exit)
}

/** What a span says of a call that did not succeed. */
class CallEnded extends Data.TaggedError("CallEnded")<{ readonly outcome: Outcome["_tag"] }> {
  override get message(): string {
    return `The call ended as ${this.outcome}`
  }
}

/** A span that asks not to be a parent hands the question on to its own. */
const parentOf = (fiber: Fibers.Running): Option.Option<Tracer.AnySpan> => {
  let parent = Fibers.spanOf(fiber)
  while (parent !== undefined && Context.get(parent.context, Tracer.DisablePropagation)) {
    parent = parent._tag === "Span" ? Option.getOrUndefined(parent.parent) : undefined
  }
  return Option.fromNullable(parent)
}

const linksOf = (fiber: Fibers.Running): ReadonlyArray<Tracer.SpanLink> => {
  const links = Fibers.linksOf(fiber)
  return Chunk.isEmpty(links) ? [] : Chunk.toReadonlyArray(links)
}

/** Without what the model sent for hidden fields. What cannot be read may have one in it. */
const argumentText = (execution: Execution): string => {
  const { call } = execution
  const visible = visibleOf(call.arguments, hiddenOf(execution))
  if (visible === undefined) return `[not JSON: ${String(call.arguments).length} characters]`
  return contentText(visible, redactionOf(execution))
}

const redactionOf = (execution: Execution): Redaction => ({
  hidden: hiddenOf(execution)?.given(execution.values) ?? {},
  redact: execution.machine.policy.observe?.redact
})

/** A tool that is not offered has its hidden fields as well. */
const hiddenOf = ({ call, offer }: Execution) => (offer.entries.get(call.name) ?? offer.withheld.get(call.name))?.hidden
