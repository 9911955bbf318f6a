/** What runs a conversation: an agent in this process, or a cluster. */
import type { Conversation, DeferredCall } from "@wield/agent"
import type { StoreError } from "@wield/agent/ConversationError"
import type { Content } from "@wield/core"
import type * as Effect from "effect/Effect"
import type { Event } from "../Chat.js"

/** What a run is given, and whom it tells. */
export interface Given {
  readonly conversation: Conversation.Conversation<StoreError>
  readonly prompt?: ReadonlyArray<Content.Part>
  readonly promptId?: string
  readonly answers: ReadonlyArray<DeferredCall.Answer> | undefined
  readonly context: unknown
  readonly tell: (event: Event) => Effect.Effect<unknown>
  /** Keeps what waits, before the page hears of the end. */
  readonly keep: (requests: ReadonlyArray<DeferredCall.DeferredCall>) => Effect.Effect<void, unknown>
}

export interface Runner {
  /** Runs to the end, and tells `Done` last. */
  readonly run: (given: Given) => Effect.Effect<unknown, unknown>
  /** Whether a run of the conversation goes on that this process can neither read nor stop. */
  readonly isRunElsewhere: (conversation: Conversation.Conversation<StoreError>) => Effect.Effect<boolean>
}

/** Where other processes run conversations too. */
export interface Elsewhere {
  /** The run that goes on in a conversation. */
  readonly running: (
    conversation: Conversation.Conversation<StoreError>
  ) => Effect.Effect<(Pick<Runner, "run"> & { readonly id: string }) | undefined, unknown>
  /** Ends it, wherever it goes on. */
  readonly stop: (conversation: string) => Effect.Effect<unknown, unknown>
}
