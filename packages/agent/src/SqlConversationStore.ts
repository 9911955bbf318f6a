/**
 * Conversations in an SQL database: Postgres or SQLite, through the client that
 * the application has. It is imported by its path,
 * `@wield/agent/SqlConversationStore`, and needs the optional peer
 * `@effect/sql`.
 *
 * For a file of one's own, take `@wield/agent/FileStore`.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StoreError } from "./ConversationError.js"
import { ConversationStore, type Service } from "./ConversationStore.js"
import { asStoreError } from "./store/attempt.js"
import { migrate as migrateTables } from "./store/migrations.js"
import { checkedConversations } from "./store/checkedConversations.js"
import { makeSqlStore } from "./store/sqlStore.js"

/**
 * Makes what tables are missing: `wield_conversations`, `wield_entries`,
 * `wield_calls` (the journal's) and `wield_migrations`, which says what was
 * made. For a role that may make tables, where the application's may not.
 *
 * @category migrations
 */
export const migrate: Effect.Effect<void, StoreError, SqlClient> = asStoreError("migrate")(migrateTables)

/**
 * The store over the tables that `migrate` made, for a role that cannot make
 * any.
 *
 * @category constructors
 */
export const make: Effect.Effect<Service, never, SqlClient> = Effect.map(SqlClient, (client) =>
  checkedConversations(makeSqlStore(client))
)

/**
 * The store of conversations in the client's database; makes what tables are
 * missing.
 *
 * @example
 * ```ts
 * import { PgClient } from "@effect/sql-pg"
 * import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
 * import { Config, Layer } from "effect"
 *
 * const Store = SqlConversationStore.layer.pipe(
 *   Layer.provide(PgClient.layerConfig({ url: Config.redacted("DATABASE_URL") }))
 * )
 * ```
 *
 * @category layers
 */
export const layer: Layer.Layer<ConversationStore, StoreError, SqlClient> = Layer.effect(
  ConversationStore,
  Effect.zipRight(migrate, make)
)
