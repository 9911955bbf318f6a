import { FileSystem } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Outcome, ToolCall, ToolResult, ToolRunner } from "@wield/core"
import { type ExecutionOptions, ScriptExecutor, ScriptFolder } from "@wield/scripts"
import { Effect, Stream } from "effect"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { shareInFile } from "../shareInFile.js"
import { folderOf, platform, write } from "./folders.js"
import { sized } from "../../../../test/sizes.js"

const fixtures = fileURLToPath(new URL("../fixtures/folder", import.meta.url))

const absent = ["python3", "bash"].filter((command) => spawnSync(command, ["-c", ""]).status !== 0)

const isolations: ReadonlyArray<ExecutionOptions.Isolation> = sized(["shared"], ["worker", "process", "shared"])

/** A copy of the fixtures, so that tests may change it. */
const copy = Effect.gen(function* () {
  const system = yield* FileSystem.FileSystem
  const root = yield* folderOf({})
  yield* system.copy(fixtures, `${root}/tools`)
  return { tools: `${root}/tools` }
})

const makeExecutor = (isolation: ExecutionOptions.Isolation) =>
  shareInFile(
    Effect.flatMap(folderOf({}), (cache) =>
      ScriptExecutor.make({ isolation, cache, workers: { size: sized(1, 4) } })
    ).pipe(Effect.provide(platform))
  )

const executors = { worker: makeExecutor("worker"), process: makeExecutor("process"), shared: makeExecutor("shared") }

const calls = [
  ToolCall.make("1", "first_words", { text: "der die das dem", without: ["die"], upper: true }),
  ToolCall.make("2", "repeat", { text: "$(date) 'a' \"b\"", times: 2, ending: ["-x", "; ls"] }),
  ToolCall.make("3", "total", { positions: [{ price: 1.5, quantity: 3 }, { price: 2 }], currency: "CHF" }),
  ToolCall.make("4", "slug", { title: "Äpfel & Birnen", longest: 8 })
]

/** What the tools of a call that finds its script as it was loaded give. */
const fresh = [
  { words: ["DER", "DAS", "DEM"], calls: 1 },
  `$(date) 'a' "b" $(date) 'a' "b" -x ; ls (1)`,
  { total: "6.50 CHF", calls: 1 },
  "-pfel-bi (1)"
]

