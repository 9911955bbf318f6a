/** Rows of the current context, for operations that are part of a transaction. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { toStored } from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import type { MemberType } from "../CurrentContext.js"
import type { UserId } from "../Owner.js"

/** What is gone is in no conversation's context any more. */
export const dropEverywhere = (
  sql: SqlClient,
  user: UserId,
  type: MemberType,
  ids: ReadonlyArray<string>
): Effect.Effect<void, SqlError> =>
  ids.length === 0
    ? Effect.void
    : sql`DELETE FROM wield_assistant_context WHERE user_id = ${toStored(user)}
        AND type = ${type} AND item_id IN ${sql.in(ids)}`

/** Memories that have taken the place of others are in each context that one of them was in, since the first of them was. */
export const replaceMemories = (
  sql: SqlClient,
  user: UserId,
  from: ReadonlyArray<string>,
  to: ReadonlyArray<string>
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    for (const id of from.length === 0 ? [] : to) {
      yield* sql`INSERT INTO wield_assistant_context (user_id, conversation_id, type, item_id, added)
        SELECT user_id, conversation_id, type, ${id}, MIN(added) FROM wield_assistant_context
        WHERE user_id = ${toStored(user)} AND type = 'memory' AND item_id IN ${sql.in(from)}
        GROUP BY user_id, conversation_id, type`
    }
    yield* dropEverywhere(sql, user, "memory", from)
  })
