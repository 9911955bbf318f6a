import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { Effect } from "effect"
import type { ExecutionOptions } from "../../src/ExecutionOptions.js"
import * as Introspection from "../../src/Introspection.js"
import * as ScriptExecutor from "../../src/ScriptExecutor.js"
import { sized } from "../../../../test/sizes.js"
import { shareInFile } from "../shareInFile.js"
import { fixture, temporaryFolder } from "./driver.js"

/** What a folder with one script makes of its text. */
const readScript = (text: string) =>
  Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "tool.sh")
    writeFileSync(file, text)
    const script = yield* read({ file, text })
    const [scriptFunction] = script.functions
    return scriptFunction === undefined ? yield* Effect.dieMessage("no function") : { script, scriptFunction }
  })

const read = (source: Introspection.Source) => Effect.flatMap(introspection, ({ introspect }) => introspect(source))

const introspection = shareInFile(Introspection.make)

const makeExecutor = (options: ExecutionOptions = {}) =>
  Effect.flatMap(temporaryFolder, (root) => ScriptExecutor.make({ root, ...options }))

const executors = {
  worker: shareInFile(makeExecutor({ limits: { time: "2 minutes" } })),
  process: shareInFile(makeExecutor({ isolation: "process" })),
  shared: shareInFile(makeExecutor({ isolation: "shared" }))
}

/** A script introspected and run as a folder's is. */
const runner = (text: string, executor: Effect.Effect<ScriptExecutor.ScriptExecutor> = executors.worker) =>
  Effect.gen(function* () {
    const { script, scriptFunction } = yield* readScript(text)
    const { run } = yield* executor
    return (parameters: Json.JsonObject) => run(script, scriptFunction, parameters)
  })

for (const isolation of sized(["worker", "process"] as const, ["worker", "process", "shared"] as const)) {
  it.scopedLive(`the demo tool answers what it wrote to LLM_OUTPUT (${isolation})`, () =>
    Effect.gen(function* () {
      const run = yield* runner(fixture("demo_sh.sh"), executors[isolation])
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
        executors[isolation]
      )
      expect(yield* run({ json: '{"a":[1,null]}' })).toEqual({ a: [1, null] })
      expect(yield* run({ json: "plain" })).toBe("plain")
      const long = `${"'é\n".repeat(sized(50_000, 1_000_000))}.`
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

it.scopedLive("a background loop without end, in a script that may start its function yet, ends with the call", () =>
  Effect.gen(function* () {
    const pid = join(yield* temporaryFolder, "pid")
    const loop = `while :; do echo "$BASHPID" >${JSON.stringify(pid)}; sleep 0.05; done &`
    const executor = yield* makeExecutor({ limits: { time: "1 second" } })
    for (const last of sized(["exit 0"], ["exit 0", "true", "disown"])) {
      const text = `# @describe A tool.\nmain() { :; }\n${loop}\n${last}\n`
      const run = yield* runner(text, Effect.succeed(executor))
      expect(yield* Effect.flip(run({}))).toMatchObject({ _tag: "LimitExceeded", limit: "time" })
      // What only waits to be reaped has none.
      expect(existsSync(`/proc/${readFileSync(pid, "utf8").trim()}/exe`)).toBe(false)
    }
  })
)

it.scopedLive("what Bash cannot hold is refused, also in maps, and the next call is served", () =>
  Effect.gen(function* () {
    const text = "# @describe A tool.\n# @option --map%\n# @option --list*\nmain() { echo served; }\n"
    const run = yield* runner(text)
    const refused: ReadonlyArray<readonly [Json.JsonObject, string]> = [
      [{ map: { key: "a\0b" } }, "map has a NUL character"],
      [{ map: { "a\0b": "value" } }, "map has a NUL character"],
      [{ map: { "": "value" } }, "map has an empty key"],
      [{ map: { key: "\ud800" } }, "map has half of a surrogate pair"],
      [{ list: ["a", "\udc00b"] }, "list has half of a surrogate pair"]
    ]
    for (const [parameters, message] of refused) {
      const error = yield* Effect.flip(run(parameters))
      expect(error).toMatchObject({ _tag: "ScriptNotStarted", reason: "argument" })
      expect(error.message).toContain(message)
    }
    expect(yield* run({ map: { "😀 ]$(id)": "é" }, list: [["\0"]] })).toBe("served")
  })
)

it.scopedLive("a parameter that has the name of what every object has is absent unless it is given", () =>
  Effect.gen(function* () {
    const text =
      '# @describe A tool.\n# @option --constructor=initial\n# @option --__proto__\nmain() { echo "$argc_constructor ${argc___proto__-unset}"; }\n'
    const run = yield* runner(text)
    expect(yield* run({})).toBe("initial unset")
    expect(yield* run({ constructor: "given", ["__proto__"]: "too" })).toBe("given too")
  })
)
