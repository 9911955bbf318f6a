import { assert, describe, it } from "@effect/vitest"
import { Command, FileSystem } from "@effect/platform"
import { Problem } from "@wield/core"
import { ToolsetExport } from "@wield/toolset-manager"
import { Chunk, Effect, Either, FastCheck, Fiber, Option, Stream } from "effect"
import { bundleOf } from "../../../test/programs.js"
import { sized } from "../../../test/sizes.js"
import { causeOf, untyped } from "../../../test/untyped.js"
import { Live, managed, read, saved, write } from "./managed.js"

const core = '{ "research": { "functions": ["web_search", "get_website"], "emoji": "🔭" } }'

const parsed = (file: string) => Effect.map(read(file), (text): unknown => JSON.parse(text))

const leftovers = (folder: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    Effect.map(files.readDirectory(folder), (names) => names.filter((name) => name !== "toolsets.json"))
  )

describe("Saving", () => {
  it.scoped("makes the user's file with the first toolset, and its folder", () =>
    Effect.gen(function* () {
      const { place } = yield* saved()
      const userFile = `${place}/new/folder/toolsets.json`
      const manager = yield* managed({ userFile })
      const listed = yield* manager.save("mine", ["web_search", "gone", "web_search"], { metadata: { emoji: "🌍" } })
      assert.deepStrictEqual([listed.type, listed.status, listed.missing], ["user", "partial", ["gone"]])
      assert.deepStrictEqual(yield* parsed(userFile), { mine: { functions: ["web_search", "gone"], emoji: "🌍" } })
      assert.deepStrictEqual(yield* leftovers(`${place}/new/folder`), [])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("refuses what plain JavaScript gives in the place of a list, or of true, and keeps what is there", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved({ user: '{ "mine": { "functions": ["web_search"] } }' })
      const save = untyped<Effect.Effect<unknown>>(manager.save)
      const load = untyped<Effect.Effect<unknown>>(manager.import)
      const exported = { ...(yield* manager.export("mine")), functions: ["get_website"] }
      const refused: ReadonlyArray<readonly [Effect.Effect<unknown>, string]> = [
        [save("new", "web_search"), 'functions must be an array of texts, but is "web_search"'],
        [save("mine", ["get_website"], { isReplacing: "false" }), 'isReplacing must be true or false, but is "false"'],
        [save("mine", ["get_website"], { replacing: true }), 'did you mean "isReplacing"?'],
        [load(exported, { isReplacing: "no" }), 'isReplacing must be true or false, but is "no"']
      ]
      for (const [effect, problem] of refused) assert.include(yield* causeOf(effect), problem)
      assert.deepStrictEqual(yield* parsed(userFile), { mine: { functions: ["web_search"] } })
    }).pipe(Effect.provide(Live))
  )

  it.scoped("leaves a file alone that is read-only, and one that is not UTF-8", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { manager, place, userFile } = yield* saved({ user: '{ "mine": { "functions": ["web_search"] } }' })
      yield* files.chmod(userFile, 0o444)
      const error = yield* Effect.flip(manager.save("mine", ["get_website"], { isReplacing: true }))
      assert.strictEqual(error._tag, "ToolsetFileFailed")
      assert.match(error.message, /cannot be written: .*the file is read-only; make it writable/)
      assert.deepStrictEqual(yield* parsed(userFile), { mine: { functions: ["web_search"] } })
      assert.deepStrictEqual(yield* leftovers(`${place}/user`), [])

      const latin = Buffer.from('{ "café": { "functions": ["web_search"] } }', "latin1")
      yield* files.chmod(userFile, 0o644)
      yield* files.writeFile(userFile, latin)
      const unread = yield* Effect.flip(manager.save("mine", ["get_website"], { isReplacing: true }))
      assert.match(unread.message, /is not UTF-8/)
      assert.deepStrictEqual(Buffer.from(yield* files.readFile(userFile)), latin)
    }).pipe(Effect.provide(Live))
  )

  it.scoped("puts a toolset over the core file's of its name, keeps its emoji, and leaves the core file alone", () =>
    Effect.gen(function* () {
      const { coreFile, manager, userFile } = yield* saved({ core })
      yield* manager.save("research", ["web_search"], { isReplacing: true })
      assert.deepStrictEqual(yield* parsed(userFile), { research: { functions: ["web_search"], emoji: "🔭" } })
      assert.strictEqual(yield* read(coreFile), core)
      yield* manager.delete("research")
      const [, , , , research] = yield* manager.list
      assert.deepStrictEqual([research?.name, research?.type, research?.total], ["research", "core", 2])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("refuses a name that is there, unless it is told to replace it", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved({ core, user: '{ "mine": { "functions": ["web_search"] } }' })
      for (const name of ["mine", "research"]) {
        const error = yield* Effect.flip(manager.save(name, ["get_website"]))
        assert.strictEqual(error._tag, "ToolsetExists")
        assert.match(error.message, /already; take another name, or replace it: .* isReplacing: true$/)
      }
      assert.deepStrictEqual(yield* parsed(userFile), { mine: { functions: ["web_search"] } })
      yield* manager.save("mine", ["get_website"], { isReplacing: true })
      assert.deepStrictEqual(yield* parsed(userFile), { mine: { functions: ["get_website"] } })
    }).pipe(Effect.provide(Live))
  )

  it.scoped("of one new name by several at the same time makes it once, and loses none of them silently", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved()
      const saves = yield* Effect.forEach(
        ["web_search", "get_website", "save_memory"],
        (name) => Effect.either(manager.save("mine", [name])),
        { concurrency: "unbounded" }
      )
      const made = saves.flatMap((one) => (one._tag === "Right" ? [one.right.functions] : []))
      assert.strictEqual(made.length, 1)
      assert.deepStrictEqual(yield* parsed(userFile), { mine: { functions: made[0] } })
      assert.deepStrictEqual(
        saves.flatMap((one) => (one._tag === "Left" ? [one.left._tag] : [])),
        ["ToolsetExists", "ToolsetExists"]
      )
    }).pipe(Effect.provide(Live))
  )

  it.scoped("refuses names that mean something else, and sets of nothing", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved({ core, user: "{}" })
      const refused = (name: string, functions = ["web_search"]) =>
        Effect.map(Effect.flip(manager.save(name, functions, { isReplacing: true })), (error) => error._tag)
      assert.strictEqual(yield* refused("all"), "ReservedName")
      assert.strictEqual(yield* refused("none"), "ReservedName")
      assert.strictEqual(yield* refused("custom"), "ReservedName")
      assert.strictEqual(yield* refused("memory"), "ReservedName")
      assert.strictEqual(yield* refused("_mine"), "ReservedName")
      assert.strictEqual(yield* refused(" "), "ReservedName")
      assert.strictEqual(yield* refused("mine", []), "EmptyToolset")
      assert.strictEqual(yield* read(userFile), "{}")
      const nowhere = yield* Effect.flip((yield* managed()).save("mine", ["web_search"]))
      assert.strictEqual(nowhere._tag, "NowhereToSave")
    }).pipe(Effect.provide(Live))
  )

  it.scoped("keeps comments, broken toolsets and the mode of the file, and follows a link", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { manager, place, userFile } = yield* saved()
      const elsewhere = `${place}/elsewhere.json`
      yield* write(elsewhere, '{ "_why": "mine", "broken": 7 }')
      yield* files.chmod(elsewhere, 0o640)
      yield* files.symlink(elsewhere, userFile)
      yield* manager.reload
      yield* manager.save("mine", ["web_search"])
      assert.deepStrictEqual(yield* parsed(elsewhere), {
        _why: "mine",
        broken: 7,
        mine: { functions: ["web_search"] }
      })
      assert.strictEqual((yield* files.stat(elsewhere)).mode & 0o777, 0o640)
      assert.strictEqual(yield* files.readLink(userFile), elsewhere)
    }).pipe(Effect.provide(Live))
  )

  it.scoped("that fails leaves the file, what is known of it, and nothing beside it", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { manager, place, userFile } = yield* saved({ user: '{ "mine": { "functions": ["web_search"] } }' })
      yield* files.remove(userFile)
      yield* files.makeDirectory(userFile)
      const error = yield* Effect.flip(manager.save("mine", ["save_memory"], { isReplacing: true }))
      assert.strictEqual(error._tag, "ToolsetFileFailed")
      assert.deepStrictEqual((yield* manager.preview("mine")).functions, ["web_search"])
      assert.deepStrictEqual(yield* leftovers(`${place}/user`), [])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("tells whoever shows toolsets", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ user: "{}" })
      const told = yield* Effect.fork(Stream.runCollect(Stream.take(manager.events, 3)))
      yield* Effect.repeatN(Effect.yieldNow(), 20)
      yield* manager.save("mine", ["web_search"])
      yield* manager.rename("mine", "ours")
      yield* manager.activate("chat", "ours")
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(told)), [
        { _tag: "Saved", name: "mine" },
        { _tag: "Renamed", name: "mine", to: "ours" },
        { _tag: "Activated", conversation: "chat", selection: { _tag: "Named", name: "ours" } }
      ])
    }).pipe(Effect.provide(Live))
  )
})

