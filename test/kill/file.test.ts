import { describe, expect, it } from "@effect/vitest"
import * as FileStore from "@wield/agent/FileStore"
import { Effect } from "effect"
import { join } from "node:path"
import { sized } from "../sizes.js"
import { killed, type Lane } from "./lanes.js"

const inFiles = (...lanes: ReadonlyArray<Lane>) =>
  killed(lanes, (folder, seed) => {
    const path = join(folder, `${seed}.db`)
    return { config: { _tag: "File", path }, layer: FileStore.layer({ path }) }
  })

describe("Conversations in a file", () => {
  it.scopedLive("lose and repeat nothing when their process is killed again and again", () =>
    Effect.gen(function* () {
      const kills = sized(3, 10)
      const seeds = sized(["one"], ["one", "two"])
      const { moments, uncertain, violations } = yield* inFiles(
        ...seeds.map((seed): Lane => ({ seed, kills, approval: "inline" }))
      )
      expect(violations).toEqual([])
      expect(moments).toHaveLength(seeds.length * kills)
      // Otherwise no process was killed while a call was being handled.
      expect(uncertain).not.toEqual([])
    })
  )
})
