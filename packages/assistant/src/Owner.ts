/** Whose an assistant's rows are. The application says it in the call context; a model neither sees nor sets it. */
import * as Schema from "effect/Schema"

/**
 * Who the user is. Every row of the assistant's tables belongs to one.
 *
 * @category models
 */
export const UserId = Schema.NonEmptyString.pipe(Schema.brand("@wield/assistant/UserId"))
export type UserId = typeof UserId.Type

/**
 * Which conversation of a user is going on: it has a current context of its own.
 *
 * @category models
 */
export const ConversationId = Schema.NonEmptyString.pipe(Schema.brand("@wield/assistant/ConversationId"))
export type ConversationId = typeof ConversationId.Type

/**
 * The hidden field of tools over a user's rows: `Hidden.fields("user_id")`.
 *
 * @category fields
 */
export const owned = { user_id: UserId } as const

/**
 * The hidden fields of tools over what is in the current context:
 * `{ user_id, conversation_id }` in the call context.
 *
 * @category fields
 */
export const conversing = { user_id: UserId, conversation_id: ConversationId } as const
