/** Which memories and goals the assistant has before it in every turn of a conversation. */
import { SqlClient } from "@effect/sql/SqlClient"
import { toStored } from "@wield/agent/SqlOperation"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ConversationId, UserId } from "./Owner.js"
import { migrate } from "./store/migrations.js"
import { runOperation } from "./store/operation.js"
import type { StoreError } from "./StoreError.js"

/**
 * What can be in the context.
 *
 * @category models
 */
export type MemberType = "memory" | "goal"

/**
 * One thing that is in the context.
 *
 * @category models
 */
export interface Member {
  readonly type: MemberType
  readonly id: string
}

/**
 * What is in the current context of one conversation of one user.
 *
 * @category services
 */
export interface Service {
  /** Adding what is there already does nothing. */
  readonly add: (user: UserId, conversation: ConversationId, member: Member) => Effect.Effect<void, StoreError>
  /** Dropping what is not there does nothing. */
  readonly drop: (user: UserId, conversation: ConversationId, member: Member) => Effect.Effect<void, StoreError>
  /** In the order in which it was added. */
  readonly members: (user: UserId, conversation: ConversationId) => Effect.Effect<ReadonlyArray<Member>, StoreError>
}

/**
 * What is in the current context.
 *
 * @category services
 */
export class CurrentContext extends Context.Tag("@wield/assistant/CurrentContext")<CurrentContext, Service>() {}

/**
 * The current context in the client's database; makes what tables are missing.
 *
 * @category layers
 */
export const layer: Layer.Layer<CurrentContext, StoreError, SqlClient> = Layer.effect(
  CurrentContext,
  Effect.map(Effect.zipRight(migrate, SqlClient), (sql) => ({
    add: (user, conversation, { id, type }) =>
      Effect.gen(function* () {
        const row = { user_id: toStored(user), conversation_id: toStored(conversation), type, item_id: id }
        const added = yield* Clock.currentTimeMillis
        yield* sql`INSERT INTO wield_assistant_context ${sql.insert({ ...row, added })} ON CONFLICT DO NOTHING`
      }).pipe(runOperation("add to the context")),
    drop: (user, conversation, { id, type }) =>
      sql`DELETE FROM wield_assistant_context WHERE user_id = ${toStored(user)}
        AND conversation_id = ${toStored(conversation)} AND type = ${type} AND item_id = ${id}`.pipe(
        runOperation("drop from the context")
      ),
    members: (user, conversation) =>
      Effect.map(
        sql<{ readonly type: MemberType; readonly item_id: string }>`SELECT type, item_id FROM wield_assistant_context
          WHERE user_id = ${toStored(user)} AND conversation_id = ${toStored(conversation)}
          ORDER BY added, item_id`,
        (rows) => rows.map(({ item_id, type }) => ({ type, id: item_id }))
      ).pipe(runOperation("read the context"))
  }))
)
