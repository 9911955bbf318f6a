/** What scripts may do to Wield, and to what is not theirs. */
import { describe, expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { makeExecutor, makeScript } from "./scripts.js"

const greets = {
  python: "def run(value):\n  return 'hello'\n",
  javascript: "export function run(value) { return 'hello' }\n",
  bash: "main() { echo hello; }\n"
} as const

/** A process that has nothing to do with Wield; gives whether it is still there. */
const bystander = Effect.acquireRelease(
  Effect.sync(() => {
    const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" })
    return { pid: child.pid ?? 0, isAlive: () => child.exitCode === null && child.signalCode === null, child }
  }),
  ({ child }) =>
    Effect.promise(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill("SIGKILL")
      await once(child, "exit")
    })
)

describe.skipIf(process.platform !== "linux")(
  "what hostile scripts do (processes are looked up in /proc: Linux)",
  () => {
    it.scopedLive("a script that says ready with the number of another process does not have it killed", () =>
      Effect.gen(function* () {
        const { isAlive, pid } = yield* bystander
        const { run } = yield* makeExecutor({ limits: { time: "2 seconds" }, workers: { size: 1 } })
        const forged = `import os, signal, time
def run(pid):
  signal.signal(signal.SIGIO, signal.SIG_IGN)
  os.write(4, b'{"type":"value","value":1,"isMarked":false}\\n{"type":"ready","pid":%d}\\n' % pid)
  time.sleep(5)
`
        expect(yield* run("python", forged, { pid })).toBe(1)
        expect(yield* Effect.flip(run("python", forged, { pid }))).toMatchObject({
          _tag: "LimitExceeded",
          limit: "time"
        })
        yield* Effect.sleep("50 millis")
        expect(isAlive()).toBe(true)
      })
    )

    it.scopedLive("a script that stops its interpreter does not keep the next call waiting for ever", () =>
      Effect.gen(function* () {
        const { run } = yield* makeExecutor({ limits: { loading: "4 seconds" }, workers: { size: 1 } })
        const stops = "import os, signal\ndef run():\n  os.kill(os.getppid(), signal.SIGSTOP)\n  return 'stopped'\n"
        expect(yield* run("python", stops)).toBe("stopped")
        expect(yield* run("python", stops)).toBe("stopped")
      })
    )

    it.scopedLive("a script that floods descriptor 4 while it is loaded does not fill the memory of the program", () =>
      Effect.gen(function* () {
        const { run } = yield* makeExecutor({ limits: { loading: "2 minutes" } })
        const floods = "import os\nwhile True: os.write(4, b'x' * 65536)\ndef run(): pass\n"
        const error = yield* Effect.flip(run("python", floods))
        expect(error).toMatchObject({ _tag: "ScriptNotStarted", reason: "internal" })
        expect(error.message).toContain("descriptor 4")
      })
    )

    for (const language of ["python", "javascript", "bash"] as const) {
      it.scopedLive(`arguments that nest too deeply to be written are refused in ${language}, and are no defect`, () =>
        Effect.gen(function* () {
          const { executor, tools } = yield* makeExecutor()
          const { script, scriptFunction } = makeScript(language, greets[language], {
            folder: tools,
            parameters: ["value"]
          })
          let value: Json.Json = 1
          for (let depth = 0; depth < 20_000; depth++) value = [value]
          const error = yield* Effect.flip(executor.run(script, scriptFunction, { value }))
          expect(error).toMatchObject({ _tag: "ScriptNotStarted", reason: "argument" })
          expect(error.message).toContain("nested too deeply")
          expect(yield* executor.run(script, scriptFunction, { value: 1 })).toBe("hello")
        })
      )
    }

    it.scopedLive("a script that closes descriptor 4 fails, and what it opens in its place is not written to", () =>
      Effect.gen(function* () {
        const { run, tools } = yield* makeExecutor({ limits: { time: "2 minutes" } })
        const scripts = {
          python:
            "import os\ndef run(file):\n  os.closerange(3, 64)\n  kept = [open(file, 'w') for _ in range(3)]\n  return 'lost'\n",
          javascript:
            "import fs from 'node:fs'\nexport function run(file) { fs.closeSync(4); fs.openSync(file, 'w'); return 'lost' }\n"
        }
        for (const language of ["python", "javascript"] as const) {
          const file = join(tools, `${language}.txt`)
          const error = yield* Effect.flip(run(language, scripts[language], { file }))
          expect(error._tag).toBe("ScriptExited")
          expect(readFileSync(file, "utf8")).toBe("")
        }
      })
    )

    for (const descriptor of [1, 2, 3]) {
      for (const isolation of ["worker", "shared"] as const) {
        it.scopedLive(
          `JavaScript that closes descriptor ${descriptor} does not keep the next call waiting (${isolation})`,
          () =>
            Effect.gen(function* () {
              const { run } = yield* makeExecutor({ isolation, limits: { time: "2 minutes" }, workers: { size: 1 } })
              const closes = `import fs from 'node:fs'\nexport function run() { fs.closeSync(${descriptor}); return process.pid }\n`
              const first = yield* run("javascript", closes)
              expect(yield* run("javascript", closes)).not.toBe(first)
            })
        )
      }
    }

    it.scopedLive("JavaScript that takes from the language what answering needs fails, and has not given null", () =>
      Effect.gen(function* () {
        const { run } = yield* makeExecutor()
        const error = yield* Effect.flip(
          run("javascript", "export function run() { delete Array.prototype[Symbol.iterator]; return { a: 1 } }\n")
        )
        expect(error).toMatchObject({ _tag: "ScriptExited", signal: "SIGKILL" })
        const says = "export function run() { JSON.stringify = () => 'other'; return { a: 1 } }\n"
        expect(yield* run("javascript", says)).toEqual({ a: 1 })
      })
    )

    for (const language of ["python", "javascript"] as const) {
      it.scopedLive(`a result of ${language} is not lost where the streams were closed and the program ends`, () =>
        Effect.gen(function* () {
          const { run } = yield* makeExecutor({ isolation: "process" })
          const closes = {
            python: "import os\ndef run():\n  os.close(1)\n  return 'kept'\n",
            javascript: "import fs from 'node:fs'\nexport function run() { fs.closeSync(1); return 'kept' }\n"
          }
          expect(yield* run(language, closes[language])).toBe("kept")
        })
      )
    }
  }
)
