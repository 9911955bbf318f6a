/** Replaces the content of a file at once: a reader finds the old text or the new one, after a crash too. */
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"

/** `isUnchanged` is asked at the last moment; where it says no, nothing is replaced. Gives what it said. */
export const replaceFile = <R = never>(
  named: string,
  text: string,
  isUnchanged: Effect.Effect<boolean, PlatformError, R> = Effect.succeed(true)
): Effect.Effect<boolean, PlatformError, FileSystem.FileSystem | Path.Path | R> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    // A link to a file elsewhere stays one.
    const file = yield* Effect.orElseSucceed(files.realPath(named), () => named)
    const mode = yield* Effect.option(Effect.map(files.stat(file), (found) => found.mode & 0o777))
    // A rename does not check whether the file may be written.
    if (Option.isSome(mode) && (mode.value & 0o222) === 0) return yield* readOnly(file)
    const folder = paths.dirname(file)
    yield* files.makeDirectory(folder, { recursive: true })
    // Beside the file, since a rename is at once within one file system only.
    const beside = paths.join(folder, `.${paths.basename(file)}.${crypto.randomUUID()}.tmp`)
    const isReplaced = yield* Effect.scoped(
      Effect.gen(function* () {
        const open = yield* files.open(beside, { flag: "wx", mode: Option.getOrElse(mode, () => 0o666) })
        yield* open.writeAll(new TextEncoder().encode(text))
        yield* open.sync
      })
    ).pipe(
      // What the umask has taken from the mode of the file that was there.
      Effect.zipRight(Option.isSome(mode) ? files.chmod(beside, mode.value) : Effect.void),
      Effect.zipRight(isUnchanged),
      Effect.tap((unchanged) => (unchanged ? files.rename(beside, file) : files.remove(beside))),
      Effect.onError(() => Effect.ignore(files.remove(beside)))
    )
    // The name of a file is in its folder, which has to be written too; not every system lets a folder be opened.
    yield* Effect.ignore(Effect.scoped(Effect.flatMap(files.open(folder, { flag: "r" }), (open) => open.sync)))
    return isReplaced
  }).pipe(Effect.uninterruptible)

const readOnly = (file: string): SystemError =>
  new SystemError({
    reason: "PermissionDenied",
    module: "FileSystem",
    method: "replaceFile",
    pathOrDescriptor: file,
    description: "the file is read-only; make it writable"
  })

/** A change takes milliseconds: one that has held the lock for so long has ended. */
const abandonedAfter = Duration.seconds(10)

const betweenAttempts = "5 millis"

export const withFileLock = <A, E, R>(
  file: string,
  change: Effect.Effect<A, E, R>
): Effect.Effect<A, E | PlatformError, R | FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const folder = paths.dirname(file)
    yield* files.makeDirectory(folder, { recursive: true })
    const lock = paths.join(folder, `.${paths.basename(file)}.lock`)
    const owner = crypto.randomUUID()
    // Waiting can be interrupted; a change only where it allows it.
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(
        acquire(files, lock, owner, restore(Effect.sleep(betweenAttempts))),
        Effect.ensuring(restore(change), release(files, lock, owner))
      )
    )
  })

const acquire = (
  files: FileSystem.FileSystem,
  lock: string,
  owner: string,
  wait: Effect.Effect<void>
): Effect.Effect<void, PlatformError> =>
  Effect.scoped(
    Effect.flatMap(files.open(lock, { flag: "wx" }), (made) => made.writeAll(new TextEncoder().encode(owner)))
  ).pipe(
    Effect.catchIf(isTaken, () =>
      removeAbandoned(files, lock).pipe(
        Effect.zipRight(wait),
        Effect.zipRight(Effect.suspend(() => acquire(files, lock, owner, wait)))
      )
    )
  )

const isTaken = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "AlreadyExists"

const removeAbandoned = (files: FileSystem.FileSystem, lock: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { mtime } = yield* files.stat(lock)
    const now = yield* Clock.currentTimeMillis
    const since = Option.match(mtime, { onNone: () => now, onSome: (date) => date.getTime() })
    if (now - since < Duration.toMillis(abandonedAfter)) return
    // Of several that find it abandoned, one takes it away.
    const aside = `${lock}.${crypto.randomUUID()}`
    yield* files.rename(lock, aside)
    yield* files.remove(aside)
  }).pipe(Effect.ignore)

/** A late owner must not remove the next one's lock. */
const release = (files: FileSystem.FileSystem, lock: string, owner: string): Effect.Effect<void> =>
  Effect.ignore(
    Effect.flatMap(files.readFileString(lock), (holder) => (holder === owner ? files.remove(lock) : Effect.void))
  )