describe("Saves at the same time", () => {
  it.scoped("in one manager lose nothing", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved()
      const all = Array.from({ length: sized(12, 40) }, (_, index) => `set ${index}`)
      yield* Effect.forEach(all, (name) => manager.save(name, ["web_search"]), { concurrency: "unbounded" })
      assert.sameMembers(Object.keys((yield* parsed(userFile)) as object), all)
    }).pipe(Effect.provide(Live))
  )

  it.scoped("by managers that take turns lose nothing", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved()
      const other = yield* managed({ userFile })
      yield* manager.save("one", ["web_search"])
      yield* other.save("two", ["web_search"])
      yield* manager.save("three", ["web_search"])
      assert.sameMembers(Object.keys((yield* parsed(userFile)) as object), ["one", "two", "three"])
      assert.strictEqual((yield* manager.preview("two")).type, "user")
    }).pipe(Effect.provide(Live))
  )

  it.scopedLive("by several managers of one file lose nothing", () =>
    Effect.gen(function* () {
      const { manager, place, userFile } = yield* saved()
      const managers = [manager, yield* managed({ userFile }), yield* managed({ userFile })]
      const all = managers.flatMap((each, own) =>
        Array.from({ length: sized(6, 20) }, (_, index) => ({ each, name: `${own} ${index}` }))
      )
      yield* Effect.forEach(all, ({ each, name }) => each.save(name, ["web_search"]), { concurrency: "unbounded" })
      assert.sameMembers(
        Object.keys((yield* parsed(userFile)) as object),
        all.map(({ name }) => name)
      )
      assert.deepStrictEqual(yield* leftovers(`${place}/user`), [])
    }).pipe(Effect.provide(Live))
  )

  it.scopedLive("by several processes lose nothing", () =>
    Effect.gen(function* () {
      const { place, userFile } = yield* saved()
      const saver = yield* bundleOf(new URL("saver.ts", import.meta.url))
      const names = ["a", "b", "c"]
      const count = sized(3, 20)
      const codes = yield* Effect.forEach(
        names,
        (name) => Command.exitCode(Command.make(process.execPath, saver, userFile, name, String(count))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(codes, [0, 0, 0])
      assert.strictEqual(Object.keys((yield* parsed(userFile)) as object).length, 3 * count)
      assert.deepStrictEqual(yield* leftovers(`${place}/user`), [])
    }).pipe(Effect.provide(Live))
  )

  it.scopedLive("wait for whoever is saving, and not for whoever ended while saving", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { manager, place, userFile } = yield* saved()
      const lock = `${place}/user/.toolsets.json.lock`
      yield* write(lock, "somebody")
      const waiting = yield* Effect.timeoutOption(manager.save("mine", ["web_search"]), "200 millis")
      assert.isTrue(Option.isNone(waiting))
      const longAgo = new Date(Date.now() - 60_000)
      yield* files.utimes(lock, longAgo, longAgo)
      yield* manager.save("other", ["web_search"])
      // Whoever gave up waiting has saved nothing.
      assert.deepStrictEqual(yield* parsed(userFile), { other: { functions: ["web_search"] } })
      assert.deepStrictEqual(yield* leftovers(`${place}/user`), [])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("do not overwrite what somebody else made of the same toolset: it is told first", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved({ user: '{ "mine": { "functions": ["web_search"] } }' })
      yield* write(userFile, '{ "mine": { "functions": ["save_memory"] }, "theirs": { "functions": ["web_search"] } }')
      const error = yield* Effect.flip(manager.save("mine", ["get_website"], { isReplacing: true }))
      assert.deepStrictEqual([error._tag, "functions" in error && error.functions], ["ToolsetChanged", ["save_memory"]])
      assert.strictEqual((yield* manager.preview("theirs")).enabled, 1)
      yield* manager.save("mine", ["get_website"], { isReplacing: true })
      assert.deepStrictEqual(yield* parsed(userFile), {
        mine: { functions: ["get_website"] },
        theirs: { functions: ["web_search"] }
      })
    }).pipe(Effect.provide(Live))
  )

  it.effect("never show a reader half a file", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved({ user: "{}" })
      const functions = Array.from({ length: 2000 }, (_, index) => `function_${index}`)
      const saving = yield* Effect.fork(
        Effect.forEach(sized([1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8]), (index) => manager.save(`set ${index}`, functions))
      )
      let reads = 0
      while ((yield* Fiber.poll(saving))._tag === "None") {
        yield* parsed(userFile)
        reads++
      }
      yield* Fiber.join(saving)
      assert.isAbove(reads, 0)
    }).pipe(Effect.scoped, Effect.provide(Live))
  )
})

