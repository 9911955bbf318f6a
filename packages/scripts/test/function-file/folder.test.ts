import { assert, describe, it } from "@effect/vitest"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Facts, Toolset } from "@wield/core"
import { FunctionFolder } from "@wield/scripts"
import { Effect } from "effect"
import { broken, functions, told, userFunctions } from "./fixtures.js"

const file = (name: string, enabled = "True") => `ENABLED = ${enabled}
TOOLS = [{"type": "function", "function": {"name": "${name}", "description": "Does ${name}"}}]


def execute(function_name, arguments, config):
    return function_name, True
`

const folders = (texts: { readonly [path: string]: string }) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const root = yield* files.makeTempDirectoryScoped({ prefix: "wield-functions-" })
    yield* files.makeDirectory(`${root}/core`)
    yield* files.makeDirectory(`${root}/user`)
    for (const [path, text] of Object.entries(texts)) yield* files.writeFileString(`${root}/${path}`, text)
    return { root, folders: [`${root}/core`, `${root}/user`] }
  })

describe("Folders of function files", () => {
  it.effect("have every module that can be read, and tell what is wrong with the others", () =>
    Effect.gen(function* () {
      const folder = yield* FunctionFolder.load([functions, userFunctions])
      assert.deepStrictEqual(
        [...FunctionFolder.modules(folder)],
        [
          ["lazy", ["is_heavy_loaded"]],
          ["memory", ["save_memory", "search_memory"]],
          ["web", ["search_for_urls"]],
          ["zz_again", ["again"]]
        ]
      )
      assert.deepStrictEqual(told(folder.problems), [
        'functions/computed.py:8:10: error: TOOLS cannot be known without running the file, for the call `tool("uptime", "How long this has run")` stands in it; write it as a literal, or load the file with an executor',
        "user/functions/misbehaving.py:9:17: error: TOOLS cannot be known without running the file, for the item `_NAMES[:-1]` stands in it; write it as a literal, or load the file with an executor",
        "user/functions/web.py: warning: The module web takes the place of that of functions/web.py as a whole; rename the file to have both",
        'functions/zz_again.py:4:47: error: The function "save_memory" has the name of one of memory.py, which is kept; rename one of them'
      ])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("of broken files only have no tools, and say why of each", () =>
    Effect.gen(function* () {
      const folder = yield* FunctionFolder.load([broken])
      assert.deepStrictEqual(
        folder.files.map(({ module }) => module),
        ["malformed"]
      )
      const files = new Set(told(folder.problems).map((line) => line.replace(/:.*/s, "")))
      assert.strictEqual(files.size, 8)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("keep a module of the application that the user's broken or disabled file would replace", () =>
    Effect.gen(function* () {
      const { folders: both } = yield* folders({
        "core/a.py": file("a"),
        "core/b.py": file("b"),
        "user/a.py": "TOOLS = [",
        "user/b.py": file("mine", "False")
      })
      const folder = yield* FunctionFolder.load(both)
      assert.deepStrictEqual(
        [...FunctionFolder.modules(folder)],
        [
          ["a", ["a"]],
          ["b", ["b"]]
        ]
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("may be missing but for one, and leave alone what is no function file", () =>
    Effect.gen(function* () {
      const { folders: both, root } = yield* folders({
        "user/a.py": file("a"),
        "user/_helper.py": file("helper"),
        "user/.hidden.py": file("hidden"),
        "user/notes.txt": "",
        "user/script.sh": "echo"
      })
      const some = yield* FunctionFolder.load([`${root}/none`, ...both])
      assert.deepStrictEqual([...FunctionFolder.modules(some).keys()], ["a"])
      assert.deepStrictEqual(
        some.problems.map(({ rule }) => rule),
        ["missing-folder"]
      )
      const error = yield* Effect.flip(FunctionFolder.load([`${root}/none`]))
      assert.strictEqual(error._tag, "UnreadableScript")
    }).pipe(Effect.provide(NodeContext.layer))
  )
})

it.effect(
  "What is not stated to be local is withheld where only local tools are wanted, whatever a tool is called",
  () =>
    Effect.gen(function* () {
      const { files } = yield* FunctionFolder.load([functions])
      const of = files.flatMap(({ tools }) => tools)
      const toolset = yield* Toolset.dynamic(of.map((tool) => ({ ...tool, execute: () => Effect.void })))
      const offered = (options?: Facts.StaysLocalOptions) =>
        Effect.map(
          toolset.pipe(Toolset.prefix("my_"), Toolset.filter(Facts.staysLocal(options))).offer,
          ({ entries }) => [...entries.keys()].sort()
        )
      assert.isAbove(of.length, 3)
      assert.deepStrictEqual(yield* offered(), ["my_save_memory", "my_search_memory"])
      assert.deepStrictEqual(yield* offered({ isEndpointAllowed: (tool) => tool === "my_get_website" }), [
        "my_get_website",
        "my_save_memory",
        "my_search_memory"
      ])
    }).pipe(Effect.provide(NodeContext.layer))
)
