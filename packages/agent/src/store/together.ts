/**
 * Which conversations and journals stand in one database, so that entries and
 * what begins or ends a call can be written in one transaction.
 */
import type { Journal } from "@wield/core"
import type { JournalError } from "@wield/core/JournalError"
import type * as Effect from "effect/Effect"
import type { Conversation, Entry } from "../Conversation.js"
import type { AppendConflict, EntryIdTaken, StoreError } from "../ConversationError.js"

/** Appends entries as `Conversation.append` does, in one transaction with a write of the journal. */
export type AppendWith = <A, E>(
  entries: ReadonlyArray<Entry>,
  after: string | undefined,
  also: JournalWrite<A, E>
) => Effect.Effect<A, AppendConflict | EntryIdTaken | StoreError | E>

/** What a journal writes of a call, by itself or as a part of something larger. */
export interface JournalWrite<A, E = JournalError> {
  /** Writes it, within the transaction of the fiber if there is one. */
  readonly write: Effect.Effect<A, E>
  /**
   * The same as a part of a statement of Postgres: a fragment of the client, which inserts for each row of `moved`.
   * `undefined` where there is nothing to write.
   */
  readonly part: Effect.Effect<object, E> | undefined
  /** What follows from the row that the part gave back. */
  readonly read: (row: object) => Effect.Effect<A, E>
}

/** The begin of a call, and what follows where it is rolled back. */
export interface BeginWrite extends JournalWrite<Journal.Known> {
  readonly undo: Effect.Effect<void>
}

/** What a journal writes of calls together with entries. */
export interface JournalWrites {
  /** As `Journal.begin`. */
  readonly beginOf: (key: Journal.Key, tool: string) => BeginWrite
  /** As `Journal.finish`. */
  readonly endOf: (key: Journal.Key, ending: Journal.Ending) => JournalWrite<void>
}

/** A client of `@effect/sql`. This file does not name its type: agents that use no database have no such package. */
type Client = object

/** By what appends to them, which is the same where someone else reads the entries. */
const conversations = new WeakMap<
  Conversation<unknown>["append"],
  { readonly client: Client; readonly append: AppendWith }
>()
const journals = new WeakMap<Journal.Service, JournalWrites & { readonly client: Client }>()

export const setConversation = (conversation: Conversation<unknown>, client: Client, append: AppendWith): void =>
  void conversations.set(conversation.append, { client, append })

export const setJournal = (journal: Journal.Service, client: Client, writes: JournalWrites): void =>
  void journals.set(journal, { client, ...writes })

/** What a journal writes of a call; `undefined` where it stands in no database. */
export const journalWrites = (journal: Journal.Service): (JournalWrites & { readonly client: Client }) | undefined =>
  journals.get(journal)

/** How entries are written with something else; `undefined` where the conversation stands in no database. */
export const conversationWrites = (
  conversation: Conversation<unknown>
): { readonly client: Client; readonly append: AppendWith } | undefined => conversations.get(conversation.append)

/** How both are written at once; `undefined` where the journal is in memory, or in another database. */
export const joinedWrites = (
  conversation: Conversation<unknown>,
  journal: Journal.Service | undefined
): (JournalWrites & { readonly append: AppendWith }) | undefined => {
  const known = conversationWrites(conversation)
  const journaled = journal === undefined ? undefined : journalWrites(journal)
  return known !== undefined && journaled?.client === known.client ? { ...journaled, append: known.append } : undefined
}
