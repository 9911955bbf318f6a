/** A conversation: an append-only list of messages, each with an id, in memory or in a store. */
import type { Message, Response, ToolCall, Turn } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Content from "@wield/core/Content"
import { aFlag, aName, aNumber, aText, anything, type Checks, fields, list, orThrow } from "@wield/core/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import type { By } from "./DeferredCall.js"
import type { AppendConflict, EntryIdTaken } from "./ConversationError.js"
import { entriesToAppend, type EntryEncoded, entrySchema, isSameEntry, newId } from "./conversation/entries.js"
import { messagesOf, openCallsOf } from "./conversation/messages.js"
import { makeOneAtATime } from "./conversation/oneAtATime.js"

/**
 * One message of a conversation.
 *
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
        /** The run was interrupted while the model spoke, and the agent keeps what it had said: the model is shown that it was stopped. */
        readonly isStopped?: true | undefined
        /** The names of the tools on offer, where not all were: no other can be run for this turn, later neither. */
        readonly offered?: ReadonlyArray<string> | undefined
      }
    | undefined
  /**
   * Which calls of its turn the results answer, in their order, by place from 0,
   * where calls of the turn share an id.
   */
  readonly answers?: ReadonlyArray<number> | undefined
  /** The names of the tools that the calls have found, where an agent's tools are searched: they can be called from then on. */
  readonly found?: ReadonlyArray<string> | undefined
  /** Answers to calls of the turn, and who gave them. They are recorded, without results, before a call goes on with them. */
  readonly decisions?: ReadonlyArray<Decision> | undefined
  /** SHA-256 of the same answers: each is known by it when it is given again. */
  readonly responses?: ReadonlyArray<string> | undefined
  /** How the calls ended, in the order of the results, where one ended otherwise than with its handler's value. */
  readonly ends?: ReadonlyArray<string> | undefined
  /**
   * The entry is no message of the conversation but a summary that stands for
   * all entries up to and including the one of this id, where a context window
   * needs one.
   */
  readonly summaryOf?: string | undefined
  /** Its calls that have no result may have been begun in the conversation that it is a copy of, by a fork or an import. */
  readonly isCopy?: true | undefined
  /** Whatever the application keeps with the entry. */
  readonly metadata?: Json.JsonObject | undefined
}

/**
 * An answer to a call that waited, as the conversation keeps it.
 *
 * @category models
 */
export interface Decision {
  /** The id of the request. */
  readonly request: string
  /** The id of the call; of one within a sub-agent, behind that of the call that runs it: `c/a`. */
  readonly call: string
  readonly name: string
  /** The arguments that were shown. */
  readonly shown: Json.JsonObject
  /** Why it was asked, as it came back with the answer: only a signed request keeps it from being changed. */
  readonly why?: string | undefined
  /** `Approve`, `Deny`, `Result`, `Failure` or `Reply`. */
  readonly response: Response.Response["_tag"]
  /** What a person put in the place of the arguments. */
  readonly arguments?: Json.JsonObject | undefined
  /** Why it was denied. */
  readonly reason?: string | undefined
  readonly by?: By | undefined
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number
}

/**
 * A conversation. `E` is how its store can fail; `never` in memory.
 *
 * The results of one turn may stand in several entries: calls that waited for a
 * person are answered later than the others. `messages` puts them together.
 *
 * @category models
 */
export interface Conversation<out E = never> {
  readonly id: string
  /** Whether what was appended outlives the process. */
  readonly isDurable: boolean
  /**
   * Runs an effect while no other of the same conversation runs: in this process,
   * for all handles of one store. Where it is absent, an agent sees to it for its
   * own runs only.
   */
  readonly exclusively?: (<A, E2, R>(effect: Effect.Effect<A, E2, R>) => Effect.Effect<A, E2, R>) | undefined
  /**
   * Whether something else sees to it that one process at a time runs it, as a
   * cluster does. Otherwise an agent does, by the journal of its policy.
   */
  readonly isOfOneProcess?: true | undefined
  /** All entries, in their order, as they are now. */
  readonly entries: Effect.Effect<ReadonlyArray<Entry>, E>
  /**
   * Appends entries, all or none, after the entry of the id `after` (`undefined`
   * for an empty conversation). Entries that are already there in this place are
   * not appended again. Fails with `AppendConflict` when another writer has
   * appended meanwhile, with `EntryIdTaken` when another entry has an id.
   */
  readonly append: (
    entries: ReadonlyArray<Entry>,
    after: string | undefined
  ) => Effect.Effect<void, AppendConflict | EntryIdTaken | E>
}

