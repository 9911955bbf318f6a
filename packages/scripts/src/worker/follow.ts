/**
 * Follows a call until it has ended: tells what it prints as progress of the
 * tool call, and lets the script wait for whoever watches.
 */
import type { CurrentCall } from "@wield/core"
import * as Effect from "effect/Effect"
import { Process } from "@wield/process"
import type { ActiveCall } from "./ActiveCall.js"
import type { Ending } from "./Ending.js"
import { streamLabel, type Printed } from "./progress.js"

/** How long, in milliseconds, whoever watches may take for what was printed; no more of the call is told after that. */
const progressLimit = 1000

/** What is to be told next; nothing where there is nothing. */
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
      const told = Effect.raceFirst(Effect.as(progress(printed), true), Effect.as(Process.sleep(progressLimit), false))
      return Effect.flatMap(told, (isTaken) => {
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

/** Waits for the end of a call that was told to stop, however long whoever watches takes. */
export const awaitEnding = (call: ActiveCall): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (call.ending !== undefined) return Effect.void
    return Effect.async<void>((resume) => {
      call.wake = () => {
        if (call.ending !== undefined) resume(Effect.void)
      }
    })
  })
