/** Where people's documents are read from: the files of a folder, or a source of the application's own. */
import type { PlatformError } from "@effect/platform/Error"
import { type File, FileSystem } from "@effect/platform/FileSystem"
import { Path } from "@effect/platform/Path"
import { aCount, type Checks, fields, holds, orThrow } from "@wield/core/Options"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { FileNotFound, InvalidAddress, NotReadable, OutsideRoot, TooLarge } from "./DocumentError.js"
import { type Content, mostBytes } from "./Documents.js"
import { mediaTypeOf } from "./documents/read.js"
import type { UserId } from "./Owner.js"

/**
 * Reads what is at an address.
 *
 * @category services
 */
export interface Service {
  /** Gives the content under the address that it is to be ingested by, the same for each way to name it. */
  readonly read: (
    user: UserId,
    address: string
  ) => Effect.Effect<Content, FileNotFound | InvalidAddress | NotReadable | OutsideRoot | TooLarge>
}

/**
 * Where people's documents are read from.
 *
 * @category services
 */
export class DocumentSource extends Context.Tag("@wield/assistant/DocumentSource")<DocumentSource, Service>() {}

/**
 * Which folder.
 *
 * @category models
 */
export interface Options {
  /** The folder that documents are read from, or one for each user. */
  readonly root: string | ((user: UserId) => string)
  /** Of a file, at most so many are read. 20 MB unless given. */
  readonly bytes?: number | undefined
}

/**
 * The files of a folder, and none outside, links followed. An address is the path within the folder, with `/`.
 *
 * @example
 * ```ts
 * import * as NodeContext from "@effect/platform-node/NodeContext"
 * import { DocumentSource, Owner } from "@wield/assistant"
 * import { Effect, Layer } from "effect"
 *
 * const Files = DocumentSource.layerFiles({ root: "./documents" }).pipe(Layer.provide(NodeContext.layer))
 * export const program = Effect.flatMap(DocumentSource.DocumentSource, (source) =>
 *   source.read(Owner.UserId.make("ada"), "./tea.md") // its address is "tea.md"
 * ).pipe(Effect.provide(Files))
 * ```
 *
 * @category layers
 */
export const layerFiles = (options: Options): Layer.Layer<DocumentSource, never, FileSystem | Path> => {
  orThrow(checkOptions(options), "What `DocumentSource.layerFiles` takes")
  return Layer.effect(
    DocumentSource,
    Effect.map(Effect.all([FileSystem, Path]), ([files, path]) => ({
      read: (user, address) =>
        readFile(
          files,
          path,
          typeof options.root === "string" ? options.root : options.root(user),
          address,
          options.bytes ?? mostBytes
        )
    }))
  )
}

// By a size that is not a number, no file would be too large.
const checkOptions = fields(
  {
    root: holds(
      "a folder, or a function that gives one",
      (root) => typeof root === "function" || (typeof root === "string" && root !== "")
    ),
    bytes: aCount
  } satisfies Checks<Options>,
  ["root"]
)

/** Reads a file of a folder, and none outside it. */
const readFile = (files: FileSystem, path: Path, root: string, address: string, limit: number) => {
  const fileError = (error: PlatformError) =>
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
    // A root that is not there is the program's mistake, not that of the caller who names a file.
    const realFolder = yield* Effect.orDie(files.realPath(folder))
    // Before the file is looked for: whether there is one elsewhere is not said.
    if (!isInside(folder, named) && !isInside(realFolder, named)) return yield* new OutsideRoot({ address })
    const file = yield* Effect.mapError(files.realPath(named), fileError)
    if (!isInside(realFolder, file)) return yield* new OutsideRoot({ address })
    const before = yield* Effect.mapError(files.stat(file), fileError)
    const { size, type } = before
    // Reading a pipe would wait for its writer.
    if (type !== "File") {
      return yield* new NotReadable({ address, mediaType: `inode/${type.toLowerCase()}`, detail: "it is no file" })
    }
    if (size > limit) return yield* new TooLarge({ address, bytes: Number(size), limit })
    const content = yield* Effect.mapError(firstOf(files, file, limit + 1), fileError)
    // It may have grown since it was looked at.
    if (content.length > limit) return yield* new TooLarge({ address, bytes: content.length, limit })
    if (isChanged(before, yield* Effect.mapError(files.stat(file), fileError))) {
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
    // Not a Buffer, which pdf.js does not take.
    Effect.map((parts) => new Uint8Array(Buffer.concat([...parts])))
  )

/** Whether what was read may be half of the one and half of the other. */
const isChanged = (before: File.Info, after: File.Info): boolean =>
  before.size !== after.size ||
  !Equal.equals(Option.map(before.mtime, Number), Option.map(after.mtime, Number)) ||
  !Equal.equals(before.ino, after.ino)
