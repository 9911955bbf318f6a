/**
 * Named sets of tools, of which one is active in each conversation: what is not
 * in it is not offered there and cannot be called. Sets are listed, looked at,
 * activated, saved and exchanged at run time.
 *
 * A name means, in this order: `all`, `none`, the functions of a module, a
 * toolset of the user's file, a toolset of the core file. A toolset of the
 * user's file takes the place of the one of its name in the core file; the
 * others of the core file stay.
 *
 * The file is long because a good part of it is documentation; what operations
 * do is made under `manager/`.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import type { CallContext, CurrentRun, Json, Toolset, ToolsetError } from "@wield/core"
import { aFlag, aFunction, aName, anything, aText, type Checks, fields, orThrow } from "@wield/core/Options"
import type { Problem } from "@wield/core/Problem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Subscribable from "effect/Subscribable"
import { ActiveToolsets, type Selection } from "./ActiveToolsets.js"
import { activate, custom, reset } from "./manager/activate.js"
import { announceSets, makeInside, type Inside } from "./manager/inside.js"
import { makeFiles, type Read, type ReadError } from "./manager/files.js"
import { active, inactive, list, preview } from "./manager/look.js"
import { makeOfferedToolset } from "./manager/offer.js"
import { exportSet, importSet, remove, rename, save } from "./manager/save.js"
import type { ToolsetExport } from "./ToolsetExport.js"
import type * as Errors from "./ToolsetManagerError.js"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { ToolsetFile } from "./ToolsetFile.js"
import { problemOf } from "./file/read.js"
import { builtIn, reservedReason, type Sets } from "./manager/resolve.js"

/**
 * Whether all functions of a set are loaded (`ok`), some (`partial`) or none
 * (`empty`). `none`, which has no functions, lacks nothing and is `ok`; a set
 * that does not exist any more is `empty`.
 *
 * @category models
 */
export type Status = "ok" | "partial" | "empty"

/**
 * The functions of a set, and how many of them are loaded.
 *
 * @category models
 */
export interface Counts {
  /** The functions of the set, loaded or not. */
  readonly functions: ReadonlyArray<string>
  /** How many of them are loaded. */
  readonly enabled: number
  readonly total: number
  /** Functions that no loaded tool has the name of. */
  readonly missing: ReadonlyArray<string>
  readonly status: Status
}

/**
 * Where a set comes from: `all` and `none` are built in, a module's set is the
 * functions of one file, the others are of the user's or the core file.
 *
 * @category models
 */
export type Type = "built-in" | "module" | "user" | "core"

/**
 * A set in the list.
 *
 * @category models
 */
export interface Listed extends Counts {
  readonly name: string
  readonly type: Type
  /** What the file has beside the functions: `emoji`, a description. */
  readonly metadata: Json.JsonObject
  /** A toolset of the user's file in the place of one of the core file. */
  readonly isOverriding: boolean
}

/**
 * One function of a set that is looked at.
 *
 * @category models
 */
export interface PreviewedFunction {
  readonly name: string
  readonly isLoaded: boolean
  readonly description: string | undefined
  /** The module it is of; absent where it is of none. */
  readonly module: string | undefined
}

/**
 * What would be on offer were a set active.
 *
 * @category models
 */
export interface Preview extends Counts {
  /** Absent for functions that were given by name. */
  readonly name: string | undefined
  readonly type: Type | "custom"
  readonly details: ReadonlyArray<PreviewedFunction>
}

/**
 * What is active in a conversation.
 *
 * @category models
 */
export interface Active extends Omit<Preview, "type"> {
  /** `unknown` where the set that was activated is there no longer: nothing is on offer then. */
  readonly type: Type | "custom" | "unknown"
  readonly selection: Selection
  /** Nothing was ever activated here: this is the initial set. */
  readonly isInitial: boolean
}

/**
 * A tool that is loaded and not on offer in a conversation.
 *
 * @category models
 */
export interface Inactive {
  readonly name: string
  readonly description: string | undefined
  readonly module: string | undefined
  /** The sets that would offer it, modules and saved ones. */
  readonly toolsets: ReadonlyArray<string>
}

/**
 * What has happened to sets.
 *
 * @category models
 */
