import { expect, it } from "@effect/vitest"
import * as FileStore from "@wield/agent/FileStore"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { Effects as Table } from "../../../../test/kill/Effects.js"
import { bundleOf } from "../../../../test/programs.js"
import { sized } from "../../../../test/sizes.js"
import { orderOf, temporaryFolder, verdict } from "./cluster.js"
import { type Config, type Point, points } from "./config.js"
import { startRunner } from "./processes.js"

it.scopedLive("a process over a file that is killed loses and doubles nothing", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const file = yield* bundleOf(new URL("runner.ts", import.meta.url))
    const path = join(folder, "cluster.db")
    const effects = join(folder, "effects.db")
    const orders = [orderOf("one", "pay / reserve, pay"), orderOf("two", "pay / refund")]
    const config: Config = { store: { _tag: "File", path }, effects, approval: "inline", pace: 1, prompts: orders }
    const killedAt = sized<ReadonlyArray<Point>>(["handler: after the effect"], points)
    for (const point of killedAt) {
      const runner = yield* startRunner(file, { ...config, stop: { point, time: 1 } })
      if (yield* runner.reached) yield* runner.signal("SIGKILL")
      yield* runner.gone
    }
    const last = yield* startRunner(file, config)
    expect((yield* last.gone).results).toMatchObject({ results: [{ ending: "Finished" }, { ending: "Finished" }] })
    const { uncertain, violations } = yield* Effect.provide(
      verdict(orders),
      Layer.merge(FileStore.layer({ path }), Table.layer(effects))
    )
    expect(violations).toEqual([])
    // A payment had happened, and its end was not recorded.
    expect(uncertain).toBeGreaterThan(0)
  })
)
