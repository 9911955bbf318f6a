import { expect, it } from "@effect/vitest"
import { Problem } from "@wield/core"
import { Introspection } from "@wield/scripts"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { bundleOf } from "../../../../test/programs.js"
import { javascript, python } from "./folders.js"

it.live("does not load the compiler of TypeScript for scripts of other languages", () =>
  Effect.gen(function* () {
    const program = yield* bundleOf(new URL("loadedCompiler.ts", import.meta.url))
    // Most of the time would go into making the grammar of Bash fast, which is read once.
    const loaded = execFileSync(process.execPath, ["--liftoff-only", program, "a.py", "a.sh"], { encoding: "utf8" })
    expect(JSON.parse(loaded)).toEqual([false, false])
  })
)

it.effect("takes a script's language, name and interpreter from its name and first line", () =>
  Effect.gen(function* () {
    const { introspect } = yield* Introspection.make
    const first = "#!/usr/bin/env -S python3 -O\n"
    const script = yield* introspect({
      file: "some/Get-Weather.PY",
      text: `\uFEFF${first}${python("Weather", "name")}`
    })
    expect(script).toMatchObject({
      file: "some/Get-Weather.PY",
      language: "python",
      shebang: ["/usr/bin/env", "-S", "python3", "-O"],
      text: `${first}${python("Weather", "name")}`
    })
    expect(script.functions.map(({ entry, name, place }) => [entry, name, place.line])).toStrictEqual([
      ["run", "get_weather", 2]
    ])
    const windows = yield* introspect({ file: "a.sh", text: "#!/bin/bash -e\r\n# @describe A\r\nmain() { :; }\r\n" })
    expect(windows.shebang).toStrictEqual(["/bin/bash", "-e"])
    expect(windows.text).not.toContain("\r")
    expect(windows.problems.map(({ rule, severity }) => `${severity} ${rule}`)).toStrictEqual(["warning crlf"])
  })
)

it.effect("takes a file `tools` for an agent's, unless it is told what it is", () =>
  Effect.gen(function* () {
    const { introspect } = yield* Introspection.make
    const text = "/** Runs */\nexport function run() {}\n/** Goes */\nexport function go() {}\n"
    const namesOf = (source: Introspection.Source) =>
      Effect.map(introspect(source), ({ functions }) => functions.map(({ name }) => name))
    expect(yield* namesOf({ file: "agent/tools.ts", text })).toStrictEqual(["run", "go"])
    expect(yield* namesOf({ file: "agent/tools.ts", text, kind: "tool" })).toStrictEqual(["tools"])
    expect(yield* namesOf({ file: "tool.ts", text })).toStrictEqual(["tool"])
    expect(yield* namesOf({ file: "tool.ts", text, kind: "agent" })).toStrictEqual(["run", "go"])
  })
)

it.effect("fails with all that is wrong with a file, each with its place", () =>
  Effect.gen(function* () {
    const broken = yield* Effect.flip(Introspection.introspect({ file: "a.py", text: "def run(x):\n    return x\n" }))
    expect(broken._tag).toBe("InvalidScript")
    expect(broken.problems.some(Problem.isError)).toBe(true)
    expect(broken.message).toMatch(/^a\.py:1:5: error: /)
    const nowhere = yield* Effect.flip(Introspection.introspect({ file: "noextension", text: "x" }))
    expect(nowhere.problems.map(({ rule }) => rule)).toStrictEqual(["unsupported-extension"])
    const declarations = yield* Effect.flip(Introspection.introspect({ file: "a.d.ts", text: "export {}" }))
    expect(declarations.problems.map(({ rule }) => rule)).toStrictEqual(["unsupported-extension"])
  })
)

it.effect("serves many scripts at once", () =>
  Effect.gen(function* () {
    const { introspect } = yield* Introspection.make
    const sources = Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0
        ? { file: `t${index}.py`, text: python(`Python ${index}`, "name") }
        : { file: `t${index}.js`, text: javascript(`JavaScript ${index}`, "name") }
    )
    const scripts = yield* Effect.forEach(sources, introspect, { concurrency: "unbounded" })
    expect(scripts.map(({ functions: [tool] }) => tool?.description)).toStrictEqual(
      sources.map((_, index) => `${index % 2 === 0 ? "Python" : "JavaScript"} ${index}`)
    )
  })
)

it.effect("says of a file that is no tool what else is lost in it, after what keeps it from being one", () =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(
      Introspection.introspect({ file: "a.py", text: "def run(a: Town, *b):\n    '''Does it.'''\n" })
    )
    expect(message.split("\n").map((line) => line.split(": ").slice(0, 2))).toStrictEqual([
      ["a.py:1:18", "error"],
      ["a.py:1:12", "warning"]
    ])
  })
)

it.effect("refuses a script for another shell than Bash, which would run it otherwise", () =>
  Effect.gen(function* () {
    const { introspect } = yield* Introspection.make
    for (const line of ["#!/bin/zsh -f", "#!/usr/bin/env fish", "#!/usr/bin/env -S ksh -e"]) {
      const error = yield* Effect.flip(introspect({ file: "a.sh", text: `${line}\n# @describe A\nmain() { :; }\n` }))
      expect(error.problems.map(({ place, rule }) => [rule, place])).toEqual([["other-shell", { line: 1, column: 1 }]])
    }
    const { functions } = yield* introspect({ file: "a.sh", text: "#!/bin/dash\n# @describe A\nmain() { :; }\n" })
    expect(functions).toHaveLength(1)
  })
)
