/** Makes a memory, as part of the transaction that is open. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { toStored } from "@wield/agent/SqlOperation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { v7 } from "uuid"
import type { NewMemory } from "../Memories.js"
import type { Memory } from "../Memory.js"
import type { UserId } from "../Owner.js"
import type { Service as SearchIndex } from "../SearchIndex.js"
import { addToCounter } from "../store/operation.js"

export const sinceConsolidation = "memories since consolidation"

export const insertMemory = (
  sql: SqlClient,
  index: SearchIndex,
  user: UserId,
  { importance = 5, keywords = [], name, sources = [], text }: NewMemory
): Effect.Effect<Memory, SqlError> =>
  Effect.gen(function* () {
    const number = yield* addToCounter(sql, user, "memories")
    yield* addToCounter(sql, user, sinceConsolidation)
    const now = yield* Clock.currentTimeMillis
    const memory: Memory = {
      id: yield* Effect.sync(() => v7()),
      number,
      name,
      text,
      keywords,
      importance,
      state: "active",
      created: now,
      changed: now
    }
    yield* sql`INSERT INTO wield_assistant_memories ${sql.insert({
      id: memory.id,
      user_id: toStored(user),
      number,
      name: toStored(name),
      text: toStored(text),
      keywords: toStored(JSON.stringify(keywords)),
      importance,
      state: memory.state,
      created: now,
      changed: now
    })}`
    yield* Effect.forEach(
      sources,
      (source, position) =>
        sql`INSERT INTO wield_assistant_sources ${sql.insert({
          memory_id: memory.id,
          position,
          user_id: toStored(user),
          type: source.type,
          name: toStored(source.name),
          text: toStored(source.text)
        })}`,
      { discard: true }
    )
    yield* index.put(user, [memoryItem(memory)])
    return memory
  })

/** A memory as the search has it: its keywords are among its words. */
const memoryItem = ({ changed, id, importance, keywords, name, text }: Memory) => ({
  type: "memory" as const,
  id,
  title: name,
  text: keywords.length === 0 ? text : `${text}\n${keywords.join(" ")}`,
  importance,
  changed
})
