/** Options that a program without a compiler may give: of others, all tools would be offered, or run without limits. */
import { describe, expect, it } from "@effect/vitest"
import { NodeContext } from "@effect/platform-node"
import { FunctionFile, FunctionFolder, ScriptFolder, Selection } from "@wield/scripts"
import { Effect } from "effect"
import { causeOf, untyped } from "../../../../test/untyped.js"
import { folderOf, javascript, platform } from "./folders.js"

type Given = Effect.Effect<unknown, unknown, never>

describe("a selection", () => {
  const make = untyped<Selection.Selection>(Selection.make)

  it("is not made with what a configuration calls its parts, or of other types", () => {
    expect(() => make({ enabledTool: ["fs_cat"] })).toThrow('did you mean "enabledTools"?')
    expect(() => make({ enabled_tools: ["fs_cat"] })).toThrow('did you mean "enabledTools"?')
    expect(() => make({ enabledTools: "fs_cat" })).toThrow('must be an array of names, or "all", but is "fs_cat"')
    expect(() => make(null)).toThrow("What `Selection.make` takes must be an object, but is null")
  })

  it("is not that of a role or an agent that is misspelt", () => {
    const all = Selection.make()
    expect(() => untyped(Selection.forRole)(all, { enabled_tools: [] })).toThrow('did you mean "enabledTools"?')
    expect(() => untyped(Selection.forAgent)(all, { global_tools: [] })).toThrow('did you mean "globalTools"?')
    expect(() => untyped(Selection.forAgent)(all, {})).toThrow("globalTools must be an array of texts")
  })

  it.scoped("that is written by hand lacks no part", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({ "a.js": javascript("A", "1"), "b.js": javascript("B", "2") })
      const selection = { enabledTools: ["a"] }
      const load = untyped<Given>(ScriptFolder.load)
      expect(yield* causeOf(load(folder, { selection }))).toContain("selection.mappingTools must be an object")
      const read = yield* ScriptFolder.load(folder)
      expect(() => untyped(Selection.applyToFolder)(read, { enabledTool: ["a"] })).toThrow("did you mean")
    }).pipe(Effect.provide(platform))
  )
})

describe("scripts are not", () => {
  const execution = { limits: { time: "1 second" } }
  const wrong: ReadonlyArray<readonly [string, unknown, ReadonlyArray<unknown>, string]> = [
    ["read with a selection of another name", ScriptFolder.load, ["tools", { selecton: {} }], 'mean "selection"?'],
    ["read where no path is", ScriptFolder.load, [undefined], "folder must be a text, but is nothing"],
    ["run with limits of another name", ScriptFolder.toToolset, [{}, { executions: execution }], 'mean "execution"?'],
    ["run by what runs nothing", ScriptFolder.toToolset, [{}, { executor: execution }], "executor must be what"],
    ["given facts that are none", ScriptFolder.toToolset, [{}, { facts: "all" }], "facts must be facts by the name"],
    ["followed without a pause", ScriptFolder.live, ["tools", { interval: 0 }], "interval must be a duration longer"],
    ["read from one path", FunctionFolder.load, ["functions"], 'folders must be an array of texts, but is "functions"'],
    ["run without an executor", FunctionFolder.toToolset, [{ files: [] }, {}], "executor must be what `ScriptExecutor"],
    ["configured by another name", FunctionFolder.toToolset, [{ files: [] }, { confi: 1 }], 'did you mean "config"?'],
    [
      "followed without an executor",
      FunctionFolder.live,
      [[], {}],
      "executor must be what `ScriptExecutor.make` gives"
    ],
    ["run from files without an executor", FunctionFile.toToolset, [[], {}], "executor must be what `ScriptExecutor"]
  ]

  it.scoped.each(wrong)("%s", ([, make, given, problem]) =>
    Effect.gen(function* () {
      expect(yield* causeOf(untyped<Given>(make)(...given))).toContain(problem)
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
