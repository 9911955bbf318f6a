/**
 * Conversations and the journal in the application's database, Postgres or
 * SQLite, by the `SqlClient` of Effect 4 that it has.
 */
import { type Journal as Journal3, SqlConversationStore, SqlJournal } from "@wield/effect3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { ConversationStore, type StoreError } from "./Conversation.js"
import { storeFrom3 } from "./internal/conversations.js"
import { journalOf } from "./internal/journal.js"
import { into4 } from "./internal/seam.js"
import { withClient } from "./internal/sql.js"
import type { Journal } from "./Journal.js"

/**
 * The journal of a database, as a service: give its value to a policy.
 *
 * @category services
 */
export class SqlJournalService extends Context.Service<SqlJournalService, Journal>()(
  "@wield/effect4/SqlStore/SqlJournal"
) {}

/**
 * The store of conversations and the journal; makes what tables are missing.
 * Calls and their ends are written with the client's own connections: within a
 * transaction of the application, as a part of it.
 *
 * @category layers
 */
export const layer: Layer.Layer<ConversationStore | SqlJournalService, StoreError, SqlClient.SqlClient> =
  Layer.effectContext(
    Effect.gen(function* () {
      const client = yield* SqlClient.SqlClient
      yield* into4(withClient(client, SqlConversationStore.migrate))
      const store = yield* into4(withClient(client, SqlConversationStore.make))
      const journal: Journal3.Service = yield* into4(withClient(client, SqlJournal.make))
      return Context.make(ConversationStore, storeFrom3(store)).pipe(Context.add(SqlJournalService, journalOf(journal)))
    })
  )
