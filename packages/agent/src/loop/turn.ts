/**
 * One turn: the model is asked, its calls run while it still streams, and both
 * are recorded, whatever happens meanwhile. What was begun is never without a
 * result in the conversation.
 */
import type { ToolCall, ToolDefinition, TurnEvent } from "@wield/core"
import * as Outcome from "@wield/core/Outcome"
import { within } from "@wield/core/Traces"
import * as Turn from "@wield/core/Turn"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import type * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Tracer } from "effect"
import { refusing } from "../Fallback.js"
import type { Model, ModelRequest } from "../Model.js"
import type { ModelError } from "../ModelError.js"
import { isConflict } from "../conversation/entries.js"
import { spend } from "./budget.js"
import { CallIds, Calls, takeCall } from "./calls.js"
import { withChat } from "./chatSpan.js"
import { Unwrapping } from "./discovery.js"
import { holdBack } from "./guarded.js"
import { type Run, silent } from "./plan.js"
import {
  append,
  appendResults,
  appendWithCalls,
  isContinued,
  takenOutcomes,
  turnEntry,
  untilRecorded
} from "./record.js"
import type { State } from "./state.js"

/** What a turn came to: the model's answer and how its calls ended, or that it broke off. */
export type Taken =
  /** With fewer outcomes than calls where the run is handed over. */
  | { readonly _tag: "Whole"; readonly turn: Turn.Turn; readonly outcomes: ReadonlyArray<Outcome.Outcome> }
  | {
      readonly _tag: "Broken"
      readonly error: ModelError
      /** Whether the model had said anything. */
      readonly isBegun: boolean
      readonly outcomes: ReadonlyArray<Outcome.Outcome>
    }
  /** Another process has taken the turn meanwhile; this one's is not recorded, and none of its calls was begun. */
  | { readonly _tag: "Overtaken" }

export interface Asked {
  /** The id of the entry that the model's message becomes. */
  readonly entry: string
  readonly model: Model
  /** What a model is asked: one that stands behind another may be shown what was found in another form. */
  readonly requestFor: (model: Model) => ModelRequest
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  /** The names on offer, where not all are. */
  readonly offered: ReadonlyArray<string> | undefined
  /** The run with what is offered in this turn. */
  readonly run: Run
}

export const takeTurn = (state: State, asked: Asked): Effect.Effect<Taken, unknown> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      restore(
        asked.run.openBatch(state.emitNow === silent && state.heldWrites === undefined ? undefined : state.watcher)
      ),
      (batch) =>
        // Whatever goes wrong, what was begun does not go on by itself.
        Effect.onError(attempt(state, asked, new Calls(batch, asked.definitions), restore), () => batch.close)
    )
  )

type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

const attempt = (state: State, asked: Asked, calls: Calls, restore: Restore): Effect.Effect<Taken, unknown> =>
  Effect.gen(function* () {
    const heard = new Heard()
    const all = askInOrder(state, asked, calls, heard)
    const read = yield* Effect.exit(restore(Effect.either(all)))
    const turn = Exit.isSuccess(read) && Either.isRight(read.value) ? heard.turn : undefined
    const answered = turn?.model ?? heard.model ?? asked.model.id
    if (heard.usage !== undefined) state.use(answered, heard.usage)
    if (heard.usage !== undefined || turn !== undefined) {
      yield* spend(state, answered, heard.usage ?? Turn.unknownUsage)
    }
    const native = turn === undefined ? undefined : Turn.native(turn)
    const entry = turn === undefined ? undefined : yield* turnEntry(asked, turn, native)
    // Where the caller has interrupted the run, nothing is begun or waited for.
    const late = turn === undefined || (yield* state.isHandedOver) ? [] : calls.missing(Turn.calls(turn))
    // The first of these calls writes the turn when it begins.
    const heldWrites = Exit.isSuccess(read) && calls.isLeftToJournal(late) ? state.heldWrites : undefined
    if (entry !== undefined && heldWrites === undefined) {
      const record = Effect.as(append(state, entry), true)
      if ((yield* unlessOvertaken(state, record, calls.length === 0)) === undefined) return overtaken
    }
    const recorded = yield* untilRecorded(
      state,
      Effect.gen(function* () {
        const settle = Effect.gen(function* () {
          const waited = Exit.isSuccess(read) ? yield* Effect.exit(restore(calls.settle(late))) : Exit.void
          return { waited, ended: yield* calls.batch.close }
        })
        const settled =
          entry === undefined || heldWrites === undefined
            ? yield* settle
            : yield* unlessOvertaken(state, appendWithCalls(state, heldWrites, entry, settle), true)
        if (settled === undefined) return undefined
        const { ended, waited } = settled

        const parts = turn?.parts ?? heard.begun((call) => calls.missing([call]).length === 0)
        const made = Turn.calls({ parts })
        const outcomes = yield* takenOutcomes(state, outcomesOf(made, ended))
        const isStopped =
          state.plan.whenInterrupted === "keep" &&
          Exit.isFailure(read) &&
          Cause.isInterrupted(read.cause) &&
          !(yield* state.isHandedOver)
        if (turn === undefined && (made.length > 0 || (isStopped && parts.length > 0))) {
          // So that its effects, or its words, are not forgotten. It has no JSON of the provider's.
          const usage = heard.usage ?? Turn.unknownUsage
          const broken = {
            parts,
            model: heard.model ?? asked.model.id,
            usage,
            finish: "other",
            isComplete: false,
            ...(isStopped ? { isStopped } : {})
          } as const
          yield* append(state, yield* turnEntry(asked, broken, undefined))
        }
        yield* appendResults(state, asked.entry, outcomes)
        return { outcomes, waited }
      })
    )
    if (recorded === undefined) return overtaken
    const { outcomes, waited } = recorded

    if (Exit.isFailure(read)) return yield* Effect.failCause(read.cause)
    if (Exit.isFailure(waited)) return yield* Effect.failCause(waited.cause)
    if (Either.isLeft(read.value)) {
      return { _tag: "Broken", error: read.value.left, isBegun: heard.isAnything, outcomes } as const
    }
    if (turn === undefined) return yield* Effect.dieMessage(`The model ${asked.model.id} ended without a turn`)
    return { _tag: "Whole", turn, outcomes } as const
  })

