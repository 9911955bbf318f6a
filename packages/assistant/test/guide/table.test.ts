import { describe, expect, layer } from "@effect/vitest"
import { ToolRunner, Toolset } from "@wield/core"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { databases } from "../databases/databases.js"
import { everything, layerEverything } from "../toolkits/everything.js"
import { rowsOf } from "./rows.js"

const guide = new URL("../../../../docs/assistant.md", import.meta.url)

const layers = Layer.provideMerge(
  layerEverything({ documents: () => tmpdir(), code: tmpdir() }),
  databases[0]?.client ?? Layer.die("there is no database")
)

describe("the table of the guide", () => {
  layer(layers)((it) => {
    it.effect("has every tool with its parameters, facts and failures, and no other", () =>
      Effect.gen(function* () {
        const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(everything))
        const rows = rowsOf(yield* runner.definitions)
        const told = readFileSync(guide, "utf8")
          .split("\n")
          .filter((line) => /^\| +`\w+Toolkit` /.test(line))
          // As wide as the formatter makes them.
          .map((line) => line.replace(/ +/g, " "))
        expect(told.sort()).toEqual([...rows].sort())
      })
    )
  })
})
