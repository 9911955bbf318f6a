/** The user's and the core file of toolsets. A file that cannot be read keeps what was read before. */
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Subscribable from "effect/Subscribable"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as ToolsetFile from "../ToolsetFile.js"
import { type InvalidToolsetFile, NowhereToSave, ToolsetChanged, ToolsetFileFailed } from "../ToolsetManagerError.js"
import { withoutMark } from "@wield/core/JsonText"
import { replaceFile, withFileLock } from "../file/replaceFile.js"

export interface Files {
  readonly user: string | undefined
  readonly core: string | undefined
}

export interface Read {
  readonly user: ToolsetFile.ToolsetFile | undefined
  readonly core: ToolsetFile.ToolsetFile | undefined
  /** Why a file could not be read when it was looked at last: what it says above is older than the file. */
  readonly failures: { readonly user: ReadError | undefined; readonly core: ReadError | undefined }
}

export type ReadError = InvalidToolsetFile | ToolsetFileFailed

/** What reading a file again has found: something else than before, or a failure that is new. */
export type Found = { readonly _tag: "Reloaded" } | { readonly _tag: "ReloadFailed"; readonly error: ReadError }

export type ChangeError = ReadError | NowhereToSave | ToolsetChanged

export interface ToolsetFiles {
  /** As last read. */
  readonly current: Subscribable.Subscribable<Read>
  /** Reads both files again. One that cannot be read keeps what it had; the other is still read. */
  readonly reload: Effect.Effect<void, ReadError>
  /**
   * Changes toolsets of the user's file that are named; what others have changed
   * them meanwhile is not overwritten. What has to follow a change is done with
   * it: neither is interrupted.
   */
  readonly change: <E = never, E2 = never>(
    names: ReadonlyArray<string>,
    edit: Edit<E>,
    following?: Effect.Effect<void, E2>
  ) => Effect.Effect<void, ChangeError | E | E2>
}

/** Is asked with what the file has at the moment it is written, so that it can refuse. */
export type Edit<E = never> = (file: ToolsetFile.ToolsetFile) => Either.Either<ToolsetFile.ToolsetFile, E>

type Looked = { readonly [File in keyof Files]?: Either.Either<ToolsetFile.ToolsetFile | undefined, ReadError> }

/** What could not be read leaves what was read before; a failure that is the same as before is no other one. */
const readOf = (before: Read, looked: Looked): Read => {
  const of = (file: keyof Files): readonly [Read["user"], ReadError | undefined] => {
    const known = looked[file]
    const failure = before.failures[file]
    if (known === undefined) return [before[file], failure]
    if (Either.isRight(known)) return [known.right, undefined]
    return [before[file], failure?.message === known.left.message ? failure : known.left]
  }
  const [user, userFailure] = of("user")
  const [core, coreFailure] = of("core")
  return { user, core, failures: { user: userFailure, core: coreFailure } }
}

/** `tell` gets each finding once, whatever looked at the file. */
export const makeFiles = (
  files: Files,
  tell: (found: Found) => Effect.Effect<unknown>
): Effect.Effect<ToolsetFiles, ReadError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    const lock = yield* Effect.makeSemaphore(1)
    const current = yield* SubscriptionRef.make<Read>({
      user: yield* readFile(files, "user", undefined),
      core: yield* readFile(files, "core", undefined),
      failures: { user: undefined, core: undefined }
    })

    const found = (looked: Looked) =>
      Effect.gen(function* () {
        const before = yield* SubscriptionRef.get(current)
        const now = readOf(before, looked)
        const isOther = now.user !== before.user || now.core !== before.core
        const news = (["user", "core"] as const).filter((file) => now.failures[file] !== before.failures[file])
        if (!isOther && news.length === 0) return
        yield* SubscriptionRef.set(current, now)
        const errors = news.map((file) => now.failures[file]).filter((error) => error !== undefined)
        yield* Effect.forEach(errors, (error) => tell({ _tag: "ReloadFailed", error }), { discard: true })
        // A file that can be read again is news, too.
        if (isOther || errors.length < news.length) yield* tell({ _tag: "Reloaded" })
      })

    const reload = Effect.gen(function* () {
      const before = yield* SubscriptionRef.get(current)
      const user = yield* Effect.either(readFile(files, "user", before.user))
      const core = yield* Effect.either(readFile(files, "core", before.core))
      yield* found({ user, core })
      yield* user
      yield* core
    })

    const change = <E>(
      file: string,
      names: ReadonlyArray<string>,
      edit: Edit<E>
    ): Effect.Effect<void, ReadError | ToolsetChanged | E, FileSystem.FileSystem | Path.Path> =>
      Effect.gen(function* () {
        const { user: before } = yield* SubscriptionRef.get(current)
        const looked = yield* Effect.either(
          Effect.flatMap(readText(file), (text) =>
            Effect.map(parsed(file, text, before), (toolsets) => ({ text, toolsets }))
          )
        )
        // Whatever else has changed is in what is written, so nothing of it is lost.
        yield* found({ user: Either.map(looked, ({ toolsets }) => toolsets) })
        const { text, toolsets: user } = yield* looked
        for (const name of names) {
          const theirs = user.toolsets.get(name)
          if (isSame(theirs, before?.toolsets.get(name))) continue
          return yield* new ToolsetChanged({ name, functions: theirs?.functions })
        }
        const next = yield* edit(user)
        const isUnchanged = Effect.map(readOptional(file), (now) => now === text)
        const isReplaced = yield* replaceFile(file, next.text, isUnchanged).pipe(
          Effect.mapError((error) => new ToolsetFileFailed({ file, action: "write", detail: error.message }))
        )
        // Another was faster: once more, on what they wrote.
        if (!isReplaced) return yield* change(file, names, edit)
        yield* SubscriptionRef.update(current, (read) => ({ ...read, user: next }))
      })

    return {
      current,
      reload: lock.withPermits(1)(reload).pipe(Effect.provide(context)),
      change: (names, edit, following = Effect.void) =>
        files.user === undefined
          ? new NowhereToSave({ name: names[0] ?? "" })
          : lock
              .withPermits(1)(alone(files.user, Effect.zipRight(change(files.user, names, edit), following)))
              .pipe(Effect.provide(context))
    }
  })

/** Before other programs that change toolsets, too. Waiting can be interrupted; writing cannot. */
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

type Before = ToolsetFile.ToolsetFile | undefined

/** The user's file need not be there yet; the core file has to be. */
const readFile = (files: Files, which: keyof Files, before: Before) => {
  const file = files[which]
  if (file === undefined) return Effect.succeed(undefined)
  return Effect.flatMap(readText(file), (text): Effect.Effect<ToolsetFile.ToolsetFile, ReadError> => {
    if (text !== undefined || which === "user") return parsed(file, text, before)
    return new ToolsetFileFailed({ file, action: "read", detail: "there is no such file" })
  })
}

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
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    // A pipe would be waited for, and a device may have no end.
    const { type } = yield* files.stat(file)
    if (type !== "File") return yield* invalid(file, "it is no regular file")
    return yield* textOf(file, yield* files.readFile(file))
  }).pipe(
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
    catch: () => invalid(file, "the file is not UTF-8; save it as UTF-8")
  })

const invalid = (file: string, description: string): SystemError =>
  new SystemError({
    reason: "InvalidData",
    module: "FileSystem",
    method: "readFile",
    pathOrDescriptor: file,
    description
  })
