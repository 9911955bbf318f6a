/** Folders of function files: those that come with an application, then those of its user. */
import type { FileSystem, Path } from "@effect/platform"
import type { Json } from "@wield/core"
import { aDuration, anything, type Checks, fields, orThrow, texts } from "@wield/core/Options"
import type { Problem } from "@wield/core/Problem"
import type { Duration, Scope, Subscribable } from "effect"
import * as Effect from "effect/Effect"
import { type FolderReading, readFolders } from "./folder/files.js"
import { anExecutor } from "./folder/options.js"
import { keepFirst } from "./folder/select.js"
import { languageOf } from "./folder/languages.js"
import { type Kind, live as followFolders, toToolset as offer } from "./folder/live.js"
import { fileWarning } from "./folder/problem.js"
import { reader, type Running } from "./function-file/read.js"
import { type FunctionFile, type ToolOptions, toTools } from "./FunctionFile.js"
import type { UnreadableScript } from "./ScriptError.js"
import type { ScriptExecutor } from "./ScriptExecutor.js"
import type { FolderToolset, LiveToolset as LiveScripts } from "./ScriptFolder.js"

/**
 * The function files of some folders. No two of their modules, and no two of
 * their functions, have the same name.
 *
 * @category models
 */
export interface FunctionFolder {
  /** As they were named when they were read. */
  readonly folders: ReadonlyArray<string>
  /** Those that are on and have tools; no two modules and no two tools have the same name. */
  readonly files: ReadonlyArray<FunctionFile>
  /** What is wrong with any file, those that are left out included. */
  readonly problems: ReadonlyArray<Problem>
}

/**
 * How folders are read.
 *
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
 * @category models
 */
export type ToolsetOptions = ToolOptions

/**
 * How folders are followed.
 *
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

export type { FolderToolset }

/**
 * The tools of folders as they are now.
 *
 * @category models
 */
export interface LiveToolset extends Omit<LiveScripts, "folder"> {
  /** What is in use now, with what is wrong; its `changes` begin with what is. */
  readonly folder: Subscribable.Subscribable<FunctionFolder>
  /** The functions of each module now, as a `ToolsetManager` takes them. */
  readonly modules: Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>>
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
 * @category constructors
 */
export const load = (
  folders: ReadonlyArray<string>,
  options: LoadOptions = {}
): Effect.Effect<FunctionFolder, UnreadableScript, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    orThrow(texts(folders, ["folders"]))
    orThrow(fields(loadChecks)(options), "What `FunctionFolder.load` takes")
    const { config = {}, executor, linkRoots = [] } = options
    const running = executor === undefined ? undefined : { executor, config }
    const { assemble, format } = yield* makeKind(folders, running, linkRoots)
    return assemble(yield* readFolders(folders, format))
  })

const loadChecks = { executor: anExecutor, config: anything, linkRoots: texts } satisfies Checks<LoadOptions>

const liveChecks = { ...loadChecks, interval: aDuration } satisfies Checks<LiveOptions>

const contents = {
  toolsOf: ({ tools }: FunctionFile) => tools,
  filesOf: ({ files }: FunctionFolder) => files
}

/** How the files of folders become function files, and these a collection. */
const makeKind = (
  folders: ReadonlyArray<string>,
  running: Running | undefined,
  linkRoots: ReadonlyArray<string>
): Effect.Effect<Kind<FunctionFile, FunctionFolder>> =>
  Effect.map(reader, (read) => ({
    ...contents,
    format: {
      isRead: (name) => languageOf(name) === "python",
      linkRoots,
      read: (source) => read(source, running)
    },
    isRun: ({ isRun }) => isRun,
    assemble: (all) => assemble(folders, all)
  }))

/**
 * The functions of each module: the sets that a `ToolsetManager` has by the
 * names of files.
 *
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
 * @category conversions
 */
export const toToolset = (self: FunctionFolder, options: ToolsetOptions): Effect.Effect<FolderToolset> =>
  Effect.suspend(() => offer(contents, self, { tools: toTools(self.files, options), problems: [] }, self.folders))

/**
 * A toolset that follows its folders: a file that is changed, added or removed
 * changes the tools, and `changes` tells of every definition that is other than
 * before. It follows until the scope closes.
 *
 * A file that is broken is among the `problems`, and its last good version stays
 * in use. What a file has loaded it loads again when another Python file of the
 * folders changes. A text that was read well and that an interpreter could not
 * load is a problem, `import-failed`, from the call that found it until one has
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
 * @category constructors
 */
export const live = (
  folders: ReadonlyArray<string>,
  options: LiveOptions
): Effect.Effect<LiveToolset, UnreadableScript, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    orThrow(texts(folders, ["folders"]))
    orThrow(fields(liveChecks, ["executor"])(options), "What `FunctionFolder.live` takes")
    const { config = {}, executor, interval, linkRoots = [] } = options
    const kind = yield* makeKind(folders, { executor, config }, linkRoots)
    const toolset = yield* followFolders(kind, {
      folders,
      executor,
      interval,
      toTools: ({ files }, watch) => {
        const runFunctionFile: ScriptExecutor["runFunctionFile"] = (file, ...call) =>
          watch(file, executor.runFunctionFile(file, ...call))
        return Effect.succeed({ tools: toTools(files, { config, executor: { runFunctionFile } }), problems: [] })
      }
    })
    return Object.assign(toolset, { modules: Effect.map(toolset.folder.get, modules) })
  })

/** A module of a later folder takes the place of the one of its name, and no two tools have one name. */
const assemble = (folders: ReadonlyArray<string>, read: ReadonlyArray<FolderReading<FunctionFile>>): FunctionFolder => {
  const problems: Array<Problem> = read.flatMap((folder) => [
    ...folder.problems,
    ...folder.readings.flatMap((reading) => reading.problems)
  ])
  const modules = new Map<string, FunctionFile>()
  for (const { found } of read.flatMap(({ readings }) => readings)) {
    // A file that is off, or broken, is as if it were not there: what it would replace stays.
    if (found === undefined || !found.isEnabled) continue
    const replaced = modules.get(found.module)
    if (replaced !== undefined) {
      const message = `The module ${found.module} takes the place of that of ${replaced.file} as a whole; rename the file to have both`
      problems.push(fileWarning(found.file, "replaced-module", message))
    }
    modules.set(found.module, found)
  }
  const { collisions, files } = keepFirst([...modules.values()], {
    of: ({ tools }) => tools,
    less: (file, tools) => ({ ...file, tools }),
    named: (_, { name }) => `The function ${JSON.stringify(name)}`,
    subject: ({ name }) => name
  })
  return { folders, files, problems: [...problems, ...collisions] }
}
