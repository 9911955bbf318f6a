/**
 * Folders of function files: those that come with an application, then those of
 * its user.
 *
 * @since 0.1.0
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { type Json, Toolset } from "@wield/core"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Subscribable from "effect/Subscribable"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { logProblems } from "./folder/logProblems.js"
import { assemble } from "./function-file/assemble.js"
import { live as liveFolders } from "./function-file/live.js"
import type * as Model from "./function-file/model.js"
import { reader } from "./function-file/read.js"
import { readFolders } from "./function-file/readFolders.js"
import { offerTools, toTools } from "./function-file/toTools.js"
import type { Problem } from "@wield/core/Problem"
import type { UnreadableScript } from "./ScriptError.js"
import type { ScriptExecutor } from "./ScriptExecutor.js"

/**
 * The function files of some folders. No two of their modules, and no two of
 * their functions, have the same name.
 *
 * @since 0.1.0
 * @category models
 */
export interface FunctionFolder extends Model.FunctionFolder {}

/**
 * How folders are read.
 *
 * @since 0.1.0
 * @category models
 */
export interface LoadOptions {
  /** Runs the files whose source does not say all of their tools; without one, they are errors. */
  readonly executor?: Pick<ScriptExecutor, "runFunctionFile"> | undefined
  /** As it is given to the toolset: files that are run to know their tools are then started once. */
  readonly config?: Json.Json | undefined
  /** Folders in which linked files may lie, besides the folders themselves. */
  readonly linkRoots?: ReadonlyArray<string> | undefined
}

/**
 * What tools are made with.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolsetOptions {
  readonly executor: Pick<ScriptExecutor, "runFunctionFile">
  /** What `execute` is given as `config`, whose entries are attributes too. An empty object unless given. */
  readonly config?: Json.Json | undefined
}

/**
 * How folders are followed.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveOptions {
  readonly executor: Pick<ScriptExecutor, "forget" | "runFunctionFile">
  readonly config?: Json.Json | undefined
  readonly linkRoots?: ReadonlyArray<string> | undefined
  /**
   * How often the folders are compared with what they were, besides the news of
   * the operating system. Unless stated: 2 seconds.
   */
  readonly interval?: Duration.DurationInput | undefined
}

/**
 * The tools of folders, and what is wrong with files that are left out.
 *
 * @since 0.1.0
 * @category models
 */
export interface FolderToolset extends Toolset.DynamicToolset {
  readonly problems: ReadonlyArray<Problem>
}

/**
 * The tools of folders as they are now.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveToolset extends Toolset.Toolset<Toolset.DynamicTools> {
  /** What is in use now, with what is wrong; its `changes` begin with what is. */
  readonly folder: Subscribable.Subscribable<FunctionFolder>
  /** What is wrong now; its `changes` begin with what is. */
  readonly problems: Subscribable.Subscribable<ReadonlyArray<Problem>>
  /** The functions of each module now, as a `ToolsetManager` takes them. */
  readonly modules: Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>>
  /** Looks at once. */
  readonly reload: Effect.Effect<void>
}

/**
 * The function files of folders, in their order: that of the application first,
 * those of its user after it. What is wrong with a file is among the `problems`,
 * and the other files are there.
 *
 * Files are `*.py`; those that begin with `_` or a dot are left alone. A file
 * takes the place of one of the same name in a folder before it, as a whole,
 * unless it is broken or off. Where two files have a function of the same name,
 * that of the first stays, and the other is an error.
 *
 * A folder may be missing, but for the last one that is left. A folder that is
 * there and cannot be read is a failure.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { FileSystem } from "@effect/platform"
 * import { NodeContext } from "@effect/platform-node"
 * import { Problem } from "@wield/core"
 * import { FunctionFolder } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const file = (name: string) => `
 * TOOLS = [{"type": "function", "function": {"name": "${name}", "description": "Does ${name}"}}]
 *
 * def execute(function_name, arguments, config):
 *     return "done", True
 * `
 *
 * const program = Effect.gen(function* () {
 *   const files = yield* FileSystem.FileSystem
 *   const folder = yield* files.makeTempDirectoryScoped()
 *   yield* files.writeFileString(`${folder}/a.py`, file("search"))
 *   yield* files.writeFileString(`${folder}/b.py`, file("search"))
 *   yield* files.writeFileString(`${folder}/_library.py`, "")
 *   const loaded = yield* FunctionFolder.load([folder, `${folder}/user`])
 *   return [[...FunctionFolder.modules(loaded)], loaded.problems.map(({ rule }) => rule)]
 * })
 * Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(NodeContext.layer))).then((seen) =>
 *   assert.deepStrictEqual(seen, [[["a", ["search"]]], ["missing-folder", "tool-name-collision"]])
 * )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const load = (
  folders: ReadonlyArray<string>,
  { config = {}, executor, linkRoots = [] }: LoadOptions = {}
): Effect.Effect<FunctionFolder, UnreadableScript, FileSystem.FileSystem | Path.Path> =>
  Effect.flatMap(reader, (read) => {
    const running = executor === undefined ? undefined : { executor, config }
    return Effect.map(readFolders(folders, { read, running, linkRoots }), assemble)
  })

/**
 * The functions of each module: the sets that a `ToolsetManager` has by the
 * names of files.
 *
 * @since 0.1.0
 * @category conversions
 */
