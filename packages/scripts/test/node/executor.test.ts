/** A script from its source to its result, through what users call. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as Introspection from "../../src/Introspection.js"
import * as ScriptExecutor from "../../src/ScriptExecutor.js"
import { folderOf } from "./driver.js"

const text = `
type Unit = "C" | "F" | null
/**
 * Tells the weather.
 * @param city - Where.
 * @param unit - In what.
 * @param days - How many.
 */
export async function run(city: string, unit: Unit, days: number = 3) {
  console.log("asked")
  counted++
  return { city, unit, days, counted, tool: process.env.LLM_TOOL_NAME }
}
let counted = 0
`

describe("a TypeScript file", () => {
  for (const isolation of ["worker", "process", "shared"] as const) {
    it.live(`is called with its arguments, with isolation "${isolation}"`, () =>
      Effect.gen(function* () {
        const folder = yield* folderOf({ "weather.ts": text })
        const script = yield* Introspection.introspect({ file: join(folder, "weather.ts"), text, kind: "tool" })
        const executor = yield* ScriptExecutor.make({ isolation, root: folder, workers: { size: 1 } })
        const run = script.functions[0]
        if (run === undefined) return yield* Effect.dieMessage("no function was found")
        const result = { city: "Rome", unit: null, days: 3, counted: 1, tool: "weather" }
        expect(yield* executor.run(script, run, { city: "Rome" })).toEqual(result)
        expect(yield* executor.run(script, run, { city: "Rome", unit: "F", days: 1 })).toEqual({
          ...result,
          unit: "F",
          days: 1,
          counted: isolation === "shared" ? 2 : 1
        })
      }).pipe(Effect.scoped)
    )
  }
})
