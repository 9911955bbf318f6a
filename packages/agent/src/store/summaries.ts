/** What stores that list conversations themselves share. */
import * as Either from "effect/Either"
import type { Entry } from "../Conversation.js"
import { EntryNotFound } from "../ConversationError.js"
import type { Summary } from "../ConversationStore.js"
import type { Place } from "./search.js"

/** The order of a list. */
export const lastChangedFirst = (one: Place, other: Place): number =>
  one.changedAt === other.changedAt
    ? one.id < other.id
      ? 1
      : one.id > other.id
        ? -1
        : 0
    : other.changedAt - one.changedAt

/** How long a conversation is up to and including an entry; all of it unless one is given. */
export const lengthAt = (
  conversation: string,
  { entries }: { readonly entries: ReadonlyArray<Entry> },
  entry: string | undefined
): Either.Either<number, EntryNotFound> => {
  if (entry === undefined) return Either.right(entries.length)
  const index = entries.findIndex(({ id }) => id === entry)
  return index < 0 ? Either.left(new EntryNotFound({ conversation, entry })) : Either.right(index + 1)
}

export const summaryOf = (
  id: string,
  {
    title,
    metadata,
    createdAt,
    changedAt,
    entries
  }: Omit<Summary, "id" | "length"> & { readonly entries: ReadonlyArray<Entry> }
): Summary => ({
  id,
  title,
  metadata,
  createdAt,
  changedAt,
  length: entries.length
})
