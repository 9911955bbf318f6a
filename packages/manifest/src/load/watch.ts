/**
 * The manifest of a file whenever the file changes.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { type InvalidManifest, UnreadableManifest } from "../ManifestError.js"
import { folderOf } from "./folder.js"
import { load, type Texts } from "./load.js"
import type { Manifest } from "./Manifest.js"

/** Editors write a file in several steps; within this time they count as one. */
const settling = "100 millis"

export const watch = (
  file: string,
  texts: Texts | undefined
): Stream.Stream<
  Either.Either<Manifest, InvalidManifest | UnreadableManifest>,
  UnreadableManifest,
  FileSystem.FileSystem | Path.Path
> => {
  const current = Effect.either(load(file, texts))
  const name = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)
  // The folder is watched: an editor that replaces the file would take the watched one away.
  const changes = Stream.unwrap(Effect.map(FileSystem.FileSystem, (files) => files.watch(folderOf(file) ?? "."))).pipe(
    Stream.mapError((error) => new UnreadableManifest({ file, detail: error.message })),
    Stream.filter(({ path }) => path === name || path.endsWith(`/${name}`) || path.endsWith(`\\${name}`)),
    Stream.debounce(settling),
    Stream.mapEffect(() => current)
  )
  return Stream.merge(Stream.fromEffect(current), changes)
}
