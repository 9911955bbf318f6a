import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { Effect } from "effect"
import type { ExecutionOptions } from "../../src/ExecutionOptions.js"
import * as Introspection from "../../src/Introspection.js"
import * as ScriptExecutor from "../../src/ScriptExecutor.js"
import { fixture, temporaryFolder } from "./driver.js"

/** A script introspected and run as a folder's is. */
const runner = (text: string, options: ExecutionOptions = {}) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const file = join(folder, "tool.sh")
    writeFileSync(file, text)
    const { introspect } = yield* Introspection.make
    const script = yield* introspect({ file, text })
    const executor = yield* ScriptExecutor.make({ root: folder, ...options })
    const [scriptFunction] = script.functions
    if (scriptFunction === undefined) return yield* Effect.dieMessage("no function")
    return (parameters: Json.JsonObject) => executor.run(script, scriptFunction, parameters)
  })

for (const isolation of ["worker", "process", "shared"] as const) {
  it.scopedLive(`the demo tool answers what it wrote to LLM_OUTPUT (${isolation})`, () =>
    Effect.gen(function* () {
      const run = yield* runner(fixture("demo_sh.sh"), { isolation })
      for (const text of ["a", "two\nlines $(id) é"]) {
        const result = yield* run({ string: text, string_enum: "foo", integer: 1, number: 2.5, array: ["x", "y"] })
        expect(result).toContain(`string: ${text}\nstring_enum: foo\nboolean: 0\ninteger: 1\nnumber: 2.5\narray: x y\n`)
        expect(result).toContain("LLM_TOOL_NAME=tool")
      }
    })
  )

  it.scopedLive(`what is printed is the result, as JSON where it is some (${isolation})`, () =>
    Effect.gen(function* () {
      const run = yield* runner(
        '# @describe A tool.\n# @option --json!\nmain() { printf "%s" "$argc_json"; }\neval "$(argc --argc-eval "$0" "$@")"\n',
        { isolation }
      )
      expect(yield* run({ json: '{"a":[1,null]}' })).toEqual({ a: [1, null] })
      expect(yield* run({ json: "plain" })).toBe("plain")
      const long = `${"'é\n".repeat(1_000_000)}.`
      expect(yield* run({ json: long })).toBe(long)
    })
  )
}

it.scopedLive("a failing script and an argument that Bash cannot hold are typed failures", () =>
  Effect.gen(function* () {
    const run = yield* runner("# @describe A tool.\n# @option --city!\nmain() { echo wrong >&2; return 7; }\n")
    expect(yield* Effect.flip(run({ city: "x" }))).toMatchObject({
      _tag: "ScriptExited",
      exitCode: 7,
      standardError: "wrong"
    })
    expect(yield* Effect.flip(run({ city: "\0" }))).toMatchObject({ _tag: "ScriptNotStarted", reason: "argument" })
    expect(yield* Effect.flip(run({ city: "x" }))).toMatchObject({ exitCode: 7 })
  })
)
