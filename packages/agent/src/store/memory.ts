/**
 * A store of conversations in memory. What reads and changes its state is one
 * synchronous step each, so that no other fiber comes between.
 */
import type { Json } from "@wield/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Conversation, Entry } from "../Conversation.js"
import { ConversationExists, ConversationNotFound, StoreError } from "../ConversationError.js"
import type { Service } from "../ConversationStore.js"
import { entriesToAppend, isSameEntry, newId } from "../conversation/entries.js"
import { makeOneAtATime } from "../conversation/oneAtATime.js"
import { fromExported, toExported } from "./exported.js"
import { cursorOf, fold, hasText, isWaiting, readCursor } from "./search.js"
import { lastChangedFirst, lengthAt, summaryOf } from "./summaries.js"

interface Kept {
  readonly title: string | undefined
  readonly metadata: Json.JsonObject
  readonly createdAt: number
  readonly changedAt: number
  readonly entries: ReadonlyArray<Entry>
}

/** To be made inside of an effect: it has state. */
export const makeMemoryStore = (): Service => {
  const conversations = new Map<string, Kept>()
  const oneAtATime = makeOneAtATime()

  /** One step with a conversation, if it is there. */
  const withKept = <A, E, Absent>(
    id: string,
    absent: () => Absent,
    step: (kept: Kept) => Either.Either<A, E>
  ): Effect.Effect<A, E | Absent> =>
    Effect.suspend((): Either.Either<A, E | Absent> => {
      const kept = conversations.get(id)
      return kept === undefined ? Either.left(absent()) : step(kept)
    })

  const notFound = (id: string) => () => new ConversationNotFound({ conversation: id })
  const deleted = (operation: string, id: string) => () =>
    new StoreError({ operation, detail: `the conversation ${id} is not there any more` })

  const conversationOf = (id: string): Conversation<StoreError> => ({
    id,
    isDurable: false,
    exclusively: (effect) => oneAtATime(id, effect),
    entries: withKept(id, deleted("read", id), ({ entries }) => Either.right(entries)),
    append: (added, after) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        withKept(id, deleted("append", id), (kept) =>
          Either.map(entriesToAppend(id, kept.entries, added, after, isSameEntry), (rest) => {
            if (rest.length === 0) return
            conversations.set(id, { ...kept, entries: [...kept.entries, ...rest], changedAt: now })
          })
        )
      )
  })

  const put = (id: string, kept: Kept): Effect.Effect<Conversation<StoreError>, ConversationExists> =>
    Effect.suspend(() => {
      if (conversations.has(id)) return new ConversationExists({ conversation: id })
      conversations.set(id, kept)
      return Effect.succeed(conversationOf(id))
    })

  const create: Service["create"] = (options) =>
    Effect.gen(function* () {
      const { title, metadata = {}, entries = [] } = options ?? {}
      const id = options?.id ?? (yield* newId)
      const now = yield* Clock.currentTimeMillis
      const unique = entriesToAppend(id, [], entries, undefined, isSameEntry)
      if (Either.isLeft(unique)) return yield* new StoreError({ operation: "create", detail: unique.left.message })
      return yield* put(id, { title, metadata, entries, createdAt: now, changedAt: now })
    })

  return {
    create,
    open: (id) => withKept(id, notFound(id), () => Either.right(conversationOf(id))),
    openOrCreate: (id) =>
      Effect.catchTag(create({ id }), "ConversationExists", () => Effect.succeed(conversationOf(id))),
    summary: (id) => withKept(id, notFound(id), (kept) => Either.right(summaryOf(id, kept))),
    list: (options) =>
      Effect.gen(function* () {
        const limit = Math.max(1, Math.floor(options?.limit ?? 50))
        const from = options?.from === undefined ? undefined : yield* readCursor(options.from)
        const query = fold(options?.query ?? "")
        const found = [...conversations].filter(
          ([id, { entries, metadata, title = "" }]) =>
            (options?.isWaiting !== true || isWaiting(metadata)) &&
            (fold(id).includes(query) || fold(title).includes(query) || entries.some((entry) => hasText(entry, query)))
        )
        const all = found.map(([id, kept]) => summaryOf(id, kept)).sort(lastChangedFirst)
        const rest = from === undefined ? all : all.filter((summary) => lastChangedFirst(summary, from) > 0)
        const page = rest.slice(0, limit)
        const last = page.at(-1)
        return { conversations: page, next: rest.length > limit && last !== undefined ? cursorOf(last) : undefined }
      }),
    update: (id, { title, metadata }) =>
      withKept(id, notFound(id), (kept) => {
        conversations.set(id, { ...kept, title: title ?? kept.title, metadata: metadata ?? kept.metadata })
        return Either.void
      }),
    fork: (id, options) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const fork = options?.id ?? (yield* newId)
        const { kept, length } = yield* withKept(id, notFound(id), (kept) =>
          Either.map(lengthAt(id, kept, options?.at), (length) => ({ kept, length }))
        )
        return yield* put(fork, { ...kept, entries: kept.entries.slice(0, length), createdAt: now, changedAt: now })
      }),
    truncate: (id, after) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        withKept(id, notFound(id), (kept) =>
          Either.map(after === undefined ? Either.right(0) : lengthAt(id, kept, after), (length) => {
            if (length === kept.entries.length) return
            conversations.set(id, { ...kept, entries: kept.entries.slice(0, length), changedAt: now })
          })
        )
      ),
    delete: (id) => Effect.sync(() => void conversations.delete(id)),
    export: (id) =>
      Effect.flatMap(withKept(id, notFound(id), Either.right), ({ title, metadata, createdAt, entries }) =>
        toExported({ id, title, metadata, createdAt, entries })
      ),
    import: (exported, options) =>
      Effect.gen(function* () {
        const { id, title, metadata, createdAt, entries } = yield* fromExported(exported)
        const changedAt = yield* Clock.currentTimeMillis
        return yield* put(options?.id ?? id, { title, metadata, createdAt, entries, changedAt })
      })
  }
}
