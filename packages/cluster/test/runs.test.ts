import { Snowflake } from "@effect/cluster/Snowflake"
import { expect, it } from "@effect/vitest"
import { Cluster, Runs } from "@wield/cluster"
import { Effect, Layer } from "effect"
import { temporaryPath } from "./file.js"

const key = { entity: "shop", conversation: "order 12", id: "request 1" }

const begin = Effect.flatMap(Runs.Runs, (runs) =>
  runs.begin(key, { owner: "localhost:34431", request: Snowflake(1n), start: "" })
)
const stuck = Effect.flatMap(Runs.Runs, (runs) => runs.list({ state: "Stuck", patience: 0 }))

it.scopedLive("a run that a killed process had begun over a file is stuck until the next process begins it", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const inProcess = Effect.provide(Layer.fresh(Cluster.layerFile({ path })))
    expect(yield* inProcess(Effect.zipRight(begin, stuck))).toEqual([])
    yield* inProcess(
      Effect.gen(function* () {
        expect(yield* stuck).toMatchObject([{ ...key, state: "Running", deliveries: 1 }])
        yield* begin
        expect(yield* stuck).toEqual([])
      })
    )
  })
)
