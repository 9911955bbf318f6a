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
  it.scopedLive("that pause are gone on with by other processes, some of which are killed meanwhile", () =>
    Effect.gen(function* () {
      const { uncertain, violations } = yield* inFiles(
        { seed: "paused one", kills: 8, approval: "pause" },
        { seed: "paused two", kills: 8, approval: "pause" }
      )
      expect(violations).toEqual([])
      // Otherwise no process was killed while an approved call was being handled.
      expect(uncertain.filter(({ tool }) => tool === "refund")).not.toEqual([])
    })
  )
})