describe("A file that is changed by hand", () => {
  it.scoped("and broken leaves what was read before, and is told with its place", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved({ core, user: '{ "mine": { "functions": ["web_search"] } }' })
      yield* write(userFile, '{\n  "mine": {')
      const error = yield* Effect.flip(manager.reload)
      assert.match(error.message, /toolsets\.json:2:12: error: The JSON is broken here/)
      assert.strictEqual((yield* manager.preview("mine")).enabled, 1)
      const refused = yield* Effect.flip(manager.save("mine", ["save_memory"], { isReplacing: true }))
      assert.strictEqual(refused._tag, "InvalidToolsetFile")
      assert.strictEqual(yield* read(userFile), '{\n  "mine": {')
    }).pipe(Effect.provide(Live))
  )

  it.scoped("is read again though the core file is broken, of which what was read before stays", () =>
    Effect.gen(function* () {
      const { coreFile, manager, userFile } = yield* saved({ core, user: "{}" })
      yield* write(coreFile, "{")
      yield* write(userFile, '{ "mine": { "functions": ["web_search"] } }')
      assert.strictEqual((yield* Effect.flip(manager.reload))._tag, "InvalidToolsetFile")
      assert.strictEqual((yield* manager.preview("research")).enabled, 2)
      assert.strictEqual((yield* manager.preview("mine")).enabled, 1)
    }).pipe(Effect.provide(Live))
  )

  it.scoped("cannot be loaded where it is broken from the start, nor a core file that is not there", () =>
    Effect.gen(function* () {
      const { place, userFile } = yield* saved()
      yield* write(userFile, "{")
      assert.strictEqual((yield* Effect.flip(managed({ userFile })))._tag, "InvalidToolsetFile")
      assert.strictEqual((yield* Effect.flip(managed({ coreFile: `${place}/none.json` })))._tag, "ToolsetFileFailed")
    }).pipe(Effect.provide(Live))
  )

  it.scoped("and broken is among the problems until it is mended, whoever found it, and told of once", () =>
    Effect.gen(function* () {
      const text = '{ "mine": { "functions": ["web_search"] } }'
      const { coreFile, manager, userFile } = yield* saved({ core, user: text })
      const events = yield* Effect.fork(Stream.runCollect(Stream.take(manager.events, 4)))
      yield* Effect.repeatN(Effect.yieldNow(), 20)
      const problems = Effect.map(manager.problems.get, (all) =>
        all.map((problem) => Problem.report(problem).replace(/^.*\/([^/]+:)/, "$1"))
      )
      yield* write(userFile, "{")
      yield* Effect.flip(manager.save("other", ["web_search"]))
      yield* Effect.flip(manager.reload)
      yield* Effect.flip(manager.reload)
      const [broken, ...others] = yield* problems
      assert.match(
        broken ?? "",
        /^toolsets\.json:1:2: error: The JSON is broken here.*; what was read before stays in use$/
      )
      assert.deepStrictEqual(others, [])

      // A file of its own, with a failure of its own.
      yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.remove(coreFile))
      yield* Effect.flip(manager.reload)
      assert.strictEqual(
        (yield* problems)[1],
        "core.json: error: there is no such file; what was read before stays in use"
      )

      // The same text as was read last: nothing of the toolsets is other.
      yield* write(userFile, text)
      yield* write(coreFile, core)
      yield* manager.reload
      assert.deepStrictEqual(yield* problems, [])
      yield* manager.activate("chat", "mine")
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(yield* Fiber.join(events)).map(({ _tag }) => _tag),
        ["ReloadFailed", "ReloadFailed", "Reloaded", "Activated"]
      )
    }).pipe(Effect.provide(Live))
  )

  it.scopedLive("and broken is told of once by watching, and followed by the problems", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved({ user: "{}" }, { isWatched: true })
      const told: Array<string> = []
      yield* Effect.forkScoped(Stream.runForEach(manager.events, ({ _tag }) => Effect.sync(() => told.push(_tag))))
      const seen = yield* Effect.fork(Stream.runCollect(Stream.take(manager.problems.changes, 3)))
      yield* Effect.sleep("300 millis")
      yield* write(userFile, "{")
      yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => told.length > 0 })
      // The news of the operating system and the look every 2 seconds both find it.
      yield* Effect.sleep("3 seconds")
      assert.deepStrictEqual(told, ["ReloadFailed"])
      yield* write(userFile, "{}")
      const counts = Chunk.toReadonlyArray(yield* Fiber.join(seen)).map((problems) => problems.length)
      assert.deepStrictEqual(counts, [0, 1, 0])
    }).pipe(Effect.provide(Live))
  )

  it.scopedLive("is read again where it is watched", () =>
    Effect.gen(function* () {
      const { manager, userFile } = yield* saved({ user: "{}" }, { isWatched: true })
      const events = yield* Effect.fork(Stream.runCollect(Stream.take(manager.events, 2)))
      yield* Effect.sleep("300 millis")
      yield* write(userFile, '{ "mine": { "functions": ["web_search"] } }')
      while ((yield* Effect.either(manager.preview("mine")))._tag === "Left") yield* Effect.sleep("20 millis")
      yield* write(userFile, "{")
      const told = Chunk.toReadonlyArray(yield* Fiber.join(events))
      assert.deepStrictEqual(
        told.map(({ _tag }) => _tag),
        ["Reloaded", "ReloadFailed"]
      )
      assert.strictEqual((yield* manager.preview("mine")).enabled, 1)
    }).pipe(Effect.provide(Live))
  )

  it.scopedLive("is read again where its folder was removed and made anew while it is watched", () =>
    Effect.gen(function* () {
      const { manager, place, userFile } = yield* saved(
        { user: '{ "mine": { "functions": ["web_search"] } }' },
        { isWatched: true }
      )
      const isThere = (name: string) => Effect.map(Effect.either(manager.preview(name)), Either.isRight)
      yield* Effect.sleep("300 millis")
      const files = yield* FileSystem.FileSystem
      yield* files.remove(`${place}/user`, { recursive: true })
      while (yield* isThere("mine")) yield* Effect.sleep("20 millis")
      yield* files.makeDirectory(`${place}/user`)
      yield* write(userFile, '{ "again": { "functions": ["web_search"] } }')
      while (!(yield* isThere("again"))) yield* Effect.sleep("20 millis")
    }).pipe(Effect.provide(Live))
  )
})

