/**
 * Tells that one of some files may have changed.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

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
export const changesOfFiles = (
  files: ReadonlyArray<string | undefined>
): Stream.Stream<void, never, FileSystem.FileSystem | Path.Path> => {
  const named = files.flatMap((file) => (file === undefined ? [] : [file]))
  const compared = Stream.repeatEffectWithSchedule(Effect.forEach(named, stampOf), Schedule.spaced(interval)).pipe(
    Stream.changesWith((before, now) => before.join() === now.join()),
    Stream.map(() => undefined)
  )
  return Stream.mergeAll([compared, ...named.map(newsOf)], { concurrency: "unbounded" }).pipe(Stream.debounce(settling))
}

/** What is other when a file is written or replaced; nothing where there is none. */
const stampOf = (file: string): Effect.Effect<string, never, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.stat(file)).pipe(
    Effect.map(({ dev, ino, mtime, size }) =>
      [dev, Option.getOrUndefined(ino), size, Option.getOrUndefined(mtime)?.getTime()].join(":")
    ),
    Effect.orElseSucceed(() => "")
  )

/** The folder is watched: whoever replaces the file would take the watched one away. */
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
