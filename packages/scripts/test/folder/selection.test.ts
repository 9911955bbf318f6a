import { describe, expect, it } from "@effect/vitest"
import { Tool, Toolkit } from "@effect/ai"
import { ToolRunner, Toolset } from "@wield/core"
import { ScriptFolder, Selection } from "@wield/scripts"
import { Effect, Either, Stream } from "effect"
import { folderOf, javascript, platform, python } from "./folders.js"

const selectionOf = (configuration: unknown) => Either.getOrThrow(Selection.decode(configuration))

const detailsOf = (configuration: unknown) =>
  Either.match(Selection.decode(configuration, { file: "config.yaml" }), {
    onLeft: ({ message }) => message.split("\n"),
    onRight: () => []
  })

const toolsetOf = (...names: ReadonlyArray<string>) =>
  Toolset.dynamic(names.map((name) => ({ name, execute: () => Effect.succeed(name) })))

const applied = (configuration: unknown, ...names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { problems, toolset } = yield* Selection.apply(yield* toolsetOf(...names), selectionOf(configuration))
    const definitions = yield* (yield* ToolRunner.make(toolset)).definitions
    return {
      tools: definitions.map(({ name }) => name),
      problems: problems.map(({ message, subject }) => `${subject}: ${message}`)
    }
  })

describe("reading a configuration", () => {
  it("takes lists, and texts with commas, for the same", () => {
    const listed = {
      visible_tools: ["a.py", "b.sh"],
      enabled_tools: ["a", "both"],
      mapping_tools: { both: ["a", "b"] }
    }
    const written = { visible_tools: "a.py, b.sh", enabled_tools: " a,both,,", mapping_tools: { both: "a , b" } }
    expect(selectionOf(written)).toStrictEqual(selectionOf(listed))
  })

  it("enables nothing where nothing is said, and all where that is said", () => {
    expect(selectionOf({})).toMatchObject({ visibleTools: undefined, enabledTools: [], mappingTools: {} })
    expect(selectionOf({ enabled_tools: null }).enabledTools).toStrictEqual([])
    expect(selectionOf({ enabled_tools: "all" }).enabledTools).toBe("all")
    expect(selectionOf({ enabled_tools: ["fs", "all"] }).enabledTools).toBe("all")
  })

  it("leaves what is for others, and refuses what is almost one of its keys", () => {
    expect(detailsOf({ model: "x", enabled_mcp_servers: "all", stream: true })).toStrictEqual([])
    expect(detailsOf({ visible_tool: [], enable_tools: "all" })).toStrictEqual([
      "config.yaml: visible_tool: is not known; visible_tools is",
      "config.yaml: enable_tools: is not known; enabled_tools is"
    ])
  })

  it("says of each key what is wrong with it", () => {
    const details = detailsOf({ visible_tools: 3, enabled_tools: { a: true }, mapping_tools: { fs: 7 } })
    expect(details.map((detail) => detail.split(":")[1])).toStrictEqual([
      " visible_tools",
      " enabled_tools",
      " mapping_tools.fs"
    ])
    expect(details[0]).toContain('must be a list of names, or names with commas between them, such as "fs, web_search"')
    expect(details[2]).toContain("must be a list of names")
    expect(detailsOf("all")).toStrictEqual(['config.yaml: must be an object with keys such as "enabled_tools"'])
    expect(detailsOf({ mapping_tools: ["fs_cat"] })).toStrictEqual([
      'config.yaml: mapping_tools: must be an object of names by alias, such as { "fs": "fs_cat, fs_ls" }'
    ])
  })
})

describe("visible files", () => {
  it("are those that are listed, none where the list is empty, and all where there is no list", () => {
    expect(selectionOf({ visible_tools: ["a.py", "b.sh"] }).visibleTools).toStrictEqual(["a.py", "b.sh"])
    expect(selectionOf({ visible_tools: "a.py, b.sh" }).visibleTools).toStrictEqual(["a.py", "b.sh"])
    expect(selectionOf({ visible_tools: [] }).visibleTools).toStrictEqual([])
    expect(selectionOf({ visible_tools: null }).visibleTools).toBeUndefined()
    expect(selectionOf({}).visibleTools).toBeUndefined()
  })
})

