import * as ClusterMetrics from "@effect/cluster/ClusterMetrics"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { DeferredCall } from "@wield/agent"
import { Effect, Metric } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { layerOf, Shop, temporaryPath } from "./file.js"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** `WIELD_PAUSED=10000` tries more. */
const count = Number(process.env["WIELD_PAUSED"] ?? 1_000)

const entities = Metric.value(ClusterMetrics.entities.pipe(Metric.tagged("type", "shop")))

/** When no entity is left, in bytes. */
const heapAtRest = Effect.gen(function* () {
  // Entities are counted each second.
  yield* Effect.sleep("3 seconds")
  yield* Effect.repeat(Effect.delay(entities, "100 millis"), { until: ({ value }) => Number(value) === 0 })
  yield* Effect.sync(collectGarbage)
  return process.memoryUsage().heapUsed
})

const pause = (first: number, last: number) =>
  Effect.gen(function* () {
    const shop = yield* Shop.client
    const numbers = Array.from({ length: last - first }, (_, index) => first + index)
    // Nothing of them is kept here.
    yield* Effect.forEach(
      numbers,
      (number) =>
        Effect.gen(function* () {
          const run = yield* shop.prompt(`${number}`, { prompt: `Do ${number}: refund`, promptId: `${number}` })
          expect((yield* run.result)._tag).toBe("Paused")
        }),
      { concurrency: 50, discard: true }
    )
  })

it.scopedLive("conversations that wait for a person hold no memory, and the next version goes on with them", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    yield* Effect.gen(function* () {
      yield* pause(0, 200)
      const before = yield* heapAtRest
      yield* pause(200, 200 + count)
      const grown = (yield* heapAtRest) - before
      expect(grown / count).toBeLessThan(5_000)
      const sql = yield* SqlClient
      const [rows] = yield* sql<{ readonly count: number }>`SELECT
        (SELECT COUNT(*) FROM cluster_messages) + (SELECT COUNT(*) FROM cluster_replies) AS count`
      expect(rows?.count).toBeLessThanOrEqual(2 * (200 + count))
      if (process.env["WIELD_PAUSED"] !== undefined)
        console.log({ conversations: count, bytes: grown, rows: rows?.count })
    }).pipe(Effect.provide(layerOf(path, { idle: "1 second" })))
    const result = yield* Effect.gen(function* () {
      const shop = yield* Shop.client
      const paused = yield* shop.run("200", "200").result
      if (paused._tag !== "Paused") return paused
      return yield* (yield* shop.answer("200", paused.requests.map(DeferredCall.approve))).result
    }).pipe(Effect.provide(layerOf(path, { isNext: true })))
    expect(result).toMatchObject({ _tag: "Finished", output: "Done: Do 200: refund" })
  })
)
