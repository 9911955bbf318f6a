import { assert, describe, it } from "@effect/vitest"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { ToolCall, ToolRunner } from "@wield/core"
import { FunctionFile, ScriptExecutor } from "@wield/scripts"
import { Effect, FastCheck } from "effect"
import { hasPython, source, userFunctions, withoutPython } from "./fixtures.js"
import { runs } from "../../../../test/sizes.js"

const json = FastCheck.jsonValue({ maxDepth: 3 })

describe.skipIf(!hasPython)(`Function files that are run${withoutPython}`, () => {
  it.scopedLive("receive what was sent", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const made = yield* ScriptExecutor.make({
        cache: yield* files.makeTempDirectoryScoped(),
        limits: { time: "2 minutes" }
      })
      const file = yield* FunctionFile.load(source(`${userFunctions}/misbehaving.py`), { executor: made })
      const all = yield* ToolRunner.make(yield* FunctionFile.toToolset([file], { executor: made }))
      const special = ["", "-x", "$(id)", "`", "\\", '"', "'", "a\nb\r\n", "\u0000", "é😀", "x".repeat(5_000_000)]
      const values = [
        ...special,
        ...FastCheck.sample(json, { numRuns: runs(50), seed: 4 }),
        ...special.map((key) => ({ [key.slice(0, 9)]: [key.slice(0, 9)] }))
      ]
      yield* Effect.forEach(values, (value, index) =>
        Effect.map(all.run(ToolCall.make(`${index}`, "echo", { value })), (outcome) => {
          assert.strictEqual(outcome._tag, "Success")
          const encoded = outcome._tag === "Success" ? outcome.encoded : undefined
          assert.deepStrictEqual(
            typeof encoded === "string" ? (JSON.parse(encoded) as unknown) : encoded,
            JSON.parse(JSON.stringify({ value }))
          )
        })
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
