import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Mode } from "../../src/worker/Program.js"
import { temporaryFolder } from "../worker/temporaryFolder.js"
import { sized } from "../../../../test/sizes.js"
import { callOnce, python, said, startPython, text, value } from "./python.js"

/** All modes load in the same way: before a push, one of them does for each test. */
const modesOr = (mode: Mode): ReadonlyArray<Mode> => sized([mode], ["fork", "keep", "once"])

const failed = (error: string, detail: string) => ({ type: "failed", error, detail })

describe.skipIf(python === undefined)("python3 is on the path", () => {
  it.scopedLive("a script is a module of its stem, with its file, its arguments and its folder's modules", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "helper.py"), "import my_tool_9\nname = 'helper'\n")
      writeFileSync(join(folder, "late.py"), "name = 'late'\n")
      const file = join(folder, "my_tool_9.py")
      const source = `
import sys, pickle, inspect
from dataclasses import dataclass
import helper

if __name__ == "__main__":
    raise SystemExit("it is not run by itself")

@dataclass
class Point:
    x: "int"

def run():
    import late
    same = pickle.loads(pickle.dumps(Point(1))) == Point(1)
    return [__name__, __file__, sys.argv, sys.path[0], helper.name, late.name, same, sys.modules[__name__].__doc__]
`
      for (const mode of modesOr("fork")) {
        const { call } = yield* startPython(mode, `"""What it is."""\n${source}`, { file })
        expect(said(yield* call())).toEqual(
          value(["my_tool_9", file, [file], folder, "helper", "late", true, "What it is."])
        )
      }
    })
  )

  it.scopedLive("tools that are named like modules of the standard library do not stand in for them", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      for (const name of ["random", "asyncio", "json", "decimal", "subprocess"]) {
        writeFileSync(join(folder, `${name}.py`), "def run(): pass\n")
      }
      writeFileSync(join(folder, "helper.py"), "name = 'helper'\n")
      const source = `
import json, random, helper
async def run():
    import subprocess
    return [json.dumps([1]), random.randint(1, 1), subprocess.run(["true"]).returncode, helper.name]
`
      for (const mode of modesOr("once")) {
        const { call } = yield* startPython(mode, source, { file: join(folder, "tool.py") })
        expect(said(yield* call())).toEqual(value(["[1]", 1, 0, "helper"]))
      }
    })
  )

  it.scopedLive("a stem that is no name of a module, or is one of Python's own, is no obstacle", () =>
    Effect.gen(function* () {
      const names: ReadonlyArray<readonly [string, string]> = [
        ["my-tool", "my-tool"],
        ["v1.2", "v1_2"],
        ["class", "class"],
        ["json", "script_json"],
        ["sys", "script_sys"],
        ["ünï", "ünï"]
      ]
      const source = `
import json
from dataclasses import dataclass

@dataclass
class Point:
    x: "int"

def run(a: Point):
    return [__name__, json.dumps(a.x)]
`
      const scripts = names.map(([stem]) => ({ file: `/nowhere/${stem}.py`, text: source }))
      const { call } = yield* startPython("fork", source, { more: scripts })
      for (const [stem, name] of names) {
        expect(said(yield* call({ a: { x: 1 } }, { file: `/nowhere/${stem}.py` }))).toEqual(value([name, "1"]))
      }
    })
  )

  it.scopedLive("a script that cannot be loaded fails with the error's class and text at each call", () =>
    Effect.gen(function* () {
      const broken: ReadonlyArray<readonly [source: string, answer: unknown]> = [
        ["def run(:\n    pass\n", failed("SyntaxError", expect.stringContaining("invalid syntax"))],
        ["def run():\n    return {\n", failed("SyntaxError", expect.stringContaining("(tool.py, line 2)"))],
        ["import nothing_of_this_name\n", failed("ModuleNotFoundError", "No module named 'nothing_of_this_name'")],
        ["raise RuntimeError('not today')\n", failed("RuntimeError", "not today")],
        ["import sys\nsys.exit(4)\n", failed("SystemExit", "4")],
        ["x = '\ud800'\n", failed(expect.stringMatching("Error"), expect.any(String))],
        ["x = 1\n", failed("AttributeError", "tool.py has no function run")]
      ]
      const scripts = broken.map(([text], index) => ({ file: `/nowhere/${index}/tool.py`, text }))
      const { call } = yield* startPython("fork", "def run(): pass\n", { more: scripts })
      for (const [index, [source, answer]] of broken.entries()) {
        for (let round = 0; round < 2; round++) {
          expect([source, said(yield* call({}, { file: `/nowhere/${index}/tool.py` }))]).toEqual([source, answer])
        }
      }
      // Each alone.
      for (const [source, answer] of sized([], broken)) {
        for (const mode of modesOr("fork")) {
          const alone = yield* startPython(mode, source)
          for (let round = 0; round < (mode === "once" ? 1 : 2); round++) {
            expect([source, said(yield* alone.call())]).toEqual([source, answer])
          }
        }
      }
    })
  )

  it.scopedLive("what cannot be loaded says where, in the script's own lines, at each call", () =>
    Effect.gen(function* () {
      for (const mode of modesOr("fork")) {
        const { call } = yield* startPython(mode, "def inner():\n    import nothing_of_this_name\n\ninner()\n")
        for (let round = 0; round < (mode === "once" ? 1 : 5); round++) {
          const { error } = yield* call()
          expect(error).toMatch(
            /^Traceback[^]*tool.py", line 4, in <module>[^]*line 2, in inner[^]*ModuleNotFoundError/
          )
          expect(error.match(/File "/g)).toHaveLength(2)
        }
      }
    })
  )

  it.scopedLive(
    "scripts of one program have their own modules of one name, and one that is broken leaves the others",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const scripts = ["one", "two"].map((name) => {
          mkdirSync(join(folder, name))
          writeFileSync(join(folder, name, "helper.py"), `name = "${name}"\n`)
          writeFileSync(join(folder, name, "late.py"), `name = "late ${name}"\n`)
          const source = "import helper\n\ndef run():\n    import late\n    return [helper.name, late.name]\n"
          return { file: join(folder, name, "tool.py"), text: source }
        })
        const broken = { file: join(folder, "one", "broken.py"), text: "import helper\n1 / 0\n" }
        const [one = broken, two = broken] = scripts
        for (const mode of ["fork", "keep"] as const) {
          const { call } = yield* startPython(mode, broken.text, { file: broken.file, more: scripts })
          for (let round = 0; round < 2; round++) {
            expect(said(yield* call({}, { file: one.file }))).toEqual(value(["one", "late one"]))
            expect(said(yield* call({}, { file: two.file }))).toEqual(value(["two", "late two"]))
            expect(said(yield* call())).toEqual(failed("ZeroDivisionError", "division by zero"))
          }
        }
      })
  )

  it.scopedLive("nothing is written beside the script or the program", () =>
    Effect.gen(function* () {
      const source = `
import os, sys
def run():
    import _wield
    beside = os.listdir(os.path.dirname(_wield.__file__)) + os.listdir(os.path.dirname(os.path.dirname(_wield.__file__)))
    return [sys.dont_write_bytecode, "__pycache__" in beside]
`
      const { call } = yield* startPython("fork", source)
      expect(said(yield* call())).toEqual(value([false, false]))
    })
  )

  it.scopedLive("flags of the interpreter hold, also where children load for themselves", () =>
    Effect.gen(function* () {
      const source = "import sys\ndef run():\n    return [sys.flags.optimize, sys.flags.isolated]\n"
      const { call } = yield* startPython("fork", source, { flags: ["-O", "-I"] })
      expect(said(yield* call())).toEqual(value([1, 1]))
      const threads = "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n"
      const late = yield* startPython("fork", threads + source, { flags: ["-O"] })
      expect(said(yield* late.call())).toEqual(value([1, 0]))
    })
  )

  it.live("text is UTF-8 in every locale", () =>
    Effect.gen(function* () {
      for (const locale of sized(["C"], ["C", "POSIX", "en_US.ISO-8859-1"])) {
        const environment = { PATH: process.env["PATH"] ?? "", LC_ALL: locale }
        const answered = yield* callOnce("def run(a):\n    print(a)\n    return a\n", { a: "日本 ä" }, { environment })
        expect([said(answered), answered.output]).toEqual([text("日本 ä"), "日本 ä\n"])
      }
    })
  )

  it.scopedLive("a program ends when Wield closes its descriptor, loaded or not", () =>
    Effect.gen(function* () {
      for (const mode of modesOr("keep")) {
        const { call, worker } = yield* startPython(mode, "def run():\n    return 1\n")
        if (mode !== "once") expect(said(yield* call())).toEqual(value(1))
        worker.close()
        yield* worker.end
      }
    })
  )
})
