import { assert, describe, it } from "@effect/vitest"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Outcome, ToolCall, ToolRunner } from "@wield/core"
import { type ExecutionOptions, FunctionFile, FunctionFolder, ScriptExecutor } from "@wield/scripts"
import { Effect, Logger, LogLevel } from "effect"
import { shareInFile } from "../shareInFile.js"
import { broken, functions, hasPython, source, told, userFunctions, withoutPython } from "./fixtures.js"

const call = (name: string, parameters: unknown = {}) => ToolCall.make(`call_${name}`, name, parameters)

/** Tools' caches are made in a folder that goes with the scope. */
const makeExecutor = (options: ExecutionOptions.ExecutionOptions) =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    Effect.flatMap(files.makeTempDirectoryScoped({ prefix: "wield-cache-" }), (cache) =>
      ScriptExecutor.make({ cache, ...options })
    )
  ).pipe(Effect.provide(NodeContext.layer))

/** The tests share an executor, its interpreters and what the files of its folder keep. */
const executor = shareInFile(makeExecutor({ limits: { time: "2 minutes" } }))

const folder = shareInFile(
  Effect.gen(function* () {
    const made = yield* executor
    const loaded = yield* FunctionFolder.load([functions, userFunctions], { executor: made, config: {} })
    const toolset = yield* FunctionFolder.toToolset(loaded, { executor: made, config: {} })
    return { loaded, runner: yield* ToolRunner.make(toolset) }
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
)

const runner = Effect.map(folder, ({ runner }) => runner)

describe.skipIf(!hasPython)(`Function files that are run${withoutPython}`, () => {
  it.scopedLive("have the tools that only a running interpreter knows", () =>
    Effect.gen(function* () {
      const { loaded } = yield* folder
      assert.deepStrictEqual(FunctionFolder.modules(loaded).get("computed"), ["uptime", "version"])
      assert.strictEqual(FunctionFolder.modules(loaded).get("misbehaving")?.length, 8)
      assert.isTrue(loaded.files.find(({ module }) => module === "computed")?.isRun)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("answer with their text, keep what they remember, and load what is heavy with the first call", () =>
    Effect.gen(function* () {
      const run = (yield* runner).forRun({})
      const outcomes = yield* Effect.forEach(
        [
          call("save_memory", { content: "Ada likes tea" }),
          call("save_memory", { content: "Bob likes tea", importance: 9 }),
          call("search_memory", { query: "tea" }),
          call("is_heavy_loaded"),
          { ...call("is_heavy_loaded"), id: "again" }
        ],
        run.run
      )
      assert.deepStrictEqual(
        outcomes.map((outcome) => outcome._tag === "Success" && outcome.encoded),
        [
          "Memory saved (ID: 1, importance: 5)",
          "Memory saved (ID: 2, importance: 9)",
          "Found 2 memories:\nBob likes tea\nAda likes tea",
          "False, 42",
          "True, 42"
        ]
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("are given the configuration", () =>
    Effect.gen(function* () {
      const made = yield* executor
      const file = yield* FunctionFile.introspect(source(`${functions}/web.py`))
      const toolset = yield* FunctionFile.toToolset([file], { executor: made, config: { engine: "duck" } })
      const outcome = yield* (yield* ToolRunner.make(toolset)).run(call("search_for_urls", { query: "x" }))
      assert.strictEqual(outcome._tag === "Success" && outcome.encoded, "search_for_urls of duck")
    })
  )

  it.scopedLive("are given the settings that they declare, under the configuration, in every place for them", () =>
    Effect.gen(function* () {
      const made = yield* executor
      const answerOf = (parameters: string, value: string, config = {}) =>
        made.runFunctionFile(
          {
            file: `settings_${parameters.length}${value.length}.py`,
            text: `SETTINGS = {"UNITS": "metric", "LIMIT": 3, "DEEP": {"a": 1}}
TOOLS = [{"type": "function", "function": {"name": "tell", "description": "Tells"}}]
def execute(function_name, arguments, config${parameters}):
    return str(${value}), True
`
          },
          "tell",
          {},
          config
        )
      assert.strictEqual(yield* answerOf("", "(config.UNITS, config['LIMIT'], config.DEEP.a)"), "('metric', 3, 1)")
      assert.strictEqual(yield* answerOf("", "config.get('UNITS')", { UNITS: "imperial" }), "imperial")
      assert.strictEqual(yield* answerOf(", plugin_settings", "plugin_settings['LIMIT']"), "3")
      const both = ", plugin_settings=None, credentials=None"
      assert.strictEqual(yield* answerOf(both, "(plugin_settings['UNITS'], credentials)"), "('metric', None)")
      assert.strictEqual(yield* answerOf(", cache=7", "cache"), "7")
    })
  )

  it.scopedLive("that say they failed, fail for the model, too", () =>
    Effect.gen(function* () {
      const all = yield* runner
      const failed = yield* all.run(call("fails"))
      assert.deepStrictEqual([failed._tag, Outcome.text(failed)], ["Failure", '{"error":"I need a query."}'])
      const blank = yield* all.run(call("save_memory", { content: " " }))
      assert.strictEqual(Outcome.text(blank), '{"error":"Cannot save empty memory."}')
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("that raise, return something else or exit, fail that call with a type of its own", () =>
    Effect.gen(function* () {
      const made = yield* executor
      const file = yield* FunctionFile.load(source(`${userFunctions}/misbehaving.py`), { executor: made })
      const failing = (name: string) => Effect.flip(made.runFunctionFile(file, name, {}, {}))
      const raised = yield* failing("raises")
      assert.deepStrictEqual(
        [raised._tag, raised.message],
        ["ScriptRaised", "raises failed: ValueError: no such thing"]
      )
      assert.strictEqual((yield* failing("returns_nothing"))._tag, "UnreadableOutput")
      assert.strictEqual((yield* failing("returns_a_dict"))._tag, "UnreadableOutput")
      assert.include(["ScriptExited", "ScriptRaised"], (yield* failing("exits"))._tag)
      assert.strictEqual(yield* made.runFunctionFile(file, "prints", {}, {}), "quiet")
    })
  )

  it.scopedLive("are not run with arguments that their schema refuses", () =>
    Effect.gen(function* () {
      const all = yield* runner
      const outcomes = yield* all.runAll([
        call("save_memory"),
        { ...call("save_memory", { content: "x", importance: 11 }), id: "2" },
        call("echo", { value: 1, times: "three" })
      ])
      assert.deepStrictEqual(
        outcomes.map(({ _tag }) => _tag),
        ["InvalidArguments", "InvalidArguments", "InvalidArguments"]
      )
      const found = yield* all.run(call("search_memory", { query: "x" }))
      assert.match(Outcome.text(found) ?? "", /No memories found/)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("that are off are never imported, and those that cannot be are told of", () =>
    Effect.gen(function* () {
      const made = yield* executor
      const loaded = yield* FunctionFolder.load([functions, broken], { executor: made })
      assert.isFalse(loaded.problems.some(({ file }) => file.endsWith("off.py")))
      const [imported] = told(loaded.problems).filter((line) => line.includes("import_error.py"))
      assert.match(imported ?? "", /not_there|No module named/)
      assert.isDefined(FunctionFolder.modules(loaded).get("memory"))
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("have a problem while their text cannot be loaded, and no earlier version runs in its place", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const root = yield* files.makeTempDirectoryScoped({ prefix: "wield-functions-" })
      const text = (first: string) =>
        `${first}\nTOOLS = [{"type": "function", "function": {"name": "answer", "description": "Answers"}}]\ndef execute(function_name, arguments, config):\n    return "answer", True\n`
      const write = (first: string) => files.writeFileString(`${root}/one.py`, text(first))
      yield* write("")
      const live = yield* FunctionFolder.live([root], { executor: yield* executor, interval: "1 hour" }).pipe(
        Logger.withMinimumLogLevel(LogLevel.None)
      )
      const all = yield* ToolRunner.make(live)
      const outcome = Effect.map(all.run(call("answer")), ({ _tag }) => _tag)
      const problems = Effect.map(live.problems.get, (found) =>
        found.map(({ message, rule, severity }) => `${severity} ${rule}: ${message}`)
      )
      assert.strictEqual(yield* outcome, "Success")
      yield* write("import _absent")
      yield* live.reload
      assert.deepStrictEqual(yield* problems, [])
      assert.strictEqual(yield* outcome, "Failure")
      const failed = [
        "error import-failed: The file could not be loaded, and calls of its tools fail: ModuleNotFoundError: No module named '_absent'; mend it or what it imports. No earlier version is run in its place"
      ]
      assert.deepStrictEqual(yield* problems, failed)
      yield* live.reload
      assert.deepStrictEqual(yield* problems, failed)
      yield* files.writeFileString(`${root}/_absent.py`, "")
      yield* live.reload
      assert.strictEqual(yield* outcome, "Success")
      assert.deepStrictEqual(yield* problems, [])
      yield* write("raise ValueError(1)")
      yield* live.reload
      assert.strictEqual(yield* outcome, "Failure")
      assert.match((yield* problems).join(), /^error import-failed: .*ValueError: 1; mend it/)
      yield* write("")
      yield* live.reload
      assert.deepStrictEqual(yield* problems, [])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("follow their folder: what is changed, broken, mended, off or gone", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const root = yield* files.makeTempDirectoryScoped({ prefix: "wield-functions-" })
      const text = (answer: string, enabled = "True") => `import _answers
ENABLED = ${enabled}
TOOLS = [{"type": "function", "function": {"name": "answer", "description": "${answer}"}}]
def execute(function_name, arguments, config):
    return "${answer} " + _answers.MORE, True
`
      const write = (name: string, content: string) => files.writeFileString(`${root}/${name}.py`, content)
      yield* write("_answers", 'MORE = "1"')
      yield* write("one", text("first"))
      const made = yield* executor
      const live = yield* FunctionFolder.live([root, `${root}/user`], {
        executor: made,
        interval: "100 millis"
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
      const all = yield* ToolRunner.make(live)
      const answer = Effect.map(all.run(call("answer")), (outcome) =>
        outcome._tag === "Success" ? outcome.encoded : outcome._tag
      )
      const until = (isSo: Effect.Effect<boolean>) =>
        isSo.pipe(
          Effect.tap((so) => (so ? Effect.void : Effect.sleep("30 millis"))),
          Effect.repeat({ until: (so: boolean) => so })
        )
      const answers = (wanted: string) => until(Effect.map(answer, (found) => found === wanted))
      const hasRule = (rule: string) =>
        until(Effect.map(live.problems.get, (all) => all.some((problem) => problem.rule === rule)))

      yield* answers("first 1")
      yield* write("one", text("second"))
      yield* answers("second 1")
      yield* write("one", "TOOLS = [")
      yield* hasRule("kept-version")
      assert.strictEqual(yield* answer, "second 1")
      yield* write("one", text("third"))
      yield* answers("third 1")
      yield* write("_answers", 'MORE = "22"')
      yield* answers("third 22")
      yield* files.makeDirectory(`${root}/user`)
      yield* write("user/one", text("mine").replace("import _answers", "class _answers: MORE = 'here'"))
      yield* answers("mine here")
      yield* write("user/one", text("mine", "False"))
      yield* answers("third 22")
      assert.deepStrictEqual([...(yield* live.modules)], [["one", ["answer"]]])
      yield* files.remove(`${root}/one.py`)
      yield* answers("UnknownTool")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("that are interrupted are stopped", () =>
    Effect.gen(function* () {
      // The one worker is busy for an hour, unless it is stopped.
      const made = yield* makeExecutor({ limits: { time: "1 hour" }, workers: { size: 1 } })
      const file = yield* FunctionFile.load(source(`${userFunctions}/misbehaving.py`), { executor: made })
      const sleeping = made.runFunctionFile(file, "sleeps", {}, {})
      yield* Effect.timeoutOption(sleeping, "300 millis")
      assert.strictEqual(yield* made.runFunctionFile(file, "prints", {}, {}), "quiet")
    })
  )
})
