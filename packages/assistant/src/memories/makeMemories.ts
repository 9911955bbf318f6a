/** Memories in an SQL database. Each operation is one transaction. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { toStored } from "@wield/agent/SqlOperation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { dropEverywhere, replaceMemories } from "../store/contextRows.js"
import type { NewMemory, Service } from "../Memories.js"
import { type Memory, sourceTypes, toText } from "../Memory.js"
import { InvalidMemory, MemoryNotFound, SourceNotFound } from "../MemoryError.js"
import type { UserId } from "../Owner.js"
import type { Service as SearchIndex } from "../SearchIndex.js"
import { isName, longestName, nameOf, shortenName } from "../store/name.js"
import { runChange, runOperation } from "../store/operation.js"
import { insertMemory, memoriesWhere, sourcesWhere } from "./memoryRows.js"

const maxKnownMemories = 10

/** More than a caller asks for at once. */
const most = 1000

export const makeMemories = (sql: SqlClient, index: SearchIndex): Service => {
  /** In a transaction only that it is not there: a search may ask an embedding model, or for another connection. */
  const memoryNotFound = (memory: string | number) =>
    new MemoryNotFound({ memory: typeof memory === "string" ? shortenName(memory) : memory, known: [] })

  /** Tells the names there are, after the transaction. */
  const addKnownNames =
    (user: UserId) =>
    ({ memory }: MemoryNotFound) =>
      Effect.gen(function* () {
        // The names nearest in meaning, or the newest ones.
        const { hits } = yield* index.search(user, { text: String(memory), types: ["memory"], limit: maxKnownMemories })
        const known =
          hits.length > 0
            ? hits.map(({ title }) => title)
            : (yield* memoriesWhere(sql, user, sql`m.state = 'active'`, maxKnownMemories)).map(({ name }) => name)
        return yield* new MemoryNotFound({ memory, known })
      }).pipe(runOperation("find the names of memories"))

  const findMemory = (user: UserId, name: string) =>
    Effect.gen(function* () {
      const [memory] = yield* memoriesWhere(
        sql,
        user,
        sql`m.name = ${toStored(nameOf(name))} AND m.state = 'active'`,
        1
      )
      return memory ?? (yield* memoryNotFound(name))
    })

  /** A memory that is no longer active: it is no longer found; what it became takes its place in contexts. False where it was not active. */
  const retire = (user: UserId, id: string, state: Exclude<Memory["state"], "active">) =>
    Effect.gen(function* () {
      const changed = yield* Clock.currentTimeMillis
      const retired = yield* sql`UPDATE wield_assistant_memories SET state = ${state}, changed = ${changed}
        WHERE id = ${id} AND user_id = ${toStored(user)} AND state = 'active' RETURNING id`
      if (retired.length === 0) return false
      yield* index.remove(user, "memory", [id])
      return true
    })

  return {
    create: (user, memory) =>
      Effect.zipRight(
        checkMemory(memory),
        insertMemory(sql, index, user, { ...memory, name: nameOf(memory.name) })
      ).pipe(runChange(sql, "create a memory", user)),

    get: (user, name) =>
      findMemory(user, name).pipe(
        runOperation("read a memory"),
        Effect.catchTag("MemoryNotFound", addKnownNames(user))
      ),

    byIds: (user, ids) =>
      ids.length === 0
        ? Effect.succeed([])
        : runOperation("read memories")(memoriesWhere(sql, user, sql`m.id IN ${sql.in(ids)}`, most)),

    update: (user, name, text) =>
      Effect.gen(function* () {
        yield* checkText(text)
        const old = yield* findMemory(user, name)
        if (!(yield* retire(user, old.id, "outdated"))) return yield* memoryNotFound(name)
        const now = new Date(yield* Clock.currentTimeMillis).toISOString()
        const memory = yield* insertMemory(sql, index, user, {
          name: old.name,
          text: `${old.text}\n\nUpdate (${now}):\n${text}`,
          importance: old.importance,
          keywords: old.keywords,
          sources: [{ type: "Memory", name: old.name, text: toText(old) }]
        })
        yield* replaceMemories(sql, user, [old.id], [memory.id])
        return memory
      }).pipe(runChange(sql, "update a memory", user), Effect.catchTag("MemoryNotFound", addKnownNames(user))),

    delete: (user, number) =>
      Effect.gen(function* () {
        const [memory] = yield* memoriesWhere(sql, user, sql`m.number = ${number} AND m.state = 'active'`, 1)
        if (memory === undefined) return yield* memoryNotFound(number)
        yield* index.remove(user, "memory", [memory.id])
        yield* dropEverywhere(sql, user, "memory", [memory.id])
        yield* deleteWithPast(sql, user, memory.id)
        return memory
      }).pipe(runChange(sql, "delete a memory", user), Effect.catchTag("MemoryNotFound", addKnownNames(user))),

    recent: (user, count) =>
      runOperation("read memories")(memoriesWhere(sql, user, sql`m.state = 'active'`, Math.min(count, most))),

    search: (user, text, limit) =>
      Effect.gen(function* () {
        const { hits, kind } = yield* index.search(user, { text, types: ["memory"], limit })
        const ids = hits.map(({ id }) => id)
        const found = ids.length === 0 ? [] : yield* memoriesWhere(sql, user, sql`m.id IN ${sql.in(ids)}`, most)
        const byId = new Map(found.map((memory) => [memory.id, memory]))
        return { kind, memories: ids.flatMap((id) => byId.get(id) ?? []) }
      }).pipe(runOperation("search memories")),

    sources: (user, name) =>
      Effect.flatMap(findMemory(user, name), ({ id }) => sourcesWhere(sql, user, sql`s.memory_id = ${id}`, most)).pipe(
        runOperation("read the sources of a memory"),
        Effect.catchTag("MemoryNotFound", addKnownNames(user))
      ),

    source: (user, type, name) =>
      Effect.gen(function* () {
        const ofType = sql`s.type = ${type}`
        const ofName = sql`${ofType} AND s.name IN ${sql.in([name, nameOf(name)].map(toStored))}`
        const isTold = sql`s.memory_id IN (SELECT m.id FROM wield_assistant_memories m
          WHERE m.user_id = ${toStored(user)} AND m.state = 'active')`
        const active = yield* sourcesWhere(sql, user, sql`${ofName} AND ${isTold}`, most)
        // Of inactive memories, the last version says what those before it did.
        const found = active.length > 0 ? active : yield* sourcesWhere(sql, user, ofName, 1)
        const [source] = found
        if (source !== undefined) {
          return { ...source, text: [...new Set(found.map(({ text }) => text))].join("\n\n---\n\n") }
        }
        const others = yield* sourcesWhere(sql, user, ofType, maxKnownMemories)
        return yield* new SourceNotFound({
          type,
          name: shortenName(name),
          types: sourceTypes,
          known: [...new Set(others.map(({ name }) => name))]
        })
      }).pipe(runOperation("read a source")),

    merge: (user, ids, into) =>
      Effect.gen(function* () {
        const old = yield* memoriesWhere(sql, user, sql`m.id IN ${sql.in(ids)} AND m.state = 'active'`, most)
        if (old.length !== ids.length) return []
        for (const { id } of old) yield* retire(user, id, "consolidated")
        const sources = old.map((memory) => ({ type: "Memory" as const, name: memory.name, text: toText(memory) }))
        const made = yield* Effect.forEach(into, (memory) =>
          insertMemory(sql, index, user, {
            ...memory,
            name: shortenName(nameOf(memory.name)),
            sources: [...sources, ...(memory.sources ?? [])]
          })
        )
        const newIds = made.map(({ id }) => id)
        yield* replaceMemories(sql, user, ids, newIds)
        return made
      }).pipe(runChange(sql, "merge memories", user))
  }
}

