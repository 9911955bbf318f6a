/**
 * When this process is to leave a conversation to another one: its shard has
 * moved, or the process closes. One fiber looks for all conversations.
 */
import type { EntityAddress } from "@effect/cluster/EntityAddress"
import { Sharding } from "@effect/cluster/Sharding"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Done when the conversation is another process's; for as long as the scope of the entity. */
export type Watch = (address: EntityAddress) => Effect.Effect<Deferred.Deferred<void>, never, Scope.Scope>

export const makeWatch: Effect.Effect<Watch, never, Scope.Scope | Sharding> = Effect.gen(function* () {
  const sharding = yield* Sharding
  const watched = new Map<Deferred.Deferred<void>, EntityAddress>()
  // No effect for each: there are as many as conversations in memory.
  yield* Effect.sync(() => {
    for (const [handOver, { shardId }] of watched) {
      if (!sharding.hasShardId(shardId)) Deferred.unsafeDone(handOver, Effect.void)
    }
  }).pipe(Effect.zipRight(Effect.sleep("100 millis")), Effect.forever, Effect.forkScoped)
  return (address) =>
    Effect.acquireRelease(
      Effect.tap(Deferred.make<void>(), (handOver) => Effect.sync(() => watched.set(handOver, address))),
      (handOver) => Effect.sync(() => watched.delete(handOver))
    )
})
