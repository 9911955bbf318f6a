import { CurrentCall, type Json } from "@wield/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { interpretText } from "../../src/worker/interpretText.js"
import { shareInFile } from "../shareInFile.js"
import { makeExecutor } from "./scripts.js"

const watched = (told: Array<unknown>): CurrentCall.Call => ({
  id: "1",
  name: "tool",
  idempotencyKey: "",
  run: { id: "" },
  attempt: 1,
  progress: (value) => Effect.sync(() => void told.push(value))
})

/** Of the tests that ask nothing else of it. */
const usual = shareInFile(makeExecutor({ workers: { size: 1 } }))

describe("results", () => {
  it.scopedLive("a text is JSON where the model reads the same of it, and else the text that it is", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const values: ReadonlyArray<readonly [string, Json.Json]> = [
        ["5", 5],
        ["-1.5", -1.5],
        ["1e+21", 1e21],
        ["true", true],
        ["null", null],
        ["[1,2.5]", [1, 2.5]],
        ['{"a": 1, "b": [true, null]}', { a: 1, b: [true, null] }],
        ['{"a":"\\u00fc\\ud83d\\ude00\\/"}', { a: "ü😀/" }],
        ['{"2": 1, "b": 2}', { 2: 1, b: 2 }]
      ]
      const texts = [
        "hello",
        '"hello"',
        '"5"',
        "5.0",
        "007",
        " 5",
        "[1",
        "-0",
        "1e400",
        "1E5",
        "12345678901234567890",
        " [1]",
        "[1, 2.50]",
        "[1.0]",
        "[-0]",
        "[1e400]",
        '{"id": 12345678901234567890}',
        '{"pi": 3.14159265358979323846}',
        '{"b": 1, "1": 2}',
        '{"a": 1, "a": 2}',
        '{"__proto__": {"a": 1}}',
        '{"\\u005f_proto__": 1}',
        '["\\ud800"]',
        '["\\ud800\\ud800x"]',
        '{\n  "a": 1\n}',
        '{"a":  1}',
        '{ "a": 1 }',
        "[1]\n",
        "[".repeat(501) + "]".repeat(501),
        "[".repeat(200_000) + "]".repeat(200_000)
      ]
      const returns = "def run(text):\n  return text\n"
      for (const [text, value] of values) expect(interpretText(text)).toEqual(value)
      for (const text of texts) expect(interpretText(text)).toBe(text)
      for (const text of ["5", "-1.5", "[1,2.5]"])
        expect(yield* run("python", returns, { text })).toEqual(JSON.parse(text))
      for (const text of ["5.0", '{"a": 1, "a": 2}', "[1]\n"])
        expect(yield* run("python", returns, { text })).toBe(text)
      const prints = 'main() { printf %s "$argc_text"; }\n'
      for (const text of ["5", "1.0", "12345678901234567890", '{"b": 1, "1": 2}', "[\n1]"]) {
        expect(yield* run("bash", prints, { text })).toEqual(text === "5" ? 5 : text)
      }
    })
  )

  it.scopedLive("what stands in LLM_OUTPUT is the result, without the end of its last line", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const text = 'write() { echo seen; echo "written" >> "$LLM_OUTPUT"; }\nprint() { echo seen; }\nnothing() { :; }\n'
      const call = (entry: string) => run("bash", text, {}, { entry })
      expect(yield* call("write")).toBe("written")
      expect(yield* call("print")).toBe("seen")
      expect(yield* call("nothing")).toBeNull()
      expect(yield* run("python", "def run():\n  print('seen')\n")).toBeNull()
    })
  )

  it.scopedLive("an exit code fails the call, with the last lines of standard error and what was printed", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const text = "main() { echo partial; seq 1 100 >&2; exit 4; }\n"
      const error = yield* Effect.flip(run("bash", text))
      const lines = Array.from({ length: 20 }, (_, index) => String(81 + index))
      expect(error).toMatchObject({
        _tag: "ScriptExited",
        exitCode: 4,
        standardError: lines.join("\n"),
        output: "partial"
      })
    })
  )

  it.scopedLive("an error that quotes what it could not read is cut, for a model reads it", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const scripts = {
        python: "def run():\n  raise ValueError('cannot read ' + 'x' * 100_000)\n",
        javascript: "export function run() { throw new Error('cannot read ' + 'x'.repeat(100_000)) }\n"
      }
      for (const language of ["python", "javascript"] as const) {
        const error = yield* Effect.flip(run(language, scripts[language]))
        expect(error._tag).toBe("ScriptRaised")
        expect(error.message).toContain("cannot read xxx")
        expect(error.message).toContain("… (100012 characters)")
        expect(error.message.length).toBeLessThan(4300)
      }
    })
  )

  it.scopedLive("sys.exit(0) is no failure, sys.exit(2) and a signal are, and each is of its call only", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const exit = "import sys, os, signal\ndef run(how):\n  if how < 0: os.kill(os.getpid(), -how)\n  sys.exit(how)\n"
      expect(yield* run("python", exit, { how: 0 })).toBeNull()
      expect(yield* Effect.flip(run("python", exit, { how: 2 }))).toMatchObject({ _tag: "ScriptExited", exitCode: 2 })
      expect(yield* Effect.flip(run("python", exit, { how: -11 }))).toMatchObject({
        _tag: "ScriptExited",
        signal: "SIGSEGV"
      })
      expect(yield* run("python", exit, { how: 0 })).toBeNull()
    })
  )

  it.scopedLive("an argument that cannot be made what the function asks for is named, and nothing of it runs", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const text = "from datetime import date\ndef run(day: date):\n  print('ran')\n  return day.year\n"
      const error = yield* Effect.flip(run("python", text, { day: "tomorrow" }))
      expect(error).toMatchObject({ _tag: "ScriptNotStarted", reason: "argument" })
      expect(error.message).toBe("tool cannot take these arguments: day: expected date, got 'tomorrow'")
    })
  )

  it.scopedLive("a changed text runs from the next call on", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      expect(yield* run("python", "def run():\n  return 1\n")).toBe(1)
      expect(yield* run("python", "def run():\n  return 2\n")).toBe(2)
    })
  )

  it.scopedLive("scripts of one language can share workers", () =>
    Effect.gen(function* () {
      const { processes, run } = yield* makeExecutor({ workers: { per: "language", size: 1 }, isolation: "shared" })
      const pid = "import os\ndef run():\n  return os.getpid()\n"
      yield* run("python", pid, {}, { name: "one" })
      const both = yield* run("python", pid, {}, { name: "two" })
      expect(yield* run("python", pid, {}, { name: "one" })).toBe(both)
      if (process.platform === "linux") expect(processes().length).toBeLessThanOrEqual(2)
    })
  )

  it.scopedLive("a function file keeps its state, and its failures are failures", () =>
    Effect.gen(function* () {
      const { executor, tools } = yield* usual
      const text =
        "count = 0\ndef execute(function_name, arguments, config):\n  global count\n  count += 1\n  return f'{function_name} {count}', arguments.get('ok', True)\n"
      const file = { file: join(tools, "counter.py"), text }
      expect(yield* executor.runFunctionFile(file, "add", {}, null)).toBe("add 1")
      expect(yield* executor.runFunctionFile(file, "add", {}, null)).toBe("add 2")
      expect(yield* Effect.flip(executor.runFunctionFile(file, "add", { ok: false }, null))).toMatchObject({
        _tag: "FunctionFailed",
        detail: "add 3"
      })
    })
  )

  it.scopedLive("what a function file says of its failure is cut as other errors are", () =>
    Effect.gen(function* () {
      const { executor, tools } = yield* usual
      const text = "def execute(function_name, arguments, config):\n  return 'cannot read ' + 'x' * 100_000, False\n"
      const file = { file: join(tools, "reader.py"), text }
      const error = yield* Effect.flip(executor.runFunctionFile(file, "read", {}, null))
      expect(error._tag).toBe("FunctionFailed")
      expect(error.message.length).toBeLessThan(4300)
      expect(error.message).toMatch(/^cannot read x+… \(100012 characters\)$/)
    })
  )
})