const checkText = (text: string): Effect.Effect<void, InvalidMemory> =>
  text.trim() === "" ? new InvalidMemory({ field: "text", expected: "what there is to remember" }) : Effect.void

const checkMemory = ({ importance, name, text }: NewMemory): Effect.Effect<void, InvalidMemory> => {
  if (!isName(nameOf(name))) {
    return new InvalidMemory({
      field: "name",
      expected: `a name of at most ${longestName} characters that says what it is about`
    })
  }
  if (importance !== undefined && !(Number.isInteger(importance) && importance >= 1 && importance <= 10)) {
    return new InvalidMemory({ field: "importance", expected: "an integer from 1 to 10" })
  }
  return checkText(text)
}

/** Also what it was before, and what it was made of, unless an active memory was made of that too. */
const deleteWithPast = (sql: SqlClient, user: UserId, id: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const owner = toStored(user)
    const seen = new Set<string>()
    for (let ids: ReadonlyArray<string> = [id]; ids.length > 0;) {
      const names = yield* sql<{ readonly name: string }>`SELECT DISTINCT name FROM wield_assistant_sources
        WHERE user_id = ${owner} AND type = 'Memory' AND memory_id IN ${sql.in(ids)}`
      yield* sql`DELETE FROM wield_assistant_sources WHERE user_id = ${owner} AND memory_id IN ${sql.in(ids)}`
      yield* sql`DELETE FROM wield_assistant_memories WHERE user_id = ${owner} AND id IN ${sql.in(ids)}`
      const next = names.map(({ name }) => name).filter((name) => !seen.has(name))
      for (const name of next) seen.add(name)
      if (next.length === 0) return
      const past = yield* sql<{ readonly id: string }>`SELECT m.id FROM wield_assistant_memories m
        WHERE m.user_id = ${owner} AND m.state <> 'active' AND m.name IN ${sql.in(next)} AND m.name NOT IN (
          SELECT s.name FROM wield_assistant_sources s JOIN wield_assistant_memories active ON active.id = s.memory_id
          WHERE s.user_id = ${owner} AND s.type = 'Memory' AND active.state = 'active')`
      ids = past.map((row) => row.id)
    }
  })