export type Event =
  | { readonly _tag: "Activated"; readonly conversation: string; readonly selection: Selection }
  | { readonly _tag: "Saved"; readonly name: string }
  | { readonly _tag: "Renamed"; readonly name: string; readonly to: string }
  | { readonly _tag: "Deleted"; readonly name: string }
  /** A file was read that another program or person has changed, or mended. */
  | { readonly _tag: "Reloaded" }
  /**
   * A file has become one that cannot be read; what was read before stays in use.
   * The event comes once; it is among the `problems` until the file is mended.
   */
  | { readonly _tag: "ReloadFailed"; readonly error: Errors.InvalidToolsetFile | Errors.ToolsetFileFailed }

/**
 * The stems of files and the functions that each has: `FunctionFolder.modules`,
 * or whatever else groups tools.
 *
 * @category models
 */
export type Modules = ReadonlyMap<string, ReadonlyArray<string>>

/**
 * What a manager is made from.
 *
 * @category models
 */
export interface Options<Tools, R, E> {
  /** All tools there are. It may change. */
  readonly toolset: Toolset.Toolset<Tools, R, E>
  /** Each module is a set by its name. An effect is asked each time. */
  readonly modules?: Modules | Effect.Effect<Modules> | undefined
  /** The file that toolsets are saved to; made with the first. Without one, nothing can be saved. */
  readonly userFile?: string | undefined
  /** A file of toolsets that comes with the application. It is never written. */
  readonly coreFile?: string | undefined
  /** What is active where nothing was activated, until `activate` says otherwise: `none` unless given. */
  readonly initial?: string | undefined
  /**
   * Which conversation a request belongs to. Unless given: `conversation` of the
   * call context where it is a text, otherwise the id of the run, which an agent
   * makes its conversation's. A run without an id of its own has a random one, so
   * that without either the initial set is active. A key of the context that
   * seems to be meant (`converation`, `conversationId`) is warned of once.
   */
  readonly conversationOf?:
    | ((context: CallContext.Values, run: CurrentRun.RunOfOffer | undefined) => string | undefined)
    | undefined
  /** Whether the files are watched, and read again when they change. False unless given; `reload` reads them at once. */
  readonly isWatched?: boolean | undefined
}

/**
 * How a toolset is saved.
 *
 * @category models
 */
export interface SaveOptions {
  /** What stands beside the functions; what stood there before stays unless this is given. */
  readonly metadata?: Json.JsonObject | undefined
  /**
   * Whether a toolset of this name is replaced; one of the core file stays below
   * it. False unless given: a set that is there is `ToolsetExists`.
   */
  readonly isReplacing?: boolean | undefined
}

/**
 * How saving can fail.
 *
 * @category errors
 */
export type SaveError =
  | Errors.ReservedName
  | Errors.EmptyToolset
  | Errors.ToolsetExists
  | Errors.ToolsetChanged
  | Errors.NowhereToSave
  | Errors.InvalidToolsetFile
  | Errors.ToolsetFileFailed

/**
 * What was imported.
 *
 * @category models
 */
export interface Imported {
  readonly toolset: Listed
  /** Functions of the export that no loaded tool has the name of: they were left out. */
  readonly skipped: ReadonlyArray<string>
}

/**
 * Manages the sets of one toolset. `Tools`, `R` and `E` are those of the toolset.
 *
 * @category models
 */
