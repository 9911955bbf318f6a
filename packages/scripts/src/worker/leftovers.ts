/**
 * Kills what calls have left behind outside of their process groups. A second
 * after a call is soon enough, and looking at all processes after each would
 * cost more than most calls.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ProcessTable } from "@wield/process"
import type { Worker } from "./Worker.js"

const interval = 1000

/** Gives what is told that a worker has had a call. */
export const makeLeftovers: Effect.Effect<(worker: Worker) => void, never, Scope.Scope> = Effect.gen(function* () {
  const called = new Map<string, Worker>()
  let timer: NodeJS.Timeout | undefined

  const look = () => {
    timer = undefined
    const idle = new Map([...called].filter(([, worker]) => worker.needed() !== undefined))
    // One that is busy is looked at when its call is over.
    ProcessTable.killMarked((mark) => idle.get(mark)?.needed())
    for (const mark of idle.keys()) called.delete(mark)
    plan()
  }
  const plan = () => {
    if (timer === undefined && called.size > 0) timer = setTimeout(look, interval).unref()
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      called.clear()
      clearTimeout(timer)
    })
  )
  return (worker) => {
    if (worker.mode !== "fork" && worker.mode !== "reset") return
    called.set(worker.mark, worker)
    plan()
  }
})
