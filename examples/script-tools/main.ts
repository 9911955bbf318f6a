/**
 * A folder of tools in four languages, in one runner. Names, descriptions and
 * parameters are read from the sources; arguments are checked before a script
 * runs; each language is run by its own warm interpreter. A script whose
 * interpreter is not on this machine is not offered, and the program goes on.
 */
import * as assert from "node:assert/strict"
import { fileURLToPath } from "node:url"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Outcome, ToolCall, ToolResult, ToolRunner } from "@wield/core"
import { Problem } from "@wield/core"
import { ScriptFolder, Selection } from "@wield/scripts"
import { Effect } from "effect"

const tools = fileURLToPath(new URL("tools", import.meta.url))

const text = "Green tea is tea.\nBlack coffee is no tea.\nWhite tea is."

const calls = [
  ToolCall.make("1", "text_statistics", { text, without: ["is"] }),
  ToolCall.make("2", "search_lines", { text, word: "tea.", numbers: true }),
  ToolCall.make("3", "order_total", { positions: [{ name: "Green tea", price: 4.5, quantity: 2 }], currency: "CHF" }),
  ToolCall.make("4", "days_between", { from: "2026-02-27", to: "2026-03-01" }),
  // What a model gets wrong does not reach a script, and the model reads what a script raises.
  ToolCall.make("5", "order_total", { positions: "green tea" }),
  ToolCall.make("6", "days_between", { from: "yesterday", to: "2026-03-01" })
]

const textOf = (outcome: Outcome.Outcome): string => {
  const result = Outcome.render(outcome)
  return `${outcome.id} ${outcome._tag}: ${result === undefined ? "" : ToolResult.toText(result)}`
}

const program = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const folder = yield* ScriptFolder.load(tools)
  assert.deepEqual(folder.problems, [])

  // Scripts say nothing of what they may do to the world; the program knows.
  const toolset = yield* ScriptFolder.toToolset(folder, {
    execution: { cache: yield* files.makeTempDirectoryScoped(), limits: { time: "10 seconds" } },
    facts: { search_lines: { isReadOnly: true, isDestructive: false, isOpenWorld: false } }
  })
  for (const problem of toolset.problems) console.log(`Not offered: ${Problem.report(problem)}`)

  const runner = yield* ToolRunner.make(toolset)
  const definitions = yield* runner.definitions
  for (const { description, inputSchema, name } of definitions) {
    console.log(`${name}: ${description} (${Object.keys(Object(inputSchema["properties"])).join(", ")})`)
  }

  const outcomes = yield* runner.runAll(calls)
  for (const outcome of outcomes) console.log(textOf(outcome))
  const results = outcomes.map((outcome) => (outcome._tag === "Success" ? outcome.result : outcome._tag))
  const offered = new Set(definitions.map(({ name }) => name))
  const expected = [
    { words: { tea: 4, black: 1, coffee: 1 }, mean_length: 3.4 },
    "1:Green tea is tea.\n2:Black coffee is no tea.",
    { total: "9.00 CHF", positions: 1 },
    2,
    "InvalidArguments",
    "Failure"
  ]
  assert.deepEqual(
    results,
    calls.map(({ name }, index) => (offered.has(name) ? expected[index] : "UnknownTool"))
  )

  // A role may use fewer of them.
  const clerk = Selection.make({ enabledTools: ["office"], mappingTools: { office: ["order_total", "days_between"] } })
  const narrowed = yield* Selection.apply(toolset, clerk)
  const clerks = yield* (yield* ToolRunner.make(narrowed.toolset)).definitions
  console.log(`A clerk has ${clerks.map(({ name }) => name).join(" and ")}.`)
  assert.equal(clerks.length, 2)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(NodeContext.layer)))