export interface Service<out Tools = Toolset.DynamicTools, out R = never, out E = never> {
  /**
   * What is active, for a runner or an agent: other tools are there and not on
   * offer, so that a call of one ends as `Unavailable`.
   *
   * What is activated counts from the next turn on: the calls of a turn
   * (`forRun({ turn })`, which an agent does by itself) run against what was
   * active when the turn's definitions were read.
   *
   * `changes` tells of the conversation of the context in which it is run, or of
   * all if there is no file.
   */
  readonly toolset: Toolset.Toolset<Tools, R, E | Errors.ActiveToolsetFailed>
  /** Every set that a name stands for, in the order in which names are looked up. */
  readonly list: Effect.Effect<ReadonlyArray<Listed>, E>
  /** Looks at a set, or at functions by their names, without activating them. */
  readonly preview: (set: string | ReadonlyArray<string>) => Effect.Effect<Preview, Errors.UnknownToolset | E>
  /** In the conversation `""` it is what all get in which nothing was activated, in the place of `initial`. */
  readonly activate: (
    conversation: string,
    name: string
  ) => Effect.Effect<Active, Errors.UnknownToolset | Errors.ActiveToolsetFailed | E>
  /** Activates functions by their names. Fails where one of them is not loaded. */
  readonly custom: (
    conversation: string,
    functions: ReadonlyArray<string>
  ) => Effect.Effect<Active, Errors.UnknownFunctions | Errors.ActiveToolsetFailed | E>
  readonly active: (conversation: string) => Effect.Effect<Active, Errors.ActiveToolsetFailed | E>
  /** Makes a conversation one where nothing was activated. */
  readonly reset: (conversation: string) => Effect.Effect<void, Errors.ActiveToolsetFailed | E>
  /** What is loaded and not on offer in a conversation: why a tool that is there is never called. */
  readonly inactive: (conversation: string) => Effect.Effect<ReadonlyArray<Inactive>, Errors.ActiveToolsetFailed | E>
  /**
   * Saves a toolset in the user's file, at once and lasting. To edit one
   * that is there says so with `isReplacing: true`. Functions that are not loaded
   * are kept, and listed in `missing`.
   */
  readonly save: (
    name: string,
    functions: ReadonlyArray<string>,
    options?: SaveOptions
  ) => Effect.Effect<Listed, SaveError | E>
  /** Gives a toolset of the user's file a name that no other has; where it is active, it stays so. */
  readonly rename: (
    name: string,
    to: string
  ) => Effect.Effect<Listed, SaveError | Errors.UnknownToolset | Errors.NotUserToolset | Errors.ActiveToolsetFailed | E>
  /**
   * Removes a toolset from the user's file, and tells in which conversations it
   * was active: there, the name means the core file's toolset again, or nothing.
   */
  readonly delete: (
    name: string
  ) => Effect.Effect<
    ReadonlyArray<string>,
    | Errors.UnknownToolset
    | Errors.NotUserToolset
    | Errors.NowhereToSave
    | Errors.ToolsetChanged
    | Errors.InvalidToolsetFile
    | Errors.ToolsetFileFailed
    | Errors.ActiveToolsetFailed
    | E
  >
  readonly export: (name: string) => Effect.Effect<ToolsetExport, Errors.UnknownToolset | E>
  /**
   * Saves an exported toolset of Wield or of Sapphire, as text or as JSON. One of
   * its name is left as it is unless `isReplacing` is true. `file` is what errors
   * call it: the name of the file that was uploaded.
   */
  readonly import: (
    exported: string | Json.JsonObject | ToolsetExport,
    options?: {
      readonly name?: string | undefined
      readonly isReplacing?: boolean | undefined
      readonly file?: string | undefined
    }
  ) => Effect.Effect<Imported, Errors.InvalidExport | Errors.UnknownFunctions | SaveError | E>
  /** Reads the files again. What cannot be read leaves what was read before. */
  readonly reload: Effect.Effect<void, Errors.InvalidToolsetFile | Errors.ToolsetFileFailed>
  /**
   * What is wrong with the files now (`problems.get`): a file that cannot be read,
   * until it is mended; toolsets that were left out; names that mean something
   * else. Its `changes` begin with what is, and follow the files; a change of
   * `modules` alone shows with the next `get`.
   */
  readonly problems: Subscribable.Subscribable<ReadonlyArray<Problem>>
  /** What happens to sets from now on, for a page that shows them. */
  readonly events: Stream.Stream<Event>
}

