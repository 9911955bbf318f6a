/**
 * The errors of this package, by their tags: errors of JavaScript, each with a
 * message that says what was wrong, where, and what to do. `Effect.catchTag`
 * finds them.
 */
import type { Deferred, Issue, Unhandled } from "./Outcome.js"

/** @category errors */
export interface Tagged<out Tag extends string> extends Error {
  readonly _tag: Tag
}

/** One error for each tag. */
type Each<Tag extends string> = Tag extends string ? Tagged<Tag> : never

/**
 * Two tools have one name.
 *
 * @category errors
 */
export interface ToolNameCollision extends Tagged<"ToolNameCollision"> {
  readonly names: ReadonlyArray<string>
}

/**
 * A tool cannot be offered: its schema is no object, its handler is not there.
 *
 * @category errors
 */
export interface InvalidTool extends Tagged<"InvalidTool"> {
  readonly tool: string
  readonly reason: string
}

/**
 * A value in a policy that no call could keep to.
 *
 * @category errors
 */
export interface InvalidPolicy extends Tagged<"InvalidPolicy"> {
  readonly path: ReadonlyArray<string>
  readonly expected: string
  readonly received: string
}

/**
 * What can be wrong where a toolset or a runner is made.
 *
 * @category errors
 */
export type ToolsetError = ToolNameCollision | InvalidTool | InvalidPolicy

/**
 * A program's own call ended otherwise than with a result or a failure of the tool.
 *
 * @category errors
 */
export interface ToolCallError extends Tagged<"ToolCallError"> {
  readonly outcome: Deferred | Unhandled
}

/**
 * The journal could not be read or written.
 *
 * @category errors
 */
export interface JournalError extends Tagged<"JournalError"> {
  readonly operation: string
  readonly cause: unknown
}

/**
 * A response that does not answer what waits. It changed nothing.
 *
 * @category errors
 */
export type ResponseError =
  | (Tagged<"StaleResponse"> & { readonly call: string; readonly tool: string; readonly digest: string })
  | (Tagged<"WrongKindOfResponse"> & {
      readonly call: string
      readonly tool: string
      readonly expected: ReadonlyArray<string>
      readonly received: string
    })
  | (Tagged<"NotWaiting"> & { readonly call: string; readonly tool: string; readonly reason: string })
  | (Tagged<"InvalidEdit" | "InvalidReply"> & {
      readonly call: string
      readonly tool: string
      readonly issues: ReadonlyArray<Issue>
    })
  | (Tagged<"IncompleteContext"> & {
      readonly call: string
      readonly tool: string
      readonly fields: ReadonlyArray<string>
    })

/**
 * The call has been answered already, by another answer.
 *
 * @category errors
 */
export interface AlreadyAnswered extends Tagged<"AlreadyAnswered"> {
  readonly conversation: string
  readonly entry: string
  readonly call: string
  /** What the first answer was. Absent where processes have recorded several, and only the call's result tells which counts. */
  readonly response?: "Approve" | "Deny" | "Result" | "Failure" | "Reply" | undefined
}

/**
 * An answer that answers nothing that waits, or is not what was signed. It
 * changed nothing.
 *
 * @category errors
 */
export type AnswerError =
  | ResponseError
  | AlreadyAnswered
  | Each<"UnknownRequest" | "TamperedRequest" | "ExpiredRequest" | "InvalidAnswer">

/**
 * An agent cannot be made, or has nothing to do, or its model makes mistake after mistake.
 *
 * @category errors
 */
export type AgentError = Each<"TooManyMistakes" | "WaitingForAnswers" | "NothingToDo" | "InvalidAgent">

/**
 * Why a model did not answer. Of the first five, a later request may succeed.
 *
 * @category errors
 */
export type ModelError = Each<
  | "Unreachable"
  | "ModelTimedOut"
  | "RateLimited"
  | "ProviderUnavailable"
  | "WireError"
  | "RequestRejected"
  | "ContextOverflow"
  | "ContentFiltered"
  | "NotAuthorized"
  | "QuotaExceeded"
  | "GuardBlocked"
>
