/**
 * A conversation that goes on whatever process dies. Its first process closes
 * while a refund waits for a person; the next one takes the answer. runner.ts is
 * the same shop over Postgres, and machines.ts shows three of them.
 */
import * as assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DeferredCall } from "@wield/agent"
import { Cluster, Runs } from "@wield/cluster"
import { Effect, Layer, Logger, LogLevel, Stream } from "effect"
import { refunds, Shop, ShopLive } from "./shop.js"

const folder = mkdtempSync(join(tmpdir(), "wield-cluster-"))
const context = { customerId: "ada" }

/** As a process of its own has it: the cluster opens with it, and closes with it. */
const inProcess = <A, E>(effect: Effect.Effect<A, E, Layer.Layer.Success<typeof live>>) =>
  Effect.runPromise(effect.pipe(Effect.provide(live), Logger.withMinimumLogLevel(LogLevel.Warning)))
const live = Layer.provideMerge(ShopLive, Cluster.layerFile({ path: join(folder, "shop.db") }))

const requests = await inProcess(
  Effect.gen(function* () {
    const shop = yield* Shop.client
    const prompt = { prompt: "I want my money back.", promptId: "request 1", context }
    const run = yield* shop.prompt("order 12", prompt)
    yield* Stream.runForEach(run.events, ({ _tag }) => Effect.sync(() => console.log("Seen:                  ", _tag)))
    const result = yield* run.result
    assert.ok(result._tag === "Paused")
    console.log("It waits for a person: ", result.requests[0]?.name, result.requests[0]?.arguments)
    // Sent again, it is the same run: nothing happens twice.
    assert.deepEqual(yield* (yield* shop.prompt("order 12", prompt)).result, result)
    return result.requests
  })
)
assert.deepEqual(refunds, [])

// Hours later, in a process that knows nothing of the first.
await inProcess(
  Effect.gen(function* () {
    const shop = yield* Shop.client
    const answers = requests.map(DeferredCall.approve)
    const result = yield* (yield* shop.answer("order 12", answers, { context })).result
    assert.ok(result._tag === "Finished")
    console.log("The next process says: ", result.output)
    // Delivered twice, an answer is taken once.
    assert.deepEqual(yield* (yield* shop.answer("order 12", answers, { context })).result, result)
    const runs = yield* Effect.flatMap(Runs.Runs, ({ list }) => list())
    console.log("Runs of the cluster:   ", runs.map(({ id, state }) => `${id.slice(0, 9)} ${state}`).join(", "))
  })
)
assert.deepEqual(refunds, [30])
rmSync(folder, { recursive: true })
