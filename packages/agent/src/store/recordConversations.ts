/**
 * Conversations over records. Each is a log: what was appended, cut off or
 * renamed, in records that are written once, so that of two writers at one place
 * one has to look again. A conversation that is made again after it was deleted
 * has another log.
 */
import type { Json } from "@wield/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Conversation, Entry } from "../Conversation.js"
import { ConversationExists, ConversationNotFound, type EntryNotFound, StoreError } from "../ConversationError.js"
import type { Service, Summary } from "../ConversationStore.js"
import type { Records } from "../RecordStore.js"
import { entriesToAppend, entrySchema, isSameEntry, JsonObject, newId } from "../conversation/entries.js"
import { makeOneAtATime } from "../conversation/oneAtATime.js"
import { fromExported, toExported } from "./exported.js"
import { deleteAll, nameOf } from "./recordKeys.js"
import { cursorOf, fold, hasText, isWaiting, readCursor } from "./search.js"
import { lastChangedFirst, lengthAt, summaryOf } from "./summaries.js"

const Change = Schema.parseJson(
  Schema.Union(
    Schema.TaggedStruct("Appended", { at: Schema.JsonNumber, entries: Schema.Array(entrySchema) }),
    Schema.TaggedStruct("Truncated", { at: Schema.JsonNumber, length: Schema.JsonNumber }),
    Schema.TaggedStruct("Updated", { title: Schema.optional(Schema.String), metadata: Schema.optional(JsonObject) })
  )
)
type Change = typeof Change.Type

const Head = Schema.parseJson(
  Schema.Struct({
    id: Schema.String,
    log: Schema.String,
    title: Schema.optional(Schema.String),
    metadata: JsonObject,
    createdAt: Schema.JsonNumber,
    entries: Schema.Array(entrySchema)
  })
)
type Head = typeof Head.Type

/** A conversation as far as its log was read. */
interface Kept {
  readonly id: string
  readonly log: string
  readonly title: string | undefined
  readonly metadata: Json.JsonObject
  readonly createdAt: number
  readonly changedAt: number
  readonly entries: ReadonlyArray<Entry>
  /** How many changes of the log it has. */
  readonly changes: number
}

/** The keys of one log sort as its changes come. */
const placeOf = (change: number): string => String(change).padStart(10, "0")

