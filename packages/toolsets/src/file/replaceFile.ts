/**
 * Replaces the content of a file at once: whoever reads it finds the old text or
 * the new one, after a crash too.
 */
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/**
 * `isUnchanged` is asked at the last moment; where it says no, nothing is
 * replaced. Gives what it said.
 */
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
    // A rename asks nobody whether the file may be written.
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
