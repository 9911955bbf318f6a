/** Where conversations are kept. */
import type { Json } from "@wield/core"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Conversation, Entry } from "./Conversation.js"
import type {
  ConversationExists,
  ConversationNotFound,
  EntryNotFound,
  InvalidExport,
  StoreError
} from "./ConversationError.js"
import { checkedConversations } from "./store/checkedConversations.js"
import { makeLogConversations } from "./store/logConversations.js"
import { makeMemoryLogs } from "./store/memory.js"

/**
 * What a list says of a conversation.
 *
 * @category models
 */
export interface Summary {
  readonly id: string
  readonly title: string | undefined
  readonly metadata: Json.JsonObject
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** When it was last appended to or truncated, in milliseconds since 1970. */
  readonly changedAt: number
  /** How many entries it has. */
  readonly length: number
}

/**
 * A page of a list, last changed first.
 *
 * @category models
 */
export interface Page {
  readonly conversations: ReadonlyArray<Summary>
  /** Give it to `list` for the page after; absent on the last one. */
  readonly next: string | undefined
}

/**
 * A conversation as it is made.
 *
 * @category models
 */
export interface NewConversation {
  /** A random one unless given. */
  readonly id?: string | undefined
  readonly title?: string | undefined
  readonly metadata?: Json.JsonObject | undefined
  readonly entries?: ReadonlyArray<Entry> | undefined
}

/**
 * A store of conversations. Each operation is atomic.
 *
 * @category models
 */
export interface Service {
  readonly create: (
    conversation?: NewConversation
  ) => Effect.Effect<Conversation<StoreError>, ConversationExists | StoreError>
  readonly open: (id: string) => Effect.Effect<Conversation<StoreError>, ConversationNotFound | StoreError>
  /** Opens it, or makes it. */
  readonly openOrCreate: (id: string) => Effect.Effect<Conversation<StoreError>, StoreError>
  readonly summary: (id: string) => Effect.Effect<Summary, ConversationNotFound | StoreError>
  readonly list: (options?: {
    /** 50 unless given. */
    readonly limit?: number | undefined
    readonly from?: string | undefined
    /** Only those with this in their id, their title or a text, in capitals or not. */
    readonly query?: string | undefined
    /** Only those in which calls wait (`WaitingCalls.remember`). */
    readonly isWaiting?: boolean | undefined
  }) => Effect.Effect<Page, StoreError>
  /** Changes title and metadata; what is not given stays. */
  readonly update: (
    id: string,
    changes: { readonly title?: string | undefined; readonly metadata?: Json.JsonObject | undefined }
  ) => Effect.Effect<void, ConversationNotFound | StoreError>
  /** A new conversation with the entries up to and including `at`; all unless given. */
  readonly fork: (
    id: string,
    options?: { readonly id?: string | undefined; readonly at?: string | undefined }
  ) => Effect.Effect<Conversation<StoreError>, ConversationNotFound | EntryNotFound | ConversationExists | StoreError>
  /** Takes away what comes after the entry; everything for `undefined`. */
  readonly truncate: (
    id: string,
    after: string | undefined
  ) => Effect.Effect<void, ConversationNotFound | EntryNotFound | StoreError>
  /** Deletes it; one that is not there is deleted already. */
  readonly delete: (id: string) => Effect.Effect<void, StoreError>
  /** The whole conversation as JSON. */
  readonly export: (id: string) => Effect.Effect<Json.JsonObject, ConversationNotFound | StoreError>
  /** Makes a conversation from exported JSON, under its own id unless another is given. */
  readonly import: (
    exported: unknown,
    options?: { readonly id?: string | undefined }
  ) => Effect.Effect<Conversation<StoreError>, InvalidExport | ConversationExists | StoreError>
}

/**
 * The store of conversations as a service. Its layers: `layerMemory` here,
 * `FileStore.layer` for a file, `SqlConversationStore.layer` for a database.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Conversation, ConversationStore } from "@wield/agent"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const store = yield* ConversationStore.ConversationStore
 *   const conversation = yield* store.create({ id: "order 12", title: "Where is it?" })
 *   yield* conversation.append([yield* Conversation.entry(Conversation.user("Where is my order?"))], undefined)
 *   return (yield* store.list()).conversations.map(({ id }) => id)
 * })
 * const ids = Effect.runSync(program.pipe(Effect.provide(ConversationStore.layerMemory)))
 * assert.deepStrictEqual(ids, ["order 12"])
 * ```
 *
 * @category services
 */
export class ConversationStore extends Context.Tag("@wield/agent/ConversationStore")<ConversationStore, Service>() {}

/**
 * A store in memory. It is gone with the process, and it keeps everything until
 * `delete`.
 *
 * @category layers
 */
export const layerMemory: Layer.Layer<ConversationStore> = Layer.sync(ConversationStore, () =>
  checkedConversations(makeLogConversations(makeMemoryLogs(), false))
)
