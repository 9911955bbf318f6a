/**
 * Tools from a folder of Python, Bash, TypeScript and JavaScript files.
 *
 * @since 0.1.0
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { Toolset } from "@wield/core"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Subscribable from "effect/Subscribable"
import type { ExecutionOptions } from "./ExecutionOptions.js"
import type * as FactsModel from "./folder/facts.js"
import { live as liveFolder } from "./folder/live.js"
import { load as loadFolder } from "./folder/load.js"
import { logProblems } from "./folder/logProblems.js"
import { offerTools } from "./folder/offerTools.js"
import type * as Model from "./folder/ScriptFolder.js"
import { toTools as toolsOf } from "./folder/toTools.js"
import type { Problem } from "@wield/core/Problem"
import type { UnreadableScript } from "./ScriptError.js"
import { make as makeExecutor, type ScriptExecutor } from "./ScriptExecutor.js"

/**
 * A folder of scripts as it was read: its scripts, and what is wrong with those
 * that are none. No two of its functions have the same name.
 *
 * @since 0.1.0
 * @category models
 */
export interface ScriptFolder extends Model.ScriptFolder {}

/**
 * How a folder is read.
 *
 * @since 0.1.0
 * @category models
 */
export interface LoadOptions extends Model.LoadOptions {}

/**
 * What a program states about tools of scripts, of which the scripts say
 * nothing: by the names of tools, or for each of them.
 *
 * @since 0.1.0
 * @category models
 */
export type FactsOption = FactsModel.FactsOption

/**
 * What a toolset of scripts is made with.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolsetOptions {
  /** Runs the scripts. Unless given, one is made, which ends with the toolset's scope. */
  readonly executor?: ScriptExecutor | undefined
  /** How the executor that is made runs scripts. */
  readonly execution?: ExecutionOptions | undefined
  readonly facts?: FactsOption | undefined
}

/**
 * How a folder is followed.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveOptions extends LoadOptions, ToolsetOptions {
  /**
   * How often the folder is compared with what it was, besides the news of the
   * operating system. Unless stated: 2 seconds.
   */
  readonly interval?: Duration.DurationInput | undefined
}

/**
 * The tools of a folder, and what is wrong with scripts that are none.
 *
 * @since 0.1.0
 * @category models
 */
export interface FolderToolset extends Toolset.DynamicToolset {
  readonly problems: ReadonlyArray<Problem>
}

/**
 * The tools of a folder as it is now.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveToolset extends Toolset.Toolset<Toolset.DynamicTools> {
  /** What is in use now, with what is wrong; its `changes` begin with what is. */
  readonly folder: Subscribable.Subscribable<ScriptFolder>
  /** What is wrong now; its `changes` begin with what is. */
  readonly problems: Subscribable.Subscribable<ReadonlyArray<Problem>>
  /** Looks at once, at the folder and at whether its scripts can be run here. */
  readonly reload: Effect.Effect<void>
}

/**
 * The scripts of a folder. What is wrong with a file is among the folder's
 * problems, and the other files are there.
 *
 * Tools are the files that lie in the folder itself and end in `.py`, `.sh`,
 * `.bash`, `.ts`, `.mts`, `.js`, `.mjs` or `.cjs`. Hidden files, those that begin
 * with `_` and folders are left alone: scripts may import them. A link to a file
 * outside of the folder is a problem, unless `linkRoots` names where it leads.
 *
 * Where two files have a tool of the same name, the one of the first file (by
 * name) stays, and the other is an error of its file.
 *
 * Fails where the folder itself cannot be read.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { FileSystem } from "@effect/platform"
 * import { NodeContext } from "@effect/platform-node"
 * import { Problem } from "@wield/core"
 * import { ScriptFolder } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const files = yield* FileSystem.FileSystem
 *   const folder = yield* files.makeTempDirectoryScoped()
 *   yield* files.writeFileString(`${folder}/add.js`, [
 *     "/**",
 *     " * Adds two numbers.",
 *     " *\/",
 *     "export function run({ left = 0, right = 0 }) { return left + right }"
 *   ].join("\n"))
 *   yield* files.writeFileString(`${folder}/empty.py`, "")
 *   const { problems } = yield* ScriptFolder.load(folder)
 *   return problems.map(({ message }) => message)
 * })
 * Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(NodeContext.layer))).then((problems) =>
 *   assert.ok(problems.includes("The file is empty; a tool needs a function"))
 * )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const load = (
  folder: string,
  options: LoadOptions = {}
): Effect.Effect<ScriptFolder, UnreadableScript, FileSystem.FileSystem | Path.Path> => loadFolder(folder, options)

/**
 * The tools of a folder, for a toolset of one's own. Scripts that cannot be run
 * on this machine, since an interpreter, a program or a variable is missing, are
 * among the problems and are not offered: a model could do nothing with them.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toTools = (
  folder: ScriptFolder,
  executor: ScriptExecutor,
  { facts }: Pick<ToolsetOptions, "facts"> = {}
): Effect.Effect<{
  readonly tools: ReadonlyArray<Toolset.DynamicTool>
  readonly problems: ReadonlyArray<Problem>
}> => toolsOf(folder, executor, facts)

/**
 * A toolset of a folder as it was read. Arguments are checked by the JSON Schema
 * of the script before anything of it runs. All that is wrong is logged as
 * warnings, and is the toolset's `problems`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toToolset = (
  folder: ScriptFolder,
  options: ToolsetOptions = {}
): Effect.Effect<FolderToolset, never, Scope.Scope> =>
  Effect.gen(function* () {
    const executor = options.executor ?? (yield* makeExecutor(options.execution))
    const { problems: missing, tools } = yield* toTools(folder, executor, options)
    // Without tools there is nothing that could be wrong.
    const toolset = yield* Effect.orDie(Toolset.dynamic([]))
    const invalid = yield* offerTools(toolset, folder, tools)
    const problems = [...folder.problems, ...missing, ...invalid]
    yield* logProblems(problems)
    return Object.assign(toolset, { problems })
  })

/**
 * A toolset that follows its folder: a file that is changed, added or removed
 * changes the tools, and `changes` tells of every definition that is other than
 * before. It follows until the scope closes.
 *
 * A file that is broken is among the `problems`, and its last good version stays
 * in use: its text is what runs, whatever the file holds. So does a folder that
 * is gone for a while. Writes that follow each other within 100 ms are one
 * change. When a file changes that is no tool itself, a library that scripts
 * import or the `.env`, the interpreters of its language start anew with the next
 * calls; what is written in `cache`, `node_modules` and the like changes nothing.
 *
 * A text that was read well and that an interpreter could not load is a problem,
 * `import-failed`, from the call on that told so until one has loaded it or the
 * text is another; no earlier version is run in its place.
 *
 * Fails where the folder cannot be read at first.
 *
 * @since 0.1.0
 * @category constructors
 */
export const live = (
  folder: string,
  { execution, executor, ...options }: LiveOptions = {}
): Effect.Effect<LiveToolset, UnreadableScript, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.flatMap(executor === undefined ? makeExecutor(execution) : Effect.succeed(executor), (made) =>
    liveFolder(folder, made, options)
  )
