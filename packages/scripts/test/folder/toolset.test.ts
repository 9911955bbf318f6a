import { describe, expect, it } from "@effect/vitest"
import { Outcome, ToolCall, ToolRunner } from "@wield/core"
import { type Script, ScriptExecutor, ScriptFolder } from "@wield/scripts"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folderOf, javascript, platform } from "./folders.js"

const bash = (describing: string) => `# ${describing}\n# @option --name=x\n\nmain() {\n  printf '%s' "$argc_name"\n}\n`

const place = { line: 1, column: 1 }

const scriptOf = (name: string, inputSchema: Script.ScriptFunction["inputSchema"]): Script.Script => ({
  file: `tools/${name}.js`,
  language: "javascript",
  text: "export function run() { return 1 }",
  functions: [{ name, entry: "run", description: name, parameters: [], inputSchema, passing: "named", place }],
  problems: [],
  shebang: undefined,
  requiredTools: [],
  environment: []
})

const hasBash = spawnSync("bash", ["-c", ""]).status === 0

describe.skipIf(!hasBash)(`what cannot run on this machine${hasBash ? "" : ", without bash"}`, () => {
  it.scoped("is not offered, and is a problem that says what is missing", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({
        "here.sh": bash("@describe Here"),
        "there.sh": bash("@describe There\n# @meta require-tools a-program-that-nobody-has"),
        "keyed.sh": bash("@describe Keyed\n# @env A_KEY_THAT_NOBODY_SETS!"),
        "interpreted.js": `#!/nowhere/bin/node\n${javascript("Interpreted", "name")}`
      })
      const toolset = yield* ScriptFolder.toToolset(yield* ScriptFolder.load(folder), {
        execution: { cache: `${folder}/cache` }
      })
      const runner = yield* ToolRunner.make(toolset)
      expect((yield* runner.definitions).map(({ name }) => name)).toStrictEqual(["here"])
      const problems = toolset.problems.map(({ file, message, severity }) => ({
        name: file.slice(folder.length + 1),
        message,
        severity
      }))
      expect(problems.map(({ name, severity }) => `${severity} ${name}`)).toStrictEqual([
        "error interpreted.js",
        "error keyed.sh",
        "error there.sh"
      ])
      expect(problems[1]?.message).toContain("A_KEY_THAT_NOBODY_SETS")
      expect(problems[0]?.message).toContain("/nowhere/bin/node")
      expect(problems[2]?.message).toContain("a-program-that-nobody-has")
    }).pipe(Effect.provide(platform))
  )
})

// Node that says it is Deno, and does not know the descriptors of its starter either. Real Deno is not installed here.
const asDeno = `
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
Object.defineProperty(process, "versions", { value: { ...process.versions, deno: "2.9.6" } })
const { fstatSync, read } = fs
const own = (descriptor) => { if (descriptor === 3 || descriptor === 4) throw Object.assign(new Error("EBADF"), { code: "EBADF" }) }
fs.fstatSync = (descriptor, ...rest) => (own(descriptor), fstatSync(descriptor, ...rest))
fs.read = (descriptor, ...rest) => (own(descriptor), read(descriptor, ...rest))
syncBuiltinESMExports()
`

describe.skipIf(process.platform === "win32")("a script for Deno", () => {
  it.scopedLive("is told its calls through pipes that it opens by their paths", () =>
    Effect.gen(function* () {
      const tools = yield* folderOf({})
      symlinkSync(process.execPath, join(tools, "deno"))
      writeFileSync(join(tools, "asDeno.mjs"), asDeno)
      const line = `#!${join(tools, "deno")} --import=${join(tools, "asDeno.mjs")}`
      const folder = yield* folderOf({ "greet.mjs": `${line}\n${javascript("Greets", "name")}` })
      const toolset = yield* ScriptFolder.toToolset(yield* ScriptFolder.load(folder), {
        execution: { cache: `${folder}/cache` }
      })
      const runner = yield* ToolRunner.make(toolset)
      for (const name of ["Ada", "x".repeat(200_000)]) {
        const outcome = yield* runner.run(ToolCall.make("c", "greet", { name }))
        expect([
          outcome._tag === "Success" ? "Success" : Outcome.text(outcome)?.slice(0, 600),
          toolset.problems
        ]).toStrictEqual(["Success", []])
      }
    }).pipe(Effect.provide(platform))
  )
})

const hasPython = spawnSync("python3", ["-c", ""]).status === 0

