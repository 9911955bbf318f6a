/** The conversations of a store, for a list, a page that is drawn again, and an administrator. */
import type { Message } from "@wield/core"
import type * as Audit from "@wield/agent/Audit"
import type { JsonObject } from "@wield/core/Json"
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

/** What answers is loaded with the first question. */
export const makeConversations = (running: Running): Conversations => {
  let made: Promise<Conversations> | undefined
  const load = () =>
    (made ??= import("./internal/conversations.js").then(({ conversationsOf }) => conversationsOf(running)))
  return {
    list: async (...given) => (await load()).list(...given),
    read: async (...given) => (await load()).read(...given),
    audit: async (...given) => (await load()).audit(...given),
    learnRequests: async (...given) => (await load()).learnRequests(...given),
    fork: async (...given) => (await load()).fork(...given),
    update: async (...given) => (await load()).update(...given),
    delete: async (...given) => (await load()).delete(...given)
  }
}
