/**
 * What of a long conversation a model is shown.
 *
 * @since 0.1.0
 */
import type { Message, ToolDefinition } from "@wield/core"
import * as Effect from "effect/Effect"
import { type Entry, messages } from "./Conversation.js"
import type { ModelError } from "./ModelError.js"

/**
 * What a model is shown of a conversation.
 *
 * @since 0.1.0
 * @category models
 */
export interface View {
  readonly messages: ReadonlyArray<Message.Message>
  /** How many entries are left out. */
  readonly dropped: number
  /** A summary that was made now, to be appended to the conversation, so that it need not be made again. */
  readonly summary: Entry | undefined
}

/**
 * Chooses what a model is shown. The same entries, with more after them, give
 * the same beginning for as long as possible, so that a provider's cache of
 * prefixes holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContextWindow {
  readonly view: (
    entries: ReadonlyArray<Entry>,
    /** What else counts: instructions and the tools on offer. */
    beside: {
      readonly instructions: string | undefined
      readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
    }
  ) => Effect.Effect<View, ModelError>
}

/**
 * Shows a model the whole conversation.
 *
 * @since 0.1.0
 * @category constructors
 */
export const everything: ContextWindow = {
  view: (entries) => Effect.succeed({ messages: messages(entries), dropped: 0, summary: undefined })
}
