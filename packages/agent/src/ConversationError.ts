/** What can be wrong with an operation on a conversation or its store. */
import * as Schema from "effect/Schema"

/**
 * Another writer has appended to the conversation meanwhile: read its entries
 * again, and append after their last one.
 *
 * @category errors
 */
export class AppendConflict extends Schema.TaggedError<AppendConflict>("@wield/agent/AppendConflict")(
  "AppendConflict",
  {
    conversation: Schema.String,
    /** The id of the entry after which was to be appended; absent for the beginning. */
    after: Schema.optional(Schema.String),
    /** The id of the last entry. */
    last: Schema.optional(Schema.String)
  }
) {
  override get message(): string {
    return `The conversation ${this.conversation} ends with ${this.last ?? "no entry"}, not with ${this.after ?? "no entry"}: read its entries again and append after the last one`
  }
}

/**
 * Another entry of the conversation has this id.
 *
 * @category errors
 */
export class EntryIdTaken extends Schema.TaggedError<EntryIdTaken>("@wield/agent/EntryIdTaken")("EntryIdTaken", {
  conversation: Schema.String,
  entry: Schema.String
}) {
  override get message(): string {
    return `The conversation ${this.conversation} has another entry with the id ${this.entry}: give each entry an id of its own`
  }
}

/**
 * There is no conversation of this id.
 *
 * @category errors
 */
export class ConversationNotFound extends Schema.TaggedError<ConversationNotFound>("@wield/agent/ConversationNotFound")(
  "ConversationNotFound",
  { conversation: Schema.String }
) {
  override get message(): string {
    return `There is no conversation ${this.conversation}: create it first`
  }
}

/**
 * A conversation of this id exists already.
 *
 * @category errors
 */
export class ConversationExists extends Schema.TaggedError<ConversationExists>("@wield/agent/ConversationExists")(
  "ConversationExists",
  { conversation: Schema.String }
) {
  override get message(): string {
    return `The conversation ${this.conversation} exists already: open it, or choose another id`
  }
}

/**
 * There is no entry of this id in the conversation.
 *
 * @category errors
 */
export class EntryNotFound extends Schema.TaggedError<EntryNotFound>("@wield/agent/EntryNotFound")("EntryNotFound", {
  conversation: Schema.String,
  entry: Schema.String
}) {
  override get message(): string {
    return `The conversation ${this.conversation} has no entry ${this.entry}`
  }
}

/**
 * What was to be imported is no exported conversation.
 *
 * @category errors
 */
export class InvalidExport extends Schema.TaggedError<InvalidExport>("@wield/agent/InvalidExport")("InvalidExport", {
  /** Where it is wrong, and what was expected there. */
  detail: Schema.String
}) {
  override get message(): string {
    return `This is no exported conversation: ${this.detail}`
  }
}

/**
 * The store failed: the database cannot be reached, is locked, or holds what it
 * should not.
 *
 * @category errors
 */
export class StoreError extends Schema.TaggedError<StoreError>("@wield/agent/StoreError")("StoreError", {
  operation: Schema.String,
  detail: Schema.String,
  /** For the program; it may name what the database held. */
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `The store of conversations failed to ${this.operation}: ${this.detail}`
  }
}
