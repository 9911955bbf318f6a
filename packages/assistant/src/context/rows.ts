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
