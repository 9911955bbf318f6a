/**
 * The loop around a language model.
 *
 * @since 0.1.0
 */

/** @since 0.1.0 */
export * as Agent from "./Agent.js"
/** @since 0.1.0 */
export * as AgentError from "./AgentError.js"
/** @since 0.1.0 */
export * as AgentEvent from "./AgentEvent.js"
/** @since 0.1.0 */
export * as AgentResult from "./AgentResult.js"
/** @since 0.1.0 */
export * as AnswerError from "./AnswerError.js"
/** @since 0.1.0 */
export * as ContextWindow from "./ContextWindow.js"
/** @since 0.1.0 */
export * as Conversation from "./Conversation.js"
/** @since 0.1.0 */
export * as ConversationError from "./ConversationError.js"
/** @since 0.1.0 */
export * as ConversationStore from "./ConversationStore.js"
/** @since 0.1.0 */
export * as DeferredCall from "./DeferredCall.js"
/** @since 0.1.0 */
export * as Model from "./Model.js"
/** @since 0.1.0 */
export * as ModelError from "./ModelError.js"
/** @since 0.1.0 */
export * as Stop from "./Stop.js"
/** @since 0.1.0 */
export * as Tokens from "./Tokens.js"
