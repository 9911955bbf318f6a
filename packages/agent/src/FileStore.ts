/**
 * Conversations and the journal in one SQLite file (libsql). It is imported by
 * its path, `@wield/agent/FileStore`, and needs the optional peers
 * `@effect/sql`, `@effect/experimental` and `libsql`.
 *
 * Several processes may have the same file open on one machine; on a network
 * drive SQLite's locks cannot be relied on.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql/SqlClient"
import type { Journal } from "@wield/core"
import { type Checks, fields, holds, oneOf, orThrow } from "@wield/core/Options"
import * as Layer from "effect/Layer"
import type { StoreError } from "./ConversationError.js"
import type { ConversationStore } from "./ConversationStore.js"
import { openFile } from "./store/fileClient.js"
import * as SqlConversationStore from "./SqlConversationStore.js"
import * as SqlCounts from "./SqlCounts.js"
import * as SqlJournal from "./SqlJournal.js"

/**
 * Which file, and how safe.
 *
 * @category models
 */
export interface Options {
  /** The path of the file, which is made if it is missing. Its folder must exist. */
  readonly path: string
  /**
   * `full` unless given: what was written survives a power failure, for which
   * each write waits for the disk. `normal` does not wait: what was written
   * survives the end of the process by whatever means, but the last writes may
   * be lost in a power failure.
   */
  readonly synchronous?: "full" | "normal" | undefined
}

/**
 * A client for the file, for tables of the application beside those of Wield.
 * One connection does everything in turn, and transactions begin with the lock
 * for writing. Where other processes write to the file, too, `SqlOperation.attempt`
 * waits for their lock. Integers beyond 2^53 are rounded, unless `SqlClient.SafeIntegers`
 * asks for bigints, as the storages of `@effect/cluster` do.
 *
 * @category layers
 */
export const layerClient = (options: Options): Layer.Layer<SqlClient, StoreError> => {
  orThrow(check(options, ["fileStore"]))
  const { path, synchronous = "full" } = options
  return Layer.provide(Layer.scoped(SqlClient, openFile({ path, synchronous })), Reactivity.layer)
}

// Without a path, SQLite keeps everything in memory.
const check = fields(
  {
    path: holds("the path of a file", (path) => typeof path === "string" && path !== ""),
    synchronous: oneOf("full", "normal")
  } satisfies Checks<Options>,
  ["path"]
)

/**
 * The store of conversations and the journal in one file, with its write-ahead
 * log (`-wal`) and index (`-shm`) beside it while it is open.
 *
 * @example
 * ```ts
 * import { ConversationStore } from "@wield/agent"
 * import * as FileStore from "@wield/agent/FileStore"
 * import { Effect } from "effect"
 *
 * export const open = Effect.flatMap(ConversationStore.ConversationStore, (store) => store.openOrCreate("order 12")).pipe(
 *   Effect.provide(FileStore.layer({ path: "conversations.db" }))
 * )
 * ```
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<ConversationStore | Journal.Journal, StoreError> =>
  Layer.provide(Layer.mergeAll(SqlConversationStore.layer, SqlJournal.layer, SqlCounts.layer), layerClient(options))