/**
 * An entry, for storing it as JSON text and reading it again.
 *
 * @category schemas
 */
export const Entry: Schema.Schema<Entry, EntryEncoded> = entrySchema

/**
 * A conversation in memory. It is gone with the process; `ConversationStore`
 * has those that stay.
 *
 * Entries to begin with that share an id are a defect (`EntryIdTaken`).
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Conversation } from "@wield/agent"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const conversation = yield* Conversation.make()
 *   const question = yield* Conversation.entry(Conversation.user("Where is my order?"))
 *   yield* conversation.append([question], undefined)
 *   yield* conversation.append([question], undefined) // it is there already
 *   return (yield* conversation.entries).length
 * })
 * assert.strictEqual(Effect.runSync(program), 1)
 * ```
 *
 * @category constructors
 */
export const make = (options?: {
  /** A random one unless given. */
  readonly id?: string | undefined
  readonly entries?: ReadonlyArray<Entry> | undefined
}): Effect.Effect<Conversation> =>
  Effect.gen(function* () {
    orThrow(checkOptions(options ?? {}), "What `Conversation.make` takes")
    const conversation = makeMemory(options?.id ?? (yield* newId))
    yield* Effect.orDie(conversation.append(options?.entries ?? [], undefined))
    return conversation
  })

/**
 * An entry for a message: with an id that is random and sorts by time (a UUID
 * of version 7) unless one is given, and the time of the clock.
 *
 * @category constructors
 */
export const entry = (message: Message.Message, options?: Partial<Omit<Entry, "message">>): Effect.Effect<Entry> =>
  Effect.gen(function* () {
    orThrow(checkEntry(options ?? {}), "What `Conversation.entry` takes")
    const { id = yield* newId, at = yield* Clock.currentTimeMillis, ...others } = options ?? {}
    return { ...Json.withoutUndefined(others), id, message, at }
  })

/**
 * What the user says: text, or parts of which some may be images and files.
 *
 * @category constructors
 */
export const user = (content: string | ReadonlyArray<Content.Part>): Message.User => ({
  _tag: "User",
  content: typeof content === "string" ? [Content.text(content)] : content,
  native: undefined
})

/**
 * The messages as a model is to get them: summaries are left out, and the
 * results of one turn that stand in several entries one after the other are put
 * together, in the order of the calls. Results that stand alone keep the
 * provider's own message; what was put together has none.
 *
 * @category accessors
 */
export const messages: (entries: ReadonlyArray<Entry>) => ReadonlyArray<Message.Message> = messagesOf

/**
 * The calls of the last assistant's message that have no result yet, those left
 * out that the provider ran, with the id of that entry; `undefined` when there
 * are no such calls.
 *
 * @category accessors
 */
export const unanswered: (
  entries: ReadonlyArray<Entry>
) => { readonly entry: string; readonly calls: ReadonlyArray<ToolCall.ToolCall> } | undefined = openCallsOf

// All conversations of one id share what their calls have done.
const checkOptions = fields({ id: aName, entries: list(anything) })

const checkEntry = fields({
  id: aText,
  // Of another entry, whose properties are given.
  message: anything,
  at: aNumber,
  turn: anything,
  answers: anything,
  found: anything,
  decisions: anything,
  responses: anything,
  ends: anything,
  summaryOf: aText,
  isCopy: aFlag,
  metadata: anything
} satisfies Checks<Entry>)

/** To be made inside of an effect: it has state. */
const makeMemory = (id: string): Conversation => {
  let list: ReadonlyArray<Entry> = []
  const oneAtATime = makeOneAtATime()
  return {
    id,
    isDurable: false,
    exclusively: (effect) => oneAtATime(id, effect),
    entries: Effect.sync(() => list),
    append: (entries, after) =>
      Effect.suspend(() =>
        Either.map(entriesToAppend(id, list, entries, after, isSameEntry), (added) => {
          if (added.length > 0) list = [...list, ...added]
        })
      )
  }
}
