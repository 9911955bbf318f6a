/** A signal as what hands a run over. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export const handOverOf = (
  signal: AbortSignal | undefined
): Effect.Effect<Deferred.Deferred<void> | undefined, never, Scope.Scope> =>
  Effect.gen(function* () {
    if (signal === undefined) return undefined
    const handOver = yield* Deferred.make<void>()
    const end = () => Deferred.unsafeDone(handOver, Effect.void)
    if (signal.aborted) end()
    signal.addEventListener("abort", end)
    yield* Effect.addFinalizer(() => Effect.sync(() => signal.removeEventListener("abort", end)))
    return handOver
  })
