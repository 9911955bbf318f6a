/**
 * A conversation: an append-only list of messages, each with an id, in memory
 * or in a store.
 *
 * @since 0.1.0
 */
import type { Json, Message, Turn } from "@wield/core"
import type * as Effect from "effect/Effect"
import type { AppendConflict, EntryIdTaken } from "./ConversationError.js"

/**
 * One message of a conversation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  /** Names the entry within its conversation; appending the same entry again changes nothing. */
  readonly id: string
  readonly message: Message.Message
  /** When it was made, in milliseconds since 1970. */
  readonly at: number
  /** What is known of the response that an assistant's message came in. */
  readonly turn?:
    | {
        readonly model: string | undefined
        readonly usage: Turn.Usage
        readonly finish: Turn.Finish
        readonly isComplete: boolean
      }
    | undefined
  /**
   * The entry is no message of the conversation but a summary that stands for
   * all entries up to and including the one of this id, where a context window
   * needs one.
   */
  readonly summaryOf?: string | undefined
  /** Whatever the application keeps with the entry. */
  readonly metadata?: Json.JsonObject | undefined
}

/**
 * A conversation. `E` is how its store can fail; `never` in memory.
 *
 * The results of one turn may stand in several entries: calls that waited for a
 * person are answered later than the others. `messages` puts them together.
 *
 * @since 0.1.0
 * @category models
 */
export interface Conversation<out E = never> {
  readonly id: string
  /** Whether what was appended outlives the process. */
  readonly isDurable: boolean
  /** All entries, in their order, as they are now. */
  readonly entries: Effect.Effect<ReadonlyArray<Entry>, E>
  /**
   * Appends entries, all or none, after the entry of the id `after` (`undefined`
   * for an empty conversation). Entries that are already there in this place are
   * not appended again. Fails with `AppendConflict` when somebody else has
   * appended meanwhile, with `EntryIdTaken` when another entry has an id.
   */
  readonly append: (
    entries: ReadonlyArray<Entry>,
    after: string | undefined
  ) => Effect.Effect<void, AppendConflict | EntryIdTaken | E>
}
