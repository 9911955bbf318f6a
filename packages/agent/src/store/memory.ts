/**
 * The logs of conversations in memory. What reads and changes them is one
 * synchronous step each, so that no other fiber comes between.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ConversationExists, ConversationNotFound, StoreError } from "../ConversationError.js"
import { apply, type Kept, type Logs, summaryOf } from "./logs.js"

/** To be made inside of an effect: it has state. */
export const makeMemoryLogs = (): Logs<Kept> => {
  const conversations = new Map<string, Kept>()

  const find = <Absent>(id: string, absent: () => Absent): Either.Either<Kept, Absent> =>
    Either.fromNullable(conversations.get(id), absent)

  const deleted = (operation: string, id: string) => () =>
    new StoreError({ operation, detail: `the conversation ${id} is not there any more` })

  const put = (kept: Kept): Kept => {
    conversations.set(kept.id, kept)
    return kept
  }

  return {
    begin: (beginning) =>
      Effect.flatMap(Clock.currentTimeMillis, (changedAt) =>
        Effect.suspend(() =>
          conversations.has(beginning.id)
            ? new ConversationExists({ conversation: beginning.id })
            : Effect.succeed(put({ ...beginning, changedAt }))
        )
      ),
    read: (_, id) => Effect.suspend(() => find(id, () => new ConversationNotFound({ conversation: id }))),
    look: (operation, { id }) => Effect.suspend(() => find(id, deleted(operation, id))),
    change: (operation, { id }, changeOf) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.suspend(() =>
          Either.flatMap(find(id, deleted(operation, id)), (kept) =>
            Either.map(changeOf(kept, now), (change) => (change === undefined ? kept : put(apply(kept, [change]))))
          )
        )
      ),
    delete: (id) => Effect.sync(() => void conversations.delete(id)),
    summaries: Effect.sync(() => Array.from(conversations.values(), summaryOf))
  }
}
