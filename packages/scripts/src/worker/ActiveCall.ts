/**
 * A call that a worker was told, as far as it has come.
 */
import type { Redaction } from "../process/redaction.js"
import type { Process } from "@wield/process"
import type { Answer } from "../program/Program.js"
import type { Cause, Ending } from "./Ending.js"
import { makePending, type Pending } from "./progress.js"
import type { Request } from "./Request.js"

export interface ActiveCall {
  readonly request: Request
  /** What it has printed and nobody was told yet; nothing where nobody is to be told. */
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
  /** Told that there is something to tell, or that it has ended. */
  wake: (() => void) | undefined
}

/** `told` is what is hidden in what it prints where somebody is to be told that. */
export const makeActiveCall = (request: Request, told: Redaction | undefined): ActiveCall => ({
  request,
  pending: told && { standardOutput: makePending(told), standardError: makePending(told) },
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
