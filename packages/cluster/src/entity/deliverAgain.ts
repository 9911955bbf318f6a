import { MessageStorage } from "@effect/cluster/MessageStorage"
import * as ShardId from "@effect/cluster/ShardId"
import { Sharding } from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * The engine marks a message as read, and delivers it again after ten minutes. Meanwhile it is lost where a runner drops
 * it: one that stood still, and goes on before it knows that others have its shards; or one that is still at the end of
 * the run when that is retried. So each runner has the messages of its own shards delivered again. What it is at work on
 * it takes no second time.
 */
export const deliverAgain = (interval: Duration.DurationInput): Layer.Layer<never, never, Sharding | MessageStorage> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const sharding = yield* Sharding
      const messages = yield* MessageStorage
      const shards = Array.from({ length: ShardingConfig.defaults.shardsPerGroup }, (_, index) =>
        ShardId.make("default", index + 1)
      )
      const deliver = Effect.suspend(() => messages.resetShards(shards.filter((shard) => sharding.hasShardId(shard))))
      yield* Effect.ignore(deliver).pipe(Effect.delay(interval), Effect.forever, Effect.forkScoped)
    })
  )
