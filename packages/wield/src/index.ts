/**
 * Tools for language models, with promises.
 */
export type {
  Agent,
  AgentOptions,
  AnyModel,
  AskOptions,
  Changes,
  ChatOptions,
  Event,
  ModelOptions,
  Partial,
  Result,
  Step,
  SearchOptions,
  StopOptions,
  Time,
  Visitor,
  WindowOptions,
  WithSignal
} from "./agent.js"
export {
  type AnyTool,
  type Call,
  type CallValues,
  content,
  type Declaration,
  failure,
  file,
  image,
  needsInput,
  type Parameters,
  type Tool,
  tool,
  ToolFailure
} from "./tool.js"
export type { DeferredCall } from "@wield/agent/DeferredCall"
export type { ToolSource } from "./internal/source.js"
export type { AuditRow, Conversations, Entry, Summary } from "./conversations.js"
export type { Abortable, Answer, Answered, CallEvent, FormatName, NeededContext, Reply, Run, Waiting } from "./run.js"
export {
  type AboutCall,
  type Decision,
  type Guard,
  type GuardDecision,
  type Limits,
  type LogLine,
  type Options,
  type Rule,
  type RunOptions,
  type Store,
  type Wield,
  wield
} from "./wield.js"

// What promises reject with.
export { Closed } from "./internal/Running.js"
export { JournalError } from "@wield/core/JournalError"
export {
  IncompleteContext,
  InvalidEdit,
  InvalidReply,
  NotWaiting,
  StaleResponse,
  WrongKindOfResponse
} from "@wield/core/ResponseError"
export { ConversationExists, ConversationNotFound, EntryNotFound } from "@wield/agent/ConversationError"
export { ToolCallError } from "@wield/core/ToolCallError"
export { InvalidPolicy, InvalidTool, ToolNameCollision } from "@wield/core/ToolsetError"
export { WireError } from "@wield/providers/WireError"
export { GuardBlocked, ModelTimedOut, Unreachable } from "@wield/agent/ModelError"
export { InvalidAgent, NothingToDo, TooManyMistakes, WaitingForAnswers } from "@wield/agent/AgentError"
export {
  AlreadyAnswered,
  ExpiredRequest,
  InvalidAnswer,
  TamperedRequest,
  UnknownRequest
} from "@wield/agent/AnswerError"
export { AppendConflict, StoreError } from "@wield/agent/ConversationError"
