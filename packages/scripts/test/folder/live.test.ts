import { renameSync, writeFileSync } from "node:fs"
import { FileSystem } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { type Outcome, ToolCall, ToolRunner } from "@wield/core"
import { Problem } from "@wield/core"
import { ScriptFolder, Selection } from "@wield/scripts"
import type { ScriptExecutor } from "@wield/scripts/ScriptExecutor"
import { Effect, Queue, Stream, type Subscribable } from "effect"
import { walk } from "../../src/folder/walk.js"
import { folderOf, javascript, platform, python, write } from "./folders.js"

/**
 * Tells what it was asked to run, to forget and to check: which text runs, and
 * which interpreters are to end, cannot be seen from outside of a real one.
 */
const probe = Effect.gen(function* () {
  const forgotten = yield* Queue.unbounded<string>()
  const missing = new Set<string>()
  const executor: ScriptExecutor = {
    run: ({ text }, { entry }) => Effect.succeed({ text, entry }),
    runFunctionFile: () => Effect.dieMessage("no function file is run here"),
    check: ({ file }) =>
      Effect.sync(() =>
        [...missing]
          .filter((name) => file.endsWith(name))
          .map((name) => ({
            severity: "error",
            rule: "interpreter-missing",
            message: `${name} cannot run here`,
            file,
            place: undefined,
            subject: undefined
          }))
      ),
    forget: (file) => Queue.offer(forgotten, file.slice(file.lastIndexOf("/") + 1))
  }
  return { executor, forgotten, missing }
})

/** Waits until what is now, or comes to be, is so. */
const until = <Value>(subscribable: Subscribable.Subscribable<Value>, isSo: (value: Value) => boolean) =>
  subscribable.changes.pipe(Stream.filter(isSo), Stream.runHead, Effect.flatten)

const toolsOf = ({ scripts }: ScriptFolder.ScriptFolder) =>
  scripts.flatMap(({ functions }) => functions.map(({ name }) => name))

const descriptionsOf = ({ scripts }: ScriptFolder.ScriptFolder) =>
  scripts.flatMap(({ functions }) => functions.map(({ description }) => description))

const errorsOf = ({ problems }: ScriptFolder.ScriptFolder) => problems.filter(Problem.isError).map(({ rule }) => rule)

/** What the tool was run with, or how else the call ended. */
const textOf = (outcome: Outcome.Outcome) =>
  outcome._tag === "Success" ? String(Object(outcome.result).text) : outcome._tag

const started = (files: Parameters<typeof folderOf>[0], options: Partial<ScriptFolder.LiveOptions> = {}) =>
  Effect.gen(function* () {
    const { executor, forgotten, missing } = yield* probe
    const folder = yield* folderOf(files)
    const toolset = yield* ScriptFolder.live(folder, { executor, ...options })
    const runner = yield* ToolRunner.make(toolset)
    const run = (name: string) => Effect.map(runner.run(ToolCall.make("1", name, {})), textOf)
    const announced = yield* Queue.unbounded<unknown>()
    yield* Effect.forkScoped(Stream.runForEach(toolset.changes, (change) => Queue.offer(announced, change)))
    return { announced, folder, forgotten, missing, run, runner, toolset }
  })

/** The folder is compared so seldom that only the news of the operating system can tell of a change. */
const byNews = { interval: "1 hour" } as const

it.scopedLive("changes the tools with a file that is changed, added or removed, and announces each", () =>
  Effect.gen(function* () {
    const { announced, folder, forgotten, run, toolset } = yield* started({ "a.py": python("First", "'1'") })
    const system = yield* FileSystem.FileSystem
    expect(yield* run("a")).toContain("'1'")

    yield* write(folder, { "a.py": python("Second", "'2'") })
    yield* until(toolset.folder, (now) => descriptionsOf(now).includes("Second"))
    expect(yield* Queue.take(announced)).toStrictEqual({ added: [], removed: [], altered: ["a"] })
    expect(yield* run("a")).toContain("'2'")
    expect(yield* Queue.take(forgotten)).toBe("a.py")

    yield* write(folder, { "b.js": javascript("Another", "name") })
    yield* until(toolset.folder, (now) => toolsOf(now).includes("b"))
    expect(yield* Queue.take(announced)).toStrictEqual({ added: ["b"], removed: [], altered: [] })

    yield* system.remove(`${folder}/a.py`)
    yield* until(toolset.folder, (now) => !toolsOf(now).includes("a"))
    expect(yield* Queue.take(announced)).toStrictEqual({ added: [], removed: ["a"], altered: [] })
    expect(yield* Queue.take(forgotten)).toBe("a.py")
    expect(yield* run("a")).toBe("UnknownTool")
  }).pipe(Effect.provide(platform))
)