export const makeRecordConversations = (records: Records): Service => {
  const oneAtATime = makeOneAtATime()

  const attempt = <A>(operation: string, ask: () => Promise<A>): Effect.Effect<A, StoreError> =>
    Effect.tryPromise({
      try: ask,
      catch: (cause) => new StoreError({ operation, detail: "the records cannot be reached", cause })
    })

  const unreadable = (operation: string) => (cause: unknown) =>
    new StoreError({ operation, detail: "a record is not what was written", cause })

  const headKey = (id: string): string => `heads/${nameOf(id)}`
  const logKey = ({ id, log }: Pick<Kept, "id" | "log">): string => `logs/${nameOf(id)}/${log}/`

  /** The changes that follow; the entries are copied once, however many they are. */
  const apply = (kept: Kept, changes: ReadonlyArray<Change>): Kept => {
    const entries = [...kept.entries]
    let { changedAt, metadata, title } = kept
    for (const change of changes) {
      if (change._tag === "Appended") for (const entry of change.entries) entries.push(entry)
      else if (change._tag === "Truncated") entries.length = Math.min(entries.length, change.length)
      else {
        title = change.title ?? title
        metadata = change.metadata ?? metadata
      }
      if (change._tag !== "Updated") changedAt = change.at
    }
    return { ...kept, entries, changedAt, metadata, title, changes: kept.changes + changes.length }
  }

  /** With what others have added to the log meanwhile. */
  const goOn = (operation: string, kept: Kept): Effect.Effect<Kept, StoreError> =>
    Effect.gen(function* () {
      const base = logKey(kept)
      const after = kept.changes === 0 ? undefined : `${base}${placeOf(kept.changes - 1)}`
      const changes: Array<Change> = []
      for (const { key, text } of yield* attempt(operation, () => records.list(base, after))) {
        // What comes after a gap was never added.
        if (key !== `${base}${placeOf(kept.changes + changes.length)}`) break
        changes.push(yield* Effect.mapError(Schema.decode(Change)(text), unreadable(operation)))
      }
      return changes.length === 0 ? kept : apply(kept, changes)
    })

  const read = (operation: string, id: string): Effect.Effect<Kept, ConversationNotFound | StoreError> =>
    Effect.gen(function* () {
      const text = yield* attempt(operation, () => records.get(headKey(id)))
      if (text === undefined || text === null) return yield* new ConversationNotFound({ conversation: id })
      const { createdAt, entries, log, metadata, title } = yield* Effect.mapError(
        Schema.decode(Head)(text),
        unreadable(operation)
      )
      return yield* goOn(operation, { id, log, title, metadata, createdAt, changedAt: createdAt, entries, changes: 0 })
    })

  /** One change of the log, worked out again where another writer was there first. */
  const change = <E>(
    operation: string,
    id: string,
    known: Kept | undefined,
    changeOf: (kept: Kept, now: number) => Either.Either<Change | undefined, E>
  ): Effect.Effect<Kept, ConversationNotFound | StoreError | E> =>
    Effect.gen(function* () {
      let kept = known ?? (yield* read(operation, id))
      while (true) {
        const now = yield* Clock.currentTimeMillis
        const change = yield* changeOf(kept, now)
        if (change === undefined) return kept
        const text = yield* Effect.mapError(Schema.encode(Change)(change), unreadable(operation))
        const key = `${logKey(kept)}${placeOf(kept.changes)}`
        if (yield* attempt(operation, () => records.create(key, text))) {
          const next = apply(kept, [change])
          yield* attempt(operation, () => records.set(`summaries/${nameOf(id)}`, JSON.stringify(summaryOf(id, next))))
          return next
        }
        const next = yield* goOn(operation, kept)
        // What is in its place cannot be read: it is of a later version, or of no one.
        if (next.changes === kept.changes) return yield* unreadable(operation)(new Error(key))
        kept = next
      }
    })

  const conversationOf = (first: Kept): Conversation<StoreError> => {
    let kept = first
    const { id } = first
    const gone = (operation: string) => () =>
      new StoreError({ operation, detail: `the conversation ${id} is not there any more` })
    /** A log that was begun again is another conversation. */
    const look = (operation: string) =>
      Effect.flatMap(
        attempt(operation, () => records.get(headKey(id))),
        (text) => (text?.includes(kept.log) === true ? goOn(operation, kept) : gone(operation)())
      )
    return {
      id,
      isDurable: true,
      exclusively: (effect) => oneAtATime(id, effect),
      entries: Effect.map(look("read"), (now) => (kept = now).entries),
      append: (added, after) =>
        look("append").pipe(
          Effect.flatMap((now) =>
            change("append", id, now, ({ entries }, at) =>
              Either.map(entriesToAppend(id, entries, added, after, isSameEntry), (rest): Change | undefined =>
                rest.length === 0 ? undefined : { _tag: "Appended", at, entries: rest }
              )
            )
          ),
          Effect.map((now) => void (kept = now)),
          Effect.catchTag("ConversationNotFound", gone("append"))
        )
    }
  }

  const put = (head: Omit<Head, "log">): Effect.Effect<Conversation<StoreError>, ConversationExists | StoreError> =>
    Effect.gen(function* () {
      const { createdAt, entries, id, metadata, title } = head
      const log = yield* newId
      const text = yield* Effect.mapError(Schema.encode(Head)({ ...head, log }), unreadable("create"))
      if (!(yield* attempt("create", () => records.create(headKey(id), text)))) {
        return yield* new ConversationExists({ conversation: id })
      }
      const kept = { id, log, title, metadata, createdAt, changedAt: createdAt, entries, changes: 0 }
      yield* attempt("create", () => records.set(`summaries/${nameOf(id)}`, JSON.stringify(summaryOf(id, kept))))
      return conversationOf(kept)
    })

  const create: Service["create"] = (options) =>
    Effect.gen(function* () {
      const { entries = [], metadata = {}, title } = options ?? {}
      const id = options?.id ?? (yield* newId)
      const unique = entriesToAppend(id, [], entries, undefined, isSameEntry)
      if (Either.isLeft(unique)) return yield* new StoreError({ operation: "create", detail: unique.left.message })
      return yield* put({ id, title, metadata, createdAt: yield* Clock.currentTimeMillis, entries })
    })

  const open: Service["open"] = (id) => Effect.map(read("open", id), conversationOf)

  const summaries = Effect.gen(function* () {
    const heads = new Set((yield* attempt("list", () => records.list("heads/"))).map(({ key }) => key.slice(6)))
    const notes = yield* attempt("list", () => records.list("summaries/"))
    return notes.flatMap(({ key, text }): ReadonlyArray<Summary> =>
      heads.has(key.slice(10)) ? [JSON.parse(text)] : []
    )
  })

  const hasWords = (id: string, query: string): Effect.Effect<boolean, StoreError> =>
    read("list", id).pipe(
      Effect.map(({ entries }) => entries.some((entry) => hasText(entry, query))),
      Effect.catchTag("ConversationNotFound", () => Effect.succeed(false))
    )

  return {
    create,
    open,
    openOrCreate: (id) =>
      Effect.catchTag(open(id), "ConversationNotFound", () =>
        Effect.catchTag(create({ id }), "ConversationExists", () =>
          Effect.catchTag(open(id), "ConversationNotFound", ({ message }) =>
            Effect.fail(new StoreError({ operation: "open", detail: message }))
          )
        )
      ),
    summary: (id) => Effect.map(read("read", id), (kept) => summaryOf(id, kept)),
    list: (options) =>
      Effect.gen(function* () {
        const limit = Math.max(1, Math.floor(options?.limit ?? 50))
        const from = options?.from === undefined ? undefined : yield* readCursor(options.from)
        const query = fold(options?.query ?? "")
        const found: Array<Summary> = []
        for (const summary of (yield* summaries).toSorted(lastChangedFirst)) {
          if (found.length > limit) break
          if (from !== undefined && lastChangedFirst(summary, from) <= 0) continue
          if (options?.isWaiting === true && !isWaiting(summary.metadata)) continue
          const isNamed = [summary.id, summary.title ?? ""].some((text) => fold(text).includes(query))
          if (isNamed || (yield* hasWords(summary.id, query))) found.push(summary)
        }
        const last = found[limit - 1]
        return {
          conversations: found.slice(0, limit),
          next: found.length > limit && last !== undefined ? cursorOf(last) : undefined
        }
      }),
    update: (id, { metadata, title }) =>
      Effect.asVoid(
        change("update", id, undefined, () =>
          Either.right({
            _tag: "Updated",
            ...(title === undefined ? {} : { title }),
            ...(metadata === undefined ? {} : { metadata })
          })
        )
      ),
    fork: (id, options) =>
      Effect.gen(function* () {
        const kept = yield* read("fork", id)
        const length = yield* lengthAt(id, kept, options?.at)
        const { metadata, title } = kept
        const entries = kept.entries.slice(0, length)
        return yield* put({
          id: options?.id ?? (yield* newId),
          title,
          metadata,
          createdAt: yield* Clock.currentTimeMillis,
          entries
        })
      }),
    truncate: (id, after) =>
      Effect.asVoid(
        change("truncate", id, undefined, (kept, at): Either.Either<Change | undefined, EntryNotFound> =>
          Either.map(after === undefined ? Either.right(0) : lengthAt(id, kept, after), (length) =>
            length === kept.entries.length ? undefined : { _tag: "Truncated", at, length }
          )
        )
      ),
    delete: (id) =>
      Effect.asVoid(
        attempt("delete", async () => {
          // The head first: without it there is no conversation.
          await records.delete(headKey(id))
          await records.delete(`summaries/${nameOf(id)}`)
          await deleteAll(records, `logs/${nameOf(id)}/`)
        })
      ),
    export: (id) =>
      Effect.flatMap(read("export", id), ({ createdAt, entries, metadata, title }) =>
        toExported({ id, title, metadata, createdAt, entries })
      ),
    import: (exported, options) =>
      Effect.gen(function* () {
        const contents = yield* fromExported(exported)
        return yield* put({ ...contents, id: options?.id ?? contents.id })
      })
  }
}
