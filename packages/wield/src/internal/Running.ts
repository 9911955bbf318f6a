/** Runs Effects for callers that know promises. */
import type { ConversationStore } from "@wield/agent"
import type { Journal, ToolRunner } from "@wield/core"
import * as Fibers from "@wield/core/Fibers"
import { activeSpan } from "@wield/core/OpenTelemetry"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { checkSignal } from "./checkNames.js"
import { Inboxes } from "./Inboxes.js"

/** What every program with tools has: conversations, and the record of calls. */
export type Services = ConversationStore.ConversationStore | Journal.Journal

/** What was asked of tools that are closed, or were closed meanwhile. */
export class Closed extends Error {
  override readonly name = "Closed"
  constructor() {
    super("The tools are closed: close them after the last answer, or make new ones with wield")
  }
}

/** Layers, and what runs over them. */
export class Running<R = Services> {
  readonly managed: ManagedRuntime.ManagedRuntime<R, unknown>
  /** Fails once it is closed. */
  readonly closed: Effect.Effect<never, Closed>
  /** Fails where it is closed. What is `within` it has begun before that is looked at. */
  readonly open: Effect.Effect<void, Closed> = Effect.suspend(() =>
    this.#isClosed ? Effect.fail(new Closed()) : Effect.void
  )
  /** What is said to runs of agents meanwhile. */
  readonly inboxes = new Inboxes()
  readonly #closing = Deferred.unsafeMake<never, Closed>(FiberId.none)
  readonly #fibers = new Set<Fibers.Running>()
  readonly #foreign = new Set<Deferred.Deferred<void>>()
  readonly #listeners = new Set<() => void>()
  #isClosed = false
  #idle: Fibers.Running | undefined

  constructor(layer: Layer.Layer<R, unknown>) {
    this.managed = ManagedRuntime.make(layer)
    this.closed = Deferred.await(this.#closing)
  }

  /** Rejects with the error itself; when it is aborted, with the signal's reason; when it is closed, with `Closed`. */
  async run<A, E>(effect: Effect.Effect<A, E, R>, signal?: AbortSignal): Promise<A> {
    this.#check(signal)
    return this.#complete(effect, signal)
  }

  /** Begins also what is to end already: it comes to its end, and is not lost. */
  async #complete<A, E>(effect: Effect.Effect<A, E, R>, signal: AbortSignal | undefined): Promise<A> {
    // What is there already needs no fiber. The guard forgets of what it is one.
    if (Exit.isExit(effect) && Exit.isSuccess(effect)) return effect.value as A
    // As above.
    if (Either.isEither(effect) && Either.isRight(effect)) return effect.right as A
    const span = activeSpan()
    const fiber = this.#fork(span === undefined ? effect : Effect.withParentSpan(effect, span))
    const abort = () => Fibers.interrupt(fiber)
    signal?.addEventListener("abort", abort)
    // A fiber runs until it first waits before it is known here: what has come meanwhile was not heard.
    if (signal?.aborted === true || this.#isClosed) abort()
    const exit = await new Promise<Exit.Exit<A, unknown>>((resolve) => Fibers.onEnd(fiber, resolve))
    this.#fibers.delete(fiber)
    signal?.removeEventListener("abort", abort)
    if (Exit.isSuccess(exit)) return exit.value
    if (!Cause.isInterruptedOnly(exit.cause)) throw Cause.squash(exit.cause)
    throw signal?.aborted === true ? signal.reason : this.#isClosed ? new Closed() : Cause.squash(exit.cause)
  }

  /** Runs calls without a fiber where they need none. Throws where what it would run is over already. */
  host(signal?: AbortSignal): ToolRunner.PromiseHost {
    this.#check(signal)
    return {
      fiber: (this.#idle ??= this.#fork(Effect.async(() => {}))),
      run: (effect) => this.#complete(effect, signal),
      onInterrupt: (interrupt) => {
        const forget = () => {
          this.#listeners.delete(hear)
          signal?.removeEventListener("abort", hear)
        }
        const hear = () => {
          forget()
          interrupt(signal?.aborted === true ? signal.reason : new Closed())
        }
        this.#listeners.add(hear)
        signal?.addEventListener("abort", hear)
        if (signal?.aborted === true || this.#isClosed) hear()
        return forget
      }
    }
  }

  /** What a fiber of another program runs: it ends with this, which waits for it. */
  within<A, E, R2>(effect: Effect.Effect<A, E, R2>): Effect.Effect<A, E | Closed, R2> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const over = Deferred.unsafeMake<void>(FiberId.none)
        this.#foreign.add(over)
        return over
      }),
      () => Effect.raceFirst(effect, this.closed),
      (over) =>
        Effect.sync(() => {
          this.#foreign.delete(over)
          Deferred.unsafeDone(over, Effect.void)
        })
    )
  }

  #check(signal: AbortSignal | undefined): void {
    if (this.#isClosed) throw new Closed()
    checkSignal("the options", signal)
    signal?.throwIfAborted()
  }

  #fork<A, E>(effect: Effect.Effect<A, E, R>): Fiber.RuntimeFiber<A, unknown> {
    const fiber = this.managed.runFork(effect)
    this.#fibers.add(fiber)
    return fiber
  }

  /** Interrupts what runs, waits for its finalizers, and closes the layers. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const hear of this.#listeners) hear()
    Deferred.unsafeDone(this.#closing, Effect.fail(new Closed()))
    await Effect.runPromise(Fiber.interruptAll(this.#fibers))
    await Effect.runPromise(Effect.forEach([...this.#foreign], Deferred.await, { discard: true }))
    await this.managed.dispose()
  }
}
