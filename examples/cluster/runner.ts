/**
 * A runner among others: it serves the shop's conversations until SIGTERM, and
 * leaves those that go on to another runner.
 *
 *     DATABASE_URL=postgres://… ADDRESS=10.0.0.7:34431 npx tsx examples/cluster/runner.ts
 */
import { hostname } from "node:os"
import { NodeRuntime } from "@effect/platform-node"
import { Cluster, Retention } from "@wield/cluster"
import { Config, Effect, Layer } from "effect"
import { Database, takeover } from "./database.js"
import { ShopLive } from "./shop.js"

const Runner = Layer.unwrapEffect(
  Effect.gen(function* () {
    const address = yield* Config.string("ADDRESS").pipe(Config.withDefault(`${hostname()}:34431`))
    const listen = yield* Config.string("LISTEN").pipe(Config.withDefault(address))
    return Cluster.layerPostgres({ address, listen, takeover })
  })
)

const main = Layer.merge(ShopLive, Retention.layer({ keep: "30 days" })).pipe(
  Layer.provide(Runner),
  Layer.provide(Database)
)

NodeRuntime.runMain(Layer.launch(main))
