/**
 * Puts new text in the place of a file at once: whoever reads the file finds the
 * old text or the new one, also after a crash. What is not what was read is not
 * written over.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { FileChanged, FileFailed, type FileRefused } from "../CodeError.js"
import type { Folder } from "./folder.js"
import { find, type Found } from "./found.js"
import * as system from "./system.js"

export const write = (
  folder: Folder,
  name: string,
  file: string,
  before: Found | undefined,
  text: string
): Effect.Effect<void, FileChanged | FileFailed | FileRefused> =>
  Effect.gen(function* () {
    const target = join(folder.path, name)
    // Beside the file, since a rename is at once within one file system only.
    const beside = join(folder.path, `.wield-${crypto.randomUUID()}.tmp`)
    yield* Effect.gen(function* () {
      yield* folder.recheck
      yield* Effect.scoped(fill(beside, before, text))
      // The last look. Between it and the rename no system call can stand guard for a file that is there already.
      yield* folder.recheck
      const now = yield* find(folder, name, file, before === undefined ? 0 : before.bytes.length).pipe(
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

const fill = (beside: string, before: Found | undefined, text: string) =>
  Effect.gen(function* () {
    // Nobody else may read the new text of a file that they may not read.
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

const isSame = (before: Found | undefined, now: Found | undefined): boolean =>
  before === undefined || now === undefined
    ? before === now
    : before.bytes.length === now.bytes.length && before.bytes.every((byte, index) => byte === now.bytes[index])
