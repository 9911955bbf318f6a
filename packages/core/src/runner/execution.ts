/**
 * One call on its way through the pipeline: what the stages found out so far.
 * Each stage reads and writes it and answers with a `Step`.
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Exit, Tracer } from "effect"
import { identity } from "effect/Function"
import { CallContext, type Values } from "../CallContext.js"
import * as Digest from "../Digest.js"
import { clockOf, contextOf, peek, type Running } from "../Fibers.js"
import { Recorder } from "../internal/instrument.js"
import type * as Journal from "../Journal.js"
import { isObject } from "../Json.js"
import type { Note } from "../Note.js"
import { holds, orThrow } from "../Options.js"
import type { Outcome } from "../Outcome.js"
import type { Response } from "../Response.js"
import * as Stage from "../Stage.js"
import type { ToolCall } from "../ToolCall.js"
import type { Entry, Offer } from "../toolset/model.js"
import type { Machine } from "./machine.js"
import type { ResultCache } from "./resultCache.js"
import type { Run } from "./run.js"
import { Sent } from "./sent.js"
import type { Asked, Flight, Ledger } from "./ledger.js"

/** An outcome ends the call; `undefined` goes on to the next stage. */
export type Step = Outcome | undefined | Effect.Effect<Outcome | undefined>

/** What a person or a client answered to a deferred call, and what of the call it answers. */
export interface Answer {
  readonly digest: string
  /** The request that it answers, where the caller does not vouch for its run. */
  readonly requestId: string | undefined
  /** The arguments that it was shown with, where they are known. */
  readonly arguments: unknown
  /** What was asked for as input, where it is known. */
  readonly input: unknown
  readonly response: Response
}

export type Progress = (value: unknown) => Effect.Effect<void>

/** Calls without ids would all be one call. A `TypeError` says so before anything of it is begun. */
export const checkCall = (call: unknown): void => orThrow(aCall(call), "A call")

const aCall = holds(
  "{ id, name, arguments }, whose id and name are texts",
  (call) => isObject(call) && typeof call["id"] === "string" && typeof call["name"] === "string"
)

export class Execution {
  notes: Array<Note> = []
  /** Set by `find`; no stage before it reads it. */
  entry!: Entry
  /** The visible arguments as JSON. */
  arguments: { readonly [name: string]: unknown } = {}
  /** The decoded arguments, hidden fields included. */
  parameters: unknown = undefined
  /** What the call was answered for, where it had asked for input; `isRecorded`: not only the answer says so. */
  asked: (Asked & { readonly isRecorded: boolean }) | undefined = undefined
  /** What exactly may run, where the approval rule says it. */
  subject: string | undefined = undefined
  attempt = 0
  exit: Exit.Exit<unknown, unknown> | undefined = undefined
  /** The limit in milliseconds that the handler exceeded. */
  timedOutAfter: number | undefined = undefined
  /** Set until a watcher has heard that the handler begins. */
  tellBegun: (() => Effect.Effect<void> | undefined) | undefined = undefined
  /** Set when the call has come to its end, however it ended. */
  outcome: Outcome | undefined = undefined
  /** Whether the ledger knows that it was not begun before; `undefined` until it is asked. */
  isFresh: boolean | undefined = undefined
  /** Whether the ledger knows that it was begun before, and goes on. */
  wasBegun = false
  /** Whether its client was given it before. */
  isHandedOut = false
  /** Set while the ledger holds this call as begun. */
  key: Journal.Key | undefined = undefined
  /** Set where a success is to be kept. */
  cacheAs: { readonly cache: ResultCache; readonly key: string } | undefined = undefined
  /** Set while the call is traced. */
  span: Tracer.Span | undefined = undefined
  /** Set while others may wait for the same call. */
  flight: Flight | undefined = undefined
  /** Set by the pipeline, which cannot be interrupted itself. */
  restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = identity
  readonly clock: Clock.Clock
  /** Milliseconds. */
  readonly started: number
  readonly hear: Stage.Hear | undefined
  /** As it was when the call began: the fiber may go on with something else. */
  readonly #context: Context.Context<never>
  #values: Values | undefined = undefined
  #sent: Sent | undefined = undefined

  constructor(
    readonly machine: Machine,
    readonly run: Run,
    readonly offer: Offer,
    readonly call: ToolCall,
    readonly progress: Progress,
    readonly answer: Answer | undefined,
    readonly fiber: Running
  ) {
    checkCall(call)
    this.clock = clockOf(fiber)
    this.started = this.clock.unsafeCurrentTimeMillis()
    this.#context = contextOf(fiber)
    this.hear = peek(this.#context, Stage.Listener)
  }

  /** Lets an effect be interrupted where the caller of the pipeline may be. */
  interruptible<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => this.restore(effect))
  }

  /** What the calling effect provides, and over it the run's own. */
  get values(): Values {
    return (this.#values ??= this.run.over(Context.get(this.#context, CallContext)))
  }

  /** Whether its handler has run as far as a question. */
  get hasAsked(): boolean {
    return this.asked !== undefined || this.answer?.input !== undefined
  }

  get name(): string {
    return this.entry.definition.name
  }

  /** What else hears how long the call took. */
  get recorder(): typeof Recorder.Service {
    return peek(this.#context, Recorder)
  }

  /** Where the call is recorded. A person's or a client's answer is, whatever the tool does. */
  get ledger(): Ledger | undefined {
    const { ledger } = this.run
    if (ledger === undefined || ledger.isInMemory) return ledger
    return this.answer === undefined && this.entry.definition.facts.isReadOnly ? this.run.memory : ledger
  }

  /** What was sent, by which this call differs from others. */
  get sent(): Sent {
    const { call, run } = this
    return (this.#sent ??= new Sent(run.ledger?.isOwn === false ? run.id : "", run.nameOf(call.id), call, this.entry))
  }

  /** The visible arguments as JSON text with sorted keys. */
  get argumentText(): string {
    // A handler may have changed what was parsed.
    if (this.attempt === 0) this.sent.read(this.arguments)
    return this.sent.argumentText
  }

  /** SHA-256 over tool and visible arguments. */
  get digest(): string {
    if (this.attempt === 0) this.sent.read(this.arguments)
    return this.sent.digest
  }

  /** The same for every attempt at this call, also after a restart. */
  get idempotencyKey(): string {
    return Digest.ofValues(this.run.id, this.run.nameOf(this.call.id), this.digest)
  }
}
