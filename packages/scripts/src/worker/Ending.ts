/** How a call of a program ended, as Wield saw it, before it is made a result or a failure. */
import type { Limits } from "../ExecutionOptions.js"
import type { Answer } from "./Reply.js"
import type { Process } from "@wield/process"

export type ExceededLimit = Extract<keyof Limits, "time" | "output" | "processes" | "memory">

/** What was too long. */
export type Written = "result" | Process.StreamName

export type Cause =
  | { readonly type: "answered"; readonly answer: Answer }
  /** The script could not be loaded. */
  | { readonly type: "failed"; readonly error: string; readonly detail: string }
  /** The program itself ended; `isUntold` where it had not read the call. */
  | { readonly type: "ended"; readonly ended: Process.Ended; readonly isUntold: boolean }
  | { readonly type: "exceeded"; readonly limit: Exclude<ExceededLimit, "output"> }
  | { readonly type: "exceeded"; readonly limit: "output"; readonly written: Written }
  /** The program broke the protocol. */
  | { readonly type: "malformed"; readonly detail: string }
  | { readonly type: "interrupted" }

export interface Ending {
  readonly cause: Cause
  /** All of standard output, where the call asked for it to be kept. */
  readonly standardOutput: Buffer
  /** The last lines, without secrets; so are those of standard error. */
  readonly standardOutputTail: string
  readonly standardErrorTail: string
  /** Whether an answer's line holds one of the texts that the call asked to be looked for. */
  readonly isSecretAnswered: boolean
}
