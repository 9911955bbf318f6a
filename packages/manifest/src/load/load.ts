/** Manifests from files. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { read, type SourceText } from "../file/read.js"
import { type InvalidManifest, UnreadableManifest } from "../ManifestError.js"
import { build, type Files, referencesOf } from "./build.js"
import type { Manifest } from "../Manifest.js"
import type * as Either from "effect/Either"
import { folderOf } from "./executors.js"

/** Texts of client tools that need no file, by the paths that configurations name them with. */
export type Texts = { readonly [path: string]: string }

export const readTexts = (texts: Texts = {}): Files =>
  new Map(Object.entries(texts).map(([path, text]) => [path, read(text, path)]))

export const load = (
  file: string,
  texts: Texts | undefined
): Effect.Effect<Manifest, InvalidManifest | UnreadableManifest, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const source = read(yield* textOf(file), file)
    const given = readTexts(texts)
    const missing = referencesOf(source.value).filter(({ isFile, text }) => isFile && !given.has(text))
    const found = yield* Effect.forEach(missing, ({ text }) => clientFile(folderOf(file) ?? ".", text))
    return yield* build(source, new Map([...given, ...found.flat()]))
  })

/** Bytes of one file. A device or a pipe may have no end at all, and what is read may grow meanwhile. */
const largest = 16 * 1024 * 1024

const textOf = (file: string): Effect.Effect<string, UnreadableManifest, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { size, type } = yield* files.stat(file)
    if (type !== "File") return yield* unreadable(file, "it is no regular file")
    if (size > largest) {
      return yield* unreadable(file, `it has more than ${largest / 1024 / 1024} MiB; split it into several`)
    }
    return yield* files.stream(file, { bytesToRead: largest }).pipe(Stream.decodeText(), Stream.mkString)
  }).pipe(Effect.catchTag("BadArgument", "SystemError", ({ message }) => unreadable(file, message)))

const unreadable = (file: string, detail: string) => new UnreadableManifest({ file, detail })

/** One that is not there is a problem of the configuration, at its place, as all others are. */
const clientFile = (
  folder: string,
  path: string
): Effect.Effect<ReadonlyArray<readonly [string, SourceText]>, UnreadableManifest, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = (yield* Path.Path).resolve(folder, path)
    const isThere = yield* Effect.orElseSucceed(files.exists(file), () => false)
    return isThere ? [[path, read(yield* textOf(file), file)] as const] : []
  })

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
