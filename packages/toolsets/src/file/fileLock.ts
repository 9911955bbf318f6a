/**
 * Lets one program at a time change a file, of all that ask for its lock: a file
 * beside it that only one can make.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** A change takes milliseconds: whoever has held the lock for so long is no more. */
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
    // Whoever waits for its turn can be interrupted; whoever has it, only where the change can be.
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

/** Whoever was taken for gone does not take the lock of the next one away. */
const release = (files: FileSystem.FileSystem, lock: string, owner: string): Effect.Effect<void> =>
  Effect.ignore(
    Effect.flatMap(files.readFileString(lock), (holder) => (holder === owner ? files.remove(lock) : Effect.void))
  )
