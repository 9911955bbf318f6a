/** Tools from a folder of Python, Bash, TypeScript and JavaScript files. */
import type { FileSystem, Path } from "@effect/platform"
import type { Facts, Json, Toolset } from "@wield/core"
import { isPlain } from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import { aDuration, aText, anything, type Checks, fields, holds, oneOf, orThrow, texts } from "@wield/core/Options"
import { isError, type Problem } from "@wield/core/Problem"
import type { Duration, Scope, Subscribable } from "effect"
import * as Effect from "effect/Effect"
import type { ExecutionOptions } from "./ExecutionOptions.js"
import { readFolders } from "./folder/files.js"
import { languageOf } from "./folder/languages.js"
import { type Kind, live as followFolders, toToolset as offer } from "./folder/live.js"
import { fileWarning } from "./folder/problem.js"
import { anExecutor } from "./folder/options.js"
import { aSelection, assemble } from "./folder/select.js"
import * as Introspection from "./Introspection.js"
import type { Script, ScriptFunction } from "./Script.js"
import type { UnreadableScript } from "./ScriptError.js"
import { withDoubtOf } from "./worker/result.js"
import { make as makeExecutor, type ScriptExecutor } from "./ScriptExecutor.js"
import type { Selection } from "./Selection.js"

/**
 * A folder of scripts as it was read: its scripts, and what is wrong with those
 * that are not tools. No two of its functions have the same name.
 *
 * @category models
 */
export interface ScriptFolder {
  /** As it was named when it was read. */
  readonly folder: string
  /** In the order of their files' names; each function's name is its own in the folder. */
  readonly scripts: ReadonlyArray<Script>
  /** What is wrong with any file, those that are no tools included. */
  readonly problems: ReadonlyArray<Problem>
}

/**
 * How a folder is read.
 *
 * @category models
 */
export interface LoadOptions {
  /** Which files are read and which of their tools are taken, as configurations say it. Unless stated: all. */
  readonly selection?: Selection | undefined
  /** Which functions are tools. Unless stated: as each file's name says. */
  readonly kind?: Introspection.Kind | undefined
  /** Folders in which linked files may lie, besides the folder itself. */
  readonly linkRoots?: ReadonlyArray<string> | undefined
  /** One that is used elsewhere, too. Unless given, the folder makes its own. */
  readonly introspector?: Introspection.Introspector | undefined
}

/**
 * What a program states about tools of scripts, of which the scripts say
 * nothing: by the names of tools, or for each of them.
 *
 * @category models
 */
export type FactsOption =
  | { readonly [tool: string]: Partial<Facts.Facts> }
  | ((script: Script, scriptFunction: ScriptFunction) => Partial<Facts.Facts>)

/**
 * What a toolset of scripts is made with.
 *
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
 * The tools of a folder or several, and what is wrong with files that give none.
 *
 * @category models
 */
export interface FolderToolset extends Toolset.DynamicToolset {
  readonly problems: ReadonlyArray<Problem>
}

/**
 * The tools of a folder as it is now.
 *
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
 *   yield* files.writeFileString(`${folder}/empty.py`, "")
 *   const { problems } = yield* ScriptFolder.load(folder)
 *   return problems.map(({ message }) => message)
 * })
 * Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(NodeContext.layer))).then((problems) =>
 *   assert.ok(problems.includes("The file is empty; a tool needs a function"))
 * )
 * ```
 *
 * @category constructors
 */
export const load = (
  folder: string,
  options: LoadOptions = {}
): Effect.Effect<ScriptFolder, UnreadableScript, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    orThrow(aText(folder, ["folder"]))
    orThrow(fields(loadChecks)(options), "What `ScriptFolder.load` takes")
    const { assemble, format } = kindOf(folder, options, options.introspector ?? (yield* Introspection.make))
    return assemble(yield* readFolders([folder], format))
  })

const loadChecks = {
  selection: aSelection,
  kind: oneOf("tool", "agent"),
  linkRoots: texts,
  introspector: anything
} satisfies Checks<LoadOptions>

const toolsetChecks = {
  executor: anExecutor,
  // The executor that is made checks it.
  execution: anything,
  facts: holds("facts by the name of a tool, or a function", (given) => typeof given === "function" || isPlain(given))
} satisfies Checks<ToolsetOptions>

const liveChecks = { ...loadChecks, ...toolsetChecks, interval: aDuration } satisfies Checks<LiveOptions>

const contents = {
  toolsOf: ({ functions }: Script) => functions,
  filesOf: ({ scripts }: ScriptFolder) => scripts
}

/** How the files of a folder become scripts, and these tools. */
const kindOf = (
  folder: string,
  { kind, linkRoots = [], selection }: LoadOptions,
  { introspect }: Introspection.Introspector
): Kind<Script, ScriptFolder> => ({
  ...contents,
  format: {
    isRead: (name) => languageOf(name) !== undefined,
    selected: selection?.visibleTools,
    linkRoots,
    read: (source) => introspect({ ...source, kind })
  },
  isRun: () => false,
  assemble: ([reading = { readings: [], problems: [], unselected: [] }]) => assemble(folder, reading, selection)
})

