/**
 * How many calls begin in one turn of the event loop: timers and sockets come
 * between, however many calls a program makes at once.
 */
import * as Effect from "effect/Effect"
import { nextTurn } from "../Time.js"

export const mostInTurn = 64

let begun = 0
const waiting = new Set<() => void>()

const open: Effect.Effect<void> = Effect.flatMap(nextTurn, () => {
  begun = 0
  for (const wake of waiting) {
    if (begun === mostInTurn) break
    waiting.delete(wake)
    begun++
    wake()
  }
  return begun === 0 ? Effect.void : open
})

/** `undefined` where a call may begin in this turn; otherwise it waits, behind those that wait already. */
export const beginInTurn = (): Effect.Effect<void> | undefined => {
  if (begun < mostInTurn) {
    if (begun++ === 0) Effect.runFork(open)
    return undefined
  }
  return Effect.async((resume) => {
    const wake = () => resume(Effect.void)
    waiting.add(wake)
    return Effect.sync(() => waiting.delete(wake))
  })
}
