/** The conversations of a store, for a list, a page that is drawn again, and an administrator. */
import type { Message } from "@wield/core"
import type { Conversation } from "@wield/agent"
import * as Audit from "@wield/agent/Audit"
import * as ConversationStore from "@wield/agent/ConversationStore"
import { isPlain, type JsonObject } from "@wield/core/Json"
import * as Effect from "effect/Effect"
import { aText, checkKind, checkOptions } from "./internal/checkNames.js"
import type { Running } from "./internal/Running.js"

/** A conversation in a list. Times are milliseconds since 1970. */
export interface Summary {
  readonly id: string
  readonly title: string | undefined
  readonly metadata: JsonObject
  readonly createdAt: number
  readonly changedAt: number
  /** How many entries it has. */
  readonly length: number
}

/** A message of a conversation, or a summary of those before it. All of it is JSON. */
export interface Entry {
  readonly id: string
  /** What a user or a model said, or what tools gave. */
  readonly message: Message.Message
  readonly at: number
  /** The entry stands for all before this one, where a context window needs it. A page leaves it out. */
  readonly summaryOf?: string | undefined
}

/** A call: what was asked, who decided, what came of it. All of it is JSON. */
export type AuditRow = Audit.Row

/** The conversations of the store. */
export interface Conversations {
  /** Those that were changed last come first: 50, unless `limit` is given. `from` is `next` of the page before. */
  readonly list: (options?: {
    readonly limit?: number
    readonly from?: string
    /** Only those with this in their id, their title or a text. */
    readonly query?: string
  }) => Promise<{ readonly conversations: ReadonlyArray<Summary>; readonly next: string | undefined }>
  /** All that was said, in its order: enough to draw a chat. Rejects with `ConversationNotFound`. */
  readonly read: (id: string) => Promise<Summary & { readonly entries: ReadonlyArray<Entry> }>
  /** Who did what: a row for each call, with who decided and what came of it. As JSON Lines it is an audit log. */
  readonly audit: (id: string) => Promise<ReadonlyArray<AuditRow>>
  /**
   * In which words users asked for what a tool then did, by the tool, for an agent's `search.learnt`: at most `perTool`
   * requests, 20 unless given, from the `conversations` changed last, 1,000 unless given. They matter to what a search
   * finds, for all users, and no model but the one behind `search.embed` is shown them.
   */
  readonly learnRequests: (options?: {
    readonly conversations?: number
    readonly perTool?: number
  }) => Promise<{ readonly [tool: string]: ReadonlyArray<string> }>
  /** A new conversation with the entries up to and including `at`; all unless given. Resolves with its id. */
  readonly fork: (id: string, options?: { readonly id?: string; readonly at?: string }) => Promise<string>
  /** Changes title and metadata; what is not given stays. */
  readonly update: (id: string, changes: { readonly title?: string; readonly metadata?: JsonObject }) => Promise<void>
  /** Deletes it; one that is not there is deleted already. */
  readonly delete: (id: string) => Promise<void>
}

const aCount = [
  "a whole number of at least 1",
  (value: unknown) => Number.isInteger(value) && Number(value) > 0
] as const

export const makeConversations = (running: Running): Conversations => {
  const ask = <A, E>(question: (store: ConversationStore.Service) => Effect.Effect<A, E>) =>
    running.run(Effect.flatMap(ConversationStore.ConversationStore, question))
  return {
    list: async (options) => {
      checkOptions("`list`", options, { limit: aCount, from: aText, query: aText })
      return ask((store) => store.list(options))
    },
    read: (id) =>
      ask((store) =>
        Effect.gen(function* () {
          const { entries }: Conversation.Conversation<unknown> = yield* store.open(id)
          const all = yield* entries
          return { ...(yield* store.summary(id)), length: all.length, entries: all }
        })
      ),
    audit: (id) => ask((store) => Audit.ofConversation(store, id)),
    learnRequests: async (options = {}) => {
      checkOptions("`learnRequests`", options, { conversations: aCount, perTool: aCount })
      // It knows the loop's tools, which no other question needs.
      const { ofStore } = await import("@wield/agent/ToolRequests")
      return ask((store) => ofStore(store, options))
    },
    fork: async (id, options) => {
      checkOptions("`fork`", options, { id: aText, at: aText })
      return ask((store) => Effect.map(store.fork(id, options), (fork) => fork.id))
    },
    update: async (id, changes) => {
      checkOptions("`update`", changes ?? null, { title: aText, metadata: ["an object", isPlain] })
      return ask((store) => store.update(id, changes))
    },
    delete: async (id) => {
      checkKind("The id of a conversation", id ?? null, "a text", typeof id === "string")
      return ask((store) => store.delete(id))
    }
  }
}