/**
 * The tools of a folder, for a toolset of one's own. Scripts that cannot be run
 * on this machine, since an interpreter, a program or a variable is missing, are
 * among the problems and are not offered: a model could do nothing with them.
 *
 * @category conversions
 */
export const toTools = (
  folder: ScriptFolder,
  executor: ScriptExecutor,
  { facts }: Pick<ToolsetOptions, "facts"> = {}
): Effect.Effect<{
  readonly tools: ReadonlyArray<Toolset.DynamicTool>
  readonly problems: ReadonlyArray<Problem>
}> => makeTools(folder, executor, facts)

/** A toolset does not check the schema of a tool again that is the same object as before. */
type MadeTools = WeakMap<ScriptFunction, Toolset.DynamicTool>

const makeTools = (
  { folder, scripts }: ScriptFolder,
  executor: ScriptExecutor,
  facts: FactsOption | undefined,
  made: MadeTools = new WeakMap()
): ReturnType<typeof toTools> =>
  Effect.gen(function* () {
    const checked = yield* Effect.forEach(
      scripts,
      (script) => Effect.map(executor.check(script), (problems) => ({ problems, script })),
      { concurrency: 8 }
    )
    const names = scripts.flatMap(({ functions }) => functions.map(({ name }) => name))
    return {
      // What cannot run here is of no use to a model.
      tools: checked
        .filter(({ problems }) => !problems.some(isError))
        .flatMap(({ script }) =>
          script.functions.map((each) => {
            const tool = made.get(each) ?? toolOf(script, each, executor, facts)
            made.set(each, tool)
            return tool
          })
        ),
      problems: [...checked.flatMap(({ problems }) => problems), ...unusedFacts(folder, facts, names)]
    }
  })

const toolOf = (
  script: Script,
  scriptFunction: ScriptFunction,
  executor: ScriptExecutor,
  facts: FactsOption | undefined
): Toolset.DynamicTool => {
  const stated = factsFor(facts, script, scriptFunction)
  return {
    name: scriptFunction.name,
    description: scriptFunction.description,
    // A function of Python fails where it is given what it does not take; JavaScript and Bash leave it out.
    inputSchema:
      script.language === "python"
        ? { ...scriptFunction.inputSchema, additionalProperties: false }
        : scriptFunction.inputSchema,
    facts: stated,
    execute: (parameters) =>
      // The input schema has accepted them, and they came as JSON.
      withDoubtOf(stated, executor.run(script, scriptFunction, parameters as Json.JsonObject))
  }
}

const factsFor = (facts: FactsOption = {}, script: Script, scriptFunction: ScriptFunction): Partial<Facts.Facts> => {
  if (typeof facts === "function") return facts(script, scriptFunction)
  return Object.hasOwn(facts, scriptFunction.name) ? (facts[scriptFunction.name] ?? {}) : {}
}

/** A misspelt name would leave a tool without its facts, without a word. */
const unusedFacts = (folder: string, facts: FactsOption = {}, names: ReadonlyArray<string>): ReadonlyArray<Problem> => {
  const unused = typeof facts === "function" ? [] : Object.keys(facts).filter((name) => !names.includes(name))
  return unused.map((name) => {
    const message = `No tool is named ${JSON.stringify(name)}${NearestNames.suggestion(name, names)}; the facts that are stated about it are not used`
    return fileWarning(folder, "unused-facts", message)
  })
}

/**
 * A toolset of a folder as it was read. Arguments are checked by the JSON Schema
 * of the script before anything of it runs. All that is wrong is logged as
 * warnings, and is the toolset's `problems`.
 *
 * @category conversions
 */
export const toToolset = (
  folder: ScriptFolder,
  options: ToolsetOptions = {}
): Effect.Effect<FolderToolset, never, Scope.Scope> =>
  Effect.gen(function* () {
    orThrow(fields(toolsetChecks)(options), "What `ScriptFolder.toToolset` takes")
    const executor = options.executor ?? (yield* makeExecutor(options.execution))
    return yield* offer(contents, folder, yield* toTools(folder, executor, options), [folder.folder])
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
 * import or the `.env`, the interpreters of its language start again with the next
 * calls; what is written in `cache`, `node_modules` and the like changes nothing.
 *
 * A text that was read well and that an interpreter could not load is a problem,
 * `import-failed`, from the call that found it until one has loaded it or the
 * text is another; no earlier version is run in its place.
 *
 * Fails where the folder cannot be read at first.
 *
 * @category constructors
 */
export const live = (
  folder: string,
  options: LiveOptions = {}
): Effect.Effect<LiveToolset, UnreadableScript, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    orThrow(aText(folder, ["folder"]))
    orThrow(fields(liveChecks)(options), "What `ScriptFolder.live` takes")
    const running = options.executor ?? (yield* makeExecutor(options.execution))
    const made: MadeTools = new WeakMap()
    const kind = kindOf(folder, options, options.introspector ?? (yield* Introspection.make))
    return yield* followFolders(kind, {
      folders: [folder],
      executor: running,
      interval: options.interval,
      toTools: (all, watch) => {
        const run: ScriptExecutor["run"] = (script, ...call) => watch(script, running.run(script, ...call))
        return makeTools(all, { ...running, run }, options.facts, made)
      }
    })
  })
