/**
 * Which conversations and journals stand in one database, so that entries and
 * the end of a call can be written in one transaction.
 */
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

/** A client of `@effect/sql`. This file does not name its type: agents that use no database have no such package. */
type Client = object

const conversations = new WeakMap<object, { readonly client: Client; readonly append: AppendWith }>()
const journals = new WeakMap<Journal.Service, Client>()

export const setConversation = (conversation: Conversation<unknown>, client: Client, append: AppendWith): void =>
  void conversations.set(conversation, { client, append })

export const setJournal = (journal: Journal.Service, client: Client): void => void journals.set(journal, client)

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
