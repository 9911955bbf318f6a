/** All that an assistant keeps of one user, as `Assistant.export` gives it. */
import * as Schema from "effect/Schema"
import { Document, Excerpt } from "./Document.js"
import { Goal } from "./Goal.js"
import { ConversationId, UserId } from "./Owner.js"

/**
 * A memory with what it was made of; also one that is outdated or consolidated.
 *
 * @category models
 */
export const ExportedMemory = Schema.Struct({
  id: Schema.String,
  number: Schema.Int,
  name: Schema.String,
  text: Schema.String,
  keywords: Schema.Array(Schema.String),
  /** From 1 to 10. */
  importance: Schema.Int,
  state: Schema.Literal("active", "outdated", "consolidated"),
  created: Schema.DateTimeUtc,
  changed: Schema.DateTimeUtc,
  sources: Schema.Array(
    Schema.Struct({
      type: Schema.Literal("Memory", "Goal", "DocumentExcerpt", "ContextMessageSet"),
      name: Schema.String,
      text: Schema.String
    })
  )
})

/**
 * All that an assistant keeps of one user. Encoded it is JSON, with times in ISO 8601.
 *
 * @category models
 */
export class UserExport extends Schema.Class<UserExport>("@wield/assistant/UserExport")({
  user: UserId,
  /** The newest first. */
  memories: Schema.Array(ExportedMemory),
  /** Active and completed ones, those that were made first first. */
  goals: Schema.Array(Schema.Struct({ id: Schema.String, goal: Goal, changed: Schema.DateTimeUtc })),
  documents: Schema.Array(Schema.Struct({ id: Schema.String, document: Document, excerpts: Schema.Array(Excerpt) })),
  /** `null` where no name was ever kept. */
  profile: Schema.NullOr(
    Schema.Struct({
      fullName: Schema.NullOr(Schema.String),
      preferredName: Schema.NullOr(Schema.String),
      changed: Schema.DateTimeUtc
    })
  ),
  /** What is in the current context of conversations, by the ids that memories and goals have here. */
  context: Schema.Array(
    Schema.Struct({
      conversation: ConversationId,
      type: Schema.Literal("memory", "goal"),
      id: Schema.String,
      added: Schema.DateTimeUtc
    })
  )
}) {}
