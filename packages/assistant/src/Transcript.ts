/** What has been said in a conversation, for tools that think about it. */
import * as Conversation from "@wield/agent/Conversation"
import * as ConversationStore from "@wield/agent/ConversationStore"
import type { Message } from "@wield/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ConversationId } from "./Owner.js"
import { StoreError } from "./StoreError.js"

/**
 * What a person or a model has said.
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
 * What has been said in a conversation: nothing unless an application gives it.
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

/** The lines that people read in a conversation. */
export const linesOf = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Line> =>
  messages.flatMap((message): ReadonlyArray<Line> => {
    switch (message._tag) {
      case "User":
        return line("user", message.content.map((part) => (part._tag === "Text" ? part.text : "")).join("\n"))
      case "Assistant":
        return line("assistant", message.parts.map((part) => (part._tag === "Text" ? part.text : "")).join(""))
      case "System":
      case "Results":
        return []
    }
  })

const line = (role: Line["role"], text: string): ReadonlyArray<Line> =>
  text.trim() === "" ? [] : [{ role, text: text.trim() }]
