/** Conversations of which each is a log, wherever the logs are kept. */
import * as Json from "@wield/core/Json"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Conversation } from "../Conversation.js"
import { type ConversationNotFound, EntryNotFound, StoreError } from "../ConversationError.js"
import type { Service, Summary } from "../ConversationStore.js"
import { entriesToAppend, isSameEntry, newId } from "../conversation/entries.js"
import { copyOf } from "../conversation/messages.js"
import { makeOneAtATime } from "../conversation/oneAtATime.js"
import { fromExported, toExported } from "./exported.js"
import { type Beginning, type Change, type Kept, type Logs, summaryOf } from "./logs.js"
import { cursorOf, fold, hasText, isWaiting, type Place, readCursor } from "./search.js"

/** To be made inside of an effect: it has state. */
export const makeLogConversations = <Log extends Kept>(logs: Logs<Log>, isDurable: boolean): Service => {
  const oneAtATime = makeOneAtATime()

  const conversationOf = (first: Log): Conversation<StoreError> => {
    let kept = first
    const { id } = first
    return {
      id,
      isDurable,
      exclusively: (effect) => oneAtATime(id, effect),
      entries: Effect.map(
        Effect.suspend(() => logs.look("read", kept)),
        (now) => (kept = now).entries
      ),
      append: (added, after) =>
        Effect.suspend(() => logs.look("append", kept)).pipe(
          Effect.flatMap((now) =>
            logs.change("append", now, ({ entries }, at) =>
              Either.map(entriesToAppend(id, entries, added, after, isSameEntry), (rest): Change | undefined =>
                rest.length === 0 ? undefined : { _tag: "Appended", at, entries: rest }
              )
            )
          ),
          Effect.map((now) => void (kept = now))
        )
    }
  }

  const put = (beginning: Beginning) => Effect.map(logs.begin(beginning), conversationOf)

  const change = <E>(
    operation: string,
    id: string,
    changeOf: (kept: Kept, now: number) => Either.Either<Change | undefined, E>
  ): Effect.Effect<void, ConversationNotFound | StoreError | E> =>
    Effect.asVoid(Effect.flatMap(logs.read(operation, id), (kept) => logs.change(operation, kept, changeOf)))

  const create: Service["create"] = (options) =>
    Effect.gen(function* () {
      const { entries = [], metadata = {}, title } = options ?? {}
      const id = options?.id ?? (yield* newId)
      const unique = entriesToAppend(id, [], entries, undefined, isSameEntry)
      if (Either.isLeft(unique)) return yield* new StoreError({ operation: "create", detail: unique.left.message })
      return yield* put({ id, title, metadata, createdAt: yield* Clock.currentTimeMillis, entries })
    })

  const open: Service["open"] = (id) => Effect.map(logs.read("open", id), conversationOf)

  const hasWords = (id: string, query: string): Effect.Effect<boolean, StoreError> =>
    logs.read("list", id).pipe(
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
    summary: (id) => Effect.map(logs.read("read", id), summaryOf),
    list: (options) =>
      Effect.gen(function* () {
        const limit = Math.max(1, Math.floor(options?.limit ?? 50))
        const from = options?.from === undefined ? undefined : yield* readCursor(options.from)
        const query = fold(options?.query ?? "")
        const found: Array<Summary> = []
        for (const summary of (yield* logs.summaries).toSorted(lastChangedFirst)) {
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
      change("update", id, () => Either.right({ _tag: "Updated", ...Json.withoutUndefined({ title, metadata }) })),
    fork: (id, options) =>
      Effect.gen(function* () {
        const kept = yield* logs.read("fork", id)
        const length = yield* lengthAt(kept, options?.at)
        const { metadata, title } = kept
        const entries = copyOf(kept.entries.slice(0, length))
        return yield* put({
          id: options?.id ?? (yield* newId),
          title,
          metadata,
          createdAt: yield* Clock.currentTimeMillis,
          entries
        })
      }),
    truncate: (id, after) =>
      change("truncate", id, (kept, at): Either.Either<Change | undefined, EntryNotFound> =>
        Either.map(after === undefined ? Either.right(0) : lengthAt(kept, after), (length) =>
          length === kept.entries.length ? undefined : { _tag: "Truncated", at, length }
        )
      ),
    delete: (id) => logs.delete(id),
    export: (id) =>
      Effect.flatMap(logs.read("export", id), ({ createdAt, entries, metadata, title }) =>
        toExported({ id, title, metadata, createdAt, entries })
      ),
    import: (exported, options) =>
      Effect.gen(function* () {
        const contents = yield* fromExported(exported)
        return yield* put({ ...contents, id: options?.id ?? contents.id })
      })
  }
}

/** The order of a list. */
const lastChangedFirst = (one: Place, other: Place): number =>
  one.changedAt === other.changedAt
    ? one.id < other.id
      ? 1
      : one.id > other.id
        ? -1
        : 0
    : other.changedAt - one.changedAt

/** How long a conversation is up to and including an entry; all of it unless one is given. */
const lengthAt = (
  { entries, id: conversation }: Kept,
  entry: string | undefined
): Either.Either<number, EntryNotFound> => {
  if (entry === undefined) return Either.right(entries.length)
  const index = entries.findIndex(({ id }) => id === entry)
  return index < 0 ? Either.left(new EntryNotFound({ conversation, entry })) : Either.right(index + 1)
}