/**
 * A manager, whose watching ends with the scope. Fails where a file is there and
 * cannot be read; a user's file need not be there.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { NodeContext } from "@effect/platform-node"
 * import { ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { ActiveToolsets, ToolsetManager } from "@wield/toolset-manager"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const all = yield* Toolset.dynamic([{ name: "save_memory", execute: () => Effect.succeed("saved") }])
 *   const manager = yield* ToolsetManager.make({ toolset: all, modules: new Map([["memory", ["save_memory"]]]) })
 *   const runner = yield* ToolRunner.make(manager.toolset)
 *   const chat = runner.forRun({ context: { conversation: "chat 1" } })
 *
 *   const before = yield* chat.run(ToolCall.make("call_1", "save_memory", {}))
 *   const active = yield* manager.activate("chat 1", "memory")
 *   const after = yield* chat.run(ToolCall.make("call_2", "save_memory", {}))
 *   return [before._tag, active.status, after._tag]
 * })
 *
 * Effect.runPromise(
 *   program.pipe(Effect.scoped, Effect.provide(Layer.merge(NodeContext.layer, ActiveToolsets.layerMemory)))
 * ).then((seen) => assert.deepStrictEqual(seen, ["Unavailable", "ok", "Success"]))
 * ```
 *
 * @category constructors
 */
export const make = <Tools, R, E>(
  options: Options<Tools, R, E>
): Effect.Effect<
  Service<Tools, R, E>,
  Errors.InvalidToolsetFile | Errors.ToolsetFileFailed,
  ActiveToolsets | FileSystem.FileSystem | Path.Path | Scope.Scope
> =>
  Effect.gen(function* () {
    orThrow(checkOptions(options), "What a toolset manager is made from")
    const events = yield* PubSub.unbounded<Event>()
    const files = yield* makeFiles({ user: options.userFile, core: options.coreFile }, (found) =>
      PubSub.publish(events, found)
    )
    const inside = yield* makeInside(options, files, yield* ActiveToolsets, events)

    const reload = Effect.flatMap(inside.sets, (sets) => Effect.ensuring(files.reload, announceSets(inside, sets)))

    if (options.isWatched === true) {
      yield* changesOfFiles([options.userFile, options.coreFile]).pipe(
        // A failure is an event, and stays among the problems.
        Stream.runForEach(() => Effect.ignore(reload)),
        Effect.forkScoped
      )
    }

    return {
      toolset: makeOfferedToolset(options, inside),
      list: list(inside),
      preview: preview(inside),
      activate: activate(inside),
      custom: custom(inside),
      active: active(inside),
      reset: reset(inside),
      inactive: inactive(inside),
      save: save(inside),
      rename: rename(inside),
      delete: remove(inside),
      export: exportSet(inside),
      import: importSet(inside),
      reload,
      problems: problemsOfFiles(inside),
      events: Stream.fromPubSub(events)
    }
  })

const checkOptions = fields(
  {
    toolset: anything,
    modules: anything,
    userFile: aName,
    coreFile: aName,
    initial: aText,
    conversationOf: aFunction,
    isWatched: aFlag
  } satisfies Checks<Options<never, never, never>>,
  ["toolset"]
)

/**
 * The manager of an application, where one Layer makes it.
 *
 * @category services
 */
export class ToolsetManager extends Context.Tag("@wield/toolset-manager/ToolsetManager")<
  ToolsetManager,
  Service<Toolset.DynamicTools, never, ToolsetError>
>() {}

/**
 * The service from what a manager is made from, or from an effect that makes it.
 *
 * @category layers
 */
export const layer = <Tools extends Toolset.DynamicTools, E extends ToolsetError, E2 = never, R2 = never>(
  options: Options<Tools, never, E> | Effect.Effect<Options<Tools, never, E>, E2, R2>
): Layer.Layer<
  ToolsetManager,
  Errors.InvalidToolsetFile | Errors.ToolsetFileFailed | E2,
  ActiveToolsets | FileSystem.FileSystem | Path.Path | Exclude<R2, Scope.Scope>
> => Layer.scoped(ToolsetManager, Effect.flatMap(Effect.isEffect(options) ? options : Effect.succeed(options), make))

/** Editors write a file in several steps; within this time they count as one. */
const settling = "100 millis"

/** How often the files are looked at besides. */
const interval = "2 seconds"

/**
 * Once at the start, too: a file may have changed before it was watched. Besides
 * the news of the operating system, which some file systems have none of and
 * which end with a folder that is removed, the files are compared with what they
 * were.
 */