describe("Renaming and deleting", () => {
  it.scoped("is for toolsets of the user's file", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ core, user: '{ "mine": { "functions": ["web_search"] } }' })
      for (const name of ["all", "web", "research"]) {
        assert.strictEqual((yield* Effect.flip(manager.delete(name)))._tag, "NotUserToolset")
        assert.strictEqual((yield* Effect.flip(manager.rename(name, "other")))._tag, "NotUserToolset")
      }
      assert.strictEqual((yield* Effect.flip(manager.delete("min")))._tag, "UnknownToolset")
      assert.strictEqual((yield* Effect.flip(manager.rename("mine", "research")))._tag, "ToolsetExists")
      assert.strictEqual((yield* Effect.flip(manager.rename("mine", "web")))._tag, "ReservedName")
    }).pipe(Effect.provide(Live))
  )

  it.scoped("keeps a renamed toolset active where it was", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ user: '{ "mine": { "functions": ["web_search"], "emoji": "🌍" } }' })
      yield* manager.activate("chat", "mine")
      const listed = yield* manager.rename("mine", "ours")
      assert.deepStrictEqual(listed.metadata, { emoji: "🌍" })
      const active = yield* manager.active("chat")
      assert.deepStrictEqual([active.name, active.enabled], ["ours", 1])
      assert.strictEqual((yield* Effect.flip(manager.preview("mine")))._tag, "UnknownToolset")
    }).pipe(Effect.provide(Live))
  )
})

