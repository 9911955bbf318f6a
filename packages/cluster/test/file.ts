/** A cluster of this process over a file, with the shop. */
import { Sharding } from "@effect/cluster/Sharding"
import { AgentEntity, Cluster } from "@wield/cluster"
import { Context, Deferred, type Duration, Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effects, makeAgent, type ShopOptions } from "./shop.js"

export const Shop = AgentEntity.make("shop")

/** What the tools did. */
export class Happened extends Context.Tag("test/cluster/Happened")<Happened, Array<string>>() {}

export const temporaryPath = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-cluster-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "cluster.db")
)

/** When the conversation of a process that closes is left to another one, which its watch has found at its last look. */
export const watchHandOver = Effect.map(Deferred.make<void>(), (left) => ({
  before: Layer.effect(
    Sharding,
    Effect.map(Sharding, (sharding) => {
      let looks = 0
      const hasShardId: typeof sharding.hasShardId = (shard) => {
        const isHere = sharding.hasShardId(shard)
        if (!isHere && ++looks === 2) Deferred.unsafeDone(left, Effect.void)
        return isHere
      }
      return { ...sharding, hasShardId }
    })
  ),
  left: Deferred.await(left)
}))

export const layerOf = (
  path: string,
  options: ShopOptions & {
    /** What a tool does beside its effect. */
    readonly during?: (tool: string, item: string) => Effect.Effect<void>
    readonly happened?: Array<string>
    /** What stands before the services of the cluster. */
    readonly before?: Layer.Layer<never, never, Cluster.Services>
    readonly idle?: Duration.DurationInput
    readonly grace?: Duration.DurationInput
  } = {}
) => {
  const { before = Layer.empty, during, grace, happened = [], idle, ...shop } = options
  const effects = Layer.succeed(Effects, {
    happen: (tool, item) =>
      Effect.zipRight(
        Effect.sync(() => void happened.push(`${tool} ${item}`)),
        during?.(tool, item) ?? Effect.void
      )
  })
  return Shop.toLayer(makeAgent(shop)).pipe(
    Layer.provide(effects),
    Layer.provideMerge(Layer.succeed(Happened, happened)),
    Layer.provide(before),
    Layer.provideMerge(Cluster.layerFile({ path, synchronous: "normal", idle, grace }))
  )
}
