/**
 * What an append means for the entries that are there: the one rule that every
 * store keeps.
 */
import * as Either from "effect/Either"
import { AppendConflict, EntryIdTaken } from "../ConversationError.js"

/** The entries that are still to be appended, or why they cannot be. */
export const entriesToAppend = <E extends { readonly id: string }>(
  conversation: string,
  existing: ReadonlyArray<E>,
  entries: ReadonlyArray<E>,
  after: string | undefined,
  isSame: (one: E, other: E) => boolean
): Either.Either<ReadonlyArray<E>, AppendConflict | EntryIdTaken> => {
  if (entries.length === 0) return Either.right([])
  const taken = (entry: string) => Either.left(new EntryIdTaken({ conversation, entry }))
  const last = existing.at(-1)?.id
  const conflict = () =>
    Either.left(
      new AppendConflict({
        conversation,
        ...(after === undefined ? {} : { after }),
        ...(last === undefined ? {} : { last })
      })
    )

  const ids = new Map(existing.map((entry) => [entry.id, entry]))
  const seen = new Set<string>()
  for (const entry of entries) {
    const other = ids.get(entry.id)
    if (seen.has(entry.id) || (other !== undefined && !isSame(other, entry))) return taken(entry.id)
    seen.add(entry.id)
  }

  const place = after === undefined ? 0 : existing.findIndex((entry) => entry.id === after) + 1
  if (after !== undefined && place === 0) return conflict()

  // What was sent before and is sent again stands there already; only what comes after it is new.
  let there = 0
  while (there < entries.length && place + there < existing.length) {
    if (existing[place + there]?.id !== entries[there]?.id) return conflict()
    there++
  }
  const rest = entries.slice(there)
  const elsewhere = rest.find((entry) => ids.has(entry.id))
  return elsewhere === undefined ? Either.right(rest) : taken(elsewhere.id)
}
