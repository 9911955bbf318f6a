/** Replaces a file at once, also for a reader and after a crash; only a file that is what was read. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { FileChanged, FileFailed, FileRefused } from "../CodeError.js"
import type { Folder } from "./folder.js"
import * as system from "./system.js"

export const write = (folder: Folder, name: string, file: string, before: CurrentFile | undefined, text: string) =>
  Effect.gen(function* () {
    const target = join(folder.path, name)
    // Beside the file, since a rename is at once within one file system only.
    const beside = join(folder.path, `.wield-${crypto.randomUUID()}.tmp`)
    yield* Effect.gen(function* () {
      yield* folder.recheck
      yield* Effect.scoped(fill(beside, before, text))
      // The last look. Between it and the rename no system call can stand guard for a file that is there already.
      yield* folder.recheck
      const now = yield* readCurrent(folder, name, file, before === undefined ? 0 : before.bytes.length).pipe(
        Effect.catchTag("FileRefused", () => new FileChanged({ file }))
      )
      if (!isSame(before, now)) return yield* new FileChanged({ file })
      yield* before === undefined ? appear(beside, target) : system.rename(beside, target)
    }).pipe(
      Effect.ensuring(Effect.ignore(system.remove(beside))),
      Effect.catchTag("SystemFault", ({ code }): Effect.Effect<never, FileChanged | FileFailed> =>
        code === "EEXIST" ? new FileChanged({ file }) : new FileFailed({ file, operation: "write", code })
      )
    )
    // The name of a file is in its folder, which has to be written too; not every system lets a folder be opened.
    yield* system.open(folder.path, system.reading).pipe(Effect.flatMap(system.sync), Effect.scoped, Effect.ignore)
  }).pipe(Effect.uninterruptible)

const fill = (beside: string, before: CurrentFile | undefined, text: string) =>
  Effect.gen(function* () {
    // The new text may be read only by those who may read the file.
    const handle = yield* system.open(beside, system.creating, before === undefined ? 0o666 : 0o600)
    yield* system.writeAll(handle, new TextEncoder().encode(text))
    if (before !== undefined) {
      const made = yield* system.statOf(handle)
      const isOwned =
        (made.uid === before.user && made.gid === before.group) ||
        (yield* Effect.isSuccess(system.changeOwner(handle, before.user, before.group)))
      // A program that runs as its owner must not begin to run as another one.
      yield* system.changeMode(handle, isOwned ? before.mode : before.mode & 0o777)
    }
    yield* system.sync(handle)
  })

/** A link is refused where the name is taken; a rename is not. */
const appear = (beside: string, target: string) =>
  system.link(beside, target).pipe(
    Effect.catchIf(
      // File systems without hard links (FAT, some network drives): the last look has to do.
      ({ code }) => code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS" || code === "EOPNOTSUPP",
      () => system.rename(beside, target)
    )
  )

const isSame = (before: CurrentFile | undefined, now: CurrentFile | undefined): boolean =>
  before === undefined || now === undefined
    ? before === now
    : before.bytes.length === now.bytes.length && before.bytes.every((byte, index) => byte === now.bytes[index])

export interface CurrentFile {
  readonly bytes: Uint8Array
  readonly text: string
  readonly mode: number
  readonly user: number
  readonly group: number
}

/** Nothing where there is no such file. */
export const readCurrent = (folder: Folder, name: string, file: string, limit: number) =>
  Effect.gen(function* () {
    const path = join(folder.path, name)
    const refuse = (reason: FileRefused["reason"], allowed: string) => new FileRefused({ file, reason, allowed })
    const seen = yield* system.lstat(path)
    if (seen.isSymbolicLink()) return yield* refuse("SymbolicLink", regular)
    // Before it is opened: opening a device can do something.
    if (!seen.isFile()) return yield* refuse("NotAFile", regular)
    const handle = yield* system.open(path, system.reading | system.noFollow | system.nonBlocking)
    const opened = yield* system.statOf(handle)
    if (!opened.isFile()) return yield* refuse("NotAFile", regular)
    // A rename would replace it all the same, also for a user whom the system refuses nothing.
    if ((opened.mode & 0o222) === 0 || !(yield* system.isWritable(path))) {
      return yield* new FileRefused({
        file,
        reason: "ReadOnly",
        allowed: "files that may be written",
        advice: "Nothing was written. Tell the user, who can change that"
      })
    }
    if (opened.size > limit) return yield* refuse("TooLarge", `files of at most ${limit} bytes`)
    const bytes = yield* system.readUpTo(handle, limit + 1)
    if (bytes.length > limit) return yield* refuse("TooLarge", `files of at most ${limit} bytes`)
    const text = decode(bytes)
    if (Either.isLeft(text)) return yield* refuse("NotText", "text in UTF-8, without null characters")
    return { bytes, text: text.right, mode: opened.mode & 0o7777, user: opened.uid, group: opened.gid }
  }).pipe(
    Effect.scoped,
    Effect.catchTag("SystemFault", ({ code }): Effect.Effect<undefined, FileRefused | FileFailed> => {
      if (code === "ENOENT") return Effect.succeed(undefined)
      return code === "ELOOP"
        ? new FileRefused({ file, reason: "SymbolicLink", allowed: regular })
        : new FileFailed({ file, operation: "read", code })
    })
  )

const regular = "regular files"

/** A byte order mark is kept as a character, so that the file can be written as it was. */
const decode = (bytes: Uint8Array): Either.Either<string, unknown> =>
  Either.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)).pipe(
    Either.filterOrLeft(
      (text) => !text.includes("\0"),
      () => "a null character"
    )
  )
