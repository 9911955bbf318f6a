import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Cluster } from "@wield/cluster"
import { Effect, Layer, Redacted } from "effect"
import { sized } from "../../../test/sizes.js"
import * as Postgres from "../../../test/postgres/Postgres.js"

it.scopedLive("processes that start together over an empty database make its tables once", () =>
  Effect.repeatN(
    Effect.gen(function* () {
      const { url } = yield* Postgres.Postgres
      const start = Layer.build(
        Layer.provide(
          Layer.fresh(Cluster.layerClient()),
          PgClient.layer({ url: Redacted.make(url), maxConnections: 3 })
        )
      )
      const started = yield* Effect.all(
        [1, 2, 3, 4, 5].map(() => Effect.scoped(start)),
        { concurrency: "unbounded" }
      )
      expect(started).toHaveLength(5)
    }).pipe(Effect.provide(Layer.fresh(Postgres.layer))),
    sized(0, 5)
  )
)
