import { describe, expect, it } from "@effect/vitest"
import * as FileStore from "@wield/agent/FileStore"
import { Effect } from "effect"
import { join } from "node:path"
import { killed, type Lane } from "./lanes.js"

const inFiles = (...lanes: ReadonlyArray<Lane>) =>
  killed(lanes, (folder, seed) => {
    const path = join(folder, `${seed}.db`)
    return { config: { _tag: "File", path }, layer: FileStore.layer({ path }) }
  })

describe("Conversations in a file", () => {
  it.scopedLive(
    "lose and repeat nothing when their process is killed at each of 50 moments",
    () =>
      Effect.gen(function* () {
        const { moments, uncertain, violations } = yield* inFiles(
          { seed: "one", kills: 25, approval: "inline" },
          { seed: "two", kills: 25, approval: "inline" }
        )
        expect(violations).toEqual([])
        expect(moments).toHaveLength(50)
        // Otherwise no process was killed while a call was being handled.
        expect(uncertain).not.toEqual([])
      }),
    180_000
  )

  it.scopedLive(
    "that pause are gone on with by other processes, some of which are killed meanwhile",
    () =>
      Effect.gen(function* () {
        const { uncertain, violations } = yield* inFiles(
          { seed: "paused one", kills: 10, approval: "pause" },
          { seed: "paused two", kills: 10, approval: "pause" }
        )
        expect(violations).toEqual([])
        // Otherwise no process was killed while an approved call was being handled.
        expect(uncertain.filter(({ tool }) => tool === "refund")).not.toEqual([])
      }),
    180_000
  )
})
