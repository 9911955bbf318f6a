import { expect, it } from "@effect/vitest"
import { Traces } from "@wield/core"
import { Retention, Runs } from "@wield/cluster"
import { Effect } from "effect"
import { recordSpans } from "../../core/test/recording/Spans.js"
import { layerOf, Shop, temporaryPath } from "./file.js"

const namesOf = (isWanted: boolean) =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const asked = Effect.gen(function* () {
      const { result } = yield* (yield* Shop.client).prompt("shop_1", { promptId: "q1", prompt: "Sell tea" })
      yield* result
      // Until it is known that there is no such run, the table is asked for its end again and again.
      const unknown = (yield* Runs.Runs).result({ entity: "shop", conversation: "shop_1", id: "unknown" })
      yield* Effect.flip(unknown)
      yield* Retention.sweep({ keep: "1 day" })
    }).pipe(Effect.provide(layerOf(path)), Effect.scoped)
    const { spans } = yield* recordSpans(Effect.provideService(asked, Traces.StoreSpans, isWanted))
    return spans.map(({ name }) => name)
  })

it.scopedLive("the statements of a cluster are spans only where they are wanted", () =>
  Effect.gen(function* () {
    const silent = yield* namesOf(false)
    expect(silent.filter((name) => name.startsWith("sql."))).toEqual([])
    const wanted = yield* namesOf(true)
    expect(wanted.filter((name) => name.startsWith("sql."))).not.toEqual([])
  })
)
