/**
 * When this process is to leave a conversation to another one: its shard has
 * moved, or the process closes. One fiber looks for all conversations.
 */
import type { EntityAddress } from "@effect/cluster/EntityAddress"
import type { ShardId } from "@effect/cluster/ShardId"
import { Sharding } from "@effect/cluster/Sharding"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Done when the conversation is another process's; for as long as the scope of the entity. */
export type Watch = (address: EntityAddress) => Effect.Effect<Deferred.Deferred<void>, never, Scope.Scope>

export const makeWatch: Effect.Effect<Watch, never, Scope.Scope | Sharding> = Effect.gen(function* () {
  const sharding = yield* Sharding
  const watched = new Map<string, Watched>()
  // No effect for each, and one look for all of a shard: there are as many as conversations in memory.
  yield* Effect.sync(() => {
    for (const { conversations, shard } of watched.values()) {
      if (sharding.hasShardId(shard)) continue
      for (const handOver of conversations) Deferred.unsafeDone(handOver, Effect.void)
    }
  }).pipe(Effect.zipRight(Effect.sleep("100 millis")), Effect.forever, Effect.forkScoped)
  return ({ shardId: shard }) => {
    const name = shard.toString()
    return Effect.acquireRelease(
      Effect.map(Deferred.make<void>(), (handOver) => {
        const { conversations } = watched.get(name) ?? { conversations: new Set() }
        watched.set(name, { shard, conversations: conversations.add(handOver) })
        return handOver
      }),
      (handOver) =>
        Effect.sync(() => {
          const conversations = watched.get(name)?.conversations
          conversations?.delete(handOver)
          if (conversations?.size === 0) watched.delete(name)
        })
    )
  }
})

/** The conversations of a shard that are in memory. */
interface Watched {
  readonly shard: ShardId
  readonly conversations: Set<Deferred.Deferred<void>>
}
