/**
 * Tells that one of some files may have changed.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ToolsetFileFailed } from "../ToolsetManagerError.js"

/** Editors write a file in several steps; within this time they count as one. */
const settling = "100 millis"

/** Once at the start, too: a file may have changed before it was watched. */
export const changesOfFiles = (
  files: ReadonlyArray<string | undefined>
): Stream.Stream<void, ToolsetFileFailed, FileSystem.FileSystem | Path.Path> =>
  Stream.mergeAll([Stream.void, ...files.flatMap((file) => (file === undefined ? [] : [changesOf(file)]))], {
    concurrency: "unbounded"
  }).pipe(Stream.debounce(settling))

/** The folder is watched: whoever replaces the file would take the watched one away. */
const changesOf = (file: string): Stream.Stream<void, ToolsetFileFailed, FileSystem.FileSystem | Path.Path> =>
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
  ).pipe(Stream.mapError((error) => new ToolsetFileFailed({ file, action: "watch", detail: error.message })))
