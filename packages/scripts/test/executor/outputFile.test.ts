/** What scripts make of `LLM_OUTPUT`, of the folder it is in, and of their cache. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { dirname } from "node:path"
import { shareInFile } from "../shareInFile.js"
import { eventually, makeExecutor } from "./scripts.js"

const usual = shareInFile(makeExecutor({ workers: { size: 1 } }))

const place = 'main() { dirname "$LLM_OUTPUT"; }\n'

/** The folder of the outputs, which is that of all calls of an executor. */
const usualPlace = Effect.flatMap(usual, ({ run }) => Effect.map(run("bash", place, {}, { name: "place" }), String))

const writes = 'main() { echo written > "$LLM_OUTPUT"; }\n'

describe.skipIf(process.platform === "win32")("LLM_OUTPUT (links and pipes: not on Windows)", () => {
  for (const [what, command] of [
    ["a link to another file", 'ln -s /etc/passwd "$LLM_OUTPUT"'],
    ["a link to nothing", 'ln -s /nothing-there "$LLM_OUTPUT"'],
    ["a link to itself", 'ln -s "$LLM_OUTPUT" "$LLM_OUTPUT"'],
    ["a pipe", 'mkfifo "$LLM_OUTPUT"'],
    ["a folder", 'mkdir -p "$LLM_OUTPUT/a/b"; echo text > "$LLM_OUTPUT/a/b/c"']
  ] as const) {
    it.scopedLive(`is no result where the script has made ${what} of it, and is removed`, () =>
      Effect.gen(function* () {
        const { run } = yield* usual
        const folder = yield* usualPlace
        const error = yield* Effect.flip(run("bash", `main() { ${command}; }\n`))
        expect(error).toMatchObject({ _tag: "UnreadableOutput" })
        expect(error.message).toContain("LLM_OUTPUT")
        expect(readdirSync(folder).filter((name) => name.startsWith("output-"))).toEqual([])
      })
    )
  }

  it.scopedLive("is not read where it is larger than a result may be, however little of it was written", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const text = 'main() { truncate -s 10G "$LLM_OUTPUT"; }\n'
      expect(yield* Effect.flip(run("bash", text))).toMatchObject({
        _tag: "LimitExceeded",
        limit: "output",
        written: "result"
      })
    })
  )

  it.scopedLive("has a path that the calls before cannot have written to", () =>
    Effect.gen(function* () {
      const { run } = yield* makeExecutor()
      const text = 'main() { for i in {0..9}; do echo planted > "${LLM_OUTPUT%-*}-$i"; done; }\n'
      expect(yield* run("bash", text)).toBeNull()
      expect(yield* run("bash", "main() { :; }\n", {}, { name: "silent" })).toBeNull()
    })
  )

  it.scopedLive("can be written to after a script has removed its folder", () =>
    Effect.gen(function* () {
      const { run } = yield* makeExecutor()
      expect(yield* run("bash", 'main() { rm -rf "$(dirname "$LLM_OUTPUT")"; }\n')).toBeNull()
      expect(yield* run("bash", writes, {}, { name: "other" })).toBe("written")
    })
  )

  it.scopedLive("is removed when its call is interrupted", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const folder = yield* usualPlace
      const outputs = () => readdirSync(folder).filter((name) => name.startsWith("output-"))
      const fiber = yield* Effect.fork(run("bash", 'main() { echo begun > "$LLM_OUTPUT"; sleep 60; }\n'))
      yield* eventually(() => outputs().length > 0)
      yield* Fiber.interrupt(fiber)
      expect(outputs()).toEqual([])
    })
  )

  it.live("does not keep an executor from being closed, nor its folder from being removed, however deep it is", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { run } = yield* makeExecutor().pipe(Scope.extend(scope))
      const folder = String(yield* run("bash", place))
      const text = `import os\ndef run():\n  path = os.environ['LLM_OUTPUT']\n  os.mkdir(path)\n  os.chdir(path)\n  for _ in range(60):\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)\n`
      expect(yield* Effect.flip(run("python", text))).toMatchObject({ _tag: "UnreadableOutput" })
      expect(Exit.isSuccess(yield* Effect.exit(Scope.close(scope, Exit.void)))).toBe(true)
      expect(existsSync(folder)).toBe(false)
    })
  )

  it.scopedLive("a cache that a tool has removed is there again at its next call", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const text = 'main() { ls -d "$LLM_TOOL_CACHE_DIR"; rm -r "$LLM_TOOL_CACHE_DIR"; }\n'
      const first = yield* run("bash", text)
      expect(yield* run("bash", text)).toBe(first)
      expect(existsSync(dirname(String(first)))).toBe(true)
    })
  )
})
