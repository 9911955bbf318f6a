/** With which interpreters scripts run, and how their processes are reached. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { folderOf, serve, value } from "./driver.js"

describe("interpreters", () => {
  it.scoped("are given the flags of the script's first line", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: {
          "tool.ts": `#!/usr/bin/env -S node --max-old-space-size=200
            import { getHeapStatistics } from "node:v8"
            export const run = () => getHeapStatistics().heap_size_limit < 300e6`
        },
        flags: ["--max-old-space-size=200"]
      })
      const { reply } = yield* served.call()
      expect(reply).toEqual(value(true))
    })
  )

  it.scoped("are this Node where a script names tsx, which would start Node once more", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: { "tool.ts": `#!/usr/bin/env tsx\nenum Kind { one = 1 }\nexport const run = () => Kind.one` },
        command: "/usr/bin/tsx"
      })
      const { reply } = yield* served.call()
      expect(reply).toEqual(value(1))
    })
  )

  // Node under Bun's name: that Bun takes these arguments and reads these descriptors is not shown here.
  for (const mode of ["reset", "keep"] as const) {
    it.scoped(`that compile for themselves import the file as it is (${mode === "reset" ? "once" : mode})`, () =>
      Effect.gen(function* () {
        const folder = yield* folderOf({})
        symlinkSync(process.execPath, join(folder, "bun"))
        const served = yield* serve({
          files: {
            "tool.mjs": `import { next } from "./counter.mjs"; export const run = (text) => [text, next()]`,
            "counter.mjs": `let count = 0; export const next = () => ++count`
          },
          scripts: ["tool.mjs"],
          functions: [{ parameters: ["text"] }],
          command: join(folder, "bun"),
          flags: ["--no-warnings"],
          mode: mode === "reset" ? "once" : mode
        })
        const first = yield* served.call({ arguments: { text: "a" } })
        expect(first.reply).toEqual(value(["a", 1]))
        if (mode === "reset") return yield* served.ended
        const second = yield* served.call({ arguments: { text: "b" } })
        expect(second.reply).toEqual(value(["b", 2]))
      })
    )
  }

  it.scoped("that compile for themselves do not run a file that has changed since it was read", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({})
      symlinkSync(process.execPath, join(folder, "bun"))
      const served = yield* serve({
        files: { "tool.mjs": `export const run = () => "new"` },
        texts: { "tool.mjs": `export const run = () => "old"` },
        scripts: ["tool.mjs"],
        command: join(folder, "bun"),
        flags: ["--no-warnings"],
        mode: "once"
      })
      const { reply } = yield* served.call()
      expect(reply).toMatchObject({ type: "failed", error: "ChangedFile" })
    })
  )
})

describe("a loop without end", () => {
  it.scoped("is ended with the process that ready has named", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: { "tool.ts": `export const run = () => { console.log("begun"); for (;;) {} }` }
      })
      yield* Effect.fork(served.call())
      yield* Effect.yieldNow()
      expect(served.readyPid).toBe(served.pid)
      process.kill(served.readyPid, "SIGKILL")
      expect(yield* served.ended).toEqual({ code: null, signal: "SIGKILL" })
    })
  )
})
