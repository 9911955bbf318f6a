/** What a run remembers is bounded by its characters, so it may not take much more than these. */
import { expect, it } from "@effect/vitest"
import { ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const heap = Effect.sync(() => {
  collectGarbage()
  return process.memoryUsage().heapUsed
})

it.scoped("a run remembers arguments in little more than their characters", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ name: "note", execute: () => Effect.succeed(null) }])
    // As of programs, which may make the same call again: the guard would read the arguments.
    const run = (yield* ToolRunner.make(toolset, { repeatGuard: false })).forRun({ id: "run" })
    const given = { lines: Array.from({ length: 400 }, (_, line) => ({ text: "word", line })) }
    const call = (id: number) => run.run(ToolCall.make(String(id), "note", given))
    const count = 200
    yield* call(-1)
    const before = yield* heap
    for (let id = 0; id < count; id++) yield* call(id)
    const each = ((yield* heap) - before) / count
    expect(each).toBeLessThan(2 * JSON.stringify(given).length)
  })
)