describe("enabling tools", () => {
  it.effect("enables tools by their names and by aliases, and aliases of aliases", () =>
    Effect.gen(function* () {
      const mapping_tools = { fs: "cat, ls", files: "fs, rm" }
      const result = yield* applied({ enabled_tools: "files, web", mapping_tools }, "cat", "ls", "rm", "mv", "web")
      expect(result).toStrictEqual({ tools: ["cat", "ls", "rm", "web"], problems: [] })
    })
  )

  it.effect("offers no tool where none is enabled, and every one where all are", () =>
    Effect.gen(function* () {
      expect((yield* applied({ enabled_tools: null }, "a", "b")).tools).toStrictEqual([])
      expect((yield* applied({ enabled_tools: "all" }, "a", "b")).tools).toStrictEqual(["a", "b"])
      expect(
        (yield* applied({ enabled_tools: "every", mapping_tools: { every: "all" } }, "a", "b")).tools
      ).toStrictEqual(["a", "b"])
    })
  )

  it.effect("reports names that stand for nothing with the nearest one, where they stand", () =>
    Effect.gen(function* () {
      const mapping_tools = { fs: "fs_cat, fs_lss", unused: "nothing_like_it" }
      const { problems, tools } = yield* applied(
        { enabled_tools: "fs, web_serch", mapping_tools },
        "fs_cat",
        "fs_ls",
        "web_search"
      )
      expect(tools).toStrictEqual(["fs_cat"])
      expect(problems).toStrictEqual([
        'mapping_tools.fs: "fs_lss" is neither a tool nor an alias (did you mean "fs_ls"?)',
        'enabled_tools: "web_serch" is neither a tool nor an alias (did you mean "web_search"?)',
        'mapping_tools.unused: "nothing_like_it" is neither a tool nor an alias'
      ])
    })
  )

  it.effect("ends at an alias of itself, and lets an alias hide a tool of its name", () =>
    Effect.gen(function* () {
      const circular = yield* applied({ enabled_tools: "one", mapping_tools: { one: "two", two: "one, a" } }, "a")
      expect(circular.tools).toStrictEqual(["a"])
      expect(circular.problems[0]).toBe(
        "mapping_tools.two: The alias one → two → one stands for itself; end it in tools"
      )
      const hiding = yield* applied({ enabled_tools: "fs", mapping_tools: { fs: "fs, cat" } }, "fs", "cat")
      expect(hiding).toStrictEqual({ tools: ["fs", "cat"], problems: [] })
    })
  )

  it.effect("takes names of the prototype of objects for names", () =>
    Effect.gen(function* () {
      const { problems, tools } = yield* applied({ enabled_tools: "toString, __proto__" }, "a")
      expect(tools).toStrictEqual([])
      expect(problems).toHaveLength(2)
    })
  )

  it.effect("knows a tool that is withheld for now, and does not offer it", () =>
    Effect.gen(function* () {
      const some = Toolset.filter(({ name }) => name !== "ls")(yield* toolsetOf("cat", "ls"))
      const { problems, toolset } = yield* Selection.apply(some, selectionOf({ enabled_tools: "cat, ls" }))
      expect(problems).toStrictEqual([])
      expect((yield* (yield* ToolRunner.make(toolset)).definitions).map(({ name }) => name)).toStrictEqual(["cat"])
    })
  )

  it.effect("says which names no tool has of a toolset that cannot change", () =>
    Effect.gen(function* () {
      const Shop = Toolkit.make(Tool.make("cat"), Tool.make("ls"))
      const handlers = Shop.toLayer({ cat: () => Effect.void, ls: () => Effect.void })
      const shop = yield* Effect.provide(Toolset.fromToolkit(Shop), handlers)
      // A program without types gives any toolset.
      const untyped = shop as unknown as Toolset.Toolset<Toolset.DynamicTools>
      const { problems, toolset } = yield* Selection.apply(untyped, selectionOf({ enabled_tools: "cat, lss" }))
      expect(problems).toHaveLength(1)
      expect((yield* (yield* ToolRunner.make(toolset)).definitions).map(({ name }) => name)).toStrictEqual(["cat"])
    })
  )

  it.effect("enables a tool that comes to be there later, and announces no other", () =>
    Effect.gen(function* () {
      const all = yield* toolsetOf("a")
      const { toolset } = yield* Selection.apply(all, Selection.make({ enabledTools: ["a", "later"] }))
      const announced = yield* Effect.fork(Stream.runCollect(Stream.take(toolset.changes, 1)))
      yield* Effect.yieldNow()
      yield* Effect.yieldNow()
      yield* all.put({ name: "other", execute: () => Effect.succeed(1) })
      yield* all.put({ name: "later", execute: () => Effect.succeed(1) })
      expect((yield* (yield* ToolRunner.make(toolset)).definitions).map(({ name }) => name)).toStrictEqual([
        "a",
        "later"
      ])
      expect([...(yield* announced)]).toStrictEqual([{ added: ["later"], removed: [], altered: [] }])
    })
  )
})

