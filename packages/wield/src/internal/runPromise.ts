/** Runs Effects for callers that know promises. */
import type * as HttpClient from "@effect/platform/HttpClient"
import type { ConversationStore } from "@wield/agent"
import type { Journal } from "@wield/core"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as ManagedRuntime from "effect/ManagedRuntime"

/** What every program with tools has: conversations, the record of calls, and an HTTP client. */
export type Services = ConversationStore.ConversationStore | Journal.Journal | HttpClient.HttpClient

export type Runtime = ManagedRuntime.ManagedRuntime<Services, unknown>

/** Rejects with the error itself; when it is aborted, with the signal's reason. */
export const runPromise = async <A, E, R>(
  runtime: ManagedRuntime.ManagedRuntime<R, unknown>,
  effect: Effect.Effect<A, E, R>,
  signal?: AbortSignal
): Promise<A> => {
  signal?.throwIfAborted()
  const exit = await runtime.runPromiseExit(effect, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw errorOf(exit.cause, signal)
}

const errorOf = (cause: Cause.Cause<unknown>, signal: AbortSignal | undefined): unknown =>
  signal?.aborted === true && Cause.isInterruptedOnly(cause) ? signal.reason : Cause.squash(cause)
