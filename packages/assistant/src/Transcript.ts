/** What has been said in a conversation, for tools that think about it. */
import { Conversation, ConversationStore } from "@wield/agent"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StoreError } from "./StoreError.js"
import { linesOf } from "./recall/lines.js"
import type { ConversationId } from "./Owner.js"

/**
 * What somebody has said.
 *
 * @category models
 */
export interface Line {
  readonly role: "user" | "assistant"
  readonly text: string
}

/**
 * Reads conversations.
 *
 * @category services
 */
export interface Service {
  /** The last lines, in their order; none where the conversation is not known. Calls and their results are left out. */
  readonly last: (conversation: ConversationId, count: number) => Effect.Effect<ReadonlyArray<Line>, StoreError>
}

/**
 * What has been said in a conversation. It is a reference: where an application
 * gives none, nothing is known of conversations.
 *
 * @category references
 */
export class Transcript extends Context.Reference<Transcript>()("@wield/assistant/Transcript", {
  defaultValue: (): Service => ({ last: () => Effect.succeed([]) })
}) {}

/**
 * What has been said in the conversations of a store.
 *
 * @category layers
 */
export const layerConversations: Layer.Layer<never, never, ConversationStore.ConversationStore> = Layer.effect(
  Transcript,
  Effect.map(ConversationStore.ConversationStore, (store) => ({
    last: (conversation, count) =>
      store.open(conversation).pipe(
        Effect.flatMap(({ entries }) => entries),
        Effect.map((entries) => linesOf(Conversation.messages(entries)).slice(-count)),
        Effect.catchTag("ConversationNotFound", () => Effect.succeed([])),
        Effect.catchTag(
          "StoreError",
          (cause) => new StoreError({ operation: "read the conversation", detail: cause.message, cause })
        )
      )
  }))
)