describe("a name that stands for nothing", () => {
  const told = (selection: Selection.Selection) =>
    Effect.gen(function* () {
      const folder = yield* folderOf({
        "Fs-Cat.js": javascript("Reads", "name"),
        "hidden.py": python("Hidden", "name"),
        "web.js": javascript("Searches", "name")
      })
      const messages = ({ problems }: ScriptFolder.ScriptFolder) => problems.map(({ message }) => message)
      const loaded = messages(yield* ScriptFolder.load(folder, { selection }))
      // What is told of a folder that was read whole is the same.
      expect(messages(Selection.applyToFolder(yield* ScriptFolder.load(folder), selection))).toStrictEqual(loaded)
      return loaded
    })

  it.scoped("is told to be of a file that visible_tools does not name", () =>
    Effect.gen(function* () {
      const problems = yield* told(
        Selection.make({ visibleTools: ["web.js"], enabledTools: ["web", "hidden", "fs_cat"] })
      )
      expect(problems).toStrictEqual([
        '"hidden" is no tool here, for visible_tools does not name its file; add "hidden.py" to it',
        '"fs_cat" is no tool here, for visible_tools does not name its file; add "Fs-Cat.js" to it'
      ])
    }).pipe(Effect.provide(platform))
  )

  it.scoped("is told where it is a file in place of a tool, a tool in place of a file, or none", () =>
    Effect.gen(function* () {
      expect(yield* told(Selection.make({ enabledTools: ["Fs-Cat.js"] }))).toStrictEqual([
        '"Fs-Cat.js" names a file, and here are names of tools: write "fs_cat"'
      ])
      expect(yield* told(Selection.make({ visibleTools: ["hidden"] }))).toStrictEqual([
        'Tool definition file not found: "hidden" (did you mean "hidden.py"?); name files of the folder itself, with their extension'
      ])
      expect(yield* told(Selection.make({ enabledTools: ["none"] }))).toStrictEqual([
        '"none" is neither a tool nor an alias; null, or an empty list, enables none'
      ])
    }).pipe(Effect.provide(platform))
  )
})

describe("roles and agents", () => {
  const all = selectionOf({ visible_tools: "a.py, b.sh", enabled_tools: "a", mapping_tools: { both: "a, b" } })

  it("gives a role what it enables, and what all have where it does not say", () => {
    const role = (configuration: unknown) => Either.getOrThrow(Selection.decodeRole(configuration))
    expect(Selection.forRole(all, role({ enabled_tools: "both" }))).toStrictEqual({ ...all, enabledTools: ["both"] })
    expect(Selection.forRole(all, role({ enabled_tools: null })).enabledTools).toStrictEqual([])
    expect(Selection.forRole(all, role({ model: "x" }))).toStrictEqual(all)
  })

  it("gives an agent every tool of the files it names", () => {
    const agent = Either.getOrThrow(Selection.decodeAgent({ global_tools: ["c.ts"] }))
    expect(Selection.forAgent(all, agent)).toStrictEqual({
      ...all,
      visibleTools: ["c.ts"],
      enabledTools: "all",
      mappingTools: {}
    })
    expect(Either.getOrThrow(Selection.decodeAgent({})).globalTools).toStrictEqual([])
  })
})
