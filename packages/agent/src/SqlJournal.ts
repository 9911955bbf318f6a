/**
 * The journal in an SQL database, in the same one as the conversations, so that
 * a killed process finds each call again that it had begun. It is imported by
 * its path, `@wield/agent/SqlJournal`, and needs the optional peer
 * `@effect/sql`.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import * as Journal from "@wield/core/Journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StoreError } from "./ConversationError.js"
import { makeSqlJournal } from "./store/sqlJournal.js"
import { migrate } from "./SqlConversationStore.js"

/**
 * The journal over the tables that `SqlConversationStore.migrate` made, for a
 * role that cannot make any.
 *
 * @category constructors
 */
export const make: Effect.Effect<Journal.Service, never, SqlClient> = Effect.map(
  SqlClient,
  (client) => makeSqlJournal(client).service
)

/**
 * The journal in the client's database; makes what tables are missing. Give it
 * to the policy of a runner: `{ journal: yield* Journal.Journal }`.
 *
 * @example
 * ```ts
 * import { PgClient } from "@effect/sql-pg"
 * import * as SqlJournal from "@wield/agent/SqlJournal"
 * import { Config, Layer } from "effect"
 *
 * const Journal = SqlJournal.layer.pipe(
 *   Layer.provide(PgClient.layerConfig({ url: Config.redacted("DATABASE_URL") }))
 * )
 * ```
 *
 * @category layers
 */
export const layer: Layer.Layer<Journal.Journal, StoreError, SqlClient> = Layer.scoped(
  Journal.Journal,
  Effect.gen(function* () {
    yield* migrate
    const { service, stop } = makeSqlJournal(yield* SqlClient)
    yield* Effect.addFinalizer(() => stop)
    return service
  })
)
