/**
 * The loop around a language model.
 */
export * as Agent from "./Agent.js"
export * as AgentError from "./AgentError.js"
export * as AgentEvent from "./AgentEvent.js"
export * as AgentResult from "./AgentResult.js"
export * as AnswerError from "./AnswerError.js"
export * as ContextWindow from "./ContextWindow.js"
export * as Conversation from "./Conversation.js"
export * as ConversationError from "./ConversationError.js"
export * as ConversationStore from "./ConversationStore.js"
export * as DeferredCall from "./DeferredCall.js"
export * as Model from "./Model.js"
export * as ModelError from "./ModelError.js"
export * as Stop from "./Stop.js"
export * as Tokens from "./Tokens.js"
export * as WaitingCalls from "./WaitingCalls.js"