it.scopedLive("runs the last good text of a file while it is broken, and says that it does", () =>
  Effect.gen(function* () {
    const good = python("Good", "'good'")
    const { announced, folder, run, toolset } = yield* started({ "a.py": good, "b.py": python("B", "name") })
    yield* write(folder, { "a.py": "def run(:\n" })
    const broken = yield* until(toolset.folder, (now) => errorsOf(now).length > 0)
    expect(toolsOf(broken)).toStrictEqual(["a", "b"])
    expect(broken.problems.map(({ file, rule }) => [file, rule])).toContainEqual([`${folder}/a.py`, "kept-version"])
    expect(yield* run("a")).toBe(good)
    yield* write(folder, { "a.py": "" })
    yield* until(toolset.folder, (now) => errorsOf(now).includes("empty-file"))
    expect(yield* run("a")).toBe(good)
    yield* write(folder, { "a.py": python("Good again", "'better'") })
    yield* until(toolset.problems, (problems) => problems.length === 0)
    expect(yield* run("a")).toContain("'better'")
    expect(yield* Queue.takeAll(announced)).toHaveLength(1)
  }).pipe(Effect.provide(platform))
)

it.scopedLive("has a problem while a text cannot be loaded, and runs no earlier one in its place", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf({ "a.mjs": javascript("A", "name") })
    const toolset = yield* ScriptFolder.live(folder, { interval: "1 hour" })
    const runner = yield* ToolRunner.make(toolset)
    const run = Effect.map(runner.run(ToolCall.make("1", "a", { name: "x" })), ({ _tag }) => _tag)
    const rules = Effect.map(toolset.problems.get, (problems) => problems.map(({ rule }) => rule))
    expect(yield* run).toBe("Success")
    yield* write(folder, { "a.mjs": `import "./_absent.mjs"\n${javascript("A", "name")}` })
    yield* toolset.reload
    expect(yield* rules).toEqual([])
    expect(yield* run).toBe("Failure")
    expect(yield* rules).toEqual(["import-failed"])
    yield* toolset.reload
    expect(yield* rules).toEqual(["import-failed"])
    yield* write(folder, { "_absent.mjs": "" })
    yield* toolset.reload
    expect(yield* run).toBe("Success")
    expect(yield* rules).toEqual([])
  }).pipe(Effect.provide(platform))
)

it.scopedLive("announces problems when they are other than before, not with every change of the folder", () =>
  Effect.gen(function* () {
    const { folder, toolset } = yield* started({ "a.py": python("First", "'1'") })
    const seen = yield* Queue.unbounded<number>()
    yield* Effect.forkScoped(
      Stream.runForEach(toolset.problems.changes, (problems) => Queue.offer(seen, problems.length))
    )
    expect(yield* Queue.take(seen)).toBe(0)
    yield* write(folder, { "a.py": python("Second", "'2'") })
    yield* toolset.reload
    yield* write(folder, { "a.py": python("Third", "'3'") })
    yield* toolset.reload
    yield* write(folder, { "a.py": "" })
    expect(yield* Queue.take(seen)).toBe(2)
  }).pipe(Effect.provide(platform))
)

it.scopedLive("keeps a file with several tools whole when one of them breaks", () =>
  Effect.gen(function* () {
    const tools = (one: string) => `def one():\n    """${one}"""\n\ndef two():\n    """Two"""\n`
    const { folder, run, toolset } = yield* started({ "tools.py": tools("One") })
    yield* write(folder, { "tools.py": tools("") })
    const broken = yield* until(toolset.folder, (now) => errorsOf(now).length > 0)
    expect(toolsOf(broken)).toStrictEqual(["one", "two"])
    expect(yield* run("two")).toBe(tools("One"))
  }).pipe(Effect.provide(platform))
)

/** Watchers of the operating system that this process has. */
const watchers = () => process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap").length

it.scopedLive("takes the steps in which an editor writes for one change", () =>
  Effect.gen(function* () {
    const { announced, folder, toolset } = yield* started({ "a.py": python("First", "'1'") }, byNews)
    // The watcher of the operating system begins a moment after the stream does.
    yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => watchers() > 0 })
    const text = python("Second", "'2'")
    // At once: what an editor does within a turn is seen as it is afterwards, however busy the machine.
    writeFileSync(`${folder}/a.py`, "")
    writeFileSync(`${folder}/a.py`, text.slice(0, 20))
    writeFileSync(`${folder}/.a.py.swp`, "x")
    writeFileSync(`${folder}/a.py~`, text)
    renameSync(`${folder}/a.py~`, `${folder}/a.py`)
    const seen = yield* until(toolset.folder, (now) => !descriptionsOf(now).includes("First"))
    expect(seen.problems).toStrictEqual([])
    expect(descriptionsOf(seen)).toStrictEqual(["Second"])
    expect(yield* Queue.takeAll(announced)).toHaveLength(1)
  }).pipe(Effect.provide(platform))
)

