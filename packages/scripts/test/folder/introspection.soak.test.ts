import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { bundleOf } from "../../../../test/programs.js"

it.live("loads the compiler of TypeScript with the first file that needs it", () =>
  Effect.gen(function* () {
    const program = yield* bundleOf(new URL("loadedCompiler.ts", import.meta.url))
    // As in the short form of this test.
    const loaded = execFileSync(process.execPath, ["--liftoff-only", program, "a.py", "a.sh", "a.js"], {
      encoding: "utf8"
    })
    expect(JSON.parse(loaded)).toEqual([false, false, true])
  })
)
