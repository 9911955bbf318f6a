/**
 * The user's and the core file of toolsets: read, read again, changed one
 * toolset at a time. What cannot be read leaves what was read before.
 */
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as ToolsetFile from "../ToolsetFile.js"
import { type InvalidToolsetFile, NowhereToSave, ToolsetChanged, ToolsetFileFailed } from "../ToolsetManagerError.js"
import { withFileLock } from "./fileLock.js"
import { withoutMark } from "./readJson.js"
import { replaceFile } from "./replaceFile.js"

export interface Files {
  readonly user: string | undefined
  readonly core: string | undefined
}

export interface Read {
  readonly user: ToolsetFile.ToolsetFile | undefined
  readonly core: ToolsetFile.ToolsetFile | undefined
}

type ReadError = InvalidToolsetFile | ToolsetFileFailed

export type ChangeError = ReadError | NowhereToSave | ToolsetChanged

export interface ToolsetFiles {
  /** As last read. */
  readonly current: Effect.Effect<Read>
  /**
   * Reads both again. Where one cannot be read, what was read of it before stays,
   * and the other is read all the same.
   */
  readonly reload: Effect.Effect<void, ReadError>
  /**
   * Changes toolsets of the user's file that are named; whoever else has changed
   * them meanwhile is not overwritten. What has to follow a change is done with
   * it: neither is interrupted.
   */
  readonly change: <E = never>(
    names: ReadonlyArray<string>,
    edit: (file: ToolsetFile.ToolsetFile) => ToolsetFile.ToolsetFile,
    following?: Effect.Effect<void, E>
  ) => Effect.Effect<void, ChangeError | E>
}

export const makeFiles = (files: Files): Effect.Effect<ToolsetFiles, ReadError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    const lock = yield* Effect.makeSemaphore(1)
    let read: Read = {
      user: yield* readUser(files.user, undefined),
      core: yield* readCore(files.core, undefined)
    }

    const reload = Effect.gen(function* () {
      const user = yield* Effect.either(readUser(files.user, read.user))
      const core = yield* Effect.either(readCore(files.core, read.core))
      read = {
        user: user._tag === "Right" ? user.right : read.user,
        core: core._tag === "Right" ? core.right : read.core
      }
      yield* user
      yield* core
    })

    const change = (
      file: string,
      names: ReadonlyArray<string>,
      edit: (file: ToolsetFile.ToolsetFile) => ToolsetFile.ToolsetFile
    ): Effect.Effect<void, ReadError | ToolsetChanged, FileSystem.FileSystem | Path.Path> =>
      Effect.gen(function* () {
        const before = read.user
        const text = yield* readText(file)
        const user = yield* parsed(file, text, before)
        // Whatever else has changed is in what is written, so nothing of it is lost.
        read = { ...read, user }
        for (const name of names) {
          const theirs = user.toolsets.get(name)
          if (isSame(theirs, before?.toolsets.get(name))) continue
          return yield* new ToolsetChanged({ name, functions: theirs?.functions })
        }
        const next = edit(user)
        const isUnchanged = Effect.map(readOptional(file), (found) => found === text)
        const isReplaced = yield* replaceFile(file, next.text, isUnchanged).pipe(
          Effect.mapError((error) => new ToolsetFileFailed({ file, action: "write", detail: error.message }))
        )
        // Somebody else was faster: once more, on what they wrote.
        if (!isReplaced) return yield* change(file, names, edit)
        read = { ...read, user: next }
      })

    return {
      current: Effect.sync(() => read),
      reload: lock.withPermits(1)(reload).pipe(Effect.provide(context)),
      change: (names, edit, following = Effect.void) =>
        files.user === undefined
          ? new NowhereToSave({ name: names[0] ?? "" })
          : lock
              .withPermits(1)(alone(files.user, Effect.zipRight(change(files.user, names, edit), following)))
              .pipe(Effect.provide(context))
    }
  })

/**
 * Before other programs that change toolsets, too. Whoever waits for its turn can
 * be interrupted; whoever writes cannot.
 */
const alone = <A, E, R>(file: string, change: Effect.Effect<A, E, R>) =>
  Effect.flatMap(FileSystem.FileSystem, (system) => Effect.orElseSucceed(system.realPath(file), () => file)).pipe(
    Effect.flatMap((real) => withFileLock(real, Effect.uninterruptible(Effect.either(change)))),
    Effect.mapError((error) => new ToolsetFileFailed({ file, action: "write", detail: error.message })),
    Effect.flatten
  )

/** A toolset may stand elsewhere in the text: what it says is what counts. */
const isSame = (one: ToolsetFile.SavedToolset | undefined, other: ToolsetFile.SavedToolset | undefined): boolean =>
  one === undefined || other === undefined
    ? one === other
    : JSON.stringify([one.functions, one.metadata]) === JSON.stringify([other.functions, other.metadata])

type ReadFile = Effect.Effect<ToolsetFile.ToolsetFile | undefined, ReadError, FileSystem.FileSystem>

type Before = ToolsetFile.ToolsetFile | undefined

/** The user's file need not be there yet. */
const readUser = (file: string | undefined, before: Before): ReadFile =>
  file === undefined ? Effect.succeed(undefined) : Effect.flatMap(readText(file), (text) => parsed(file, text, before))

const readCore = (file: string | undefined, before: Before): ReadFile =>
  file === undefined
    ? Effect.succeed(undefined)
    : Effect.flatMap(readText(file), (text) =>
        text === undefined ? Effect.fail(missing(file)) : parsed(file, text, before)
      )

const missing = (file: string) => new ToolsetFileFailed({ file, action: "read", detail: "there is no such file" })

/** The same text is not read again: what is known by its identity stays known. */
const parsed = (
  file: string,
  text: string | undefined,
  before: Before
): Effect.Effect<ToolsetFile.ToolsetFile, ReadError> => {
  const empty = ToolsetFile.empty(file)
  if (before !== undefined && before.text === (text ?? empty.text)) return Effect.succeed(before)
  return text === undefined ? Effect.succeed(empty) : ToolsetFile.parse(text, { file })
}

const readText = (file: string) =>
  Effect.mapError(readOptional(file), (error) => new ToolsetFileFailed({ file, action: "read", detail: error.message }))

const readOptional = (file: string): Effect.Effect<string | undefined, PlatformError, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFile(file)).pipe(
    Effect.flatMap((bytes) => textOf(file, bytes)),
    Effect.map(withoutMark),
    Effect.catchIf(
      (error) => error._tag === "SystemError" && error.reason === "NotFound",
      () => Effect.succeed(undefined)
    )
  )

/** What is read in part would be saved in part. */
const textOf = (file: string, bytes: Uint8Array): Effect.Effect<string, PlatformError> =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () =>
      new SystemError({
        reason: "InvalidData",
        module: "FileSystem",
        method: "readFile",
        pathOrDescriptor: file,
        description: "the file is not UTF-8; save it as UTF-8"
      })
  })
