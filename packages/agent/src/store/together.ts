/**
 * Which conversations and journals stand in one database, so that entries and
 * the end of a call can be written in one transaction.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Journal } from "@wield/core"
import type * as Effect from "effect/Effect"
import type { Conversation, Entry } from "../Conversation.js"
import type { AppendConflict, EntryIdTaken, StoreError } from "../ConversationError.js"

/** Appends entries as `Conversation.append` does, in one transaction with an effect on the same database. */
export type AppendWith = <E>(
  entries: ReadonlyArray<Entry>,
  after: string | undefined,
  also: Effect.Effect<void, E>
) => Effect.Effect<void, AppendConflict | EntryIdTaken | StoreError | E>

const conversations = new WeakMap<object, { readonly client: SqlClient; readonly append: AppendWith }>()
const journals = new WeakMap<Journal.Service, SqlClient>()

export const setConversation = (conversation: Conversation<unknown>, client: SqlClient, append: AppendWith): void =>
  void conversations.set(conversation, { client, append })

export const setJournal = (journal: Journal.Service, client: SqlClient): void => void journals.set(journal, client)

export const isInDatabase = (journal: Journal.Service): boolean => journals.has(journal)

/** `undefined` where the journal is in memory, or in another database. */
export const appendWith = (
  conversation: Conversation<unknown>,
  journal: Journal.Service | undefined
): AppendWith | undefined => {
  const known = conversations.get(conversation)
  return known !== undefined && journal !== undefined && journals.get(journal) === known.client
    ? known.append
    : undefined
}