/** One outcome for each of these calls, in their order; one that was not begun was interrupted before it could be. */
const outcomesOf = (
  calls: ReadonlyArray<ToolCall.ToolCall>,
  ended: ReadonlyArray<Outcome.Outcome>
): ReadonlyArray<Outcome.Outcome> => {
  const left = [...ended]
  return calls.map(
    (call) => takeCall(left, call, (outcome) => outcome.call) ?? new Outcome.Interrupted({ call, hasBegun: false })
  )
}

const overtaken = { _tag: "Overtaken" } as const

/** Records a turn. Where another process has taken the same one first, the run goes on from that, and this is `undefined`. */
const unlessOvertaken = <A>(
  state: State,
  record: Effect.Effect<A, unknown>,
  isNothingBegun: boolean
): Effect.Effect<A | undefined, unknown> =>
  Effect.catchIf(record, isConflict, (conflict) =>
    Effect.flatMap(state.conversation.entries, (entries) => {
      // What was begun is not forgotten.
      if (!isNothingBegun || !isContinued(state, entries)) return Effect.fail(conflict)
      state.takeOver(entries)
      return Effect.succeed(undefined)
    })
  )

/** Asks the model and, where it gives way, those behind it. */
const askInOrder = (state: State, asked: Asked, calls: Calls, heard: Heard): Effect.Effect<void, ModelError> => {
  const { fallback } = asked.model
  const ask = (model: Model, isLast: boolean) => {
    heard.model = model.id
    const own = asked.requestFor(model)
    const request = fallback?.requestFor(model, own) ?? own
    return withChat(state, { model, request }, heard, (span) => {
      const events = model.stream(request)
      return listen(state, isLast ? events : refusing(model, events), calls, heard, span)
    })
  }
  if (fallback === undefined) return ask(asked.model, true)
  const inOrder = ([model = asked.model, next, ...others]: ReadonlyArray<Model>): Effect.Effect<void, ModelError> =>
    Effect.catchAll(ask(model, next === undefined), (error) => {
      if (!fallback.givesWay(error)) return Effect.fail(error)
      const failed = fallback.failed(model)
      if (next === undefined || heard.isAnything) return Effect.zipRight(failed, Effect.fail(error))
      return failed.pipe(
        Effect.zipRight(state.emit({ _tag: "ModelGaveWay", from: model.id, to: next.id, error })),
        Effect.zipRight(inOrder([next, ...others]))
      )
    })
  return Effect.flatMap(fallback.order, inOrder)
}

