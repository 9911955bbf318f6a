/**
 * Conversations and the record of calls over any database that keeps texts under
 * keys: five functions with promises make both.
 */
import * as Journal from "@wield/core/Journal"
import { CurrentCounts } from "@wield/core/Quota"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ConversationStore } from "./ConversationStore.js"
import { checkedRecords } from "./store/checkedRecords.js"
import { checkedConversations } from "./store/checkedConversations.js"
import { makeLogConversations } from "./store/logConversations.js"
import { makeRecordCounts } from "./store/recordCounts.js"
import { makeRecordJournal } from "./store/recordJournal.js"
import { RecordLogs } from "./store/recordLogs.js"

/**
 * Texts under keys. A key is ASCII of at most 250 characters, without `%`, `*`
 * or blanks; a text is JSON of any length. It is there whole or not at all, also
 * where a process is killed while it writes. Each function rejects where the
 * database fails.
 *
 * @category models
 */
export interface Records {
  /**
   * Writes a text under a key that has none. `false`, and nothing is written, where
   * it has one: of two processes that create one key at once, one gets `true`.
   */
  readonly create: (key: string, text: string) => Promise<boolean>
  /** Writes a text, whatever is there. */
  readonly set: (key: string, text: string) => Promise<unknown>
  /** The text, or nothing. */
  readonly get: (key: string) => Promise<string | null | undefined>
  /** Deletes it, if it is there. */
  readonly delete: (key: string) => Promise<unknown>
  /** Those whose keys begin with `prefix` and come after the key `after`, if it is given, in the order of their keys' bytes. */
  readonly list: (
    prefix: string,
    after?: string
  ) => Promise<ReadonlyArray<{ readonly key: string; readonly text: string }>>
}

/**
 * The services over these records. A conversation is a log to which records are
 * added, so that no writer overwrites another's. Close what the records stand
 * in after the layer. What they give otherwise than they promise, such as a count
 * in place of `true`, is an error, and no call is made by it; so is a minute
 * without an answer.
 *
 * @category layers
 */
export const layer = (given: Records): Layer.Layer<ConversationStore | Journal.Journal> => {
  const records = checkedRecords(given)
  return Layer.mergeAll(
    Layer.sync(ConversationStore, () => checkedConversations(makeLogConversations(new RecordLogs(records), true))),
    Layer.sync(CurrentCounts, () => makeRecordCounts(records)),
    Layer.scoped(
      Journal.Journal,
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => makeRecordJournal(records)),
          ({ stop }) => stop
        ),
        ({ service }) => service
      )
    )
  )
}

/**
 * Records in memory, for tests, and as an example of the five functions.
 *
 * @category constructors
 */
export const memory = (): Records => {
  const texts = new Map<string, string>()
  return {
    create: async (key, text) => {
      if (texts.has(key)) return false
      texts.set(key, text)
      return true
    },
    set: async (key, text) => void texts.set(key, text),
    get: async (key) => texts.get(key),
    delete: async (key) => void texts.delete(key),
    list: async (prefix, after = "") =>
      Array.from(texts, ([key, text]) => ({ key, text }))
        .filter(({ key }) => key.startsWith(prefix) && key > after)
        .sort((one, other) => (one.key < other.key ? -1 : 1))
  }
}