describe("the environment of scripts", () => {
  const show = "import os\ndef run():\n  return dict(os.environ)\n"

  it.scopedLive("is an allow-list, the .env of their folder, and what is set", () =>
    Effect.gen(function* () {
      process.env["WIELD_SHOWN_A"] = "of the program"
      process.env["WIELD_HIDDEN"] = "of the program"
      const { run, tools } = yield* makeExecutor({
        environment: { pass: ["WIELD_SHOWN_*"], set: { SET: "set" } }
      })
      writeFileSync(join(tools, ".env"), "WIELD_SHOWN_A=file\nWIELD_HIDDEN='of the file'\nSET=file\nQUOTED=\"a b\"\n")
      const seen = yield* run("python", show)
      expect(seen).toMatchObject({
        WIELD_SHOWN_A: "of the program",
        WIELD_HIDDEN: "of the file",
        SET: "set",
        QUOTED: "a b",
        PATH: process.env["PATH"],
        LLM_TOOL_NAME: "tool",
        LLM_ROOT_DIR: dirname(tools),
        LLM_TOOL_CACHE_DIR: join(dirname(tools), "cache", "tool"),
        LLM_TOOL_RAW_JSON: "{}"
      })
      const names = Predicate.isRecord(seen) ? Object.keys(seen) : []
      expect(names).not.toContain("VITEST")
      expect(names).toContain("LLM_OUTPUT")
      expect(existsSync(join(dirname(tools), "cache", "tool"))).toBe(true)
    })
  )

  it.scopedLive("names the functions for prompts that scripts of Loki source, unless the program names others", () =>
    Effect.gen(function* () {
      const show = '# @env LLM_PROMPT_UTILS_FILE!\nmain() { source "$LLM_PROMPT_UTILS_FILE"; info found; }\n'
      const { run, tools } = yield* usual
      const functions = join(dirname(tools), "utils")
      mkdirSync(functions, { recursive: true })
      writeFileSync(join(functions, "prompt-utils.sh"), 'info() { echo "info: $1"; }\n')
      expect(yield* run("bash", show)).toBe("info: found")
      const others = join(tools, "others.sh")
      writeFileSync(others, 'info() { echo "others: $1"; }\n')
      const given = yield* makeExecutor({ environment: { set: { LLM_PROMPT_UTILS_FILE: others } } })
      expect(yield* given.run("bash", show)).toBe("others: found")
    })
  )

  it.scopedLive("has the arguments as JSON, and programs can be started whatever their length", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const scripts = [
        ["bash", 'main() { /bin/true && printf "%s" "$LLM_TOOL_RAW_JSON"; }\n'],
        [
          "python",
          "import os\ndef run(text):\n  os.system('true')\n  return os.environ.get('LLM_TOOL_RAW_JSON', 'absent')\n"
        ],
        ["javascript", "export function run(text) { return process.env.LLM_TOOL_RAW_JSON ?? 'absent' }\n"]
      ] as const
      for (const [language, text] of scripts) {
        const call = (value: string) => run(language, text, { text: value })
        expect(yield* call('a "b"')).toEqual({ text: 'a "b"' })
        const long = "é".repeat(70_000)
        expect(yield* call(long)).toEqual(language === "bash" ? { text: long } : "absent")
      }
    })
  )

  it.scopedLive("has the root of the tools, for an agent's scripts too", () =>
    Effect.gen(function* () {
      const { executor, tools } = yield* usual
      const { makeScript } = yield* Effect.promise(() => import("./scripts.js"))
      const root = dirname(tools)
      const show = 'main() { echo "$LLM_ROOT_DIR $LLM_TOOL_CACHE_DIR"; }\n'
      const of = (folder: string) => {
        mkdirSync(folder, { recursive: true })
        const { script, scriptFunction } = makeScript("bash", show, { folder })
        return executor.run(script, scriptFunction, {})
      }
      expect(yield* of(tools)).toBe(`${root} ${root}/cache/tool`)
      expect(yield* of(join(root, "agents", "weather"))).toBe(`${root} ${root}/cache/tool`)
    })
  )

  it.scopedLive("keeps the values of secrets inside: of results, failures and progress", () =>
    Effect.gen(function* () {
      const secret = 's3cr"et-é'
      const { run } = yield* makeExecutor({ environment: { set: { SERVICE_TOKEN: secret, NAME: "plain-value" } } })
      const told: Array<unknown> = []
      const text =
        "import os, sys, time\ndef run(how):\n  s = os.environ['SERVICE_TOKEN']\n  for part in (s[:4], s[4:]):\n    sys.stdout.write(part); sys.stdout.flush(); time.sleep(0.02)\n  if how == 'raise': raise ValueError(s)\n  if how == 'text': return 'x' + s\n  return {s: [s, os.environ['NAME']]}\n"
      const call = (how: string) =>
        run("python", text, { how }).pipe(Effect.provideService(CurrentCall.CurrentCall, watched(told)))
      expect(yield* call("value")).toEqual({ "<redacted>": ["<redacted>", "plain-value"] })
      expect(yield* call("text")).toBe("x<redacted>")
      const error = yield* Effect.flip(call("raise"))
      expect(error).toMatchObject({ _tag: "ScriptRaised", detail: "<redacted>" })
      expect(JSON.stringify(error)).not.toContain("et-é")
      expect(JSON.stringify(told)).not.toContain("s3cr")
      const printed = told.flatMap((value) =>
        Predicate.isRecord(value) && value["stream"] === "stdout" ? [value["text"]] : []
      )
      expect(printed.join("")).toBe("<redacted>".repeat(3))
    })
  )

  it.scopedLive("what a script declares and nobody sets keeps it from starting, before and at the call", () =>
    Effect.gen(function* () {
      const { executor, run } = yield* makeExecutor({ interpreters: { bash: "bash-that-is-not-there" } })
      const place = { line: 2, column: 3 }
      const requires = {
        requiredTools: ["tool-that-is-not-there"],
        environment: [
          { name: "NEEDED", description: undefined, isRequired: true, default: undefined, choices: undefined, place }
        ]
      }
      expect(yield* Effect.flip(run("bash", "main() { :; }\n", {}, requires))).toMatchObject({
        _tag: "ScriptNotStarted",
        reason: "tool-missing"
      })
      const { makeScript } = yield* Effect.promise(() => import("./scripts.js"))
      const problems = yield* executor.check(makeScript("bash", "", requires).script)
      expect(problems.map(({ rule }) => rule)).toEqual(["interpreter-missing", "tool-missing", "environment-missing"])
      expect(problems[2]?.place).toEqual(place)
    })
  )
})

