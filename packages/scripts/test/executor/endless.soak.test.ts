/** Programs that write without end, which only a limit stops. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ScriptExecutor from "../../src/ScriptExecutor.js"
import { makeScript } from "./scripts.js"

const programs = [
  ["python", "standardOutput", 'def run():\n    while True:\n        print("x" * 100)\n'],
  [
    "python",
    "result",
    'import os\ndef run():\n    with open(os.environ["LLM_OUTPUT"], "w") as f:\n        while True:\n            f.write("x" * 1000)\n'
  ],
  ["javascript", "standardOutput", 'export function run() { for (;;) console.log("x".repeat(100)) }'],
  ["javascript", "standardError", 'export function run() { for (;;) process.stderr.write("x".repeat(100)) }'],
  [
    "javascript",
    "result",
    'import { appendFileSync } from "node:fs"\nexport function run() { for (;;) appendFileSync(process.env.LLM_OUTPUT, "x".repeat(1000)) }'
  ],
  ["typescript", "standardOutput", 'export function run(): void { for (;;) console.log("x".repeat(100)) }'],
  ["bash", "standardOutput", "main() { while :; do echo xxxxxxxxxxxxxxxxxxxxxxx; done; }\n"],
  ["bash", "result", 'main() { yes >>"$LLM_OUTPUT"; }\n']
] as const

it.scopedLive.each(programs)("%s is stopped that writes without end: %s", ([language, written, text]) =>
  Effect.gen(function* () {
    for (const isolation of ["worker", "shared", "process"] as const) {
      const executor = yield* ScriptExecutor.make({
        isolation,
        // Of time there is no limit: what was written has to end the call.
        limits: { output: 1_000_000, time: "1 hour" },
        cache: join(tmpdir(), "no-such-root", "cache")
      })
      const { script, scriptFunction } = makeScript(language, text)
      const error = yield* Effect.flip(executor.run(script, scriptFunction, {}))
      expect(error).toMatchObject({ _tag: "LimitExceeded", limit: "output", written })
    }
  })
)
