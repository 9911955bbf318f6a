/**
 * The logs of conversations over records: what was appended, cut off or renamed, in records that are written once, so
 * that of two writers at one place one has to look again. A conversation that is made again after it was deleted has
 * another log.
 */
import { show } from "@wield/core/Issue"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ConversationExists, ConversationNotFound, StoreError } from "../ConversationError.js"
import type { Summary } from "../ConversationStore.js"
import { entrySchema, JsonObject, newId } from "../conversation/entries.js"
import type { Records } from "../RecordStore.js"
import { BrokenRecords } from "./checkedRecords.js"
import { apply, type Beginning, type Change, type Kept, type Logs, summaryOf } from "./logs.js"
import { deleteAll, nameOf } from "./recordKeys.js"

const ChangeText = Schema.parseJson(
  Schema.Union(
    Schema.TaggedStruct("Appended", { at: Schema.JsonNumber, entries: Schema.Array(entrySchema) }),
    Schema.TaggedStruct("Truncated", { at: Schema.JsonNumber, length: Schema.NonNegativeInt }),
    Schema.TaggedStruct("Updated", { title: Schema.optional(Schema.String), metadata: Schema.optional(JsonObject) })
  )
)

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

const Note = Schema.parseJson(
  Schema.Struct({
    id: Schema.String,
    title: Schema.optionalWith(Schema.UndefinedOr(Schema.String), { default: () => undefined }),
    metadata: JsonObject,
    createdAt: Schema.JsonNumber,
    changedAt: Schema.JsonNumber,
    length: Schema.JsonNumber
  })
)
const readNote = (text: string | undefined): Summary | undefined =>
  text === undefined ? undefined : Option.getOrUndefined(Schema.decodeOption(Note)(text))

interface RecordLog extends Kept {
  /** Another one where the conversation is made again. */
  readonly log: string
  /** How many changes of the log it has. */
  readonly changes: number
}

/** The keys of one log sort as its changes come. */
const placeOf = (change: number): string => String(change).padStart(10, "0")

const goOn = (kept: RecordLog, changes: ReadonlyArray<Change>): RecordLog => ({
  ...apply(kept, changes),
  changes: kept.changes + changes.length
})

const headKey = (id: string): string => `heads/${nameOf(id)}`
const logKey = ({ id, log }: Pick<RecordLog, "id" | "log">): string => `logs/${nameOf(id)}/${log}/`
const summaryKey = (id: string): string => `summaries/${nameOf(id)}`

const attempt = <A>(operation: string, ask: () => Promise<A>): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({
    try: ask,
    catch: (cause) => {
      const detail = cause instanceof BrokenRecords ? cause.message : "the records cannot be reached"
      return new StoreError({ operation, detail, cause })
    }
  })

const unreadable = (operation: string) => (cause: unknown) =>
  new StoreError({ operation, detail: "a record is not what was written", cause })

export class RecordLogs implements Logs<RecordLog> {
  constructor(private readonly records: Records) {}

  begin(beginning: Beginning): Effect.Effect<RecordLog, ConversationExists | StoreError> {
    return Effect.gen(this, function* () {
      const { createdAt, id } = beginning
      const log = yield* newId
      const text = yield* Effect.mapError(Schema.encode(Head)({ ...beginning, log }), unreadable("create"))
      if (!(yield* attempt("create", () => this.records.create(headKey(id), text)))) {
        return yield* new ConversationExists({ conversation: id })
      }
      const kept = { ...beginning, log, changedAt: createdAt, changes: 0 }
      yield* this.#summarise("create", kept)
      return kept
    })
  }

  read(operation: string, id: string): Effect.Effect<RecordLog, ConversationNotFound | StoreError> {
    return Effect.gen(this, function* () {
      const text = yield* attempt(operation, () => this.records.get(headKey(id)))
      if (text === undefined || text === null) return yield* new ConversationNotFound({ conversation: id })
      const head = yield* Effect.mapError(Schema.decode(Head)(text), unreadable(operation))
      // Another's conversation is not shown, where a database takes two keys for one.
      if (head.id !== id) return yield* unreadable(operation)(new Error(`It is of the conversation ${head.id}`))
      const { createdAt, entries, log, metadata, title } = head
      const begun = { id, log, title, metadata, createdAt, changedAt: createdAt, entries, changes: 0 }
      return yield* this.#goOn(operation, begun)
    })
  }

