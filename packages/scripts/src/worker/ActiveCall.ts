/** A call that a worker runs, and who waits for what it prints and how it ends. */
import type * as CurrentCall from "@wield/core/CurrentCall"
import * as Process from "@wield/process/Process"
import * as Effect from "effect/Effect"
import type { Redaction } from "../process/redaction.js"
import type { Cause, Ending } from "./Ending.js"
import type { Request } from "./Program.js"
import { makePending, type Pending, type Printed, streamLabel } from "./progress.js"
import type { Answer } from "./Reply.js"

/** How long, in milliseconds, the reader may take for what was printed; then the call reports no more. */
const progressLimit = 1000

/** What to report next; nothing where there is nothing. */
const takePrinted = (call: ActiveCall, resume: (stream: Process.StreamName) => void): Printed | undefined => {
  if (call.pending === undefined) return undefined
  for (const name of Process.streamNames) {
    const wasFull = call.pending[name].isFull()
    const text = call.pending[name].take(call.ending !== undefined)
    if (wasFull) resume(name)
    if (text !== "") return { stream: streamLabel(name), text }
  }
  return undefined
}

/** Gives how the call ended; `resume` goes on reading a stream. */
export const follow = (
  call: ActiveCall,
  progress: CurrentCall.Call["progress"],
  resume: (stream: Process.StreamName) => void
): Effect.Effect<Ending> =>
  Effect.suspend(() => {
    const printed = takePrinted(call, resume)
    if (printed !== undefined) {
      const taken = Effect.raceFirst(Effect.as(progress(printed), true), Effect.as(Process.sleep(progressLimit), false))
      return Effect.flatMap(taken, (isTaken) => {
        if (!isTaken) {
          call.pending = undefined
          for (const name of Process.streamNames) resume(name)
        }
        return follow(call, progress, resume)
      })
    }
    if (call.ending !== undefined) return Effect.succeed(call.ending)
    return Effect.flatten(
      Effect.async<Effect.Effect<Ending>>((woken) => {
        call.wake = () => {
          call.wake = undefined
          woken(Effect.succeed(follow(call, progress, resume)))
        }
      })
    )
  })

/** Waits for the end of a call that was stopped, however slow its reader is. */
export const awaitEnding = (call: ActiveCall): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (call.ending !== undefined) return Effect.void
    return Effect.async<void>((resume) => {
      call.wake = () => {
        if (call.ending !== undefined) resume(Effect.void)
      }
    })
  })

/** A call that a worker runs, as far as it has come. */
export class ActiveCall {
  /** What it has printed and not reported yet; absent if no one listens. */
  pending: { readonly [stream in Process.StreamName]: Pending } | undefined
  unwatch: () => void = () => undefined
  cause: Cause | undefined
  answer: Answer | undefined
  isSecretAnswered = false
  /** Whether the program ended before it had read the call. */
  isUntold = false
  /** Whether what it had started is being killed. */
  isClearing = false
  /** How it ended, while that goes on. */
  postponed: Cause | undefined
  ending: Ending | undefined
  /** Called when there is something to report, or that it has ended. */
  wake: (() => void) | undefined

  /** `redaction` hides secrets in what it prints; without it, prints are not reported. */
  constructor(
    readonly request: Request,
    redaction: Redaction | undefined
  ) {
    this.pending = redaction && { standardOutput: makePending(redaction), standardError: makePending(redaction) }
  }
}
