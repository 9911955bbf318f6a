/** A file of a folder, and nothing that lies elsewhere. */
import type { PlatformError } from "@effect/platform/Error"
import type { File, FileSystem } from "@effect/platform/FileSystem"
import type { Path } from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { FileNotFound, InvalidAddress, NotReadable, OutsideRoot, TooLarge } from "../DocumentError.js"
import type { Content } from "../Documents.js"
import { mediaTypeOf } from "./read.js"

export const readFile = (
  files: FileSystem,
  path: Path,
  root: string,
  address: string,
  limit: number
): Effect.Effect<Content, FileNotFound | InvalidAddress | NotReadable | OutsideRoot | TooLarge> => {
  const failed = (error: PlatformError) =>
    error._tag === "SystemError" && error.reason === "NotFound"
      ? new FileNotFound({ address })
      : new NotReadable({
          address,
          mediaType: mediaTypeOf({ address, content: "" }),
          // A message of the platform tells where on the machine the file is.
          detail: error._tag === "SystemError" ? `the system says ${error.reason}` : "the system refuses the path"
        })
  const isInside = (folder: string, file: string): boolean => {
    const way = path.relative(folder, file)
    return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
  }
  return Effect.gen(function* () {
    if (address.trim() === "" || address.includes("\0")) {
      return yield* new InvalidAddress({ address, expected: "the path of a file" })
    }
    const folder = path.resolve(root)
    const named = path.resolve(folder, address)
    // A root that is not there is the program's mistake, not that of whoever names a file.
    const realFolder = yield* Effect.orDie(files.realPath(folder))
    // Before the file is looked for: whether there is one elsewhere is not told.
    if (!isInside(folder, named) && !isInside(realFolder, named)) return yield* new OutsideRoot({ address })
    const file = yield* Effect.mapError(files.realPath(named), failed)
    if (!isInside(realFolder, file)) return yield* new OutsideRoot({ address })
    const before = yield* Effect.mapError(files.stat(file), failed)
    const { size, type } = before
    // Reading a pipe would wait for whoever writes to it.
    if (type !== "File") {
      return yield* new NotReadable({ address, mediaType: `inode/${type.toLowerCase()}`, detail: "it is no file" })
    }
    if (size > limit) return yield* new TooLarge({ address, bytes: Number(size), limit })
    const content = yield* Effect.mapError(firstOf(files, file, limit + 1), failed)
    // It may have grown since it was looked at.
    if (content.length > limit) return yield* new TooLarge({ address, bytes: content.length, limit })
    if (isChanged(before, yield* Effect.mapError(files.stat(file), failed))) {
      return yield* new NotReadable({
        address,
        mediaType: mediaTypeOf({ address, content }),
        detail: "it was changed while it was read. Ingest it again"
      })
    }
    return { address: path.relative(realFolder, file).split(path.sep).join("/"), content }
  })
}

/** The first bytes of a file, or all of it where it has fewer. */
const firstOf = (files: FileSystem, file: string, bytes: number): Effect.Effect<Uint8Array, PlatformError> =>
  Stream.runCollect(files.stream(file, { bytesToRead: bytes })).pipe(
    Effect.map((parts) => {
      const content = new Uint8Array([...parts].reduce((length, part) => length + part.length, 0))
      let at = 0
      for (const part of parts) {
        content.set(part, at)
        at += part.length
      }
      return content
    })
  )

/** Whether what was read may be half of the one and half of the other. */
const isChanged = (before: File.Info, after: File.Info): boolean =>
  before.size !== after.size ||
  !Equal.equals(Option.map(before.mtime, Number), Option.map(after.mtime, Number)) ||
  !Equal.equals(before.ino, after.ino)