describe.skipIf(!hasPython)(`tools of Python files${hasPython ? "" : ", without python3"}`, () => {
  const text = `import os

def run(name: str = "x") -> str:
    """Tells its cache folder"""
    return os.environ["LLM_TOOL_CACHE_DIR"]
`
  const made = Effect.gen(function* () {
    const folder = yield* folderOf({ "日本.py": text, "中国.py": text, "a_b.py": text })
    const executor = yield* ScriptExecutor.make({ cache: `${folder}/cache` })
    return yield* ToolRunner.make(yield* ScriptFolder.toToolset(yield* ScriptFolder.load(folder), { executor }))
  })

  it.scopedLive("have a cache folder each, whatever characters their names are of", () =>
    Effect.gen(function* () {
      const runner = yield* made
      const names = ["日本", "中国", "a_b"]
      const outcomes = yield* Effect.forEach(names, (name) => runner.run(ToolCall.make(name, name, {})))
      const folders = outcomes.map((outcome) => (outcome._tag === "Success" ? outcome.result : outcome._tag))
      expect(folders.every((folder) => typeof folder === "string" && folder.includes("/cache/"))).toBe(true)
      expect(new Set(folders).size).toBe(names.length)
    }).pipe(Effect.provide(platform))
  )

  it.scopedLive("refuse arguments that they do not take, and are not run", () =>
    Effect.gen(function* () {
      const outcome = yield* (yield* made).run(ToolCall.make("1", "a_b", { name: "x", nmae: "y" }))
      expect(outcome).toMatchObject({ _tag: "InvalidArguments" })
    }).pipe(Effect.provide(platform))
  )
})

it.scopedLive("a script whose import is no file fails when it is called, and no other tool does", () =>
  Effect.gen(function* () {
    const importing = (specifier: string) => `import ${JSON.stringify(specifier)}\n${javascript("Imports", "name")}`
    const specifiers = ["file://elsewhere/x.mjs", "./nul\0.mjs", `./${"long".repeat(100)}.mjs`, "./there.mjs/x.mjs"]
    const files = specifiers.map((specifier, index) => [`import${index}.mjs`, importing(specifier)])
    const folder = yield* folderOf({ "there.mjs": javascript("There", "name"), ...Object.fromEntries(files) })
    const execution = { cache: `${folder}/cache` }
    const toolset = yield* ScriptFolder.toToolset(yield* ScriptFolder.load(folder), { execution })
    const runner = yield* ToolRunner.make(toolset)
    const names = ["there", ...specifiers.map((_, index) => `import${index}`)]
    const outcomes = yield* runner.runAll(names.map((name) => ToolCall.make(name, name, { name: "x" })))
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Success", ...specifiers.map(() => "Failure")])
  }).pipe(Effect.provide(platform))
)

it.scopedLive("says of what ran and cannot be read that it may have taken effect, unless it may be repeated", () =>
  Effect.gen(function* () {
    const text = (body: string) => `/** Does it. */\nexport function run() { ${body} }\n`
    const bodies = {
      huge: 'return "x".repeat(5000)',
      odd: "return () => 1",
      killed: 'process.kill(process.pid, "SIGKILL"); while (true) {}',
      fails: 'throw new Error("no seat")',
      exits: "process.exit(3)"
    }
    const files = Object.entries(bodies).map(([name, body]) => [`${name}.mjs`, text(body)])
    const folder = yield* folderOf(Object.fromEntries(files))
    const readBy = (facts: ScriptFolder.ToolsetOptions["facts"]) =>
      Effect.gen(function* () {
        const toolset = yield* ScriptFolder.toToolset(yield* ScriptFolder.load(folder), {
          facts,
          execution: { limits: { output: 1000 }, cache: `${folder}/cache` }
        })
        const runner = yield* ToolRunner.make(toolset)
        const outcomes = yield* runner.runAll(Object.keys(bodies).map((name) => ToolCall.make(name, name, {})))
        return outcomes.map((outcome) => Outcome.text(outcome)?.includes("It may have taken effect") === true)
      })
    const isInDoubt = [true, true, true, false, false]
    expect(yield* readBy({})).toEqual(isInDoubt)
    expect(yield* readBy(() => ({ isReadOnly: true }))).toEqual(isInDoubt.map(() => false))
    expect(yield* readBy(() => ({ isIdempotent: true }))).toEqual(isInDoubt.map(() => false))
  }).pipe(Effect.provide(platform))
)

it.scoped("leaves out a tool whose schema cannot be checked, and offers the others", () =>
  Effect.gen(function* () {
    const good = scriptOf("good", { type: "object" })
    const bad = scriptOf("bad", { type: "object", properties: { x: { $ref: "#/$defs/none" } } })
    const toolset = yield* ScriptFolder.toToolset({ folder: "tools", scripts: [bad, good], problems: [] })
    expect(toolset.problems).toMatchObject([{ severity: "error", rule: "invalid-schema", file: "tools/bad.js" }])
    const runner = yield* ToolRunner.make(toolset)
    expect((yield* runner.definitions).map(({ name }) => name)).toStrictEqual(["good"])
  })
)

it.scoped("runs through an executor that is given, and states the facts that are", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf({ "greet.js": javascript("Greets", "`Hello, ${name}`") })
    const executor = yield* ScriptExecutor.make({ cache: `${folder}/cache` })
    const facts = { greet: { isReadOnly: true } }
    const toolset = yield* ScriptFolder.toToolset(yield* ScriptFolder.load(folder), { executor, facts })
    const runner = yield* ToolRunner.make(toolset)
    const [definition] = yield* runner.definitions
    expect(definition?.facts.isReadOnly).toBe(true)
    expect(yield* runner.run(ToolCall.make("1", "greet", { name: "Ada" }))).toMatchObject({
      _tag: "Success",
      result: "Hello, Ada"
    })
  }).pipe(Effect.provide(platform))
)