  /** The conversation as it is now; fails where its log is there no more, or was begun again: that is another one. */
  look(operation: string, kept: RecordLog): Effect.Effect<RecordLog, StoreError> {
    const { id, log } = kept
    return Effect.flatMap(
      attempt(operation, () => this.records.get(headKey(id))),
      (text) =>
        text?.includes(log) === true
          ? this.#goOn(operation, kept)
          : new StoreError({ operation, detail: `the conversation ${id} is not there any more` })
    )
  }

  change<E>(
    operation: string,
    known: RecordLog,
    changeOf: (kept: RecordLog, now: number) => Either.Either<Change | undefined, E>
  ): Effect.Effect<RecordLog, StoreError | E> {
    return Effect.gen(this, function* () {
      let kept = known
      while (true) {
        const now = yield* Clock.currentTimeMillis
        const change = yield* changeOf(kept, now)
        if (change === undefined) return kept
        const text = yield* Effect.mapError(Schema.encode(ChangeText)(change), unreadable(operation))
        // Where the process ends before it says this to lists, they read the log: what waits is found there.
        if (change._tag === "Updated") yield* attempt(operation, () => this.records.delete(summaryKey(kept.id)))
        const key = `${logKey(kept)}${placeOf(kept.changes)}`
        if (yield* attempt(operation, () => this.records.create(key, text))) {
          const next = goOn(kept, [change])
          yield* this.#summarise(operation, next)
          return next
        }
        const next = yield* this.#goOn(operation, kept)
        if (next.changes === kept.changes) {
          const detail = `\`create\` says that ${show(key)} has a text, and \`list\` has none (\`testRecords\` tries it)`
          return yield* new StoreError({ operation, detail })
        }
        kept = next
      }
    })
  }

  delete(id: string): Effect.Effect<void, StoreError> {
    return attempt("delete", async () => {
      // The head first: without it there is no conversation.
      await this.records.delete(headKey(id))
      await this.records.delete(summaryKey(id))
      await deleteAll(this.records, `logs/${nameOf(id)}/`)
    })
  }

  readonly summaries: Effect.Effect<ReadonlyArray<Summary>, StoreError> = Effect.gen(this, function* () {
    const heads = yield* attempt("list", () => this.records.list("heads/"))
    const all = yield* attempt("list", () => this.records.list("summaries/"))
    const notes = new Map(all.map(({ key, text }) => [key, text]))
    const summaries: Array<Summary> = []
    for (const { key, text } of heads) {
      const note = readNote(notes.get(`summaries/${key.slice("heads/".length)}`))
      if (note !== undefined && headKey(note.id) === key) summaries.push(note)
      else {
        // It was not written, or cannot be read: the log says the same.
        const { id } = yield* Effect.mapError(Schema.decode(Head)(text), unreadable("list"))
        const read = Effect.map(this.read("list", id), (kept) => [summaryOf(kept)])
        summaries.push(...(yield* Effect.catchTag(read, "ConversationNotFound", () => Effect.succeed([]))))
      }
    }
    return summaries
  })

  /** With what others have added to the log meanwhile. A list that is read while they do may lack one that comes before another. */
  #goOn(operation: string, kept: RecordLog, tries = 3): Effect.Effect<RecordLog, StoreError> {
    return Effect.gen(this, function* () {
      const base = logKey(kept)
      const after = kept.changes === 0 ? undefined : `${base}${placeOf(kept.changes - 1)}`
      const changes: Array<Change> = []
      for (const { key, text } of yield* attempt(operation, () => this.records.list(base, after))) {
        const place = `${base}${placeOf(kept.changes + changes.length)}`
        if (key !== place) {
          if (tries > 0) return yield* this.#goOn(operation, kept, tries - 1)
          return yield* unreadable(operation)(
            new Error(`There is ${show(key)}, and before it ${show(place)} is missing`)
          )
        }
        changes.push(yield* Effect.mapError(Schema.decode(ChangeText)(text), unreadable(operation)))
      }
      return changes.length === 0 ? kept : goOn(kept, changes)
    })
  }

  #summarise(operation: string, kept: RecordLog): Effect.Effect<void, StoreError> {
    const text = JSON.stringify(summaryOf(kept))
    return Effect.gen(this, function* () {
      yield* attempt(operation, () => this.records.set(summaryKey(kept.id), text))
      // Another writer may have gone on, and have said so before.
      const now = yield* this.#goOn(operation, kept)
      if (now !== kept) yield* this.#summarise(operation, now)
    })
  }
}