export const modules = (self: FunctionFolder): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    self.files
      .filter(({ tools }) => tools.length > 0)
      .map(({ module, tools }) => [module, tools.map(({ name }) => name)])
  )

/**
 * A toolset of folders as they were read. Arguments are validated before
 * anything runs; `return text, False` is a failure that the model reads as one.
 * All that is wrong is logged as warnings, and is the toolset's `problems`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { FileSystem } from "@effect/platform"
 * import { NodeContext } from "@effect/platform-node"
 * import { FunctionFolder, ScriptExecutor } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const text = `
 * TOOLS = [{"type": "function", "function": {"name": "roll_dice", "description": "Rolls a die"}}]
 *
 * def execute(function_name, arguments, config):
 *     return "4", True
 * `
 *
 * const program = Effect.gen(function* () {
 *   const files = yield* FileSystem.FileSystem
 *   const folder = yield* files.makeTempDirectoryScoped()
 *   yield* files.writeFileString(`${folder}/games.py`, text)
 *   const executor = yield* ScriptExecutor.make({ cache: `${folder}/cache` })
 *   const toolset = yield* FunctionFolder.toToolset(yield* FunctionFolder.load([folder]), { executor })
 *   return [...(yield* toolset.offer).entries.keys()]
 * })
 * Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(NodeContext.layer))).then((names) =>
 *   assert.deepStrictEqual(names, ["roll_dice"])
 * )
 * ```
 *
 * @since 0.1.0
 * @category conversions
 */
export const toToolset = (
  self: FunctionFolder,
  { config = {}, executor }: ToolsetOptions
): Effect.Effect<FolderToolset> =>
  Effect.gen(function* () {
    // Without tools there is nothing that could be wrong.
    const toolset = yield* Effect.orDie(Toolset.dynamic([]))
    const invalid = yield* offerTools(toolset, self, toTools(self.files, executor, config))
    const problems = [...self.problems, ...invalid]
    yield* logProblems(problems)
    return Object.assign(toolset, { problems })
  })

/**
 * A toolset that follows its folders: a file that is changed, added or removed
 * changes the tools, and `changes` tells of every definition that is other than
 * before. It follows until the scope closes.
 *
 * A file that is broken is among the `problems`, and its last good version stays
 * in use. What a file has loaded it loads anew when another Python file of the
 * folders changes. A text that was read well and that an interpreter could not
 * load is a problem, `import-failed`, from the call on that told so until one has
 * loaded it or the text is another; no earlier version is run in its place.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { FileSystem } from "@effect/platform"
 * import { NodeContext } from "@effect/platform-node"
 * import { FunctionFolder, ScriptExecutor } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const text = `
 * TOOLS = [{"type": "function", "function": {"name": "roll_dice", "description": "Rolls a die"}}]
 *
 * def execute(function_name, arguments, config):
 *     return "4", True
 * `
 *
 * const program = Effect.gen(function* () {
 *   const files = yield* FileSystem.FileSystem
 *   const folder = yield* files.makeTempDirectoryScoped()
 *   yield* files.writeFileString(`${folder}/games.py`, text)
 *   const executor = yield* ScriptExecutor.make({ cache: `${folder}/cache` })
 *   const toolset = yield* FunctionFolder.live([folder], { executor })
 *   yield* files.writeFileString(`${folder}/more.py`, text.replace("roll_dice", "roll_many"))
 *   yield* toolset.reload // or wait for it
 *   return [...(yield* toolset.modules)]
 * })
 * Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(NodeContext.layer))).then((modules) =>
 *   assert.deepStrictEqual(modules, [["games", ["roll_dice"]], ["more", ["roll_many"]]])
 * )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const live = (
  folders: ReadonlyArray<string>,
  { config = {}, executor, interval = "2 seconds", linkRoots = [] }: LiveOptions
): Effect.Effect<LiveToolset, UnreadableScript, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.map(liveFolders(folders, { config, executor, interval, linkRoots }), ({ current, reload, toolset }) => {
    const folder: Subscribable.Subscribable<FunctionFolder> = current
    return Object.assign(toolset, {
      folder,
      problems: Subscribable.map(folder, ({ problems }) => problems),
      modules: Effect.map(SubscriptionRef.get(current), modules),
      reload
    })
  })