describe("interpreters", () => {
  it.scopedLive("the first line chooses the interpreter, its flags and its variables", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const text = "import os, sys\ndef run():\n  return [os.environ.get('CHOSEN'), sys.flags.optimize]\n"
      const shebang = ["/usr/bin/env", "-S", "CHOSEN=yes", "python3", "-O"]
      expect(yield* run("python", text, {}, { shebang })).toEqual(["yes", 1])
      const named = { name: "other", shebang: ["/no/such/python"] }
      const missing = yield* Effect.flip(run("python", text, {}, named))
      expect(missing).toMatchObject({ _tag: "ScriptNotStarted", reason: "interpreter-missing" })
      expect(missing.message).toContain("/no/such/python")
      expect(missing.message).toContain("change the first line of the script")
    })
  )

  it.scopedLive("flags and variables of a first line hold where it names sh, and variables where it names tsx", () =>
    Effect.gen(function* () {
      const { run } = yield* usual
      const stops = "main() { false; echo went on; }\n"
      expect(yield* run("bash", stops, {}, { name: "goes_on", shebang: ["/bin/sh"] })).toBe("went on")
      const error = yield* Effect.flip(run("bash", stops, {}, { shebang: ["/bin/sh", "-e"] }))
      expect(error).toMatchObject({ _tag: "ScriptExited", exitCode: 1 })
      const tells = "export function run() { return process.env.CHOSEN }\n"
      const shebang = ["/usr/bin/env", "-S", "CHOSEN=yes", "npx", "tsx"]
      expect(yield* run("typescript", tells, {}, { shebang })).toBe("yes")
    })
  )

  it.scopedLive("the .venv of a folder runs its scripts, also where they ask env for python3", () =>
    Effect.gen(function* () {
      const { run, tools } = yield* makeExecutor()
      const made =
        "import subprocess, sys\ndef run(folder):\n  subprocess.run([sys.executable, '-m', 'venv', '--without-pip', folder], check=True)\n"
      yield* run("python", made, { folder: join(tools, ".venv") }, { name: "make" })
      const text = "import sys\ndef run():\n  return sys.prefix\n"
      expect(yield* run("python", text)).toBe(join(tools, ".venv"))
      expect(yield* run("python", text, {}, { name: "two", shebang: ["/usr/bin/env", "python3"] })).toBe(
        join(tools, ".venv")
      )
    })
  )

  it.scopedLive("a shim that chooses an interpreter is asked once for the one it stands for", () =>
    Effect.gen(function* () {
      const { run, tools } = yield* makeExecutor()
      const python = yield* run("python", "import sys\ndef run():\n  return sys.executable\n")
      const shim = join(tools, "shim")
      writeFileSync(shim, `#!/bin/sh\necho asked >> "${shim}.log"\nexec "${String(python)}" "$@"\n`, { mode: 0o755 })
      const { run: runByShim } = yield* makeExecutor({ interpreters: { python: shim }, workers: { size: 1 } })
      const text = "import sys\ndef run():\n  return sys.executable\n"
      expect(yield* runByShim("python", text, {}, { name: "one" })).toBe(python)
      expect(yield* runByShim("python", text, {}, { name: "two" })).toBe(python)
      expect(readFileSync(`${shim}.log`, "utf8")).toBe("asked\n")
      expect(basename(String(python))).toMatch(/^python/)
    })
  )
})