describe("An exported toolset", () => {
  it.scoped("is imported as it was, without functions that are not loaded", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ user: '{ "mine": { "functions": ["web_search", "gone"], "emoji": "🌍" } }' })
      const text = ToolsetExport.toText(yield* manager.export("mine"))
      const taken = yield* Effect.flip(manager.import(text))
      assert.strictEqual(taken._tag, "ToolsetExists")
      const imported = yield* manager.import(text, { name: "copy" })
      assert.deepStrictEqual(imported.skipped, ["gone"])
      assert.deepStrictEqual(
        [imported.toolset.name, imported.toolset.functions, imported.toolset.metadata],
        ["copy", ["web_search"], { emoji: "🌍" }]
      )
      const again = yield* manager.import(text, { isReplacing: true })
      assert.deepStrictEqual(again.toolset.functions, ["web_search"])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("of Sapphire is read, as text and as JSON", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved()
      const envelope = {
        sapphire_export: true,
        type: "toolset",
        version: 1,
        name: "mine",
        emoji: "🔧",
        functions: ["web_search", "x"]
      }
      assert.deepStrictEqual((yield* manager.import(JSON.stringify(envelope))).skipped, ["x"])
      const { toolset } = yield* manager.import(envelope, { isReplacing: true })
      assert.deepStrictEqual(toolset.metadata, { emoji: "🔧" })
    }).pipe(Effect.provide(Live))
  )

  it.scoped("that is none, or has nothing that is loaded, is refused", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved()
      const refusal = (text: string) => Effect.flip(manager.import(text))
      const broken = yield* refusal('{ "wield": "toolset", "version": 2, "functions": [7] }')
      assert.strictEqual(broken._tag, "InvalidExport")
      assert.deepStrictEqual("problems" in broken ? broken.problems.map(Problem.report) : [], [
        "exported toolset:1:34: error: Exports of version 1 can be read, but this one's is 2",
        "exported toolset:1:1: error: name must be a text, but is nothing",
        "exported toolset:1:51: error: Each function must be a name, but this one is 7"
      ])
      assert.match((yield* refusal("{")).message, /^exported toolset:1:2: error: The JSON is broken here/)
      const uploaded = yield* Effect.flip(manager.import("{", { file: "research.json" }))
      assert.match(uploaded.message, /^research\.json:1:2: error: The JSON is broken here[^\n]*$/)
      assert.strictEqual((yield* refusal("[]"))._tag, "InvalidExport")
      assert.strictEqual(
        (yield* refusal('{ "wield": "toolset", "version": 1, "name": "x", "functions": ["gone"] }'))._tag,
        "UnknownFunctions"
      )
      assert.strictEqual(
        (yield* refusal('{ "wield": "toolset", "version": 1, "name": "x", "functions": [] }'))._tag,
        "EmptyToolset"
      )
    }).pipe(Effect.provide(Live))
  )

  it.prop(
    "is the same after it was written and read",
    [
      FastCheck.record({
        wield: FastCheck.constant("toolset" as const),
        version: FastCheck.constant(1 as const),
        name: FastCheck.string(),
        functions: FastCheck.uniqueArray(FastCheck.string({ minLength: 1 })),
        metadata: FastCheck.dictionary(FastCheck.string(), FastCheck.string())
      })
    ],
    ([toolset]) => {
      const again = ToolsetExport.parse(ToolsetExport.toText(toolset))
      assert.deepStrictEqual(again._tag === "Right" && JSON.stringify(again.right), JSON.stringify(toolset))
    }
  )
})
