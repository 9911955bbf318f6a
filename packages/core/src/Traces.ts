/**
 * What spans say of messages, arguments and results where a program asks for it,
 * and of the statements of Wield's own stores.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Tracer from "effect/Tracer"
import type { Values } from "./CallContext.js"
import type { Part as ContentPart } from "./Content.js"
import { contextOf, isTraced, peek, withFiber } from "./Fibers.js"
import { fold } from "./internal/folded.js"
import { jsonText } from "./internal/json.js"
import { isObject, parse } from "./Json.js"
import type { Message } from "./Message.js"
import * as Secret from "./Secret.js"
import type { ToolDefinition } from "./ToolDefinition.js"
import { toValue } from "./ToolResult.js"
import type { Finish, Part, Turn } from "./Turn.js"

/**
 * Whether the statements of Wield's own stores are spans (`sql.execute`, …):
 * conversations, journals, the assistant's tables, the cluster. They are not
 * unless this is `true`. What tools ask of databases is traced either way.
 *
 * @category stores
 */
export class StoreSpans extends Context.Reference<StoreSpans>()("@wield/core/Traces/StoreSpans", {
  defaultValue: (): boolean => false
}) {}

export {
  /**
   * @category spans
   */
  isTraced
} from "./Fibers.js"

/**
 * An operation of a store, without spans unless `StoreSpans` wants them.
 *
 * @category stores
 */
export const ofStore = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withFiber((fiber) =>
    peek(contextOf(fiber), StoreSpans) === true ? operation : Effect.withTracerEnabled(operation, false)
  )

/**
 * A service each operation of which is one of a store.
 *
 * @category stores
 */
export const asStore = <S extends object>(service: S): S =>
  new Proxy(service, {
    get: (target, key, receiver): unknown => {
      const member: unknown = Reflect.get(target, key, receiver)
      if (Effect.isEffect(member)) return ofAnyStore(member)
      if (typeof member !== "function") return member
      return (...given: ReadonlyArray<unknown>): unknown => {
        const answer: unknown = Reflect.apply(member, target, given)
        return Effect.isEffect(answer) ? ofAnyStore(answer) : answer
      }
    }
  })

/** `isEffect` tells no types, and none are changed. */
const ofAnyStore = (operation: Effect.Effect<unknown, unknown, unknown>): Effect.Effect<unknown, unknown, unknown> =>
  ofStore(operation)

/** What spans say, by the names of OpenTelemetry's conventions. */
export type Attributes = { readonly [name: string]: unknown }

/**
 * An effect with a span of its own, which is not yet the parent of anything. It
 * says what kind of error it ended with, and not its words: those quote
 * arguments, results and what a model said, and exporters record them. `known`
 * is what the span begins with, `learned` what it is to have as well in the
 * end. Without a tracer there is no span.
 *
 * @category spans
 */
export const withSpan = <A, E>(
  name: string,
  kind: Tracer.SpanKind,
  known: () => Attributes,
  effect: (span: Tracer.Span | undefined) => Effect.Effect<A, E>,
  learned: () => Attributes = () => ({})
): Effect.Effect<A, E> =>
  withFiber((fiber) => {
    if (!isTraced(fiber)) return effect(undefined)
    return Effect.acquireUseRelease(
      Effect.makeSpan(name, { kind, attributes: known(), captureStackTrace: false }),
      effect,
      (span, exit) =>
        Effect.map(Clock.currentTimeNanos, (now) => {
          for (const [key, value] of Object.entries(learned())) setAttribute(span, key, value)
          const error = Exit.isFailure(exit) ? errorType(exit.cause) : undefined
          if (error !== undefined) span.attribute("error.type", error)
          span.end(now, error === undefined ? Exit.asVoid(exit) : Exit.fail(new SpanEnded({ error })))
        })
    )
  })

/**
 * An effect with a span around it, if there is one.
 *
 * @category spans
 */
export const within = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  span: Tracer.Span | undefined
): Effect.Effect<A, E, R> =>
  // The requirement of a parent is what is provided.
  span === undefined ? effect : (Effect.withParentSpan(effect, span) as Effect.Effect<A, E, R>)

/**
 * `error.type` of what failed; none where it was interrupted. `_OTHER` is the conventions' word for what has no name.
 *
 * @category spans
 */
export const errorType = (cause: Cause.Cause<unknown>): string | undefined => {
  if (Cause.isInterruptedOnly(cause)) return undefined
  return Option.match(Cause.failureOption(cause), {
    onNone: () => "_OTHER",
    onSome: (error) => (Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "_OTHER")
  })
}

/** What a span says of what failed. */
class SpanEnded extends Data.TaggedError("SpanEnded")<{ readonly error: string }> {
  override get message(): string {
    return `It ended with ${this.error}`
  }
}

/**
 * Sets an attribute. A list stays a list: the span of `@effect/opentelemetry` would make a text of it.
 *
 * @category attributes
 */
export const setAttribute = (span: Tracer.Span, name: string, value: unknown): void => {
  span.attribute(name, value)
  if (!Array.isArray(value) || !Predicate.hasProperty(span, "span")) return
  const own = span.span
  if (Predicate.hasProperty(own, "setAttribute") && typeof own.setAttribute === "function") {
    own.setAttribute(name, value)
  }
}