it.scopedLive("notices a change without news of the operating system", () =>
  Effect.gen(function* () {
    const system = yield* FileSystem.FileSystem
    const deaf = { ...system, watch: () => Stream.never }
    const { folder, toolset } = yield* Effect.provideService(
      started({ "a.py": python("First", "'1'") }, { interval: "50 millis" }),
      FileSystem.FileSystem,
      deaf
    )
    yield* write(folder, { "a.py": python("Second", "'2'") })
    yield* until(toolset.folder, (now) => descriptionsOf(now).includes("Second"))
  }).pipe(Effect.provide(platform))
)

it.scopedLive("starts the interpreters of a language anew when a file changes that its scripts may import", () =>
  Effect.gen(function* () {
    const { folder, forgotten } = yield* started({
      "a.py": python("A", "name"),
      "b.py": python("B", "name"),
      "c.js": javascript("C", "name"),
      "_shared.py": "x = 1\n",
      "lib/deep/shared.js": "export const x = 1\n",
      "node_modules/p/index.js": "export const x = 1\n",
      "cache/a/state.py": "1"
    })
    const take = (count: number) => Effect.map(Queue.takeN(forgotten, count), (names) => [...names].toSorted())
    yield* write(folder, { "cache/a/state.py": "22", "node_modules/p/index.js": "", "log.txt": "x" })
    yield* write(folder, { "_shared.py": "x = 22\n" })
    expect(yield* take(2)).toStrictEqual(["a.py", "b.py"])
    yield* write(folder, { "lib/deep/shared.js": "export const x = 22\n" })
    expect(yield* take(1)).toStrictEqual(["c.js"])
    yield* write(folder, { ".env": "KEY=value" })
    expect(yield* take(3)).toStrictEqual(["a.py", "b.py", "c.js"])
  }).pipe(Effect.provide(platform))
)

it.scopedLive("starts the interpreters of a script anew when another tool that it imports changes", () =>
  Effect.gen(function* () {
    const { folder, forgotten } = yield* started({
      "apart.py": python("Apart", "name"),
      "importing.py": `import weather\n${python("Importing", "weather.run()")}`,
      "weather.py": python("Weather", "'sun'")
    })
    yield* write(folder, { "weather.py": python("Weather", "'rain'") })
    expect([...(yield* Queue.takeN(forgotten, 2))].toSorted()).toStrictEqual(["importing.py", "weather.py"])
    expect(yield* Queue.size(forgotten)).toBe(0)
  }).pipe(Effect.provide(platform))
)

it.scopedLive("keeps the tools of a folder that is gone for a while, and follows it when it is back", () =>
  Effect.gen(function* () {
    const { folder, run, toolset } = yield* started({ "a.py": python("A", "'a'") }, { interval: "100 millis" })
    const system = yield* FileSystem.FileSystem
    yield* system.rename(folder, `${folder}-away`)
    const gone = yield* until(toolset.folder, (now) => errorsOf(now).includes("unreadable-folder"))
    expect(toolsOf(gone)).toStrictEqual(["a"])
    expect(yield* run("a")).toContain("'a'")
    yield* system.rename(`${folder}-away`, folder)
    yield* until(toolset.problems, (problems) => problems.length === 0)
    yield* write(folder, { "b.py": python("B", "name") })
    yield* until(toolset.folder, (now) => toolsOf(now).includes("b"))
  }).pipe(Effect.provide(platform))
)

it.scopedLive("does not offer what cannot run here, until it can", () =>
  Effect.gen(function* () {
    const { executor, missing } = yield* probe
    missing.add("b.py")
    const folder = yield* folderOf({ "a.py": python("A", "name"), "b.py": python("B", "name") })
    const toolset = yield* ScriptFolder.live(folder, { executor })
    const runner = yield* ToolRunner.make(toolset)
    expect((yield* runner.definitions).map(({ name }) => name)).toStrictEqual(["a"])
    expect((yield* toolset.problems.get).map(({ message }) => message)).toStrictEqual(["b.py cannot run here"])
    missing.clear()
    yield* toolset.reload
    expect((yield* runner.definitions).map(({ name }) => name)).toStrictEqual(["a", "b"])
    expect(yield* toolset.problems.get).toStrictEqual([])
  }).pipe(Effect.provide(platform))
)

