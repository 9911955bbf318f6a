/** Conversations, in memory or in a store. */
import {
  Conversation as Conversation3,
  ConversationStore as ConversationStore3,
  Effect as Effect3
} from "@wield/effect3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Tagged } from "./Errors.js"
import { conversationFrom3, storeFrom3 } from "./internal/conversations.js"
import { into4 } from "./internal/seam.js"

/**
 * @category type ids
 */
export declare const TypeId: unique symbol

/**
 * One entry of a conversation, in the words of no provider.
 *
 * @category models
 */
export interface Entry {
  readonly id: string
  readonly message: { readonly _tag: "System" | "User" | "Assistant" | "Results" }
  /** When it was made, in milliseconds since 1970. */
  readonly at: number
}

/**
 * A conversation. `E` is how its store can fail; `never` in memory.
 *
 * @category models
 */
export interface Conversation<out E = never> {
  readonly [TypeId]: unknown
  readonly id: string
  /** Whether what was appended outlives the process. */
  readonly isDurable: boolean
  /** All entries, in their order, as they are now. */
  readonly entries: Effect.Effect<ReadonlyArray<Entry>, E>
}

/**
 * The database did not do what a store asked of it.
 *
 * @category errors
 */
export interface StoreError extends Tagged<"StoreError"> {
  readonly operation: string
  readonly detail: string
}

/**
 * There is no conversation of this id, or there is one already.
 *
 * @category errors
 */
export interface ConversationError extends Tagged<"ConversationNotFound" | "ConversationExists"> {
  readonly conversation: string
}

/**
 * What a list says of a conversation.
 *
 * @category models
 */
export interface Summary {
  readonly id: string
  readonly title: string | undefined
  readonly metadata: { readonly [name: string]: unknown }
  readonly createdAt: number
  readonly changedAt: number
  readonly length: number
}

/**
 * A store of conversations.
 *
 * @category models
 */
export interface Service {
  readonly create: (options?: {
    readonly id?: string | undefined
    readonly title?: string | undefined
  }) => Effect.Effect<Conversation<StoreError>, ConversationError | StoreError>
  readonly open: (id: string) => Effect.Effect<Conversation<StoreError>, ConversationError | StoreError>
  /** Opens it, or makes it. */
  readonly openOrCreate: (id: string) => Effect.Effect<Conversation<StoreError>, StoreError>
  /** Last changed first; 50 unless a limit is given. */
  readonly list: (options?: {
    readonly limit?: number | undefined
    readonly from?: string | undefined
    readonly query?: string | undefined
  }) => Effect.Effect<{ readonly conversations: ReadonlyArray<Summary>; readonly next: string | undefined }, StoreError>
  readonly delete: (id: string) => Effect.Effect<void, StoreError>
}

/**
 * The store of conversations as a service: `layerMemory` here, `SqlStore.layer` in a database.
 *
 * @category services
 */
export class ConversationStore extends Context.Service<ConversationStore, Service>()(
  "@wield/effect4/Conversation/ConversationStore"
) {}

/**
 * A conversation in memory.
 *
 * @category constructors
 */
export const make = (options?: { readonly id?: string | undefined }): Effect.Effect<Conversation> =>
  Effect.map(into4(Conversation3.make(options)), conversationFrom3)

/**
 * A store in memory, which is gone with the process.
 *
 * @category layers
 */
export const layerMemory: Layer.Layer<ConversationStore> = Layer.effect(
  ConversationStore,
  Effect.map(into4(Effect3.provide(ConversationStore3.ConversationStore, ConversationStore3.layerMemory)), storeFrom3)
)