const changesOfFiles = (
  files: ReadonlyArray<string | undefined>
): Stream.Stream<void, never, FileSystem.FileSystem | Path.Path> => {
  const named = files.flatMap((file) => (file === undefined ? [] : [file]))
  const compared = Stream.repeatEffectWithSchedule(Effect.forEach(named, stampOf), Schedule.spaced(interval)).pipe(
    Stream.changesWith((before, now) => before.join() === now.join()),
    Stream.map(() => undefined)
  )
  return Stream.mergeAll([compared, ...named.map(newsOf)], { concurrency: "unbounded" }).pipe(Stream.debounce(settling))
}

/** Differs when a file is written or replaced; empty without a file. */
const stampOf = (file: string): Effect.Effect<string, never, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.stat(file)).pipe(
    Effect.map(({ dev, ino, mtime, size }) =>
      [dev, Option.getOrUndefined(ino), size, Option.getOrUndefined(mtime)?.getTime()].join(":")
    ),
    Effect.orElseSucceed(() => "")
  )

/** Watches the folder: a file that is replaced would no longer be the watched one. */
const newsOf = (file: string): Stream.Stream<void, never, FileSystem.FileSystem | Path.Path> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const folder = paths.dirname(file)
      const name = paths.basename(file)
      // Where the first toolset will be saved.
      yield* files.makeDirectory(folder, { recursive: true })
      return files.watch(folder).pipe(
        Stream.filter(({ path }) => paths.basename(path) === name),
        Stream.map(() => undefined)
      )
    })
  ).pipe(
    // The file is compared as well.
    Stream.catchAll((error) =>
      Stream.drain(Stream.fromEffect(Effect.logDebug(`${file} is looked at now and then only: ${error.message}`)))
    )
  )

/** Its changes are those of the files; modules are asked each time. */
const problemsOfFiles = <E>({ files, sets }: Inside<E>): Subscribable.Subscribable<ReadonlyArray<Problem>> => {
  const of = (read: Read) => Effect.map(sets, ({ modules }) => problemsOf(read, modules))
  return Subscribable.make({
    get: Effect.flatMap(files.current.get, of),
    changes: Stream.changesWith(
      Stream.mapEffect(files.current.changes, of),
      (before, now) => JSON.stringify(before) === JSON.stringify(now)
    )
  })
}

const problemsOf = ({ core, failures, user }: Read, modules: Sets["modules"]): ReadonlyArray<Problem> => [
  ...ofFile(user, failures.user, modules),
  ...ofFile(core, failures.core, modules),
  ...builtIn.flatMap((name) => (modules.has(name) ? [hiddenModuleProblemOf(name)] : []))
]

/** Of a file that cannot be read now, what else was wrong before says nothing: its lines are others. */
const ofFile = (
  file: ToolsetFile | undefined,
  failure: ReadError | undefined,
  modules: Sets["modules"]
): ReadonlyArray<Problem> => {
  if (failure !== undefined) return failureOf(failure)
  return file === undefined ? [] : [...file.problems, ...hiddenToolsetsOf(file, modules)]
}

const failureOf = (failure: ReadError): ReadonlyArray<Problem> => {
  const problems =
    failure._tag === "InvalidToolsetFile"
      ? failure.problems
      : [problemOf(failure.file, "unreadable-file", failure.detail)]
  return problems.map((problem) => ({ ...problem, message: `${problem.message}; what was read before stays in use` }))
}

/** Of a module only the name is known here. */
const hiddenModuleProblemOf = (name: string): Problem => {
  const message = `The module ${JSON.stringify(name)} is no set of its own, for the name is built in; rename its file`
  return problemOf(name, "hidden-module", message, { subject: name, severity: "warning" })
}

/** Toolsets that no one can activate, for their name means something else. */
const hiddenToolsetsOf = ({ file, toolsets }: ToolsetFile, modules: Sets["modules"]): ReadonlyArray<Problem> =>
  [...toolsets.values()].flatMap(({ name, place }) => {
    const reason = reservedReason(name, modules)
    if (reason !== "built-in" && reason !== "module") return []
    const why = reason === "module" ? "a module has the same name, and is taken instead" : "the name is reserved"
    const message = `The toolset ${JSON.stringify(name)} is never used: ${why}; give it another name`
    return [problemOf(file, "hidden-toolset", message, { place, subject: name, severity: "warning" })]
  })