it.scopedLive("follows a selection: tools that are named before they are there come to be offered", () =>
  Effect.gen(function* () {
    const selection = Selection.make({ enabledTools: ["a", "later"] })
    const { folder, run, toolset } = yield* started(
      { "a.py": python("A", "name"), "b.py": python("B", "name") },
      { selection }
    )
    expect((yield* toolset.problems.get).map(({ rule }) => rule)).toStrictEqual(["unknown-tool"])
    expect(yield* run("b")).toBe("UnknownTool")
    yield* write(folder, { "later.js": javascript("Later", "name") })
    yield* until(toolset.problems, (problems) => problems.length === 0)
    expect(yield* run("later")).toContain("Later")
  }).pipe(Effect.provide(platform))
)

it.scopedLive("states the facts that a program gives, and reports those of no tool", () =>
  Effect.gen(function* () {
    const facts = { a: { isReadOnly: true, isDestructive: false }, bb: { isReadOnly: true } }
    const { runner, toolset } = yield* started({ "a.py": python("A", "name"), "b.py": python("B", "name") }, { facts })
    const definitions = yield* runner.definitions
    expect(definitions.map(({ facts: { isReadOnly } }) => isReadOnly)).toStrictEqual([true, false])
    expect((yield* toolset.problems.get).map(({ message }) => message)).toStrictEqual([
      'No tool is named "bb" (did you mean "b"?); the facts that are stated about it are not used'
    ])
    const each = yield* started(
      { "a.py": python("A", "name"), "c.js": javascript("C", "name") },
      { facts: ({ language }) => ({ isReadOnly: language === "python" }) }
    )
    expect((yield* each.runner.definitions).map(({ facts: { isReadOnly } }) => isReadOnly)).toStrictEqual([true, false])
  }).pipe(Effect.provide(platform))
)

it.scopedLive("leaves no watcher when its scope closes", () =>
  Effect.gen(function* () {
    const before = watchers()
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { folder } = yield* started({ "a.py": python("A", "name"), "lib/x.py": "", "lib/deep/y.py": "" })
        expect(folder).toBeDefined()
        yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => watchers() === before + 3 })
      })
    )
    expect(watchers()).toBe(before)
  }).pipe(Effect.provide(platform))
)

it.scoped("a linked folder is followed where linkRoots names it, and not entered where it leaves the folder", () =>
  Effect.gen(function* () {
    const system = yield* FileSystem.FileSystem
    const elsewhere = yield* folderOf({ "one.py": python("One.", "1") })
    const folder = yield* folderOf({ "a.py": python("A.", "1"), "own/two.py": python("Two.", "2") })
    yield* system.symlink(elsewhere, `${folder}/linked`)
    yield* system.symlink("/", `${folder}/root`)
    yield* system.symlink(folder, `${folder}/own/up`)
    const outside = yield* walk(folder)
    expect(outside.folders).toEqual([folder, `${folder}/own`, `${folder}/own/up`])
    const inside = yield* walk(folder, [elsewhere])
    expect(inside.folders).toContain(`${folder}/linked`)
    expect([...inside.stamps.keys()]).toContain(`${folder}/linked/one.py`)
  }).pipe(Effect.provide(platform))
)

it.scopedLive("follows on, and says so, when what it asks for facts fails in a way that nobody expected", () =>
  Effect.gen(function* () {
    const { folder, run, toolset } = yield* started(
      { "a.py": python("A", "'1'") },
      {
        facts: ({ text }) => {
          if (text.includes("'2'")) throw new Error("no facts today")
          return {}
        }
      }
    )
    yield* write(folder, { "a.py": python("A", "'2'") })
    const defect = yield* until(toolset.problems, (problems) => problems.length > 0)
    expect(defect.map(({ message }) => message).join()).toContain("no facts today; its tools stay as they were")
    expect(yield* run("a")).toContain("'1'")
    yield* write(folder, { "a.py": python("A", "'3'") })
    yield* until(toolset.problems, (problems) => problems.length === 0)
    expect(yield* run("a")).toContain("'3'")
  }).pipe(Effect.provide(platform))
)

it.scopedLive("keeps a tool, and follows on, while its file is too deep to be read", () =>
  Effect.gen(function* () {
    const { folder, run, toolset } = yield* started({ "a.py": python("A", "'1'") })
    yield* write(folder, { "a.py": python("A", `${"[".repeat(20_000)}1${"]".repeat(20_000)}`) })
    const broken = yield* until(toolset.folder, (now) => errorsOf(now).length > 0)
    expect(errorsOf(broken)).toStrictEqual(["too-complex"])
    expect(yield* run("a")).toContain("'1'")
    yield* write(folder, { "a.py": python("A", "'3'") })
    yield* until(toolset.problems, (problems) => problems.length === 0)
    expect(yield* run("a")).toContain("'3'")
  }).pipe(Effect.provide(platform))
)