/** Hears the model out, and begins what may begin meanwhile: beside the span of the request, not beneath it. */
const listen = (
  state: State,
  events: Stream.Stream<TurnEvent.TurnEvent, ModelError>,
  calls: Calls,
  heard: Heard,
  span: Tracer.Span | undefined
): Effect.Effect<void, ModelError> => {
  const ids = new CallIds(state.entries)
  const unwrapping = state.plan.discovery === undefined ? undefined : new Unwrapping()
  return hearOut(holdBack(state, events), span, (sent) => {
    const own = ids.withOwn(sent)
    const event = own === undefined || unwrapping === undefined ? own : unwrapping.of(own)
    if (event === undefined) return undefined
    heard.take(event)
    switch (event._tag) {
      case "TextDelta":
      case "ReasoningDelta":
      case "RefusalDelta":
      case "ArgumentsDelta":
        return state.emitNow(event)
      case "CallStarted":
        return state.emitNow({ _tag: "CallAnnounced", index: event.index, id: event.id, name: event.name })
      case "CallComplete":
        return event.part.executedBy === "application" && calls.mayBeginEarly(event.part.call.name, startEarly(state))
          ? calls.begin(event.part.call)
          : undefined
      default:
        return undefined
    }
  })
}

/** A call that has begun before its turn is recorded is forgotten by a crash, where the conversation is not. */
const startEarly = (state: State): "always" | "safe" | "never" =>
  state.plan.startEarly ?? (state.conversation.isDurable ? "safe" : "always")

/** What tools of failureMode "error" raised, the first in call order first. */
export const raise = (outcomes: ReadonlyArray<Outcome.Outcome>): Effect.Effect<void, unknown> => {
  const causes = outcomes.flatMap((outcome) =>
    outcome._tag === "Failure" && outcome.isRaised ? [Cause.fail(outcome.failure)] : []
  )
  const [first, ...others] = causes
  return first === undefined
    ? Effect.void
    : Effect.failCause(others.reduce<Cause.Cause<unknown>>((left, right) => Cause.parallel(left, right), first))
}

/** `each` answers with an effect where the next event has to wait for it. */
const hearOut = <A, E>(
  events: Stream.Stream<A, E>,
  span: Tracer.Span | undefined,
  each: (event: A) => Effect.Effect<void> | undefined
): Effect.Effect<void, E> =>
  // A scope of its own: what the stream has open is closed before the calls are waited for, and no call sees it.
  Effect.acquireUseRelease(
    Scope.make(),
    (scope) =>
      Effect.flatMap(within(Channel.toPullIn(Stream.toChannel(events), scope), span), (pull) =>
        hear(within(pull, span), each)
      ),
    (scope, exit) => Scope.close(scope, exit)
  )

type Pull<A, E> = Effect.Effect<Either.Either<Chunk.Chunk<A>, unknown>, E>

const hear = <A, E>(pull: Pull<A, E>, each: (event: A) => Effect.Effect<void> | undefined): Effect.Effect<void, E> => {
  const next: Effect.Effect<void, E> = Effect.flatMap(pull, (pulled) =>
    Either.isLeft(pulled) ? Effect.void : rest(pulled.right[Symbol.iterator]())
  )
  const rest = (events: Iterator<A>): Effect.Effect<void, E> => {
    for (let event = events.next(); event.done !== true; event = events.next()) {
      const waiting = each(event.value)
      if (waiting !== undefined) return Effect.flatMap(waiting, () => rest(events))
    }
    return next
  }
  return next
}

/** What a model has said so far, kept for the case that its response breaks off. */
class Heard {
  readonly #parts: Array<Turn.Part> = []
  isAnything = false
  /** The model that was asked last. */
  model: string | undefined
  usage: Turn.Usage | undefined
  turn: Turn.Turn | undefined

  take(event: TurnEvent.TurnEvent): void {
    this.isAnything = true
    switch (event._tag) {
      case "TextDelta":
        return this.#text("Text", event.text)
      case "RefusalDelta":
        return this.#text("Refusal", event.text)
      case "CallComplete":
        this.#parts.push(event.part)
        return
      case "UsageKnown":
        this.usage = event.usage
        return
      case "Finished":
        this.turn = event.turn
        this.usage = event.turn.usage
    }
  }

  /** Text and those calls that were begun. Reasoning is left out: without its end no provider takes it back. */
  begun(isBegun: (call: ToolCall.ToolCall) => boolean): ReadonlyArray<Turn.Part> {
    return this.#parts.filter((part) => part._tag !== "Call" || isBegun(part.call))
  }

  #text(_tag: "Text" | "Refusal", text: string): void {
    const last = this.#parts.at(-1)
    if (last?._tag === _tag) this.#parts[this.#parts.length - 1] = { _tag, text: last.text + text }
    else this.#parts.push({ _tag, text })
  }
}
