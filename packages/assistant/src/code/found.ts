/** Reads the file that is to be edited, as bytes and as text. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { FileFailed, FileRefused } from "../CodeError.js"
import type { Folder } from "./folder.js"
import * as system from "./system.js"

export interface Found {
  readonly bytes: Uint8Array
  readonly text: string
  readonly mode: number
  readonly user: number
  readonly group: number
}

/** Nothing where there is no such file. */
export const find = (
  folder: Folder,
  name: string,
  file: string,
  limit: number
): Effect.Effect<Found | undefined, FileRefused | FileFailed> =>
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
