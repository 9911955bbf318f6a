/** Reads everything of a user, as part of the transaction that is open. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { fromStored, toStored } from "@wield/agent/SqlOperation"
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Member } from "../CurrentContext.js"
import { documentsWhere, excerptsWhere } from "../documents/documentRows.js"
import { goalsWhere } from "../goals/goalRows.js"
import { memoriesWhere } from "../memories/memoryRows.js"
import type { Source } from "../Memory.js"
import { ConversationId, type UserId } from "../Owner.js"
import { UserExport } from "../UserExport.js"

/** More rows than a user has. */
const all = 2_147_483_647

/** A statement takes a bounded number of values. */
const atOnce = 500

const time = (milliseconds: number | string) => DateTime.unsafeMake(Number(milliseconds))

const nameFrom = (stored: string | null) => (stored === null ? null : fromStored(stored))

/** One state of all tables, whatever is changed meanwhile. A file has that in every transaction. */
const snapshot = (sql: SqlClient): Effect.Effect<unknown, SqlError> =>
  sql.onDialectOrElse({
    pg: () => sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`,
    orElse: () => Effect.void
  })

export const exportRows = (sql: SqlClient, user: UserId): Effect.Effect<UserExport, SqlError> =>
  Effect.gen(function* () {
    yield* snapshot(sql)
    const ofUser = sql`user_id = ${toStored(user)}`
    const memories = yield* memoriesWhere(sql, user, sql`1 = 1`, all)
    const sources = yield* sql<Source & { readonly memory_id: string }>`SELECT memory_id, type, name, text
      FROM wield_assistant_sources WHERE ${ofUser} ORDER BY memory_id, position`
    const goalRows = yield* sql<{ readonly id: string; readonly changed: number | string }>`SELECT id, changed
      FROM wield_assistant_goals WHERE ${ofUser} ORDER BY created, id`
    const goals = yield* Effect.forEach(Arr.chunksOf(goalRows, atOnce), (rows) =>
      goalsWhere(sql, user, sql`g.id IN ${sql.in(rows.map(({ id }) => id))}`)
    )
    const goalsById = new Map(goals.flat().map(({ goal, id }) => [id, goal]))
    const documents = yield* documentsWhere(sql, user, sql`1 = 1`)
    const excerpts = groupBy(yield* excerptsWhere(sql, user, sql`1 = 1`), ({ address }) => address)
    const [profile] = yield* sql<{
      readonly full_name: string | null
      readonly preferred_name: string | null
      readonly changed: number | string
    }>`SELECT full_name, preferred_name, changed FROM wield_assistant_profiles WHERE ${ofUser}`
    const members = yield* sql<{
      readonly conversation_id: string
      readonly type: Member["type"]
      readonly item_id: string
      readonly added: number | string
    }>`SELECT conversation_id, type, item_id, added FROM wield_assistant_context
      WHERE ${ofUser} ORDER BY conversation_id, added, item_id`
    const sourcesById = groupBy(sources, ({ memory_id }) => memory_id)
    return new UserExport({
      user,
      memories: memories.map((memory) => ({
        ...memory,
        created: time(memory.created),
        changed: time(memory.changed),
        sources: (sourcesById.get(memory.id) ?? []).map(({ name, text, type }) => ({
          type,
          name: fromStored(name),
          text: fromStored(text)
        }))
      })),
      goals: goalRows.flatMap(({ changed, id }) => {
        const goal = goalsById.get(id)
        return goal === undefined ? [] : [{ id, goal, changed: time(changed) }]
      }),
      documents: documents.map(({ document, id }) => ({
        id,
        document,
        excerpts: excerpts.get(document.address) ?? []
      })),
      profile:
        profile === undefined
          ? null
          : {
              fullName: nameFrom(profile.full_name),
              preferredName: nameFrom(profile.preferred_name),
              changed: time(profile.changed)
            },
      context: members.map(({ added, conversation_id, item_id, type }) => ({
        conversation: ConversationId.make(fromStored(conversation_id)),
        type,
        id: item_id,
        added: time(added)
      }))
    })
  })

/** By whatever text: no address is a property that every object has. */
const groupBy = <A>(rows: ReadonlyArray<A>, keyOf: (row: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const row of rows) {
    const group = groups.get(keyOf(row)) ?? []
    groups.set(keyOf(row), group)
    group.push(row)
  }
  return groups
}

/** With a goal, memory, document or item goes what refers to it, but for the words of SQLite, which are no table. */
const tables = [
  "wield_assistant_context",
  "wield_assistant_goals",
  "wield_assistant_memories",
  "wield_assistant_documents",
  // In the order of those who change items: before these they lock the row that marks it.
  "wield_assistant_versions",
  "wield_assistant_items",
  "wield_assistant_profiles",
  "wield_assistant_counters"
]

export const forgetRows = (sql: SqlClient, user: UserId): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const owner = toStored(user)
    yield* sql.onDialectOrElse({
      pg: () => Effect.void,
      orElse: () => sql`DELETE FROM wield_assistant_words WHERE rowid IN
        (SELECT item FROM wield_assistant_items WHERE user_id = ${owner})`
    })
    for (const table of tables) yield* sql`DELETE FROM ${sql.literal(table)} WHERE user_id = ${owner}`
  })
