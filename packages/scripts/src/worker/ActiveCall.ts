/** A call that a worker runs, as far as it has come. */
import type { Redaction } from "../process/redaction.js"
import type { Process } from "@wield/process"
import type { Answer } from "./Program.js"
import type { Cause, Ending } from "./Ending.js"
import { makePending, type Pending } from "./progress.js"
import type { Request } from "./Request.js"

export interface ActiveCall {
  readonly request: Request
  /** What it has printed and not reported yet; absent if no one listens. */
  pending: { readonly [stream in Process.StreamName]: Pending } | undefined
  unwatch: () => void
  cause: Cause | undefined
  answer: Answer | undefined
  isSecretAnswered: boolean
  /** Whether the program ended before it had read the call. */
  isUntold: boolean
  /** Whether what it had started is being killed. */
  isClearing: boolean
  /** How it ended, while that goes on. */
  postponed: Cause | undefined
  ending: Ending | undefined
  /** Called when there is something to report, or that it has ended. */
  wake: (() => void) | undefined
}

/** `redaction` hides secrets in what it prints; without it, prints are not reported. */
export const makeActiveCall = (request: Request, redaction: Redaction | undefined): ActiveCall => ({
  request,
  pending: redaction && { standardOutput: makePending(redaction), standardError: makePending(redaction) },
  unwatch: () => undefined,
  cause: undefined,
  answer: undefined,
  isSecretAnswered: false,
  isUntold: false,
  isClearing: false,
  postponed: undefined,
  ending: undefined,
  wake: undefined
})