describe.skipIf(absent.length > 0)(
  `scripts in four languages${absent.map((name) => `, without ${name}`).join("")}`,
  () => {
    it.scopedLive("tell what they take, read from their sources", () =>
      Effect.gen(function* () {
        const { tools } = yield* copy
        const { problems, scripts } = yield* ScriptFolder.load(tools)
        expect(problems).toStrictEqual([])
        expect(
          scripts.map(({ functions: [tool], language }) => [language, tool?.name, tool?.description])
        ).toStrictEqual([
          ["python", "first_words", "Gives the first words of a text."],
          ["bash", "repeat", "Repeats a text."],
          ["javascript", "slug", "Makes a title a part of an address."],
          ["typescript", "total", "Adds up what an order costs."]
        ])
        expect(
          scripts.map(({ functions: [tool] }) =>
            tool?.parameters.map(({ isRequired, name }) => (isRequired ? name : `${name}?`)).join(" ")
          )
        ).toStrictEqual([
          "text count? upper? without?",
          "text times? lines? ending?",
          "title longest?",
          "positions currency?"
        ])
      }).pipe(Effect.provide(platform))
    )

    it.scopedLive.each(isolations)("are run through one runner, calls at once and again: %s", (isolation) =>
      Effect.gen(function* () {
        const { tools } = yield* copy
        const folder = yield* ScriptFolder.load(tools)
        const toolset = yield* ScriptFolder.toToolset(folder, { executor: yield* executors[isolation] })
        expect(toolset.problems).toStrictEqual([])
        const runner = yield* ToolRunner.make(toolset)
        for (const round of [1, 2]) {
          const outcomes = yield* runner.runAll(calls)
          const results = outcomes.map((outcome) => (outcome._tag === "Success" ? outcome.result : outcome))
          expect(isolation === "shared" && round === 2 ? fresh : results).toStrictEqual(fresh)
          if (isolation === "shared" && round === 2) {
            // Bash has no interpreter that calls share.
            expect(results).toStrictEqual([
              { words: ["DER", "DAS", "DEM"], calls: 2 },
              fresh[1],
              { total: "6.50 CHF", calls: 2 },
              "-pfel-bi (2)"
            ])
          }
        }
      }).pipe(Effect.provide(platform))
    )

    it.scopedLive("are not run where arguments are wrong, and tell the model how they failed", () =>
      Effect.gen(function* () {
        const { tools } = yield* copy
        const folder = yield* ScriptFolder.load(tools)
        const toolset = yield* ScriptFolder.toToolset(folder, { executor: yield* executors.worker })
        const runner = yield* ToolRunner.make(toolset)
        const outcomes = yield* runner.runAll([
          ToolCall.make("1", "first_words", { text: 7 }),
          ToolCall.make("2", "repeat", {}),
          ToolCall.make("3", "total", { positions: [], currency: "USD" }),
          ToolCall.make("4", "slug", { title: " " }),
          ToolCall.make("5", "_words", {})
        ])
        expect(outcomes.map(({ _tag }) => _tag)).toStrictEqual([
          "InvalidArguments",
          "InvalidArguments",
          "InvalidArguments",
          "Failure",
          "UnknownTool"
        ])
        const failure = outcomes[3] === undefined ? undefined : Outcome.render(outcomes[3])
        expect(failure === undefined ? "" : ToolResult.toText(failure)).toContain(
          "slug failed: RangeError: the title is empty"
        )
      }).pipe(Effect.provide(platform))
    )

    it.scopedLive.each(isolations)(
      "run their last good text while their files are broken, in new interpreters too: %s",
      (isolation) =>
        Effect.gen(function* () {
          const { tools } = yield* copy
          const toolset = yield* ScriptFolder.live(tools, { executor: yield* executors[isolation] })
          const runner = yield* ToolRunner.make(toolset)
          const broken = {
            "first_words.py": "def run(",
            "repeat.sh": "main() {",
            "total.ts": "export {",
            "slug.mjs": "export {"
          }
          yield* write(tools, broken)
          yield* toolset.problems.changes.pipe(
            Stream.filter((problems) => problems.filter(({ rule }) => rule === "kept-version").length === 4),
            Stream.runHead
          )
          const outcomes = yield* runner.runAll(calls)
          expect(outcomes.map((outcome) => (outcome._tag === "Success" ? outcome.result : outcome))).toStrictEqual(
            fresh
          )
        }).pipe(Effect.provide(platform))
    )

    it.scopedLive.each(isolations)(
      "run what their files say since they were changed, and what they import: %s",
      (isolation) =>
        Effect.gen(function* () {
          const { tools } = yield* copy
          const system = yield* FileSystem.FileSystem
          const toolset = yield* ScriptFolder.live(tools, { executor: yield* executors[isolation] })
          const runner = yield* ToolRunner.make(toolset)
          yield* runner.runAll(calls)
          const edit = (name: string, from: string, to: string) =>
            Effect.flatMap(system.readFileString(`${tools}/${name}`), (text) =>
              system.writeFileString(`${tools}/${name}`, text.replace(from, to))
            )
          yield* edit("_words.py", "text.split()", "text.split()[::-1]")
          yield* edit("repeat.sh", "%s (%s)", "%s [%s]")
          yield* edit("_money.ts", "toFixed(2)", "toFixed(1)")
          yield* edit("slug.mjs", '"-"', '"_"')
          yield* edit("repeat.sh", "# @describe Repeats", "# @describe Says again")
          yield* toolset.folder.changes.pipe(
            Stream.filter(({ scripts }) =>
              scripts.some(({ functions: [tool] }) => tool?.description === "Says again a text.")
            ),
            Stream.runHead
          )
          // It may have looked at the files while they were edited.
          yield* toolset.reload
          const outcomes = yield* runner.runAll(calls)
          expect(outcomes.map((outcome) => (outcome._tag === "Success" ? outcome.result : outcome))).toStrictEqual([
            { words: ["DEM", "DAS", "DER"], calls: 1 },
            `$(date) 'a' "b" $(date) 'a' "b" -x ; ls [1]`,
            { total: "6.5 CHF", calls: 1 },
            "_pfel_bi (1)"
          ])
        }).pipe(Effect.provide(platform))
    )
  }
)
