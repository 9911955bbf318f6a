/**
 * Declare a tool once; any model, from any provider, can wield it.
 *
 * @since 0.1.0
 */

/** @since 0.1.0 */
export * as Content from "./Content.js"
/** @since 0.1.0 */
export * as Facts from "./Facts.js"
/** @since 0.1.0 */
export * as Issue from "./Issue.js"
/** @since 0.1.0 */
export * as Json from "./Json.js"
/** @since 0.1.0 */
export * as Loss from "./Loss.js"
/** @since 0.1.0 */
export * as Message from "./Message.js"
/** @since 0.1.0 */
export * as Note from "./Note.js"
/** @since 0.1.0 */
export * as Outcome from "./Outcome.js"
/** @since 0.1.0 */
export * as ToolCall from "./ToolCall.js"
/** @since 0.1.0 */
export * as ToolDefinition from "./ToolDefinition.js"
/** @since 0.1.0 */
export * as ToolResult from "./ToolResult.js"
/** @since 0.1.0 */
export * as Turn from "./Turn.js"
/** @since 0.1.0 */
export * as TurnEvent from "./TurnEvent.js"
