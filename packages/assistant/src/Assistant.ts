/** All that an assistant keeps, put together: over a file of its own, or over the application's database. */
import type { EmbeddingModel } from "@effect/ai"
import * as Toolkit from "@effect/ai/Toolkit"
import { SqlClient } from "@effect/sql/SqlClient"
import { anything, type Checks, fields, orThrow } from "@wield/core/Options"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CurrentContext from "./CurrentContext.js"
import * as Documents from "./Documents.js"
import * as DocumentToolkit from "./DocumentToolkit.js"
import * as Goals from "./Goals.js"
import * as GoalToolkit from "./GoalToolkit.js"
import * as Memories from "./Memories.js"
import * as MemoryToolkit from "./MemoryToolkit.js"
import type { UserId } from "./Owner.js"
import { hasExtension, prepare } from "./search/pgvector.js"
import * as SearchIndex from "./SearchIndex.js"
import { exportRows, forgetRows } from "./store/userRows.js"
import { migrate as migrateTables } from "./store/migrations.js"
import { runChange, runOperation } from "./store/operation.js"
import type { StoreError } from "./StoreError.js"
import type { UserExport } from "./UserExport.js"
import * as UserProfile from "./UserProfile.js"
import * as UserToolkit from "./UserToolkit.js"

/**
 * What an assistant keeps.
 *
 * @category models
 */
export type Services =
  | SearchIndex.SearchIndex
  | Memories.Memories
  | Goals.Goals
  | Documents.Documents
  | CurrentContext.CurrentContext
  | UserProfile.UserProfile

/**
 * How it is found, and how documents are taken.
 *
 * @category models
 */
export interface Options {
  /** What counts how much in the search. */
  readonly weights?: Partial<SearchIndex.Weights> | undefined
  readonly documents?: Documents.Options | undefined
  /** Other memories than those in the client's database, for all parts. See `Memories.Service`. */
  readonly memories?: Layer.Layer<Memories.Memories, StoreError, SearchIndex.SearchIndex | SqlClient> | undefined
}

const over = <E, R>(index: Layer.Layer<SearchIndex.SearchIndex, E, R>, { documents, memories }: Options) =>
  Layer.mergeAll(
    memories === undefined
      ? Layer.merge(Memories.layer, Goals.layer)
      : Goals.layerWithMemories.pipe(Layer.provideMerge(memories)),
    Documents.layer(documents),
    CurrentContext.layer,
    UserProfile.layer
  ).pipe(Layer.provideMerge(index))

/**
 * What an assistant keeps, in the client's database; found by words.
 *
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Services, StoreError, SqlClient> => {
  orThrow(fields(checks)(options), "What `Assistant.layer` takes")
  return over(SearchIndex.layer({ weights: options.weights }), options)
}

// The layers of these look at them.
const checks = { weights: anything, documents: anything, memories: anything } satisfies Checks<Options>

/**
 * What an assistant keeps, in the client's database, found by words and meaning.
 *
 * @category layers
 */
export const layerEmbedding = (
  options: Options & {
    /** The name of the embedding model: a vector of another model is made again. */
    readonly model: string
    /** How long a search waits for the model before it goes on by words alone. 10 seconds unless given. */
    readonly timeout?: Duration.DurationInput | undefined
    /** How many bytes of vectors are held where a Postgres has no pgvector. 128 MiB unless given. */
    readonly vectorMemory?: number | undefined
  }
): Layer.Layer<Services, StoreError, SqlClient | EmbeddingModel.EmbeddingModel> => {
  const { documents, memories, ...search } = options
  return over(SearchIndex.layerEmbedding(search), { documents, memories })
}

/**
 * The tools that need no network and no language model: goals, memories and notes, documents, names.
 *
 * @category toolkits
 */
export const toolkit = Toolkit.merge(
  GoalToolkit.toolkit,
  MemoryToolkit.toolkit,
  MemoryToolkit.noteToolkit,
  DocumentToolkit.toolkit,
  UserToolkit.toolkit
)

/**
 * The handlers of the toolkit.
 *
 * @example
 * ```ts
 * import * as FileStore from "@wield/agent/FileStore"
 * import { Assistant } from "@wield/assistant"
 * import { ToolRunner, Toolset } from "@wield/core"
 * import { Effect, Layer } from "effect"
 *
 * const AssistantLive = Assistant.layerToolkit.pipe(
 *   Layer.provide(Assistant.layer()),
 *   Layer.provide(FileStore.layerClient({ path: "assistant.db" })) // or PgClient.layer of @effect/sql-pg
 * )
 * export const runner = Effect.flatMap(Toolset.fromToolkit(Assistant.toolkit), (toolset) => ToolRunner.make(toolset)).pipe(
 *   Effect.provide(AssistantLive)
 * )
 * ```
 *
 * @category layers
 */
export const layerToolkit = Layer.mergeAll(
  GoalToolkit.layer,
  MemoryToolkit.layer,
  MemoryToolkit.noteLayer,
  DocumentToolkit.layer,
  UserToolkit.layer
)

/**
 * Makes what tables are missing, pgvector's too, as a role that may, where the application's own may not.
 *
 * @category maintenance
 */
export const migrate: Effect.Effect<void, StoreError, SqlClient> = Effect.zipRight(
  migrateTables,
  Effect.flatMap(SqlClient, (sql) =>
    sql.onDialectOrElse({
      pg: () => Effect.whenEffect(prepare(sql), hasExtension(sql)),
      orElse: () => Effect.void
    })
  ).pipe(runOperation("make the table of pgvector"))
)

/**
 * Deletes everything that is kept of a user, from the search too, in one transaction.
 * Conversations and the journal are the application's.
 *
 * @category maintenance
 */
export const forget = (user: UserId): Effect.Effect<void, StoreError, SqlClient> =>
  Effect.flatMap(SqlClient, (sql) => forgetRows(sql, user).pipe(runChange(sql, "forget a user", user)))

const exportUser = (user: UserId): Effect.Effect<UserExport, StoreError, SqlClient> =>
  Effect.flatMap(SqlClient, (sql) => exportRows(sql, user).pipe(sql.withTransaction, runOperation("export a user")))

export {
  /**
   * Everything that is kept of a user, as it was at one moment, in memory at once; empty where nothing is kept.
   * Not within a transaction of the application: its own begins with the moment.
   *
   * @category maintenance
   */
  exportUser as export
}
