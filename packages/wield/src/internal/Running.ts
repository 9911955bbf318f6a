/** Runs Effects for callers that know promises. */
import type * as HttpClient from "@effect/platform/HttpClient"
import type { ConversationStore } from "@wield/agent"
import type { Journal } from "@wield/core"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"

/** What every program with tools has: conversations, the record of calls, and an HTTP client. */
export type Services = ConversationStore.ConversationStore | Journal.Journal | HttpClient.HttpClient

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
  readonly #closing = new AbortController()
  readonly #promises = new Set<Promise<unknown>>()

  constructor(layer: Layer.Layer<R, unknown>) {
    this.managed = ManagedRuntime.make(layer)
  }

  /** Aborts with the given signal, and when it is closed. */
  signal(given: AbortSignal | undefined): AbortSignal {
    return given === undefined ? this.#closing.signal : AbortSignal.any([given, this.#closing.signal])
  }

  /** Rejects with the error itself; when it is aborted, with the signal's reason. */
  async run<A, E>(effect: Effect.Effect<A, E, R>, given?: AbortSignal): Promise<A> {
    const signal = this.signal(given)
    signal.throwIfAborted()
    const exit = await this.#keep(this.managed.runPromiseExit(effect, { signal }))
    if (Exit.isSuccess(exit)) return exit.value
    throw signal.aborted && Cause.isInterruptedOnly(exit.cause) ? signal.reason : Cause.squash(exit.cause)
  }

  /** Aborts what runs, waits for its finalizers, and closes the layers. */
  async close(): Promise<void> {
    this.#closing.abort(new Closed())
    await Promise.allSettled(this.#promises)
    await this.managed.dispose()
  }

  async #keep<A>(promise: Promise<A>): Promise<A> {
    this.#promises.add(promise)
    try {
      return await promise
    } finally {
      this.#promises.delete(promise)
    }
  }
}
