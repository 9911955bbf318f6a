/**
 * Where people's documents are read from: the files of a folder. An application
 * that has them elsewhere makes a source of its own.
 */
import { FileSystem } from "@effect/platform/FileSystem"
import { Path } from "@effect/platform/Path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { FileNotFound, InvalidAddress, NotReadable, OutsideRoot, TooLarge } from "./DocumentError.js"
import { type Content, mostBytes } from "./Documents.js"
import { readFile } from "./documents/readFile.js"
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
 * The files of a folder. What lies outside of it is refused, also where a link in
 * it leads there. A file's address is its path within the folder, with `/`,
 * links followed.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { mkdtempSync, writeFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import * as NodeContext from "@effect/platform-node/NodeContext"
 * import { DocumentSource, Owner } from "@wield/assistant"
 * import { Effect, Layer } from "effect"
 *
 * const root = mkdtempSync(join(tmpdir(), "documents-"))
 * writeFileSync(join(root, "tea.md"), "# Tea\n")
 * const ada = Owner.UserId.make("ada")
 *
 * const program = Effect.gen(function* () {
 *   const source = yield* DocumentSource.DocumentSource
 *   assert.strictEqual((yield* source.read(ada, "./tea.md")).address, "tea.md")
 *   assert.strictEqual((yield* Effect.flip(source.read(ada, "../secret.txt")))._tag, "OutsideRoot")
 * })
 *
 * Effect.runPromise(
 *   program.pipe(Effect.provide(DocumentSource.layerFiles({ root }).pipe(Layer.provide(NodeContext.layer))))
 * )
 * ```
 *
 * @category layers
 */
export const layerFiles = (options: Options): Layer.Layer<DocumentSource, never, FileSystem | Path> =>
  Layer.effect(
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
