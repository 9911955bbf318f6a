/** All conversations of a store, read one after the other. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Entry } from "../Conversation.js"
import type { StoreError } from "../ConversationError.js"
import type { Service, Summary } from "../ConversationStore.js"

interface Read {
  readonly id: string
  readonly entries: ReadonlyArray<Entry>
}

/** Those changed last come first. */
export const allSummaries = (
  store: Service,
  only: { readonly isWaiting?: boolean } = {}
): Stream.Stream<Summary, StoreError> =>
  Stream.paginateChunkEffect<string | undefined, Summary, StoreError, never>(undefined, (from) =>
    Effect.map(store.list({ ...only, limit: 100, from }), ({ conversations, next }) => [
      Chunk.fromIterable(conversations),
      next === undefined ? Option.none() : Option.some(next)
    ])
  )

/** One that is deleted between its page and its turn is passed over. */
export const allConversations = (store: Service): Stream.Stream<Read, StoreError> =>
  allSummaries(store).pipe(
    Stream.mapEffect(({ id }) =>
      Effect.flatMap(store.open(id), ({ entries }) =>
        Effect.map(entries, (read): ReadonlyArray<Read> => [{ id, entries: read }])
      ).pipe(Effect.catchTag("ConversationNotFound", () => Effect.succeed([])))
    ),
    Stream.flattenIterables
  )
