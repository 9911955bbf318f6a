/** Rows of the current context, for operations that are part of a transaction. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Member, MemberType } from "../CurrentContext.js"
import type { ConversationId, UserId } from "../Owner.js"

export const addMember = (
  sql: SqlClient,
  user: UserId,
  conversation: ConversationId,
  { id, type }: Member
): Effect.Effect<void, SqlError> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (added) =>
      sql`INSERT INTO wield_assistant_context ${sql.insert({
        user_id: SqlOperation.toStored(user),
        conversation_id: SqlOperation.toStored(conversation),
        type,
        item_id: id,
        added
      })} ON CONFLICT DO NOTHING`
  )

export const dropMember = (
  sql: SqlClient,
  user: UserId,
  conversation: ConversationId,
  { id, type }: Member
): Effect.Effect<void, SqlError> =>
  sql`DELETE FROM wield_assistant_context WHERE user_id = ${SqlOperation.toStored(user)}
    AND conversation_id = ${SqlOperation.toStored(conversation)} AND type = ${type} AND item_id = ${id}`

/** What is gone is in no conversation's context any more. */
export const dropEverywhere = (
  sql: SqlClient,
  user: UserId,
  type: MemberType,
  ids: ReadonlyArray<string>
): Effect.Effect<void, SqlError> =>
  ids.length === 0
    ? Effect.void
    : sql`DELETE FROM wield_assistant_context WHERE user_id = ${SqlOperation.toStored(user)}
        AND type = ${type} AND item_id IN ${sql.in(ids)}`

/** What has taken the place of others is in each context that one of them was in, since the first of them was. */
export const replaceEverywhere = (
  sql: SqlClient,
  user: UserId,
  type: MemberType,
  from: ReadonlyArray<string>,
  to: ReadonlyArray<string>
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    for (const id of from.length === 0 ? [] : to) {
      yield* sql`INSERT INTO wield_assistant_context (user_id, conversation_id, type, item_id, added)
        SELECT user_id, conversation_id, type, ${id}, MIN(added) FROM wield_assistant_context
        WHERE user_id = ${SqlOperation.toStored(user)} AND type = ${type} AND item_id IN ${sql.in(from)}
        GROUP BY user_id, conversation_id, type`
    }
    yield* dropEverywhere(sql, user, type, from)
  })
