/** The tables that runs stand in, `wield_runs` and the cluster's own: what statements are made of, and single rows. */
import type { PersistenceError } from "@effect/cluster/ClusterError"
import * as EntityAddress from "@effect/cluster/EntityAddress"
import * as EntityId from "@effect/cluster/EntityId"
import { EntityType } from "@effect/cluster/EntityType"
import { MessageStorage } from "@effect/cluster/MessageStorage"
import { Sharding } from "@effect/cluster/Sharding"
import type * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Key, RunNotFound } from "./model.js"

export interface Tables {
  readonly sql: SqlClient.SqlClient
  readonly is: (key: Key) => Statement.Fragment
  readonly isOneOf: (keys: ReadonlyArray<Key>) => Statement.Fragment
  readonly where: (conditions: ReadonlyArray<Statement.Fragment | undefined>) => Statement.Fragment
  /** Those of a `Row`, of the table `r`. */
  readonly columns: Statement.Fragment
  readonly no: Statement.Fragment
  /** No living runner is the owner of a row of the table `r`. */
  readonly ownerIsGone: Statement.Fragment
  /** What the engine answered itself (`p`): no runner could read the message, or none serves its entity. */
  readonly isRefused: Statement.Fragment
  readonly addressOf: (conversation: Omit<Key, "id">) => EntityAddress.EntityAddress
  readonly findRow: (key: Key) => Effect.Effect<Found, RunNotFound | SqlError>
  readonly findMessage: (
    key: Key,
    tag: string,
    attempt?: number
  ) => Effect.Effect<Option.Option<Snowflake.Snowflake>, PersistenceError>
  /** Of a run that has not begun, its message has the id. */
  readonly findStored: (key: Key) => Effect.Effect<Option.Option<Snowflake.Snowflake>, PersistenceError>
}

interface Found {
  readonly result: string | null
  readonly request: string
  readonly start: string
}

export const makeTables: Effect.Effect<Tables, never, SqlClient.SqlClient | MessageStorage | Sharding> = Effect.gen(
  function* () {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const messages = yield* MessageStorage
    const sharding = yield* Sharding
    const openedAt = yield* Clock.currentTimeMillis
    const is: Tables["is"] = ({ conversation, entity, id }) =>
      sql`entity = ${entity} AND conversation = ${conversation} AND id = ${id}`
    const addressOf: Tables["addressOf"] = ({ conversation, entity }) => {
      const entityId = EntityId.make(conversation)
      const shardId = sharding.getShardId(entityId, "default")
      return new EntityAddress.EntityAddress({ entityType: EntityType.make(entity), entityId, shardId })
    }
    const findMessage: Tables["findMessage"] = (key, tag, attempt = 0) =>
      messages.requestIdForPrimaryKey({ address: addressOf(key), tag, id: `${attempt}:${key.id}` })
    return {
      sql,
      is,
      isOneOf: (keys) => sql.or(keys.map((key) => sql`(${is(key)})`)),
      where: (conditions) => sql.and(conditions.filter((condition) => condition !== undefined)),
      columns: sql.literal("r.entity, r.conversation, r.id, r.state, r.deliveries, r.owner, r.created, r.changed"),
      no: sql.onDialectOrElse({ pg: () => sql.literal("FALSE"), orElse: () => sql.literal("0") }),
      // The runner of a file is the one that asks. What it has not begun again since it opened the file, no one is at.
      ownerIsGone: sql.onDialectOrElse({
        // The longer its takeover, the more seldom a runner says that it lives.
        pg: () => sql`NOT EXISTS (SELECT 1 FROM cluster_runners c WHERE c.address = r.owner AND c.healthy
          AND c.last_heartbeat > NOW() - INTERVAL '1 millisecond'
            * GREATEST(60000, (c.runner::jsonb ->> 'takeover')::float))`,
        orElse: () => sql`r.changed < ${openedAt}`
      }),
      isRefused: sql.literal(`p.kind = 0 AND p.payload LIKE '{"_tag":"Failure"%'`),
      addressOf,
      findRow: (key) =>
        Effect.flatMap(
          sql<Found>`SELECT result, start, CAST(request AS TEXT) AS request FROM wield_runs WHERE ${is(key)}`,
          ([row]) => (row === undefined ? new RunNotFound({ ...key }) : Effect.succeed(row))
        ),
      findMessage,
      findStored: (key) =>
        Effect.gen(function* () {
          const prompt = yield* findMessage(key, "prompt")
          return Option.isSome(prompt) ? prompt : yield* findMessage(key, "answer")
        })
    }
  }
)
