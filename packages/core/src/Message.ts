/**
 * The messages of a conversation in Wield's words, so that a conversation can
 * be carried from one provider's format to another's. What the provider sent
 * is kept beside, verbatim, for going on with the same provider.
 *
 * @since 0.1.0
 */
import type { Part as ContentPart } from "./Content.js"
import type { Json } from "./Json.js"
import type { ToolResult } from "./ToolResult.js"
import type { Part as TurnPart } from "./Turn.js"

/**
 * A provider's own messages or items, byte for byte.
 *
 * @since 0.1.0
 * @category models
 */
export interface Native {
  /** Name of the wire format. */
  readonly format: string
  readonly json: ReadonlyArray<Json>
}

/**
 * Instructions of the application (system, developer).
 *
 * @since 0.1.0
 * @category models
 */
export interface System {
  readonly _tag: "System"
  readonly text: string
  readonly native: Native | undefined
}

/**
 * What the user says.
 *
 * @since 0.1.0
 * @category models
 */
export interface User {
  readonly _tag: "User"
  readonly content: ReadonlyArray<ContentPart>
  readonly native: Native | undefined
}

/**
 * What the model said and called in one turn.
 *
 * @since 0.1.0
 * @category models
 */
export interface Assistant {
  readonly _tag: "Assistant"
  readonly parts: ReadonlyArray<TurnPart>
  readonly native: Native | undefined
}

/**
 * The results of the calls of the turn before.
 *
 * @since 0.1.0
 * @category models
 */
export interface Results {
  readonly _tag: "Results"
  readonly results: ReadonlyArray<ToolResult>
  readonly native: Native | undefined
}

/**
 * One message of a conversation.
 *
 * @since 0.1.0
 * @category models
 */
export type Message = System | User | Assistant | Results
