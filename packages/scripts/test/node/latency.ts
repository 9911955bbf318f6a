/**
 * Prints what a call costs over its function's own time, from the message to
 * the answer and to the next `ready`: `npx tsx packages/scripts/test/node/latency.ts`.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { spawn } from "node:child_process"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { nodeProgram } from "../../src/javascript/program.js"
import type { Mode } from "../../src/worker/Program.js"
import { Lines } from "@wield/process"
import { folderOf, toolFunction } from "./driver.js"

const text = `export const run = (a: string, b: number) => ({ a, b })`

const measure = (mode: Mode, calls: number) =>
  Effect.gen(function* () {
    const folder = yield* folderOf({ "tool.ts": text })
    const file = join(folder, "tool.ts")
    const functions = [toolFunction({ parameters: ["a", "b"] })]
    const scripts = [{ file, text, functions }]
    const program = yield* nodeProgram({
      command: process.execPath,
      arguments: [],
      mode,
      kind: "script",
      config: null,
      scripts
    })
    const answered: Array<number> = []
    const ready: Array<number> = []
    let begun = performance.now()
    const child = spawn(program.command, program.arguments, { stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"] })
    // With `pipe` for all of them, each is a stream.
    const [, output, error, told, said] = child.stdio as unknown as [null, Readable, Readable, Writable, Readable]
    output.resume()
    error.resume()
    yield* Effect.async<void>((resume) => {
      const lines = Lines.make((line) => {
        const isReady = line.startsWith(`{"type":"ready"`)
        if (!isReady) answered.push(performance.now() - begun)
        else if (answered.length > 0) ready.push(performance.now() - begun)
        if (answered.length === calls && (isReady || mode === "once")) return resume(Effect.void)
        if (!isReady) return
        // A process for one call is part of what the call costs.
        if (mode !== "once") begun = performance.now()
        const call = { file, entry: "run", arguments: { a: "x", b: 1 }, environment: { LLM_OUTPUT: "/dev/null" } }
        told.write(Either.getOrThrow(program.encodeCall({ ...call, marker: `marker-${answered.length}` })))
      })
      said.on("data", (chunk: Buffer) => lines.push(chunk))
      told.write(program.load)
    })
    child.kill("SIGKILL")
    return { answered, ready }
  }).pipe(Effect.scoped)

/** The second half: the first one warms up. */
const figures = (times: ReadonlyArray<number>): string => {
  const sorted = times.slice(times.length > 1 ? times.length / 2 : 0).toSorted((one, other) => one - other)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(3)
  return `min ${at(0)} ms, median ${at(0.5)} ms`
}

for (const mode of ["reset", "keep"] as const) {
  const { answered, ready } = await Effect.runPromise(measure(mode, 5000))
  console.log(`${mode}: answer ${figures(answered)}; until ready ${figures(ready)}`)
}
const once: Array<number> = []
for (let index = 0; index < 20; index++) once.push(...(await Effect.runPromise(measure("once", 1))).answered)
console.log(`once: ${figures(once)}`)