/**
 * What is never recorded, beside what stands under names of secrets.
 *
 * @category content
 */
export interface Redaction {
  /** Values of the call context: what hidden fields are filled from. */
  readonly hidden: Values
  /** As `observe.redact` of the policy has it. */
  readonly redact: ((text: string) => string) | undefined
}

/**
 * A value as JSON text for an attribute, without what is hidden and what is secret.
 * Where `redact` throws, nothing is recorded.
 *
 * @category content
 */
export const contentText = (value: unknown, redaction: Redaction): string => {
  const text = jsonText(value)
  if (typeof text !== "string") return `[not JSON: ${text.reason}]`
  // `redact` is the program's; a span must not end a call.
  try {
    return JSON.stringify(redactorOf(redaction)(parse(text)))
  } catch {
    return "[not recorded: redact failed]"
  }
}

/** A shorter value stands in other texts by chance. */
const shortest = 3

const redactorOf = ({ hidden, redact }: Redaction): ((value: unknown) => unknown) => {
  const keys = new Set(Object.keys(hidden).map(fold))
  const spellings = Secret.spellingsOf(textsIn(hidden))
  const clean = (text: string): string => {
    const shown = Secret.hide(Secret.hide(text, spellings), Secret.spellingsOf(Secret.partsOf(text)))
    return redact === undefined ? shown : redact(shown)
  }
  const isSecret = (key: string, value: unknown): boolean =>
    (typeof value === "string" || typeof value === "number") && (keys.has(fold(key)) || Secret.isName(key))
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return clean(value)
    if (typeof value === "number") return spellings.includes(String(value)) ? Secret.placeholder : value
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [clean(key), isSecret(key, item) ? Secret.placeholder : walk(item)])
    )
  }
  return walk
}

const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string" || typeof value === "number") {
    const text = String(value)
    return text.length < shortest ? [] : [text]
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * What a model is asked, as the conventions have it: the attributes of a `chat` span.
 *
 * @category content
 */
export const requestContent = (
  messages: ReadonlyArray<Message>,
  definitions: ReadonlyArray<ToolDefinition>,
  redaction: Redaction
): { readonly [name: string]: string } => {
  const instructions = messages.flatMap((message) =>
    message._tag === "System" ? [{ type: "text", content: message.text }] : []
  )
  const said = messages.filter((message) => message._tag !== "System").map(messageContent)
  return {
    ...(instructions.length === 0 ? {} : { "gen_ai.system_instructions": contentText(instructions, redaction) }),
    "gen_ai.input.messages": contentText(said, redaction),
    ...(definitions.length === 0
      ? {}
      : {
          "gen_ai.tool.definitions": contentText(
            definitions.map(({ name }) => ({ type: "function", name })),
            redaction
          )
        })
  }
}

/**
 * What a model answered, likewise.
 *
 * @category content
 */
export const responseContent = (
  { finish, parts }: Pick<Turn, "finish" | "parts">,
  redaction: Redaction
): { readonly [name: string]: string } => ({
  "gen_ai.output.messages": contentText(
    [{ role: "assistant", parts: parts.flatMap(turnPart), finish_reason: finishReason(finish) }],
    redaction
  )
})

/**
 * Why a response ended, in the words of the conventions.
 *
 * @category attributes
 */
export const finishReason = (finish: Finish): string => {
  if (finish === "calls") return "tool_call"
  return finish === "filter" ? "content_filter" : finish
}

const messageContent = (message: Exclude<Message, { readonly _tag: "System" }>): object => {
  switch (message._tag) {
    case "User":
      return { role: "user", parts: message.content.map(contentPart) }
    case "Assistant":
      return { role: "assistant", parts: message.parts.flatMap(turnPart) }
    case "Results":
      return {
        role: "tool",
        parts: message.results.map((result) => ({
          type: "tool_call_response",
          id: result.id,
          response: result.content.every(({ _tag }) => _tag === "Text" || _tag === "JsonValue")
            ? toValue(result)
            : result.content.map(contentPart)
        }))
      }
  }
}

/** Images and files are named, not recorded. */
const contentPart = (part: ContentPart): object => {
  switch (part._tag) {
    case "Text":
      return { type: "text", content: part.text }
    case "JsonValue":
      return { type: "text", content: JSON.stringify(part.value) ?? "" }
    default:
      return { type: part._tag.toLowerCase(), mime_type: part.mediaType }
  }
}

const turnPart = (part: Part): ReadonlyArray<object> => {
  switch (part._tag) {
    case "Text":
      return [{ type: "text", content: part.text }]
    case "Reasoning":
      return part.text === "" ? [] : [{ type: "reasoning", content: part.text }]
    case "Refusal":
      return [{ type: "refusal", content: part.text }]
    case "Call": {
      const { arguments: sent, id, name } = part.call
      return part.executedBy === "application"
        ? [{ type: "tool_call", id, name, arguments: readArguments(sent) }]
        : [{ type: "server_tool_call", id, name, server_tool_call: { type: name, arguments: readArguments(sent) } }]
    }
  }
}

/** Arguments often come as text; within it, no name of a hidden field would be found. */
const readArguments = (sent: unknown): unknown => {
  if (typeof sent !== "string") return sent
  // A model may have written anything.
  try {
    return parse(sent)
  } catch {
    return `[not JSON: ${sent.length} characters]`
  }
}
