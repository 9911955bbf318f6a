/** The logs of conversations: what they say, and what keeps them. */
import type { Json } from "@wield/core"
import type { Effect, Either } from "effect"
import type { Entry } from "../Conversation.js"
import type { ConversationExists, ConversationNotFound, StoreError } from "../ConversationError.js"
import type { Summary } from "../ConversationStore.js"
import type { Contents } from "./exported.js"

/** What a conversation begins with. */
export type Beginning = Contents

/** A conversation as far as its log was read. */
export interface Kept extends Beginning {
  readonly changedAt: number
}

/** What is written down in a log. */
export type Change =
  | { readonly _tag: "Appended"; readonly at: number; readonly entries: ReadonlyArray<Entry> }
  | { readonly _tag: "Truncated"; readonly at: number; readonly length: number }
  | {
      readonly _tag: "Updated"
      readonly title?: string | undefined
      readonly metadata?: Json.JsonObject | undefined
    }

/** What keeps logs. */
export interface Logs<Log extends Kept> {
  /** Begins the log of a conversation; fails where it has one. */
  readonly begin: (beginning: Beginning) => Effect.Effect<Log, ConversationExists | StoreError>
  readonly read: (operation: string, id: string) => Effect.Effect<Log, ConversationNotFound | StoreError>
  /** The conversation as it is now; fails where it is there no more. */
  readonly look: (operation: string, known: Log) => Effect.Effect<Log, StoreError>
  /** One change of the log, worked out again where another writer was there first. */
  readonly change: <E>(
    operation: string,
    known: Log,
    changeOf: (kept: Log, now: number) => Either.Either<Change | undefined, E>
  ) => Effect.Effect<Log, StoreError | E>
  readonly delete: (id: string) => Effect.Effect<void, StoreError>
  readonly summaries: Effect.Effect<ReadonlyArray<Summary>, StoreError>
}

/** With the changes that follow; the entries are copied once, however many they are. */
export const apply = <Log extends Kept>(kept: Log, changes: ReadonlyArray<Change>): Log => {
  const entries = [...kept.entries]
  let { changedAt, metadata, title } = kept
  for (const change of changes) {
    if (change._tag === "Appended") for (const entry of change.entries) entries.push(entry)
    else if (change._tag === "Truncated") entries.length = Math.min(entries.length, change.length)
    else {
      title = change.title ?? title
      metadata = change.metadata ?? metadata
    }
    if (change._tag !== "Updated") changedAt = change.at
  }
  return { ...kept, entries, changedAt, metadata, title }
}

export const summaryOf = ({ changedAt, createdAt, entries, id, metadata, title }: Kept): Summary => ({
  id,
  title,
  metadata,
  createdAt,
  changedAt,
  length: entries.length
})
